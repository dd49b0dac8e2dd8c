//! Faults that users and independent checkers reported, each with the input that showed it and the right answer. What rubric said when
//! it was reported is in the comment of its row. The inputs are in `fixtures/reported`.

use crate::common::{Folder, output, rubric};

/// A command whose answer was wrong, or misled.
struct Reported {
    /// The arguments; files are those of `fixtures/reported`.
    command: &'static [&'static str],
    /// The right exit status.
    status: i32,
    /// What the answer must say, in its output or its messages.
    says: &'static [&'static str],
}

const fn reported(
    command: &'static [&'static str],
    status: i32,
    says: &'static [&'static str],
) -> Reported {
    Reported { command, status, says }
}

#[rustfmt::skip]
const REPORTED: &[Reported] = &[
    // Pairs of load-linked and store-conditional that an earlier model had found were kept for the next: a violation under RVWMO,
    // with a certificate that `verify` refused.
    reported(&["check", "--model", "pso,rvwmo", "bug1-min.axe"], 0, &["consistent pso", "consistent rvwmo"]),
    reported(&["check", "--model", "pso,rvwmo", "bug1-silent-stale-pair.jsonl"], 0, &["consistent pso", "consistent rvwmo"]),
    // The only recorded writer of a value was taken for its source although the initial value is the same: a violation.
    reported(&["check", "--model", "sc", "--ambiguous", "search", "bug2-fix-sources-initial.jsonl"], 0, &["consistent sc"]),
    // A local read of what an atomic wrote did not carry the dependency on what the atomic read: Sometimes.
    reported(&["litmus", "ldadd.litmus"], 1, &["Observation ldadd-rfi-addr Never 0 4"]),
    // A choice that reaches a later store through a store and an own load of it was not seen: Sometimes, and consistent.
    reported(&["litmus", "choice-through-memory.litmus"], 1, &["Observation pickmem Never"]),
    reported(&["check", "--model", "armv8", "choice-through-memory.jsonl"], 1, &["violation  armv8"]),
    // Weak models were stricter than SC: a silent read-modify-write of another thread kept the reservation.
    reported(&["check", "--model", "sc,tso,pso,rvwmo", "bug-silent-foreign.axe"], 3, &["undecided  sc", "undecided  rvwmo"]),
    // The initial value 2 explains both operations: a violation.
    reported(&["check", "--initial", "infer", "bug-initial-unknown.axe"], 0, &["consistent sc"]),
    reported(&["check", "--model", "wmo", "axe-drops-ticks.jsonl"], 1, &["violation  wmo"]),
    // `0: X0=1` became a location named X0.
    reported(&["litmus", "space-after-colon-in-init.litmus"], 0, &["Observation spinit Always"]),
    // `1: x7` was refused.
    reported(&["litmus", "space-after-colon-in-condition.litmus"], 0, &["Observation spc Sometimes"]),
    // Values were compared as numbers without sign: Never.
    reported(&["litmus", "negative-location-aarch64.litmus"], 0, &["[x]=-1;", "Observation neg2 Always"]),
    reported(&["litmus", "negative-location-riscv.litmus"], 0, &["1:x7=-1; [x]=-1;"]),
    reported(&["litmus", "negative-x86.litmus"], 0, &["1:rax=-1; [x]=-1;"]),
    // The declared type of a location was ignored: [x]=257.
    reported(&["litmus", "init-wider-than-type.litmus"], 0, &["0:X0=1; [x]=1;", "Observation trunc1 Always"]),
    // All runs were cut by the limit of unrolling, and the condition held for all none of them: Ok.
    reported(&["litmus", "--unroll", "2", "vacuous-forall.litmus"], 1, &["0:X1=5;", "Observation loop77 Never"]),
    // The line `Variant=` was ignored.
    reported(&["litmus", "variant-ignored.litmus"], 2, &["the variant `CU` of herd's semantics is not supported"]),
    // Called JSON that is not a history.
    reported(&["check", "ppc.litmus"], 2, &["is a litmus test for PPC, not a trace"]),
    // Called an array.
    reported(&["litmus", "symbolic-register.litmus"], 2, &["the symbolic register `%P0_x` is not supported"]),
    // Lines that begin with an escape sequence were skipped in silence: a violation.
    reported(&["check", "colour-one-thread-violation.trace"], 0, &["consistent sc", "escape sequences of a terminal"]),
    // Said to lack debug flags, though only the columns of its lines are gone.
    reported(&["check", "leading-spaces-trimmed.trace"], 0, &["consistent sc", "other blanks than gem5 prints"]),
    // The crash was shown without the transitions of its line, since the message was not known to name an address.
    reported(&["check", "functional-read-failed"], 1, &["for address 0x1000", "the last transitions for 0x1000"]),
    // Asked whether gem5 ran with the debug flags, of which some had been recorded.
    reported(&["explain", "protocoltrace-only-deadlock.trace"], 1, &["deadlock: Seq 0, address 0x1000", "the last transitions for 0x1000"]),
    // The known fault was not named.
    reported(&["check", "known-fault-cleanreplacement"], 1, &["mesi2-dir-cleanreplacement-during-dma"]),
    // Named operations by numbers that a split had given them, with the values of the parts.
    reported(&["check", "split-index.jsonl"], 1, &["T0:2 returns the initial value", "store 0x1000 := 0x8006e2cc (its byte at 0x1000)"]),
    // Refused for its byte order mark, without naming it.
    reported(&["check", "bom.axe"], 1, &["violation  sc"]),
    // Software prefetches of gem5 25.1 were taken for damage, and with --lossy the violation became consistent.
    reported(&["check", "gem5-25.1/pf25_simple.trace"], 0, &["consistent sc"]),
    reported(&["check", "gem5-25.1/pf25_store.trace"], 0, &["consistent sc"]),
    reported(&["check", "gem5-25.1/pf25_twice.trace"], 0, &["consistent sc"]),
    reported(&["check", "gem5-25.1/b5_mp_ok_pf.trace"], 0, &["consistent sc"]),
    reported(&["check", "gem5-25.1/b3_mp_stale_nopf.trace"], 1, &["violation  sc"]),
    reported(&["check", "gem5-25.1/b4_mp_stale_pf.trace"], 1, &["violation  sc"]),
    reported(&["check", "--lossy", "gem5-25.1/b4_mp_stale_pf.trace"], 1, &["violation  sc"]),
    // A flush took the data of a load whose completion is damaged, and the load vanished: consistent.
    reported(&["check", "--model", "sc", "flush-behind-damaged-completion.trace"], 2, &["a completion that has no data line, though that of line 23"]),
    reported(&["check", "--model", "sc", "--lossy", "flush-behind-damaged-completion.trace"], 1, &["violation  sc"]),
    // A load with a damaged operation class vanished: consistent.
    reported(&["check", "--isa", "x86", "exec-damaged-class.trace"], 2, &["exec-damaged-class.trace:5", "the name of an operation class"]),
    reported(&["check", "--isa", "x86", "--lossy", "exec-damaged-class.trace"], 3, &["line 5"]),
    // A command that was not understood.
    reported(&["check", "gem5-25.1/b6_cleaninvalid.trace"], 0, &["consistent sc"]),
    // Two CPUs of one hardware thread were two threads: consistent under every model.
    reported(&["check", "--model", "sc", "gem5-25.1/d3_exec_midswitch.trace"], 1, &["violation  sc"]),
    reported(&["check", "gem5-25.1/d1_exec_stdlib.trace"], 0, &["consistent rvwmo"]),
    reported(&["check", "gem5-25.1/c1_chi_stdlib.trace"], 0, &["consistent sc"]),
    reported(&["check", "gem5-25.1/g1_llsc.trace"], 0, &["consistent sc"]),
];

#[test]
fn what_was_reported_is_answered_rightly() {
    for Reported { command, status, says } in REPORTED {
        let mut asked = rubric(command);
        asked.current_dir("../fixtures/reported");
        let assert = asked.assert().code(*status);
        let output = assert.get_output();
        let printed =
            String::from_utf8_lossy(&output.stdout) + String::from_utf8_lossy(&output.stderr);
        for text in *says {
            assert!(printed.contains(text), "{command:?} does not say `{text}`: {printed}");
        }
    }
}

/// Ticks that decide a verdict were lost in axe text.
#[test]
fn converting_to_axe_keeps_the_ticks_that_matter() {
    let folder = Folder::new();
    let axe = folder.path("ticks.axe");
    output(&["convert", "fixtures/reported/axe-drops-ticks.jsonl", "-o", &axe]);
    rubric(&["check", "--model", "wmo", &axe]).assert().code(1);
}
