//! Tests accesses of different sizes that overlap. The expected states of RISC-V are those of RVWMO as its manual defines
//! it, since herd has no such accesses there; those of AArch64 are herd's, with `-variant mixed`.

use check::{Options, Verdict};
use history::{Ambiguity, ReadsFrom};
use litmus::{LitmusTest, Observation, histories, outcomes};
use memory::Model;

/// A test of two threads; `x5` and `X5` hold the address of x, `x6` and `X6` that of y.
fn test(head: &str, initial: &str, first: &str, second: &str, question: &str) -> LitmusTest {
    let (first, second): (Vec<&str>, Vec<&str>) =
        (first.split(';').collect(), second.split(';').collect());
    let cell = |column: &[&str], row: usize| (*column.get(row).unwrap_or(&"")).to_owned();
    let rows: String = (0..first.len().max(second.len()))
        .map(|row| format!("{} | {} ;\n", cell(&first, row), cell(&second, row)))
        .collect();
    let bases = "0:x5=x; 0:x6=y; 1:x5=x; 1:x6=y;";
    let bases = if head == "RISCV" { bases.to_owned() } else { bases.replace(":x", ":X") };
    let text = format!("{head} T\n{{ {initial} {bases} }}\nP0 | P1 ;\n{rows}exists ({question})");
    LitmusTest::parse("mixed.litmus", &text).unwrap()
}

fn observed(test: &LitmusTest, model: Model) -> Observation {
    outcomes(test, model, 2).unwrap().observation()
}

const WHOLE: &str = "uint64_t x; uint64_t y;";

#[test]
fn an_aligned_access_of_riscv_is_one_event() {
    let half = |store: &str, first: &str, second: &str, question: &str| {
        let reader = format!("{first};fence rw,rw;{second}");
        test("RISCV", WHOLE, store, &reader, question)
    };
    // A reader that sees one half of a store sees the other.
    let store = "li x7,-1;sd x7,0(x5)";
    let torn = half(store, "lw x8,4(x5)", "lw x9,0(x5)", "1:x8=-1 /\\ 1:x9=0");
    assert_eq!(observed(&torn, Model::RVWMO), Observation::Never);
    assert_eq!(observed(&torn, Model::SC), Observation::Never);
    let both = test("RISCV", WHOLE, store, "ld x8,0(x5)", "1:x8=-1");
    let found = outcomes(&both, Model::RVWMO, 2).unwrap();
    assert_eq!(found.states.len(), 2);
    // An access that is not aligned is performed byte by byte.
    let store = "li x7,-1;sh x7,1(x5)";
    let torn = half(store, "lbu x8,2(x5)", "lbu x9,1(x5)", "1:x8=255 /\\ 1:x9=0");
    assert_eq!(observed(&torn, Model::RVWMO), Observation::Sometimes);
}

#[test]
fn a_load_takes_some_bytes_from_its_own_thread_and_others_from_memory() {
    let first = "li x7,1;sb x7,0(x5);lh x8,0(x5)";
    let second = "li x7,0x202;sh x7,0(x5)";
    let read = test("RISCV", "uint16_t x;", first, second, "0:x8=0x201");
    let found = outcomes(&read, Model::RVWMO, 2).unwrap();
    let values: Vec<String> = found.states.iter().map(|state| read.state(state)).collect();
    assert_eq!(values, ["0:x8=1;", "0:x8=513;", "0:x8=514;"]);
    assert_eq!(observed(&read, Model::TSO), Observation::Sometimes);
}

#[test]
fn a_store_conditional_fails_if_any_byte_of_its_reservation_was_written() {
    let first = "lr.d x7,0(x5);li x8,1;sc.w x9,x8,0(x5)";
    let second = "li x7,1;sw x7,4(x5)";
    let question = "x=0x100000001 /\\ 0:x7=0 /\\ 0:x9=0";
    let pair = test("RISCV", WHOLE, first, second, question);
    // The store of the other thread follows the store-conditional.
    assert_eq!(observed(&pair, Model::RVWMO), Observation::Sometimes);
    let late = "ld x7,0(x5);fence rw,rw;li x8,1;sw x8,4(x5);fence rw,rw;ld x10,0(x5)";
    let question = "0:x7=0 /\\ 0:x9=0 /\\ 1:x7=0 /\\ 1:x10=0x100000000 /\\ x=0x100000001";
    let pair =
        test("RISCV", &format!("{WHOLE} uint64_t 0:x7; uint64_t 1:x10;"), first, late, question);
    assert_eq!(observed(&pair, Model::RVWMO), Observation::Never);
}

