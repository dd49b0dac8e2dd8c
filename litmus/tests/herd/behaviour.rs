//! Tests what the stored results of herd do not cover: reports, errors, loops, histories.

use check::{Options, Verdict};
use history::{Ambiguity, DependencyKind, History, Kind, ReadsFrom};
use litmus::{Error, LitmusTest, histories, outcomes};
use memory::Model;

fn read(text: &str) -> LitmusTest {
    LitmusTest::parse("test.litmus", text).unwrap()
}

/// A RISC-V test of two threads with address registers `x8` for x and `x9` for y.
fn riscv(first: &str, second: &str, question: &str) -> LitmusTest {
    let mut rows = String::new();
    let (first, second): (Vec<&str>, Vec<&str>) =
        (first.split(';').collect(), second.split(';').collect());
    for row in 0..first.len().max(second.len()) {
        let cell = |column: &[&str]| (*column.get(row).unwrap_or(&"")).to_owned();
        rows += &format!("{} | {} ;\n", cell(&first), cell(&second));
    }
    read(&format!("RISCV T\n{{ 0:x8=x; 0:x9=y; 1:x8=x; 1:x9=y; }}\nP0 | P1 ;\n{rows}{question}"))
}

fn states(test: &LitmusTest, model: Model) -> Vec<String> {
    let found = outcomes(test, model, 2).unwrap();
    found.states.iter().map(|state| test.state(state)).collect()
}

#[test]
fn the_report_is_that_of_herd() {
    let test = riscv(
        "li x5,1;sw x5,0(x8);lw x6,0(x9)",
        "li x5,1;sw x5,0(x9);lw x6,0(x8)",
        "~exists (0:x6=0 /\\ 1:x6=0)",
    );
    let found = outcomes(&test, Model::RVWMO, 2).unwrap();
    let expected = "\
Test T Forbidden
States 4
0:x6=0; 1:x6=0;
0:x6=0; 1:x6=1;
0:x6=1; 1:x6=0;
0:x6=1; 1:x6=1;
No
Witnesses
Positive: 3 Negative: 1
Condition ~exists (0:x6=0 /\\ 1:x6=0)
Observation T Sometimes 1 3
";
    assert_eq!(test.report(&found), expected);
    assert_eq!(states(&test, Model::SC).len(), 3);
}

#[test]
fn a_false_dependency_orders_and_a_constant_does_not() {
    let writer = "li x5,1;sw x5,0(x8);fence w,w;sw x5,0(x9)";
    let question = "exists (1:x5=1 /\\ 1:x7=0)";
    let with = |middle: &str| {
        let reader = format!("lw x5,0(x9);{middle};add x10,x8,x6;lw x7,0(x10)");
        states(&riscv(writer, &reader, question), Model::RVWMO)
    };
    let stale = "1:x5=1; 1:x7=0;".to_owned();
    assert!(!with("xor x6,x5,x5").contains(&stale));
    assert!(with("li x6,0").contains(&stale));
    assert!(with("xor x6,x0,x0").contains(&stale));
}

#[test]
fn loops_are_followed_for_some_rounds() {
    let waiting = "L: lw x5,0(x9);beq x5,x0,L;lw x6,0(x8)";
    let test = riscv("li x5,1;sw x5,0(x9)", waiting, "exists (1:x5=1)");
    let found = outcomes(&test, Model::RVWMO, 2).unwrap();
    assert_eq!(found.loop_limit, Some(5));
    assert!(test.report(&found).contains("Loop unrolling exceeded at line 5"));
    // A counted loop ends.
    let counted = "li x5,2;L: addi x5,x5,-1;bne x5,x0,L";
    let test = riscv("sw x0,0(x8)", counted, "exists (1:x5=0)");
    let found = outcomes(&test, Model::RVWMO, 2).unwrap();
    assert_eq!((found.loop_limit, found.states.len()), (None, 1));
}

