//! The claims of Burnim, Sen, Stergiou: *Sound and Complete Monitoring of Sequential Consistency for Relaxed Memory Models*.

use super::{BURNIM, PROGRAMS, PublishedClaim, PublishedResult, Rule, Unit};
use crate::claims::burnim::{self, Cell};

published! {
    BURNIM_TSO: "burnim-tso", BURNIM, "Section 7, Tables 1 and 2", "burnim-table1",
        "The data structures have no violation of SC under TSO", PublishedResult::Words("none of 5", Rule::NoneHas),
        |_, at| burnim::none_under_tso(at);
    BURNIM_PSO: "burnim-pso", BURNIM, "Section 7, Tables 1 and 2", "burnim-table1",
        "All benchmarks have violations of SC under PSO", PublishedResult::Words("7 of 7", Rule::EachHas),
        |_, at| burnim::some_under_pso(at);
    BURNIM_OVERHEAD: "burnim-overhead", BURNIM, "Section 7", "burnim-table1",
        "Time that both monitors take beyond exploring", PublishedResult::Words("20 % for data structures, 100 % for mutual exclusion", Rule::Roughly),
        |_, at| burnim::overhead(at);
    BURNIM_SOBER: "burnim-sober", BURNIM, "Section 6", "burnim-table1",
        "SOBER's monitor signals in more runs than that of TSO, and finds violations in no other program", PublishedResult::Words("more sensitive, which does not hinder", Rule::MoreSensitive),
        |_, at| burnim::sober(at);
}

/// A number of a table about a program: a row of [`NUMBERS`].
macro_rules! number {
    ($table:literal, $experiment:literal, $name:literal, $suffix:literal, $what:literal, $result:expr, $cell:expr) => {
        PublishedClaim {
            id: concat!("burnim-", $name, $suffix, "-", $table),
            paper: BURNIM,
            place: concat!("Section 7, Table ", $table),
            experiment: $experiment,
            statement: concat!($what, " of ", $name, " with up to ", $table, " preemption(s)"),
            result: PublishedResult::About($result as f64, Unit::Count),
            test: |claim, at| burnim::number(at, *claim, $name, $cell),
        }
    };
}

/// The numbers of both tables about the programs.
macro_rules! numbers {
    ($($at:literal $name:literal;)*) => {
        /// Every number of Tables 1 and 2 that does not depend on the machine.
        pub(super) const NUMBERS: &[PublishedClaim] = &[$(
            number!("1", "burnim-table1", $name, "-interleavings", "Interleavings", PROGRAMS[$at].explored[0].interleavings, Cell::Interleavings),
            number!("1", "burnim-table1", $name, "-tso", "Violations of SC under TSO", PROGRAMS[$at].explored[0].violations[0], Cell::Violations(0)),
            number!("1", "burnim-table1", $name, "-pso", "Violations of SC under PSO", PROGRAMS[$at].explored[0].violations[1], Cell::Violations(1)),
            number!("2", "burnim-table2", $name, "-interleavings", "Interleavings", PROGRAMS[$at].explored[1].interleavings, Cell::Interleavings),
            number!("2", "burnim-table2", $name, "-tso", "Violations of SC under TSO", PROGRAMS[$at].explored[1].violations[0], Cell::Violations(0)),
            number!("2", "burnim-table2", $name, "-pso", "Violations of SC under PSO", PROGRAMS[$at].explored[1].violations[1], Cell::Violations(1)),
        )*];
    };
}

numbers! {
    0 "dekker";
    1 "bakery";
    2 "msn";
    3 "ms2";
    4 "harris";
    5 "lazylist";
    6 "snark";
}
