//! Invented rows of experiments. Their spread is realistic, their numbers are not.

use report::answers::Answers;
use tables::results::Results;
use tables::{CampaignRun, FidelityRun, Finding, Reported, RunOutcome, TransitionPair, Trial};

/// The time limit of trials, in seconds.
const LIMIT: f64 = 60.0;

/// A pseudo-random number from 0 to 1 that depends on the arguments only.
pub(crate) fn noise(seeds: &[u64]) -> f64 {
    let mixed = seeds.iter().fold(0x9e37_79b9_u64, |hash, seed| {
        let hash = (hash ^ seed).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        (hash ^ (hash >> 29)).wrapping_mul(0x94d0_49bb_1331_11eb)
    });
    (mixed >> 11) as f64 / (1u64 << 53) as f64
}

/// A trial with the values that all rows have in common.
pub(crate) fn trial(experiment: &str, part: &str, number: u32, algorithm: &str) -> Trial {
    Trial {
        experiment: experiment.to_owned(),
        size: "quick".to_owned(),
        part: part.to_owned(),
        number,
        source: "simulated".to_owned(),
        protocol: Some("MI_example".to_owned()),
        model: "sc".to_owned(),
        algorithm: algorithm.to_owned(),
        said: Reported::Consistent,
        timeout: LIMIT,
        version: "0.1.0".to_owned(),
        machine: "a processor, 2 at a time".to_owned(),
        ..Trial::default()
    }
}

/// Sets the time of a trial, spread around the expected one. A time beyond the limit makes the trial time out.
fn take(trial: &mut Trial, expected: f64) {
    let name = trial.algorithm.bytes().map(u64::from).sum();
    let seeds = [name, u64::from(trial.number), trial.operations, u64::from(trial.threads)];
    trial.seconds = expected * (2.2 * (noise(&seeds) + noise(&[seeds[0], seeds[1]]) - 1.0)).exp();
    if trial.seconds > trial.timeout {
        trial.seconds = trial.timeout + 0.05;
        trial.said = Reported::Timeout;
        trial.reason = Some("time limit".to_owned());
    }
}

/// A row for each place of a part, each history and each algorithm, with the time that a function expects.
fn grid(
    (experiment, part): (&str, &str),
    places: &[u64],
    histories: u32,
    algorithms: &[&str],
    expected: impl Fn(&str, f64, f64) -> f64,
) -> Vec<Trial> {
    let mut trials = Vec::new();
    for place in places {
        for number in 0..histories {
            for algorithm in algorithms {
                let mut one = trial(experiment, part, number, algorithm);
                one.point = format!("{part}={place}");
                (one.operations, one.threads) = match part {
                    "operations" => (*place, if experiment == "wsc-fig6" { 6 } else { 4 }),
                    _ => (50 * place, *place as u32),
                };
                let seconds = expected(algorithm, one.operations as f64, f64::from(one.threads));
                take(&mut one, seconds);
                trials.push(one);
            }
        }
    }
    trials
}

/// The name of an algorithm without the suffix of its published form, and how many times as long that form takes.
fn form(name: &str) -> (&str, f64) {
    match name.strip_suffix("-published") {
        Some(name) => (name, 2.5),
        None => (name, 1.0),
    }
}

fn gradual(name: &str, operations: f64, threads: f64) -> f64 {
    let (name, times) = form(name);
    times
        * match name {
            name if name.ends_with("ccm-enum") => 2e-8 * operations.powi(3) * threads,
            name if name.ends_with("ccm-sat") => 1.6e-8 * operations.powi(3) * threads + 0.01,
            "cc" => 1e-8 * operations * operations,
            "ccv" => 3e-8 * operations * operations,
            _ => 3e-10 * operations.powi(4) * threads,
        }
}

