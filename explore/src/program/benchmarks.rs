//! The programs of section 7 of Burnim, Sen & Stergiou, written from the published descriptions of
//! their algorithms, each with a small harness.

use fixtures::programs;

/// A built-in program.
#[derive(Clone, Copy, Debug)]
pub struct Benchmark {
    /// The name of the benchmark.
    pub name: &'static str,
    /// The text of the benchmark.
    pub text: &'static str,
    /// Whether the program should stay within SC under TSO, because its locks and atomic operations
    /// order enough.
    pub is_data_structure: bool,
}

const fn benchmark(name: &'static str, text: &'static str, is_data_structure: bool) -> Benchmark {
    Benchmark { name, text, is_data_structure }
}

/// The benchmarks, in the order of the paper's tables.
pub const BENCHMARKS: &[Benchmark] = &[
    benchmark("dekker", programs::DEKKER, false),
    benchmark("bakery", programs::BAKERY, false),
    benchmark("msn", programs::MSN, true),
    benchmark("ms2", programs::MS2, true),
    benchmark("harris", programs::HARRIS, true),
    benchmark("lazylist", programs::LAZYLIST, true),
    benchmark("snark", programs::SNARK, true),
];

/// Finds a benchmark by name.
pub fn find(name: &str) -> Option<&'static Benchmark> {
    BENCHMARKS.iter().find(|it| it.name == name)
}
