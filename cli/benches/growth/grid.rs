//! The points that are measured. One parameter at a time is varied around a middle point.

/// Weights of loads, stores, read-modify-writes and fences.
pub(crate) type Mix = [u32; 4];

/// The mixes of Manovit & Hangal 2006 (section 5 and Table 1), without the operations that they call *others*.
const LOADS: Mix = [50, 16, 30, 2];
const EQUAL: Mix = [33, 33, 30, 2];
const STORES: Mix = [16, 50, 30, 2];
/// A mix with half loads and few read-modify-writes.
const PLAIN: Mix = [50, 40, 8, 2];

/// The models, by their names on the command line.
const MODELS: [&str; 3] = ["sc", "tso", "pso"];

/// A history to measure.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Point {
    /// The series that the point belongs to.
    pub series: &'static str,
    /// The model whose machine generates the history, and that it is checked against.
    pub model: &'static str,
    pub operations: u64,
    pub threads: u32,
    pub locations: u32,
    pub mix: Mix,
    /// Number of reads that are changed to read from another write.
    pub violations: u32,
    pub seed: u64,
    /// The extension of the history's file.
    pub format: &'static str,
    pub algorithm: &'static str,
}

/// The point around which parameters are varied.
const MIDDLE: Point = Point {
    series: "operations",
    model: "sc",
    operations: 32_000,
    threads: 16,
    locations: 256,
    mix: EQUAL,
    violations: 0,
    seed: 1,
    format: "axe",
    algorithm: "stages",
};

/// All points; the largest sizes only if `full`.
pub(crate) fn points(full: bool) -> Vec<Point> {
    let mut points = Vec::new();
    let mut each_model = |point: Point| {
        points.extend(MODELS.map(|model| Point { model, ..point.clone() }));
    };
    let sizes = [1, 4, 16, 64, 256, 1000, 4000].map(|thousands| 1000 * thousands);
    for operations in sizes.into_iter().filter(|&size| full || size <= 1_000_000) {
        for algorithm in ["stages", "saturate"] {
            each_model(Point { operations, algorithm, ..MIDDLE });
        }
    }
    for threads in [2, 4, 8, 16, 32, 64, 128] {
        each_model(Point { series: "threads", threads, ..MIDDLE });
    }
    for locations in [4, 16, 64, 256, 1024, 4096] {
        each_model(Point { series: "locations", locations, ..MIDDLE });
    }
    for mix in [LOADS, EQUAL, STORES] {
        each_model(Point { series: "mix", mix, ..MIDDLE });
    }
    for operations in [1000, 32_000, 256_000] {
        each_model(Point { series: "violations", operations, violations: 10, ..MIDDLE });
    }
    points.extend(targets());
    points.extend(pipeline());
    points
}

/// Sizes that the program should handle well.
fn targets() -> impl Iterator<Item = Point> {
    let target = |operations, threads, locations, mix| Point {
        series: "targets",
        operations,
        threads,
        locations,
        mix,
        ..MIDDLE
    };
    let strong = [
        target(32_000, 16, 256, PLAIN),
        target(131_000, 60, 256, PLAIN),
        target(524_000, 60, 256, EQUAL),
        target(1_000_000, 64, 256, PLAIN),
        target(1_000_000, 4, 16, PLAIN),
    ];
    let strong = strong
        .into_iter()
        .flat_map(|point| ["sc", "tso"].map(|model| Point { model, ..point.clone() }));
    let weak = Point { model: "pso", ..target(131_000, 60, 256, PLAIN) };
    strong.chain([weak])
}

/// Points that measure a trace from its gzip file to its certificate.
fn pipeline() -> impl Iterator<Item = Point> {
    let trace = |model| Point {
        series: "pipeline",
        model,
        operations: 1_000_000,
        threads: 64,
        mix: PLAIN,
        format: "trace.gz",
        ..MIDDLE
    };
    ["sc", "tso"].into_iter().map(trace)
}