fn boosted(name: &str, operations: f64, threads: f64) -> f64 {
    let (name, times) = form(name);
    times
        * match name {
            "wsc" => 1e-8 * operations * operations,
            "ccm" => 4e-9 * operations.powi(3),
            "wsc-enum" => 3e-8 * operations * operations * threads,
            "ccm-enum" => 1e-8 * operations.powi(3),
            "dbcop" => 1e-5 * operations * (0.9 * threads).exp(),
            _ => 2e-8 * operations * operations + 1e-5 * operations,
        }
}

/// Rows of the experiments `gcc-…`.
pub(crate) fn gcc() -> Vec<Trial> {
    let sc = ["sc-ccm-enum-published", "sc-ccm-sat-published", "sc-sat", "sc-ccm-enum"];
    let tso = ["tso-wccm-enum-published", "tso-wccm-sat-published", "tso-sat", "tso-wccm-enum"];
    let operations = [100, 200, 300, 400, 500];
    let threads = [2, 3, 4, 5, 6];
    let mut trials = grid(("gcc-fig4", "operations"), &operations, 20, &sc, gradual);
    trials.extend(grid(("gcc-fig4", "threads"), &threads, 20, &sc, gradual));
    trials.extend(grid(("gcc-fig6", "operations"), &operations, 20, &tso, gradual));
    trials.extend(grid(("gcc-fig6", "threads"), &threads, 20, &tso, gradual));
    let all = ["sc-ccm-enum-published", "sc-ccm-sat-published", "sc-sat", "cc", "ccv"];
    let mut found = grid(("gcc-fig5", "threads"), &[2, 4, 6, 8], 20, &all, gradual);
    for one in &mut found {
        let chance = noise(&[5, u64::from(one.number), one.operations]);
        if !one.said.is_cut_off() {
            one.said = match &*one.algorithm {
                "cc" if chance > 0.3 => Reported::Satisfied,
                "ccv" if chance > 0.45 => Reported::Satisfied,
                _ => Reported::Violation,
            };
        }
        let fired = if chance < 0.45 { "ccv" } else { "ccm" };
        one.fired = one.algorithm.contains("ccm").then(|| fired.to_owned());
        (one.source, one.mutant) = ("mutant".to_owned(), Some("a".to_owned()));
    }
    trials.extend(found.iter().cloned().map(|one| Trial {
        experiment: "gcc-fig5-reordered".to_owned(),
        seconds: one.seconds * 1.5,
        ..one
    }));
    trials.extend(found);
    trials.extend(unordered("gcc-unordered", 30));
    trials.extend(shares_of_reads());
    trials
}

/// Rows of the experiment `gcc-unordered-reads`: the larger the share of reads, the fewer pairs are left unordered.
fn shares_of_reads() -> Vec<Trial> {
    let mut trials = Vec::new();
    for (reads, locations) in [(46_u32, 1), (60, 1), (70, 1), (46, 4), (60, 4), (70, 4)] {
        for number in 0..10 {
            for (algorithm, unordered) in [("ccm", 0.1), ("ccv", 0.103), ("cf", 0.6)] {
                let mut one = trial("gcc-unordered-reads", "reads", number, algorithm);
                one.point = format!("reads={reads},locations={locations}");
                one.mix = format!("{reads},{},0,0", 100 - reads);
                (one.locations, one.write_pairs) = (locations, 1000);
                let chance = 0.9 + 0.2 * noise(&[u64::from(number), u64::from(reads)]);
                let unordered = unordered * chance * f64::from(100 - reads) / 54.0;
                one.ordered = Some(1000 - (1000.0 * unordered) as u64);
                one.said = Reported::Satisfied;
                trials.push(one);
            }
        }
    }
    trials
}