#[test]
fn armv8_orders_the_bytes_that_a_thread_reads_from_itself() {
    // As in herd's catalogue: the byte that the last load takes from its own thread is ordered after the first load; the
    // other byte is not, unless the acquire orders it.
    let first = "MOV W7,#2;STRB W7,[X5];DMB SY;MOV W8,#1;STRB W8,[X6,#1]";
    let second = |load: &str| {
        format!("LDRB W7,[X6,#1];EOR W8,W7,W7;ADD W8,W8,#1;STRB W8,[X5,#1];{load} W9,[X5]")
    };
    let question = "1:X7=1 /\\ 1:X9=0x100 /\\ x=0x102";
    let initial = "uint16_t x; uint16_t y; uint16_t 1:X9;";
    for load in ["LDRH", "LDARH"] {
        let one = test("AArch64", initial, first, &second(load), question);
        assert_eq!(observed(&one, Model::ARMV8), Observation::Sometimes, "{load}");
    }
}

#[test]
fn a_sub_word_store_changes_some_bytes() {
    let initial = "uint32_t x=0x04030201; uint32_t 0:X8;";
    let one =
        test("AArch64", initial, "MOV W7,#9;STRB W7,[X5,#2];LDR W8,[X5]", "NOP", "0:X8=0x04090201");
    assert_eq!(observed(&one, Model::ARMV8), Observation::Always);
    let found = outcomes(&one, Model::ARMV8, 2).unwrap();
    assert_eq!(one.state(&found.states[0]), "0:X8=67699201;");
    let outside = test("AArch64", "uint32_t x;", "STR W7,[X5,#4]", "NOP", "x=0");
    let message = outcomes(&outside, Model::ARMV8, 2).unwrap_err().to_string();
    assert!(message.contains("4 bytes from there are not all in `x`, which has 4"), "{message}");
    let unaligned = test("AArch64", WHOLE, "STR W7,[X5,#2]", "NOP", "x=0");
    let message = outcomes(&unaligned, Model::ARMV8, 2).unwrap_err().to_string();
    assert!(message.contains("not a multiple of 4"), "{message}");
}

#[test]
fn an_outcome_with_different_sizes_is_a_history() {
    let first = "li x7,0x202;sh x7,0(x5)";
    let one = test("RISCV", "uint16_t x;", first, "lbu x8,1(x5);lh x9,0(x5)", "1:x8=2 /\\ 1:x9=0");
    let outcome = one.proposition("--outcome", "1:x8=2 /\\ 1:x9=0x202 /\\ x=0x202").unwrap();
    let found = histories(&one, &outcome, 2).unwrap();
    let [history] = found.as_slice() else { panic!("{} histories", found.len()) };
    assert!(history.provenance.split);
    let reads_from = ReadsFrom::derive(history, Ambiguity::Keep).unwrap();
    let verdict = check::check(history, &reads_from, Model::RVWMO, &Options::default()).verdict;
    assert!(matches!(verdict, Verdict::Consistent(_)), "{verdict:?}");
    // The load of one byte and that of two are of the same address, and the bytes that they share do not go back.
    let never = one.proposition("--outcome", "1:x8=2 /\\ 1:x9=0").unwrap();
    let [history] = histories(&one, &never, 2).unwrap().try_into().unwrap();
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Keep).unwrap();
    let verdict = check::check(&history, &reads_from, Model::RVWMO, &Options::default()).verdict;
    assert!(matches!(verdict, Verdict::Violation(_)), "{verdict:?}");
}