#[test]
fn errors_name_the_line_and_what_is_wrong() {
    let message = |text: &str| LitmusTest::parse("t.litmus", text).unwrap_err().to_string();
    let head = "RISCV T\n{ 0:x8=x; }\n";
    let instruction = message(&format!("{head}P0 ;\nlw x5,0(x8) ;\nfrob x1,x2 ;\nexists (x=1)"));
    assert_eq!(
        instruction,
        "t.litmus:5: the RISCV instruction `frob x1,x2` is not supported: `frob` is not known"
    );
    let architecture = message("PPC MP\n{ }\n");
    assert_eq!(
        architecture,
        "t.litmus:1: litmus tests for `PPC`, unlike those for `RISCV`, `AArch64`, `X86_64`, are not supported"
    );
    let thread = message(&format!("{head}P0 ;\nnop ;\nexists (1:x5=1)"));
    assert!(thread.contains("registers of the 1 threads; there is no P1"), "{thread}");
    let array = message("RISCV T\n{ int x[2]; }\nP0 ;\nnop ;\nexists (x=1)");
    assert!(array.contains("the 2 values of the array `x` in braces"), "{array}");
    assert!(message(&format!("{head}P1 ;\n")).contains("the head of a column, `P0`"));
    assert!(message(&format!("{head}P0 ;\nnop ;\nexists (x=1) with")).contains("found `with`"));
}

#[test]
fn what_has_no_meaning_is_an_error_only_where_it_can_happen() {
    let run = |code: &str| {
        let test = riscv(code, "nop", "exists (0:x5=0)");
        outcomes(&test, Model::RVWMO, 2).map(|found| found.states.len())
    };
    let what = |error: Error| error.to_string();
    assert_eq!(
        run("lw x5,0(x0)").map_err(what),
        Err("test.litmus:4: the address is 0, which is no location".to_owned())
    );
    assert_eq!(run("lw x5,0(x8);ld x6,0(x8)"), Ok(1));
    assert!(run("mul x5,x8,x8").map_err(what).unwrap_err().contains("where a location lies"));
    // The address is that of x, because memory holds nothing but 0.
    assert_eq!(run("lw x6,0(x9);andi x6,x6,8;add x8,x8,x6;lw x5,0(x8)"), Ok(1));
}

/// Whether a test of one thread ends in one state, and the proposition of its condition holds there.
fn holds(head: &str, code: &str, condition: &str) -> bool {
    let rows: String = code.split(';').map(|row| format!("{row} ;\n")).collect();
    let test = read(&format!("{head}\nP0 ;\n{rows}exists ({condition})"));
    let found = outcomes(&test, test.architecture.model(), 2).unwrap();
    found.states.len() == 1 && found.states[0].holds
}

#[test]
fn short_numbers_are_compared_and_shifted_by_their_width() {
    let code = "MOV W0,#1;LSL W0,W0,#31;CMP W0,#1;CSET W1,MI;CSET W2,LT;CSET W3,HI;MOV W4,#33;\
                LSL W5,W2,W4;LSR W6,W0,W4;ASR W7,W0,W4;STR W5,[X9]";
    let compared = "0:X1=0 /\\ 0:X2=1 /\\ 0:X3=1";
    let shifted = "0:X5=2 /\\ 0:X6=1073741824 /\\ 0:X7=3221225472 /\\ x=2";
    let head = "AArch64 T\n{ 0:X9=x; }";
    assert!(holds(head, code, &format!("{compared} /\\ {shifted}")));

    let code = "movl $1,%eax;movl $33,%ecx;shl %cl,%eax;movl $2147483648,%ebx;cmpl $1,%ebx;js L;\
                movl %eax,(x);L: movl $1,%edx;subl $1,%ebx;jl M;movl $0,%edx;M: movl %edx,(y)";
    assert!(holds("X86_64 T\n{ x=0; y=0; }", code, "x=2 /\\ y=1"));
}

