//! The programs of section 7 of Burnim, Sen & Stergiou, each with a small harness, written from the published descriptions of
//! their algorithms.

/// A program that comes with this one.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    /// Its name.
    pub name: &'static str,
    /// Its text.
    pub text: &'static str,
    /// Whether it should stay within SC under TSO: its locks and atomic operations order enough.
    pub is_data_structure: bool,
    /// What the paper says about its own version of it, with at most 1 and at most 2 preemptions (Tables 1 and 2).
    pub published: [Published; 2],
}

/// A line of a table of the paper. Its programs are in C, with harnesses that it does not show.
#[derive(Clone, Copy, Debug)]
pub struct Published {
    /// Interleavings.
    pub runs: u64,
    /// Seconds in all.
    pub seconds: f64,
    /// Distinct violations under TSO.
    pub tso: usize,
    /// Distinct violations under PSO.
    pub pso: usize,
}

impl Benchmark {
    /// How much longer the paper's monitors make its exploration, in percent; roughly, it says.
    pub fn published_overhead(&self) -> u32 {
        if self.is_data_structure { 20 } else { 100 }
    }
}

macro_rules! benchmark {
    ($name:literal, $is_data_structure:literal, $one:expr, $two:expr) => {
        Benchmark {
            name: $name,
            text: include_str!(concat!("../../../fixtures/programs/", $name, ".prog")),
            is_data_structure: $is_data_structure,
            published: [published($one), published($two)],
        }
    };
}

const fn published((runs, seconds, tso, pso): (u64, f64, usize, usize)) -> Published {
    Published {
        runs,
        seconds,
        tso,
        pso,
    }
}

/// All of them, in the order of the paper's tables.
pub const BENCHMARKS: &[Benchmark] = &[
    benchmark!("dekker", false, (79, 6.4, 3, 5), (1714, 180.0, 9, 11)),
    benchmark!("bakery", false, (197, 42.4, 3, 4), (13632, 3992.4, 3, 4)),
    benchmark!("msn", true, (92, 7.5, 0, 3), (2300, 196.1, 0, 3)),
    benchmark!("ms2", true, (123, 11.0, 0, 2), (3322, 300.0, 0, 2)),
    benchmark!("harris", true, (161, 18.8, 0, 2), (5646, 661.7, 0, 2)),
    benchmark!("lazylist", true, (139, 14.0, 0, 4), (4045, 428.4, 0, 4)),
    benchmark!("snark", true, (172, 15.4, 0, 4), (6510, 609.9, 0, 10)),
];

/// The one of this name.
pub fn find(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|it| it.name == name)
}