/// Rows about the kernel, for both models.
fn unordered(experiment: &str, histories: u32) -> Vec<Trial> {
    let mut trials = Vec::new();
    for number in 0..histories {
        let seed = u64::from(number);
        let pairs = 900 + (noise(&[seed, 1]) * 400.0) as u64;
        let kernel = pairs - (noise(&[seed, 2]).powi(3) * 60.0) as u64;
        for (model, criteria) in [
            ("sc", [("kernel", 0.0), ("wsc", 0.002), ("ccm", 0.06), ("ccv", 0.55)]),
            ("tso", [("kernel", 0.0), ("wtso", 0.004), ("wccm", 0.1), ("ccv", 0.6)]),
        ] {
            for (algorithm, missed) in criteria {
                let mut one = trial(experiment, "histories", number, algorithm);
                one.point = "histories".to_owned();
                (one.model, one.operations, one.threads) = (model.to_owned(), 200, 4);
                (one.write_pairs, one.kernel) = (pairs, Some(kernel));
                let part = 2.0 * missed * noise(&[seed, algorithm.len() as u64, 3]);
                let missed = (part.min(1.0) * kernel as f64 * 0.8).floor() as u64;
                one.ordered = (algorithm != "kernel").then_some(kernel - missed);
                one.said = Reported::Satisfied;
                trials.push(one);
            }
        }
    }
    trials
}

/// Rows of the experiments `wsc-…`.
pub(crate) fn wsc() -> Vec<Trial> {
    let four = ["wsc-enum", "ccm-enum-published", "dbcop", "wsc-dbcop-published"];
    let operations: Vec<u64> = (2..=8).map(|hundreds| hundreds * 100).collect();
    let threads = [4, 8, 12, 16];
    let mut trials = unordered("wsc-kernel", 120);
    trials.extend(grid(("wsc-fig6", "operations"), &operations, 12, &four, boosted));
    trials.extend(grid(("wsc-fig7", "threads"), &threads, 12, &four, boosted));
    let mut half = grid(("wsc-fig8", "threads"), &threads, 12, &four, boosted);
    for one in &mut half {
        one.repointed = one.number % 2;
    }
    trials.extend(half);
    let three = ["wsc-published", "ccm-published", "dbcop"];
    let mut found = grid(("wsc-fig9", "threads"), &threads, 40, &three, boosted);
    for one in found.iter_mut().filter(|one| !one.said.is_cut_off()) {
        let is_missed =
            one.algorithm == "ccm-published" && noise(&[9, u64::from(one.number)]) < 0.04;
        one.said = if is_missed { Reported::Satisfied } else { Reported::Violation };
    }
    trials.extend(found);
    trials
}

/// Rows of the experiments `tsotool-…`.
pub(crate) fn tsotool() -> Vec<Trial> {
    let mut trials = Vec::new();
    for threads in [4, 16, 32, 60] {
        for locations in [4, 16, 64, 256] {
            let all = ["tso-baseline", "heu", "deriv", "deriv-back"];
            let point = (131_072, threads, locations);
            trials.extend(programs("tsotool-fig3", "locations", point, &all));
            for operations in [32_768, 65_536, 131_072, 262_144, 524_288] {
                let point = (operations, threads, locations);
                let both = ["tso-baseline", "deriv-back"];
                trials.extend(programs("tsotool-fig4", "operations", point, &both));
            }
        }
    }
    for mix in ["50,16,30,2", "33,33,30,2", "16,50,30,2"] {
        for threads in [8, 60] {
            let both = ["tso-baseline", "deriv-back"];
            let mut own = programs("tsotool-table1", "mix", (262_144, threads, 64), &both);
            for one in &mut own {
                one.mix = mix.to_owned();
                one.point = format!("{},mix={mix}", one.point);
                one.seconds *= if mix.starts_with("16") { 1.3 } else { 1.0 };
            }
            trials.extend(own);
        }
    }
    trials
}

