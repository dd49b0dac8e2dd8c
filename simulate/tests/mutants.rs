//! The named mutants: a repair's puts back what the released protocol has in the rows that the repair
//! is about and changes no other; the others are faults that gem5 has repaired. Each shows what
//! `mutants.csv` says.

mod outcome;
mod stress;
mod tables;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use outcome::{effect, traced};
use simulate::differences::touched;
use simulate::simulation::Simulation;
use slicc::builtin::BUILTINS;
use slicc::mutant::touched::Place;
use slicc::mutant::{Mutant, named};
use slicc::protocol::Protocol;
use tables::Pair;

/// Why a mutant may not show anything.
const REASONS: &[&str] = &[
    "needs DMA",
    "needs prefetcher",
    "needs flush",
    "needs DMA and flush",
    "needs GPU",
    "needs DMA and GPU",
    // Of the cores that there are, none that does.
    "needs a core that has other requests under way while it holds a line locked",
];

/// How the reason starts why a mutant never shows anything, with whatever core.
const HARMLESS: &str = "harmless: ";

/// How it starts if not even the time at which anything happens is another.
const SAME_RUNS: &str = "harmless: the same runs, ";

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

/// The mutants of repairs: each its protocol and its name.
fn of_repairs() -> BTreeSet<(String, String)> {
    let file = stress::fixture("repairs.csv");
    let of = |protocol: &str| tables::repairs(&file, protocol).into_iter();
    let pairs = BUILTINS.iter().flat_map(|one| {
        let pair = |row: tables::Repair| (one.name.to_owned(), row.mutant);
        of(one.name).map(pair)
    });
    pairs.collect()
}

fn is_of_repair(mutant: &Mutant) -> bool {
    of_repairs().contains(&(mutant.protocol.to_string(), mutant.name.to_string()))
}

#[test]
fn every_repair_has_a_mutant_and_every_protocol_a_table() {
    let pair = |one: Mutant| (one.protocol.into_owned(), one.name.into_owned());
    let mutants: BTreeSet<_> = named::all().map(pair).collect();
    let repairs = of_repairs();
    let missing: Vec<_> = repairs.difference(&mutants).collect();
    assert!(missing.is_empty(), "{missing:?}");

    let folder = std::fs::read_dir(stress::fixture("mutants")).unwrap();
    let file = |one: std::io::Result<std::fs::DirEntry>| one.unwrap().file_name();
    let files: BTreeSet<_> = folder.map(|one| file(one).into_string().unwrap()).collect();
    let expected = BUILTINS.iter().map(|one| format!("{}.faults", one.name));
    assert_eq!(files, expected.collect());
}

/// The rows of the catalogue that are about the protocols that come with the program.
fn catalogue() -> Vec<tables::Row> {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../shared/mutants/catalogue.csv"
    );
    let mut rows = tables::rows(Path::new(file));
    assert!(!rows.is_empty(), "{file} is missing");
    rows.retain(|row| BUILTINS.iter().any(|one| one.name == row["protocol"]));
    rows
}

