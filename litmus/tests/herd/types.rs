//! Tests types and the syntax of the initial state and of conditions.

use litmus::{LitmusTest, Observation, outcomes};

/// The states of a test, as herd prints them, and how often its proposition holds.
fn run(text: &str) -> (Vec<String>, Observation) {
    let test = LitmusTest::parse("t.litmus", text).unwrap();
    let found = outcomes(&test, test.architecture.model(), 2).unwrap();
    let states = found.states.iter().map(|state| test.state(state)).collect();
    (states, found.observation())
}

fn refusal(text: &str) -> String {
    LitmusTest::parse("t.litmus", text).unwrap_err().to_string()
}

/// An AArch64 test of one thread.
fn arm(initial: &str, code: &str, question: &str) -> String {
    let rows: String = code.split(';').map(|row| format!("{row} ;\n")).collect();
    format!("AArch64 T\n{{ {initial} }}\nP0 ;\n{rows}{question}")
}

#[test]
fn numbers_have_a_sign_unless_their_type_says_otherwise() {
    let stored = arm("0:X1=x;", "MOV W0,#-1;STR W0,[X1]", "exists (x=-1)");
    assert_eq!(run(&stored), (vec!["[x]=-1;".to_owned()], Observation::Always));
    let unsigned = arm("uint32_t x; 0:X1=x;", "MOV W0,#-1;STR W0,[X1]", "exists (x=-1)");
    assert_eq!(run(&unsigned), (vec!["[x]=4294967295;".to_owned()], Observation::Always));
    let register = arm("uint64_t 0:X0;", "MOV X0,#-1", "exists (0:X0=0xffffffffffffffff)");
    assert_eq!(run(&register).0, ["0:X0=18446744073709551615;"]);
    let byte = arm("int8_t 0:X0;", "MOV X0,#255", "exists (0:X0=-1)");
    assert_eq!(run(&byte), (vec!["0:X0=-1;".to_owned()], Observation::Always));
    // Registers without a type are compared as `int`, too.
    let low = arm("", "MOV X0,#1;LSL X0,X0,#32", "exists (0:X0=0)");
    assert_eq!(run(&low), (vec!["0:X0=0;".to_owned()], Observation::Always));
    let x86 = "X86_64 T\n{ 0:rbx=x; }\nP0 ;\nmovl $-1,(%rbx) ;\nmovl (%rbx),%eax ;\nexists (0:rax=-1 /\\ x=-1)";
    assert_eq!(run(x86).1, Observation::Always);
}

#[test]
fn initial_values_are_cut_to_the_type_of_their_location() {
    let cut = arm("uint8_t x=257; 0:X1=x;", "LDRB W0,[X1]", "exists (0:X0=1 /\\ x=1)");
    assert_eq!(run(&cut), (vec!["0:X0=1; [x]=1;".to_owned()], Observation::Always));
    let pointer = arm(
        "int z=5; int *p=&z; 0:X1=p;",
        "LDR X2,[X1];LDR W0,[X2]",
        "locations [p;] exists (0:X0=5)",
    );
    assert_eq!(run(&pointer).0, ["0:X0=5; [p]=z;"]);
}

#[test]
fn arrays_have_elements() {
    let code = "LDR W0,[X1];LDR W2,[X1,#4];MOV W3,#7;STR W3,[X1,#4]";
    let read = arm(
        "int t[2]={-1,2}; 0:X1=t;",
        code,
        "locations [t;] exists (t={-1,7} /\\ t[1]=7 /\\ 0:X2=2)",
    );
    let state = "0:X2=2; t={-1,7}; t[1]=7;";
    assert_eq!(run(&read), (vec![state.to_owned()], Observation::Always));
    let index =
        arm("0:X1=t[1]; int64_t t[2]={3,4}; int64_t 0:X0;", "LDR X0,[X1]", "exists (0:X0=4)");
    assert_eq!(run(&index).1, Observation::Always);
    assert!(
        refusal(&arm("int t[2];", "NOP", "exists (t[2]=1)"))
            .contains("an element of `t`, which has 2")
    );
    assert!(refusal(&arm("int t[2]={1};", "NOP", "")).contains("the 2 values of the array"));
    assert!(refusal(&arm("int t[2];", "NOP", "exists (t={1,2,3})")).contains("2 values"));
}