fn programs(
    experiment: &str,
    part: &str,
    (operations, threads, locations): (u64, u32, u32),
    algorithms: &[&str],
) -> Vec<Trial> {
    let mut trials = Vec::new();
    for number in 0..8 {
        for algorithm in algorithms {
            let mut one = trial(experiment, part, number, algorithm);
            one.point = format!("operations={operations},threads={threads},locations={locations}");
            (one.operations, one.threads, one.locations) = (operations, threads, locations);
            (one.model, one.mix) = ("tso".to_owned(), "33,33,30,2".to_owned());
            let sharing = f64::from(threads) / f64::from(locations);
            let size = operations as f64 * f64::from(threads).sqrt();
            let base = 1e-6 * size * (1.0 + 0.3 * noise(&[u64::from(number), operations]));
            let more = match *algorithm {
                "tso-baseline" => 1.0,
                "heu" => 1.08 + 0.05 * noise(&[u64::from(number), 3]),
                "deriv" => 1.5 + 0.01 * f64::from(threads),
                _ => 1.6 + 0.02 * f64::from(threads),
            };
            one.seconds = base * more;
            let luck = noise(&[u64::from(number), u64::from(threads), u64::from(locations)]);
            let is_stuck = match *algorithm {
                "heu" => luck < 0.4 + sharing,
                "deriv" => luck < sharing * 0.2,
                "tso-baseline" => true,
                _ => false,
            };
            if is_stuck {
                one.said = Reported::Undecided;
            }
            if one.seconds > 12.0 {
                (one.said, one.seconds, one.timeout) = (Reported::Timeout, 12.1, 12.0);
            }
            trials.push(one);
        }
    }
    trials
}

/// Rows of `qadeer-cycles`.
pub(crate) fn qadeer() -> Vec<Trial> {
    let trials = (0..200).map(|number| {
        let mut one = trial("qadeer-cycles", "histories", number, "nice-cycle");
        one.point = "histories".to_owned();
        one.said = Reported::Violation;
        let length = (1.0 / (1.0 - noise(&[u64::from(number)]))).ln() * 1.3;
        one.cycle = (number % 50 != 0).then_some(2 + length as u32);
        if one.cycle.is_none() {
            one.said = if number == 0 { Reported::Timeout } else { Reported::Undecided };
        }
        one
    });
    trials.collect()
}

/// Rows of `qadeer-systems`.
pub(crate) fn systems() -> Vec<Trial> {
    let searched = [
        ("systems", "piranha,k=1", None, 2581),
        ("systems", "piranha,k=2", None, 17_124),
        ("systems", "piranha-buggy,k=1", Some(10), 31_174),
        ("systems", "piranha-buggy,k=2", Some(12), 201_099),
        ("systems", "lazy-caching,memory-order,k=1", None, 26_640),
        ("protocols", "MI_example,k=1", None, 2_000_000),
        ("protocols", "MI_example,mutant,k=1", Some(30), 1_000),
    ];
    let trials = searched.map(|(part, point, events, states)| {
        let mut one = trial("qadeer-systems", part, 0, "nice-cycles");
        one.point = point.to_owned();
        one.said = if events.is_some() { Reported::Violation } else { Reported::Satisfied };
        one.cycle = events.map(|_| 1);
        (one.operations, one.nodes) = (events.unwrap_or(0), Some(states));
        (one.threads, one.locations) = (2, 2);
        one
    });
    trials.to_vec()
}

/// Rows of `scale`.
pub(crate) fn scale() -> Vec<Trial> {
    let mut trials = Vec::new();
    let operations: Vec<u64> = (3..=7).map(|power| 10_u64.pow(power)).collect();
    let threads = [2, 4, 8, 16, 32, 64];
    for (model, factor) in [("sc", 1.0), ("tso", 1.7), ("pso", 2.6)] {
        let expected =
            |_: &str, operations: f64, threads: f64| 8e-7 * factor * operations * threads.sqrt();
        for (part, places) in [("operations", &operations[..]), ("threads", &threads)] {
            let mut own = grid(("scale", part), places, 5, &["stages"], expected);
            for one in &mut own {
                one.model = model.to_owned();
            }
            trials.extend(own);
        }
    }
    trials
}

