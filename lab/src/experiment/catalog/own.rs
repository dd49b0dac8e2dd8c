//! Experiments that are not from a paper: rubric's own engine, and a campaign of mutants.

use check::{Algorithm, Model};

use super::{EQUAL, K, decisions};
use crate::campaign;
use crate::experiment::Options;
use crate::experiment::point::{Origin, Point, Recipe, Size, Source};

/// Measures rubric's own engine, on histories of an operational machine without ticks, so that the order has to be found.
pub(super) fn scale(size: Size) -> Vec<Point> {
    let models = [Model::SC, Model::TSO, Model::PSO];
    let mut points = Vec::new();
    let mut add = |part: &'static str, name: String, threads: u32, operations: u32| {
        for model in models {
            points.push(Point {
                part,
                name: format!("{name},machine={}", model.name()),
                first: 0,
                histories: size.of(10, 10, 10),
                source: Source::Made(Recipe {
                    origin: Origin::Machine(model),
                    threads,
                    operations,
                    locations: 256,
                    mix: EQUAL,
                    repoint: None,
                }),
                tasks: decisions(model, &[Algorithm::Stages]),
            });
        }
    };
    let sizes: &[u32] = size.of(&[1, 4, 16], &[1, 4, 16, 64, 256], &[1, 4, 16, 64, 256, 1024]);
    for &thousands in sizes {
        let name = format!("operations={}", thousands * K);
        add("operations", name, 16, thousands * K);
    }
    for threads in size.of(&[2, 8, 32][..], &[2, 4, 8, 16, 32, 64], &[2, 4, 8, 16, 32, 64, 128]) {
        let operations = size.of(4 * K, 32 * K, 128 * K);
        add("threads", format!("threads={threads}"), *threads, operations);
    }
    points
}

/// The campaign that shows which algorithms find which mutants. Its tables are in a folder named after the experiment.
pub(super) fn mutants(options: &Options, name: &str) -> campaign::Options {
    let (sample, runs) = match options.size {
        Size::Quick => (Some(60), 20),
        Size::Paper => (Some(400), 150),
        Size::Large => (None, 150),
    };
    campaign::Options {
        sample,
        runs,
        seed: options.seed,
        output: options.output.join(name),
        shard: options.shard,
        ..campaign::Options::default()
    }
}