#[test]
fn white_space_and_comments_are_where_herd_takes_them() {
    let spaces = "RISCV T (a remark)\n(* a comment without an end * )\n{ 0: x6 = a ; 1 :x6= a; }\n\
                  P0 | P1 ;\nli x5,1 | lw x7,0(x6) ;\nsw x5,0(x6) | ;\nexists ( 1: x7 = 1 /\\ [ a ] = 1 )";
    assert_eq!(run(spaces).1, Observation::Sometimes);
    let unclosed = refusal(&arm("0:X1=x;", "NOP (* never closed", "exists (x=1)"));
    assert!(unclosed.contains("`*)` at the end of a comment"), "{unclosed}");
}

#[test]
fn what_herd_has_beyond_this_is_refused_in_words() {
    let initial = |text: &str| refusal(&arm(text, "NOP", "exists (true)"));
    let cases = [
        ("%P0_x=x;", "the symbolic register `%P0_x` is not supported"),
        ("0:%x=x;", "the symbolic register `%x` is not supported"),
        ("TTD(x)=(oa:PA(y));", "translation tables (TTD) are not supported"),
        ("x=1; 0:X0=PTE(x);", "translation tables (PTE) are not supported"),
        ("x:red=1;", "the memory tag `x:red` is not supported"),
        ("0:ESR_EL1=1;", "`ESR_EL1` is a system register, which is not supported"),
        ("__uint128_t x;", "a type of 128 bits, is not supported"),
        ("x=1; x=2;", "a location that has no initial value yet"),
        ("foo x;", "a type such as `int`"),
    ];
    for (text, expected) in cases {
        assert!(initial(text).contains(expected), "{text}: {}", initial(text));
    }
    let variant = refusal("AArch64 T\nVariant=CU\n{ }\nP0 ;\nNOP ;\n");
    assert_eq!(variant, "t.litmus:2: the variant `CU` of herd's semantics is not supported");
    assert!(LitmusTest::parse("t", "AArch64 T\nVariant=mixed\n{ }\nP0 ;\nNOP ;\n").is_ok());
    let fault = refusal(&arm("", "NOP", "exists (fault(P0,x))"));
    assert!(fault.contains("conditions on faults are not supported"), "{fault}");
    let typo = refusal(&arm("0:X1=x;", "NOP", "exists (X0=1)"));
    assert!(typo.contains("mention, which `X0` is not"), "{typo}");
}

#[test]
fn propositions_are_nested_so_deep_and_no_deeper() {
    let nested = |open: &str, close: &str, depth: usize| {
        format!("{}x=0{}", open.repeat(depth), close.repeat(depth))
    };
    let with = |proposition: &str| arm("0:X1=x;", "NOP", &format!("exists {proposition}"));
    for (open, close) in [("(", ")"), ("not ", ""), ("~", ""), ("x=0 => ", ""), ("(not ", ")")] {
        let fits = with(&nested(open, close, 90));
        assert!(LitmusTest::parse("t", &fits).is_ok(), "{open}");
        let deep = nested(open, close, 20_000);
        let message = refusal(&with(&deep));
        assert!(
            message.starts_with("t.litmus:5: ") && message.contains("at most 200"),
            "{message}"
        );
        let test = LitmusTest::parse("t", &fits).unwrap();
        let outcome = test.proposition("--outcome", &deep).unwrap_err().to_string();
        assert!(
            outcome.starts_with("--outcome:1: ") && outcome.contains("at most 200"),
            "{outcome}"
        );
    }
}

#[test]
fn registers_and_locations_are_compared_with_each_other() {
    let same = arm("x=3; 0:X1=x;", "LDR W0,[X1];MOV W2,#3", "exists (0:X0=0:X2 /\\ 0:X2=[x])");
    assert_eq!(run(&same).1, Observation::Always);
}

#[test]
fn an_answer_that_longer_loops_could_change_is_not_certain() {
    let spin = |question: &str| {
        let text = arm("0:X1=x;", "L0: LDR W0,[X1];CBZ W0,L0", question);
        let test = LitmusTest::parse("t", &text).unwrap();
        let found = outcomes(&test, test.architecture.model(), 2).unwrap();
        let quantifier = test.condition.quantifier;
        (found.verdict(quantifier), found.is_certain(quantifier))
    };
    assert_eq!(spin("forall (0:X0=77)"), ("Undecided", false));
    assert_eq!(spin("exists (0:X0=77)"), ("Undecided", false));
}
