//! Stores that the trace shows more than once: a store that was executed again after a fault, or another store.

use crate::exec::trace::{SC, Trace, X, Y, check, lines, verdict, verdicts};

/// A store that faults is printed, and printed again when it is executed again.
#[test]
fn a_store_that_faulted_is_one_store() {
    let mut trace = Trace::default();
    trace.ld(1, X, 0);
    trace.li(0, "a1", 1);
    trace.sd(0, X, 1);
    let again = trace.text.lines().last().unwrap().to_owned() + "\n";
    trace.text += &again;
    trace.lines += 1;
    trace.ld(1, X, 1);
    trace.plain(0, "fence rw, rw");
    let (_, output) = check(&trace, &["--model", "sc"], 0);
    assert!(output.contains("3 operations"), "{output}");
}

/// Appends the same instruction of a CPU again, as a filtered trace shows a loop.
fn repeat(trace: &mut Trace, line: usize) {
    let again = trace.text.lines().nth(line - 1).unwrap().to_owned() + "\n";
    trace.text += &again;
    trace.lines += 1;
}

#[test]
fn a_store_that_is_printed_again_may_be_another() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    trace.sd(1, X, 2);
    repeat(&mut trace, 1);
    for value in [1, 2, 1] {
        trace.ld(2, X, value);
    }
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    let expected = "line 3 repeats the store of line 1 at the same place of the program; the trace shows \
                    memory accesses alone";
    assert!(output.contains(expected), "{output}");
    // A thread that also shows other instructions is recorded completely.
    trace.li(0, "a5", 7);
    verdicts(&trace, "violation violation violation", 1);
}

#[test]
fn what_follows_in_the_same_function_shows_that_a_store_was_performed() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    for _ in 0..5 {
        trace.sd(1, Y, 1);
    }
    trace.plain(0, "fence rw, rw");
    trace.sd(1, X, 2);
    repeat(&mut trace, 1);
    for value in [1, 2, 1] {
        trace.ld(2, X, value);
    }
    verdicts(&trace, "consistent consistent consistent", 0);
}

/// A store before an interrupt and the same instruction after it may be one store or two.
#[test]
fn a_store_before_an_interrupt_may_be_another_than_the_one_behind() {
    let trace = lines(&[
        (0, "0xfc @f    : ld a5, 0(a3) : MemRead :  D=0x0000000000000000 A=0x3000"),
        (1, "0x1fc @f    : ld a5, 0(a3) : MemRead :  D=0x0000000000000000 A=0x3000"),
        (0, "0x100 @f    : sd a5, 0(a3) : MemWrite :  D=0x0000000000000001 A=0x3000"),
        (0, "0xff00 @irq    : csrrw sp, sscratch, sp : No_OpClass :  D=0x0000000000000005"),
        (1, "0x200 @f    : ld a5, 0(a3) : MemRead :  D=0x0000000000000001 A=0x3000"),
        (1, "0x204 @f    : sd a5, 0(a3) : MemWrite :  D=0x0000000000000002 A=0x3000"),
        (0, "0xff04 @irq    : ld a5, 0(a3) : MemRead :  D=0x0000000000000002 A=0x3000"),
        (0, "0x100 @f    : sd a5, 0(a3) : MemWrite :  D=0x0000000000000001 A=0x3000"),
        (0, "0x104 @f    : ld a5, 0(a3) : MemRead :  D=0x0000000000000001 A=0x3000"),
    ]);
    verdict(&trace, &SC, "undecided");
}
