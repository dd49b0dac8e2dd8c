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
}

macro_rules! benchmark {
    ($name:literal, $is_data_structure:literal) => {
        Benchmark {
            name: $name,
            text: include_str!(concat!("../../../fixtures/programs/", $name, ".prog")),
            is_data_structure: $is_data_structure,
        }
    };
}

/// All of them, in the order of the paper's tables.
pub const BENCHMARKS: &[Benchmark] = &[
    benchmark!("dekker", false),
    benchmark!("bakery", false),
    benchmark!("msn", true),
    benchmark!("ms2", true),
    benchmark!("harris", true),
    benchmark!("lazylist", true),
    benchmark!("snark", true),
];

/// The one of this name.
pub fn find(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|it| it.name == name)
}
