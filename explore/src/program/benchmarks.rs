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

/// The prefix of the names of [`TABLES`] on the command line.
const OF_TABLES: &str = "tables/";

/// The same programs with the harnesses whose violations come nearest to those of the paper's Tables 1 and 2, in the order of the tables. The
/// paper does not show its harnesses. Those of the data structures are small tests of the paper's source of them (Burckhardt, Alur &
/// Martin, *CheckFence*, 2007): `a|r` for the sets, `ed|de` and `ee|dd` for the queues, D0 for the deque, whose double compare-and-swap is
/// atomic. In both algorithms for mutual exclusion the critical section is empty; Dekker's is entered twice, each thread with code of its
/// own.
pub const TABLES: &[Benchmark] = &[
    benchmark("dekker", programs::tables::DEKKER, false),
    benchmark("bakery", programs::tables::BAKERY, false),
    benchmark("msn", programs::tables::MSN, true),
    benchmark("ms2", programs::tables::MS2, true),
    benchmark("harris", programs::tables::HARRIS, true),
    benchmark("lazylist", programs::tables::LAZYLIST, true),
    benchmark("snark", programs::tables::SNARK, true),
];

/// Finds a benchmark by name; the name of one of [`TABLES`] begins with `tables/`.
pub fn find(name: &str) -> Option<&'static Benchmark> {
    let (all, name) = match name.strip_prefix(OF_TABLES) {
        Some(name) => (TABLES, name),
        None => (BENCHMARKS, name),
    };
    all.iter().find(|it| it.name == name)
}
