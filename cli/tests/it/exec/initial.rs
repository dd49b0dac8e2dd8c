//! Initial values, and writes that were not recorded.

use crate::exec::trace::{Trace, X, Y, check, verdicts};

#[test]
fn what_nobody_recorded_may_have_been_written_all_the_same() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    for value in [0, 77, 1] {
        trace.ld(1, X, value);
    }
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    assert!(output.contains("not recorded"), "{output}");
    assert!(!output.contains("thin-air"), "{output}");
}

#[test]
fn a_value_that_shows_up_late_is_not_the_initial_one() {
    let mut trace = Trace::default();
    trace.sd(0, X, 1);
    trace.ld(0, X, 5);
    trace.ld(1, X, 5);
    let output = verdicts(&trace, "undecided undecided undecided", 3);
    assert!(output.contains("not recorded"), "{output}");
}

#[test]
fn load_buffering_rests_on_initial_values() {
    let mut trace = Trace::default();
    for cpu in 0..2 {
        trace.ld(cpu, [Y, X][cpu], [2, 1][cpu]);
        trace.sd(cpu, [X, Y][cpu], [1, 2][cpu]);
    }
    let output = verdicts(&trace, "consistent consistent consistent", 0);
    let expected = "the verdict assumes that 0x81040 held 0x2 at the start, since line 1 reads it before \
                    line 4 writes it";
    assert!(output.contains(expected), "{output}");
    let (verdicts, output) = check(&trace, &["--initial", "zero", "--model", "sc"], 1);
    assert_eq!(verdicts, ["violation sc"], "{output}");
    // A window that holds everything changes nothing.
    let (verdicts, output) = check(&trace, &["--from-tick", "0", "--model", "sc"], 0);
    assert_eq!(verdicts, ["consistent sc"], "{output}");
    assert!(output.contains(expected), "{output}");
}
