//! The published results about the programs of Burnim, Sen & Stergiou.

use schemars::JsonSchema;
use serde::Serialize;

/// A program of Burnim et al., section 7.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Program {
    /// The name of the program.
    pub name: &'static str,
    /// The number of lines of C.
    pub lines: u32,
    /// The results of Tables 1 and 2: with up to one preemption, and with up to two.
    pub explored: [Explored; 2],
}

impl Program {
    /// The published overhead of both monitors, as a share of the time of exploring; approximate.
    pub fn overhead(&self) -> f64 {
        if MUTUAL_EXCLUSION.contains(&self.name) { LOCKS_OVERHEAD } else { STRUCTURES_OVERHEAD }
    }
}

/// Burnim et al., section 7: the overhead of both monitors for data structures, as a share of the time of exploring; approximate.
pub(crate) const STRUCTURES_OVERHEAD: f64 = 0.2;

/// Burnim et al., section 7: the overhead of both monitors for algorithms of mutual exclusion, as a share of the time
/// of exploring; approximate.
pub(crate) const LOCKS_OVERHEAD: f64 = 1.0;

/// The published results of exploring all interleavings of a program up to a number of preemptions.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, JsonSchema)]
pub struct Explored {
    /// The number of interleavings.
    pub interleavings: u32,
    /// The time in seconds.
    pub seconds: f64,
    /// The number of distinct violations of SC under TSO and under PSO.
    pub violations: [u32; 2],
}

const fn explored(interleavings: u32, seconds: f64, tso: u32, pso: u32) -> Explored {
    Explored { interleavings, seconds, violations: [tso, pso] }
}

const fn program(name: &'static str, lines: u32, explored: [Explored; 2]) -> Program {
    Program { name, lines, explored }
}

/// Burnim et al., Tables 1 and 2.
#[rustfmt::skip]
pub const PROGRAMS: [Program; 7] = [
    program("dekker", 20, [explored(79, 6.4, 3, 5), explored(1714, 180.0, 9, 11)]),
    program("bakery", 30, [explored(197, 42.4, 3, 4), explored(13632, 3992.4, 3, 4)]),
    program("msn", 80, [explored(92, 7.5, 0, 3), explored(2300, 196.1, 0, 3)]),
    program("ms2", 80, [explored(123, 11.0, 0, 2), explored(3322, 300.0, 0, 2)]),
    program("harris", 160, [explored(161, 18.8, 0, 2), explored(5646, 661.7, 0, 2)]),
    program("lazylist", 120, [explored(139, 14.0, 0, 4), explored(4045, 428.4, 0, 4)]),
    program("snark", 150, [explored(172, 15.4, 0, 4), explored(6510, 609.9, 0, 10)]),
];

/// The programs that are algorithms of mutual exclusion; the others are data structures.
pub(crate) const MUTUAL_EXCLUSION: [&str; 2] = ["dekker", "bakery"];