#[test]
#[ignore = "needs ../shared"]
fn every_row_of_the_catalogue_has_a_mutant() {
    let mut wrong = Vec::new();
    for row in catalogue() {
        let (name, alias) = (&row["id"], &row["alias"]);
        let Some(mutant) = named::find(name).filter(|one| one.name == *name) else {
            wrong.push(format!("there is no {name}"));
            continue;
        };
        let other = named::find(alias).filter(|_| !alias.is_empty());
        if mutant.protocol != row["protocol"] || other.is_none() != alias.is_empty() {
            wrong.push(format!("{name}: its protocol, or the other name {alias}"));
        }
        if other.is_some_and(|other| other != mutant) {
            wrong.push(format!("{alias} is another mutant than {name}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
#[ignore = "needs ../shared"]
fn mutants_without_a_repair_are_of_the_catalogue_and_its_machine() {
    let rows = catalogue();
    let mut wrong = Vec::new();
    for mutant in named::all().filter(|one| !is_of_repair(one)) {
        let Some(row) = rows.iter().find(|row| row["id"] == mutant.name) else {
            wrong.push(format!("{} is not in the catalogue", mutant.name));
            continue;
        };
        let touched = touched(&original(&mutant.protocol), &opened(&mutant)).entries;
        let is_elsewhere = |place: &&Place| !row["machine"].contains(&place.machine);
        let strange = touched.iter().filter(is_elsewhere);
        wrong.extend(strange.map(|place| format!("{} touches {place}", mutant.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What is wrong with a mutant of a protocol that has these tables.
fn strange(mutant: &Mutant, ours: &Protocol, released: &tables::Table) -> Vec<String> {
    let mutated = opened(mutant);
    let (before, after) = (tables::compiled(ours), tables::compiled(&mutated));
    let repairs = tables::repairs(&stress::fixture("repairs.csv"), ours.name());
    let repairs: BTreeMap<Pair, String> = repairs
        .into_iter()
        .filter(|row| row.mutant == mutant.name)
        .map(|row| (row.pair, row.kind))
        .collect();
    let mut wrong = Vec::new();
    for (pair, kind) in &repairs {
        let (was, is) = (before.get(pair), after.get(pair));
        if was.is_none() && is.is_none() {
            wrong.push(format!("there is no {pair:?}"));
        }
        if is != released.get(pair) {
            wrong.push(format!(
                "{pair:?}, {kind}: it is {is:?}, and was not released so"
            ));
        }
    }
    for place in touched(ours, &mutated).entries {
        let pair = (place.machine, place.state, place.event);
        let (was, is) = (before.get(&pair), after.get(&pair));
        // What waits may wait in another way.
        let waits = was == is && is.is_some_and(|entry| entry.stalls);
        if !repairs.contains_key(&pair) && !waits {
            wrong.push(format!("{pair:?} is touched, and no row of the mutant"));
        }
    }
    wrong
}

#[test]
fn mutants_have_the_released_rows_and_touch_no_others() {
    let mut wrong = Vec::new();
    for one in BUILTINS {
        let ours = original(one.name);
        let released = tables::released(&stress::fixture("tables"), &ours);
        for mutant in named::of(one.name).filter(is_of_repair) {
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
        let words = format!("{} --seed {seed}", self.options);
        stress::simulation_of(&words, self.client.parse().unwrap())
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
#[ignore = "takes ten seconds: whether the seeds are the first"]
fn faults_do_not_show_earlier() {
    for way in Way::all().iter().filter(|way| way.why.is_empty()) {
        let protocol = opened(&named::find(&way.mutant).unwrap());
        let shows =
            |&seed: &u64| effect(&protocol, &way.simulation(seed)).as_ref() == Some(&way.effect);
        let first = (1..).find(shows);
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
            false => is_reason(&first.why) && own.next().is_none(),
        };
        assert!(is_known, "{}", mutant.name);
    }
    assert!(ways.iter().all(|way| named::find(&way.mutant).is_some()));
}

fn is_reason(why: &str) -> bool {
    let rest = why.strip_prefix(HARMLESS);
    REASONS.contains(&why) || rest.is_some_and(|rest| !rest.is_empty())
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

/// Runs of a mutant that is said to change none, at least: as many more as it takes to come by all that it touches.
const ALIKE: usize = 40;

#[test]
fn what_is_said_to_leave_runs_the_same_does() {
    for way in Way::all()
        .iter()
        .filter(|way| way.why.starts_with(SAME_RUNS))
    {
        let mutant = named::find(&way.mutant).unwrap();
        let (ours, mutated) = (original(&mutant.protocol), opened(&mutant));
        let mut never = touched(&ours, &mutated).entries;
        for (number, simulation) in stress::standard(&ours).enumerate() {
            if number >= ALIKE && never.is_empty() {
                break;
            }
            let (before, run) = traced(&ours, &simulation);
            let (after, _) = traced(&mutated, &simulation);
            assert!(before == after, "{}: {simulation:?}", way.mutant);
            let taken = run.coverage();
            never.retain(|place| !taken.iter().any(|one| one.is_of(place)));
        }
        assert!(never.is_empty(), "{}: {never:?} never taken", way.mutant);
    }
}
