//! Armv8's dependencies through memory: small tests with the observation of herd 7.58, and the verdicts of the engine
//! on the histories that end as the tests ask.

use check::{Options, Verdict};
use history::{Ambiguity, History, ReadsFrom};
use litmus::{LitmusTest, Observation, histories, outcomes};
use memory::Model;

/// Writes x, then y.
const MP: &str = "MOV W0,#1;STR W0,[X1];DMB SY;MOV W0,#1;STR W0,[X2]";
/// Reads x, then writes y.
const LB: &str = "LDR W0,[X1];MOV W4,#1;STLR W4,[X2]";
/// Reads y, writes a choice that depends on it to z, and reads z.
const PICK: &str = "LDR W4,[X2];CMP W4,#1;CSEL W6,W10,W11,EQ;STR W6,[X3];LDR W7,[X3]";
/// Reads y, and then x after a dependency.
const READ: &str = "LDR W5,[X2];EOR W6,W5,W5;LDR W9,[X1,W6,SXTW]";

/// A test: its name, the programs of its threads (in the second, `PICK` and `READ` stand for the constants above), the
/// state that it asks for, and whether Armv8 allows that state.
type Row = (&'static str, &'static str, &'static str, &'static str, bool);

#[rustfmt::skip]
const TESTS: [Row; 26] = [
    ("update", MP, "MOV W0,#2;LDADD W0,W4,[X2];READ",
     "1:X4=1 /\\ 1:X9=0", false),
    ("exchange", MP, "MOV W0,#2;SWP W0,W4,[X2];READ",
     "1:X4=1 /\\ 1:X9=0", true),
    ("two updates", MP, "MOV W0,#2;LDADD W0,W4,[X2];LDSET W0,W7,[X2];READ",
     "1:X4=1 /\\ 1:X9=0", false),
    ("update then exchange", MP, "MOV W0,#2;LDADD W0,W4,[X2];SWP W0,W7,[X2];READ",
     "1:X4=1 /\\ 1:X9=0", true),
    ("update without result", MP, "MOV W0,#2;STADD W0,[X2];LDR W4,[X2];EOR W6,W4,W4;LDR W9,[X1,W6,SXTW]",
     "1:X4=3 /\\ 1:X9=0", false),
    ("update, through another location", MP, "MOV W0,#2;LDADD W0,W4,[X2];LDR W5,[X2];STR W5,[X3];LDR W7,[X3];EOR W6,W7,W7;LDR W9,[X1,W6,SXTW]",
     "1:X4=1 /\\ 1:X9=0", false),
    ("update, control and ISB", MP, "MOV W0,#2;LDADD W0,W4,[X2];LDR W5,[X2];CBNZ W5,L0;L0:;ISB;LDR W9,[X1]",
     "1:X4=1 /\\ 1:X9=0", false),
    ("compare and swap", MP, "MOV W4,#1;MOV W0,#2;CAS W4,W0,[X2];READ",
     "1:X4=1 /\\ 1:X9=0", true),
    ("choice, then data", LB, "PICK;EOR W8,W7,W7;ADD W8,W8,#1;STR W8,[X1]",
     "0:X0=1 /\\ 1:X4=1", false),
    ("choice, then address", LB, "PICK;EOR W8,W7,W7;MOV W12,#1;STR W12,[X1,W8,SXTW]",
     "0:X0=1 /\\ 1:X4=1", false),
    ("choice, then branch", LB, "PICK;CBNZ W7,L0;L0:;MOV W12,#1;STR W12,[X1]",
     "0:X0=1 /\\ 1:X4=1", false),
    ("choice, then nothing", LB, "PICK;MOV W12,#1;STR W12,[X1]",
     "0:X0=1 /\\ 1:X4=1", true),
    ("choice, then choice", LB, "PICK;CMP W7,#0;CSEL W8,W10,W11,EQ;ADD W8,W8,#1;STR W8,[X1]",
     "0:X0=1 /\\ 1:X4=1", false),
    ("choice, then choice through memory", LB, "PICK;CMP W7,#0;CSEL W8,W10,W11,EQ;STR W8,[X3];LDR W13,[X3];EOR W8,W13,W13;ADD W8,W8,#1;STR W8,[X1]",
     "0:X0=1 /\\ 1:X4=1", false),
    ("choice, then acquire", LB, "LDR W4,[X2];CMP W4,#1;CSEL W6,W10,W11,EQ;STR W6,[X3];LDAPR W7,[X3];MOV W12,#1;STR W12,[X1]",
     "0:X0=1 /\\ 1:X4=1", false),
    ("choice, then read", MP, "PICK;EOR W8,W7,W7;LDR W9,[X1,W8,SXTW]",
     "1:X4=1 /\\ 1:X9=0", true),
    ("choice, then branch and ISB", MP, "PICK;CBNZ W7,L0;L0:;ISB;LDR W9,[X1]",
     "1:X4=1 /\\ 1:X9=0", false),
    ("choice, then address and ISB", MP, "PICK;EOR W8,W7,W7;LDR W12,[X3,W8,SXTW];ISB;LDR W9,[X1]",
     "1:X4=1 /\\ 1:X9=0", false),
    ("choice, then fence, update without result", LB, "MOV W12,#1;STADD W12,[X2];LDR W4,[X2];DMB LD;STR W12,[X1]",
     "0:X0=1 /\\ 1:X4=2", false),
    ("fence, update without result", LB, "MOV W12,#1;STADD W12,[X2];DMB LD;STR W12,[X1]",
     "0:X0=1 /\\ y=2", true),
    ("compare and swap, then data", LB, "MOV W4,#1;MOV W0,#2;CAS W4,W0,[X2];LDR W7,[X2];EOR W8,W7,W7;ADD W8,W8,#1;STR W8,[X1]",
     "0:X0=1 /\\ 1:X4=1", false),
    ("exchange, then data", LB, "MOV W0,#2;SWP W0,W4,[X2];LDR W7,[X2];EOR W8,W7,W7;ADD W8,W8,#1;STR W8,[X1]",
     "0:X0=1 /\\ 1:X4=1", true),
    ("failed compare and swap", MP, "LDR W4,[X2];STR W4,[X3];MOV W7,#5;MOV W0,#7;CAS W7,W0,[X3];LDR W5,[X3];EOR W6,W5,W5;LDR W9,[X1,W6,SXTW]",
     "1:X4=1 /\\ 1:X9=0", false),
    ("no failed compare and swap", MP, "LDR W4,[X2];STR W4,[X3];LDR W5,[X3];EOR W6,W5,W5;LDR W9,[X1,W6,SXTW]",
     "1:X4=1 /\\ 1:X9=0", false),
    ("status of a store exclusive", MP, "LDR W4,[X2];LDXR W7,[X3];STXR W8,W4,[X3];EOR W6,W8,W8;LDR W9,[X1,W6,SXTW]",
     "1:X4=1 /\\ 1:X9=0", true),
    ("pair across a write of the thread", MP, "LDXR W4,[X2];MOV W0,#5;STR W0,[X2];MOV W0,#2;STXR W8,W0,[X2];LDAR W7,[X2];LDR W9,[X1]",
     "1:X4=1 /\\ 1:X9=0 /\\ 1:X8=0", false),
];

