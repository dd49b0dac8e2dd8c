//! The named mutants: each puts back what the released protocol has in the rows that a repair is
//! about and changes no other, and shows what `mutants.csv` says.

mod stress;
mod tables;

use std::collections::{BTreeMap, BTreeSet};

use check::{Model, Options as Asked, PsoRmw, Verdict, check};
use history::{Ambiguity, ReadsFrom};
use simulate::config::{Caches, Options};
use simulate::mutant::{Mutant, named};
use simulate::program::Shape;
use simulate::protocol::Protocol;
use simulate::ruby::delays::Latency;
use simulate::simulation::Simulation;
use simulate::slicc::ast::Declaration;
use simulate::slicc::builtin::BUILTINS;
use tables::Pair;

/// Why a mutant may not show anything.
const REASONS: [&str; 7] = [
    "needs DMA",
    "needs prefetcher",
    "needs flush",
    "needs DMA and flush",
    "needs GPU",
    "needs DMA and GPU",
    // Of the cores that there are, none that does.
    "needs a core that has other requests under way while it holds a line locked",
];

fn opened(mutant: &Mutant) -> Protocol {
    original(&mutant.protocol)
        .with(mutant)
        .unwrap_or_else(|failure| {
            let told: Vec<_> = failure.diagnostics.iter().map(|one| &one.message).collect();
            panic!("{}: {told:?}", mutant.name)
        })
}

fn original(protocol: &str) -> Protocol {
    Protocol::open(protocol).unwrap_or_else(|failure| panic!("{:?}", failure.diagnostics))
}

#[test]
fn every_repair_has_a_mutant_and_every_mutant_a_repair() {
    let file = stress::fixture("repairs.csv");
    let mut repairs = BTreeSet::new();
    for one in BUILTINS {
        let rows = tables::repairs(&file, one.name);
        repairs.extend(
            rows.into_iter()
                .map(|row| (one.name.to_owned(), row.mutant)),
        );
    }
    let pair = |one: Mutant| (one.protocol.into_owned(), one.name.into_owned());
    let mutants: BTreeSet<_> = named::all().map(pair).collect();
    assert_eq!(repairs, mutants);

    let folder = std::fs::read_dir(stress::fixture("mutants")).unwrap();
    let file = |one: std::io::Result<std::fs::DirEntry>| one.unwrap().file_name();
    let files: BTreeSet<_> = folder.map(|one| file(one).into_string().unwrap()).collect();
    let expected = mutants.iter().map(|(_, name)| format!("{name}.patch"));
    assert_eq!(files, expected.collect());
}

/// The texts of the actions of each row, by machine, state and event.
fn actions(protocol: &Protocol) -> BTreeMap<Pair, Vec<&str>> {
    let mut rows = BTreeMap::new();
    for (machine, outline) in protocol.machines().zip(&protocol.outline.machines) {
        let text = |span| protocol.sources().text(span);
        let bodies = machine
            .body
            .iter()
            .filter_map(|declaration| match declaration {
                Declaration::Action(action) => Some((&*action.name.text, text(action.span))),
                _ => None,
            });
        let bodies: BTreeMap<&str, &str> = bodies.collect();
        for entry in &outline.entries {
            let pair = (
                outline.name.clone(),
                outline.states[usize::from(entry.state)].name.clone(),
                outline.events[usize::from(entry.event)].name.clone(),
            );
            let names = entry.actions.iter();
            let names = names.map(|&one| outline.actions[usize::from(one)].name.as_str());
            rows.insert(pair, names.map(|name| bodies[name]).collect());
        }
    }
    rows
}

/// What is wrong with a mutant of a protocol that has these tables.
fn strange(mutant: &Mutant, ours: &Protocol, released: &tables::Table) -> Vec<String> {
    let mutated = opened(mutant);
    let (before, after) = (tables::compiled(ours), tables::compiled(&mutated));
    let (done, do_now) = (actions(ours), actions(&mutated));
    let repairs = tables::repairs(&stress::fixture("repairs.csv"), ours.name());
    let mut repairs: BTreeMap<Pair, String> = repairs
        .into_iter()
        .filter(|row| row.mutant == mutant.name)
        .map(|row| (row.pair, row.kind))
        .collect();
    let mut wrong = Vec::new();
    let pairs: BTreeSet<&Pair> = before.keys().chain(after.keys()).collect();
    for pair in pairs {
        let (was, is) = (before.get(pair), after.get(pair));
        let Some(kind) = repairs.remove(pair) else {
            // What waits may wait in another way.
            let waits = was == is && is.is_some_and(|entry| entry.stalls);
            if was != is || done.get(pair) != do_now.get(pair) && !waits {
                wrong.push(format!("{pair:?} is touched, and no row of the mutant"));
            }
            continue;
        };
        if is != released.get(pair) {
            wrong.push(format!(
                "{pair:?}, {kind}: it is {is:?}, and was not released so"
            ));
        }
    }
    wrong.extend(repairs.keys().map(|pair| format!("there is no {pair:?}")));
    wrong
}