/// The rows of all experiments.
pub(crate) fn results() -> Results {
    let trials = [gcc(), wsc(), tsotool(), qadeer(), systems(), scale()];
    let (fidelity, transition_pairs) = compared();
    Results { trials: trials.concat(), fidelity, transition_pairs, ..Results::default() }
}

/// Transitions that gem5 takes about as often, one that it takes much oftener, and one that it never takes.
fn compared() -> (Vec<FidelityRun>, Vec<TransitionPair>) {
    let pair = |state: &str, event: &str, simulator, gem5| TransitionPair {
        protocol: "MI_example".to_owned(),
        machine: "L1Cache".to_owned(),
        state: state.to_owned(),
        event: event.to_owned(),
        simulator,
        gem5,
        ..TransitionPair::default()
    };
    let pairs = vec![
        pair("I", "Load", 40_000, 41_000),
        pair("I", "Store", 30_000, 29_000),
        pair("M", "Fwd_GETX", 9_000, 16_000),
        pair("MI", "Fwd_GETX", 120, 80),
        pair("IM", "Replacement", 3, 0),
    ];
    let run = FidelityRun { protocol: "MI_example".to_owned(), ..FidelityRun::default() };
    (vec![run], pairs)
}

/// The answers of a campaign in which stronger criteria find more mutants.
pub(crate) fn answers() -> Answers {
    const OPERATORS: [&str; 9] = [
        "drop-action",
        "duplicate-action",
        "drop-transition",
        "swap-actions",
        "wrong-next-state",
        "wrong-message-type",
        "wrong-destination",
        "off-by-one",
        "named",
    ];
    let mut runs = Vec::new();
    for (at, operator) in OPERATORS.iter().enumerate() {
        for mutant in 0..8 + 5 * at as u64 {
            for (model, client) in [("sc", "in-order"), ("tso", "store-buffer-8")] {
                let luck = noise(&[mutant, at as u64]);
                runs.push(run(operator, mutant, model, client, luck));
            }
        }
    }
    Answers::of(&runs, &[], &counts)
}

/// Whether a criterion follows from SC or TSO.
fn counts(model: &str, criterion: &str) -> bool {
    model == "sc" || ["cc", "ccv", "wccm", "wtso", "tso", "pso"].contains(&criterion)
}

fn run(operator: &str, mutant: u64, model: &str, client: &str, luck: f64) -> CampaignRun {
    let outcome = match luck {
        luck if luck < 0.45 => RunOutcome::Violation,
        luck if luck < 0.65 => RunOutcome::ProtocolError,
        luck if luck < 0.75 => RunOutcome::Deadlock,
        _ => RunOutcome::Clean,
    };
    let mut run = CampaignRun {
        protocol: "MI_example".to_owned(),
        mutant: Some(format!("{operator}-{mutant}")),
        operator: Some(operator.to_owned()),
        client: client.to_owned(),
        model: model.to_owned(),
        outcome,
        ..CampaignRun::default()
    };
    let strong = [
        ("cc", 0.12),
        ("ccv", 0.2),
        ("cm", 0.3),
        ("ccm", 0.42),
        ("wsc", 0.45),
        ("sc", 0.45),
        ("wccm", 0.36),
        ("wtso", 0.4),
        ("tso", 0.4),
        ("pso", 0.3),
    ];
    for (criterion, strength) in strong.into_iter().filter(|(name, _)| counts(model, name)) {
        let checked = run.checked_mut(criterion).expect("it is a criterion");
        let is_broken = luck < strength;
        let finding = if is_broken { Finding::Violation } else { Finding::Consistent };
        checked.finding = Some(finding);
        let operations = 20.0 + 300.0 * luck + 400.0 * (0.5 - strength);
        checked.operations = is_broken.then_some(operations as u32);
    }
    run
}