#[test]
fn a_thread_with_too_many_events_is_an_error() {
    let error = |head: &str, store: &str, last: &str| {
        let stores = format!("{store} ;\n").repeat(64);
        let test = read(&format!("{head}\nP0 ;\n{stores}{last} ;\nexists (x=1)"));
        outcomes(&test, test.architecture.model(), 2).unwrap_err().to_string()
    };
    let riscv = error("RISCV T\n{ 0:x8=x; }", "sw x5,0(x8)", "amoadd.w x6,x5,(x8)");
    assert!(riscv.contains("more than 64 accesses and fences"), "{riscv}");
    let x86 = error("X86_64 T\n{ x=0; }", "movl $1,(x)", "lock cmpxchg %ebx,(x)");
    assert!(x86.contains("more than 64 accesses and fences"), "{x86}");
}

/// The verdict of the engine on a history.
fn is_consistent(history: &History, model: Model) -> bool {
    let history = model.prepare(history);
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
    let outcome = check::check(&history, &reads_from, model, &Options::default());
    match outcome.verdict {
        Verdict::Consistent(_) => true,
        Verdict::Violation(_) => false,
        other => panic!("{other:?}"),
    }
}

#[test]
fn an_outcome_is_a_history_with_dependencies() {
    let test = riscv(
        "li x5,1;sw x5,0(x8);fence w,w;sw x5,0(x9)",
        "lw x5,0(x9);bne x5,x0,L;L: lw x7,0(x8)",
        "exists (1:x5=1 /\\ 1:x7=0)",
    );
    let outcome = test.proposition("--outcome", "1:x5=1 /\\ 1:x7=0").unwrap();
    let found = histories(&test, &outcome, 2).unwrap();
    let [history] = found.as_slice() else { panic!("{} histories", found.len()) };
    let kinds: Vec<Kind> = history.ops().map(|op| history.kind(op)).collect();
    assert_eq!(kinds.len(), 5);
    let [dependency] = history.all_dependencies() else { panic!("one dependency") };
    assert_eq!(dependency.kind, DependencyKind::Control);
    assert!(is_consistent(history, Model::RVWMO) && !is_consistent(history, Model::SC));
    // Nothing else writes 2.
    let never = test.proposition("--outcome", "1:x5=2").unwrap();
    assert!(histories(&test, &never, 2).unwrap().is_empty());
    let unknown = test.proposition("--outcome", "q=1").unwrap_err().to_string();
    assert_eq!(
        unknown,
        "--outcome:1: found `q=1`, expected a location of the test, which `q` is not"
    );
}

/// The enumeration and the engine agree on the stored samples: the engine finds a history consistent that ends as the
/// condition's proposition says exactly if the enumeration finds such a state.
#[test]
fn the_engine_agrees_with_the_enumeration() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../fixtures/litmus/herd");
    let list = std::fs::read_to_string(root.join("results.jsonl")).unwrap();
    let mut judged = 0;
    for line in list.lines() {
        let value: serde_json::Value = serde_json::from_str(line).unwrap();
        let file = value["file"].as_str().unwrap();
        let test =
            LitmusTest::parse(file, &std::fs::read_to_string(root.join(file)).unwrap()).unwrap();
        let model = test.architecture.model();
        let found = outcomes(&test, model, 2).unwrap();
        let proposition = &test.condition.proposition;
        let all = histories(&test, proposition, 2).unwrap();
        let is_reachable = found.states.iter().any(|state| state.holds);
        if all.len() > 200 || test.filter.is_some() {
            continue;
        }
        let found = all.iter().any(|one| is_consistent(one, model));
        // The parts of a split access are not tied to each other in a history, so the engine allows more.
        let is_split = all.iter().any(|one| one.provenance.split);
        assert!(found == is_reachable || (is_split && found), "{file}");
        judged += 1;
    }
    assert!(judged > 120, "{judged} tests");
}
