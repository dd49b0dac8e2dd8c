//! Measures (not to be kept): ops threads locations model seed algorithm [timeout]
use check::generate::{Mix, Recipe, generate, without_order};
use check::{Algorithm, Model, Options, Verdict, bounds::Bounds, decide};
use history::{Ambiguity, ReadsFrom};
use std::time::{Duration, Instant};
fn main() {
    let a: Vec<String> = std::env::args().collect();
    let n = |i: usize| a[i].parse::<u32>().unwrap();
    let model = if a[4] == "sc" { Model::Sc } else { Model::Tso };
    for name in a[6].split(',') {
        let algorithm = Algorithm::ALL
            .into_iter()
            .find(|x| x.name() == name.trim_end_matches('!'))
            .unwrap();
        let history = generate(&Recipe {
            model,
            threads: n(2),
            operations: n(1),
            locations: n(3),
            seed: n(5) as u64,
            mix: Mix {
                loads: 33,
                stores: 33,
                rmws: 30,
                fences: 4,
            },
            ..Recipe::default()
        })
        .unwrap();
        let history = without_order(&history).unwrap();
        let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
        let timeout = a
            .get(7)
            .map(|t| Duration::from_secs_f64(t.parse().unwrap()));
        let options = Options {
            algorithm,
            timeout,
            no_baseline: name.ends_with('!'),
            ..Options::default()
        };
        let bounds = Bounds::new(timeout, None);
        let start = Instant::now();
        let outcome = decide(&history, &reads_from, model, &options, &bounds);
        let seconds = start.elapsed().as_secs_f64();
        let status = std::fs::read_to_string("/proc/self/status").unwrap();
        let peak = status
            .lines()
            .find(|l| l.starts_with("VmHWM"))
            .unwrap()
            .split_whitespace()
            .nth(1)
            .unwrap()
            .parse::<f64>()
            .unwrap()
            / 1e6;
        let verdict = match outcome.verdict {
            Verdict::Consistent(_) => "consistent".to_string(),
            Verdict::Unproved => "REFUTED".into(),
            Verdict::Undecided(r) => format!("{r:?}"),
            o => format!("{o:?}"),
        };
        let s = outcome.statistics;
        println!(
            "{} {}t {}l {} s{} {name}: {seconds:.2}s {verdict} back={} depth={} nodes={:?} edges={} ordered={:?} peak={peak:.2}GB",
            a[1], a[2], a[3], a[4], a[5], s.backtracks, s.depth, s.nodes, s.edges, s.ordered
        );
    }
}