fn read((name, first, second, question, _): Row) -> LitmusTest {
    let second = second.replace("PICK", PICK).replace("READ", READ);
    let columns = [first, &second].map(|program| program.split(';').collect::<Vec<_>>());
    let mut text = String::from("AArch64 T\n{ ");
    for thread in 0..2 {
        text += &format!("{thread}:X1=x; {thread}:X2=y; {thread}:X3=z; ");
    }
    text += "}\nP0 | P1 ;\n";
    for row in 0..columns[0].len().max(columns[1].len()) {
        let [first, second] = columns.each_ref().map(|it| it.get(row).copied().unwrap_or(""));
        text += &format!("{first} | {second} ;\n");
    }
    LitmusTest::parse(name, &format!("{text}exists ({question})")).unwrap()
}

#[test]
fn dependencies_through_memory_order_what_herd_orders() {
    for row in TESTS {
        let found = outcomes(&read(row), Model::ARMV8, 2).unwrap().observation();
        let expected = if row.4 { Observation::Sometimes } else { Observation::Never };
        assert_eq!(found, expected, "{}", row.0);
    }
}

/// A trace has the dependencies of the program, so the engine finds a violation exactly where the test is forbidden.
#[test]
fn the_engine_uses_dependencies_through_memory() {
    for row in TESTS {
        let test = read(row);
        let all = histories(&test, &test.condition.proposition, 2).unwrap();
        assert!(!all.is_empty(), "{}", row.0);
        assert_eq!(all.iter().any(is_consistent), row.4, "{}", row.0);
    }
}

/// The verdict of the engine.
fn is_consistent(history: &History) -> bool {
    let model = Model::ARMV8;
    let history = model.prepare(history);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
    let outcome = check::check(&history, &reads_from, model, &Options::default());
    match outcome.verdict {
        Verdict::Consistent(_) => true,
        Verdict::Violation(_) => false,
        other => panic!("{other:?}"),
    }
}