#[test]
fn mutants_have_the_released_rows_and_touch_no_others() {
    let mut wrong = Vec::new();
    for one in BUILTINS {
        let ours = original(one.name);
        let released = tables::released(&stress::fixture("tables"), &ours);
        for mutant in named::of(one.name) {
            let strange = strange(&mutant, &ours, &released);
            wrong.extend(
                strange
                    .iter()
                    .map(|what| format!("{}: {what}", mutant.name)),
            );
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A row of `mutants.csv`: a way to see a mutant's fault, or why there is none.
struct Way {
    mutant: String,
    client: String,
    options: String,
    effect: String,
    seed: String,
    why: String,
}

impl Way {
    fn all() -> Vec<Way> {
        let rows = tables::rows(&stress::fixture("mutants.csv"));
        let way = |row: tables::Row| {
            let cell = |name: &str| row[name].clone();
            Way {
                mutant: cell("mutant"),
                client: cell("client"),
                options: cell("options"),
                effect: cell("effect"),
                seed: cell("seed"),
                why: cell("why"),
            }
        };
        rows.into_iter().map(way).collect()
    }

    /// The run, with the words of the program's command line.
    fn simulation(&self, seed: u64) -> Simulation {
        let mut shape = Shape {
            threads: 4,
            operations: 100,
            seed,
            ..Shape::default()
        };
        let mut options = Options::default();
        let mut words: Vec<&str> = self.options.split_whitespace().collect();
        if words.first() == Some(&"--steady") {
            words.remove(0);
            options = options.steady();
        }
        for words in words.chunks(2) {
            let value = words[1];
            let count = || value.parse().unwrap_or_else(|_| panic!("{}", self.options));
            match words[0] {
                "--threads" => shape.threads = count(),
                "--ops" => shape.operations = count(),
                "--locations" => shape.locations = count(),
                "--reads" => shape.reads = count(),
                "--rmws" => shape.rmws = count(),
                "--linked" => shape.linked = count(),
                "--fetches" => shape.fetches = count(),
                "--directories" => options.directories = count(),
                "--network" => options.network = latency(value),
                "--memory" => options.memory = latency(value),
                "--caches" => options.caches = caches(value),
                "--set" => options.settings.push(value.parse().unwrap()),
                other => panic!("{other} is not known here"),
            }
        }
        Simulation {
            shape,
            client: self.client.parse().unwrap(),
            options,
            deadlock_threshold: None,
        }
    }
}

fn latency(text: &str) -> Latency {
    let (least, most) = text.split_once('-').unwrap();
    Latency::Between(least.parse().unwrap(), most.parse().unwrap())
}

/// Sizes of the levels; those that are left out are tiny.
fn caches(text: &str) -> Caches {
    let mut sizes = Caches::Tiny.sizes();
    for (level, text) in text.split(',').enumerate() {
        let shape = text.parse().unwrap();
        match level {
            0 => (sizes.l1_instructions, sizes.l1_data) = (shape, shape),
            1 => sizes.l2 = shape,
            _ => sizes.l3 = shape,
        }
    }
    Caches::Given(sizes)
}

/// What is wrong with a run, if anything: how it ended early, or that it violates the model that its
/// client keeps.
fn effect(protocol: &Protocol, simulation: &Simulation) -> Option<String> {
    let plan = simulation.plan(protocol).unwrap();
    let run = simulation.run(protocol, &plan, None).unwrap();
    if let Some(fault) = &run.fault {
        return Some(fault.kind.name().to_owned());
    }
    let history = run.history().unwrap();
    let model = match simulation.client.model() {
        "sc" => Model::Sc,
        "tso" => Model::Tso,
        _ => Model::Pso(PsoRmw::Own),
    };
    let reads_from = ReadsFrom::derive(&history, Ambiguity::Refuse).unwrap();
    match check(&history, &reads_from, model, &Asked::default()).verdict {
        Verdict::Consistent(_) => None,
        Verdict::Violation(_) => Some(format!("{model} violation")),
        other => panic!("{other:?}"),
    }
}

#[test]
fn faults_show_and_are_not_there_without_the_mutant() {
    for way in Way::all().iter().filter(|way| way.why.is_empty()) {
        let mutant = named::find(&way.mutant).unwrap();
        let simulation = way.simulation(way.seed.parse().unwrap());
        let shown = effect(&opened(&mutant), &simulation);
        assert_eq!(shown.as_deref(), Some(&*way.effect), "{}", way.mutant);
        let repaired = effect(&original(&mutant.protocol), &simulation);
        assert_eq!(repaired, None, "{} without the fault", way.mutant);
    }
}

#[test]
#[ignore = "takes ten seconds: whether the seeds are the first with that effect"]
fn faults_do_not_show_earlier() {
    for way in Way::all().iter().filter(|way| way.why.is_empty()) {
        let protocol = opened(&named::find(&way.mutant).unwrap());
        let shown = |seed| effect(&protocol, &way.simulation(seed));
        let first = (1..).find(|&seed| shown(seed).as_deref() == Some(&*way.effect));
        assert_eq!(first.unwrap().to_string(), way.seed, "{}", way.mutant);
    }
}

#[test]
fn every_mutant_has_a_way_to_see_it_or_a_reason() {
    let ways = Way::all();
    for mutant in named::all() {
        let mut own = ways.iter().filter(|way| way.mutant == mutant.name);
        let first = own.next();
        let first = first.unwrap_or_else(|| panic!("{} is not in mutants.csv", mutant.name));
        let is_seen = |way: &Way| way.why.is_empty() && !way.effect.is_empty();
        let is_known = match first.why.is_empty() {
            true => is_seen(first) && own.all(is_seen),
            false => REASONS.contains(&&*first.why) && own.next().is_none(),
        };
        assert!(is_known, "{}", mutant.name);
    }
    assert!(ways.iter().all(|way| named::find(&way.mutant).is_some()));
}

/// Runs of a mutant that is said to show nothing.
const SILENT: usize = 8;

#[test]
fn what_is_said_not_to_show_does_not() {
    for way in Way::all().iter().filter(|way| !way.why.is_empty()) {
        let protocol = opened(&named::find(&way.mutant).unwrap());
        for simulation in stress::standard(&protocol).take(SILENT) {
            let shown = effect(&protocol, &simulation);
            assert_eq!(shown, None, "{}: {simulation:?}", way.mutant);
        }
    }
}
