//! Tests a change of a protocol: runs the same programs on two versions, and compares the findings.
//!
//! Programs are steered towards what changed: of the transitions that a program took on the new version, the guide that proposes programs
//! learns only those that were changed and their neighbours, which have the same state or event in the same machine. So it varies the
//! programs that came near a change. Walks through small systems make for changed and removed transitions, where the words of the change say what it is about
//! (`needs`). `cause` says which change a finding comes from, `edits` which of the changes belong together.

mod cause;
mod edits;
pub mod json;
mod needs;
mod starving;
pub mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use mutate::repair::{self, Repaired};
use simulate::config::handled;
use simulate::recipe::Lineage;
use simulate::system::entry_of;
use slicc::difference::{Difference, difference};
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use super::alike;
use super::deadlines::Deadlines;
use super::gather::Gathered;
use super::options::Options;
use super::program::{Bench, Ran};
use super::schedule::run_programs;
use super::small::{self, Explored};
use super::walks::{FoundOnWalk, Walked, walk_all};
use super::{Finding, Signature, first_found, given_up, guide};
use crate::error::Error;
use crate::observer::Observer;
use crate::protocols::{Opened, Repairs};
use cause::Causes;
use needs::Needs;

/// The result of comparing two versions of a protocol.
#[derive(Debug)]
pub struct Compared {
    /// The old version, as it was given.
    pub old: Opened,
    /// The new version, as it was given.
    pub new: Opened,
    /// The difference between the files of both versions.
    pub difference: Difference,
    /// The number of programs that ran on each kind of core, each of them on one kind and on both versions.
    pub runs: u32,
    /// The number of runs, of both versions and all kinds of cores together, that were given up because time ran out.
    pub given_up: u32,
    /// The number of operations of all runs of the new version.
    pub operations: u64,
    /// The small systems of the old version that were explored.
    pub explored_old: Vec<Explored>,
    /// The small systems of the new version that were explored.
    pub explored_new: Vec<Explored>,
    /// The findings that only the new version shows, the worst first. What comes from one edit is one finding.
    pub only_new: Vec<Finding>,
    /// The time after which the first of these was seen; `None` if there is none.
    pub first_found: Option<Duration>,
    /// The findings that only the old version shows, the worst first.
    pub only_old: Vec<Finding>,
    /// The findings that both versions show: as the old version shows it, and as the new one does.
    pub both: Vec<(Finding, Finding)>,
    /// How often the programs took each transition of the new version that was added or changed.
    pub reached: Vec<(TableEntry, u64)>,
    /// How often the programs took each transition of the old version that the new one does not have, in the new version's names.
    pub reached_removed: Vec<(TableEntry, u64)>,
    /// The wall time of the comparison.
    pub elapsed: Duration,
}

/// The runs of a program on both versions.
struct Pair {
    old: Ran,
    new: Ran,
}

/// Compares two versions of a protocol, each a built-in name or the path of a `.slicc` file. The extent of the options is that of both
/// versions together.
///
/// # Errors
/// Fails as [`test`](super::test()) does, for either version.
pub fn compare(
    old: &str,
    new: &str,
    options: &Options,
    observer: &dyn Observer,
) -> Result<Compared, Error> {
    let start = Instant::now();
    let (old, new) = open_both(old, new, &options.repairs)?;
    let asked = options.extras.unwrap_or_default();
    [&old, &new].into_iter().try_for_each(|version| version.check_extras(asked))?;
    let (repaired_old, repaired_new) =
        (repair::all_that_fit(&old.protocol), repair::all_that_fit(&new.protocol));
    let deadlines = Deadlines::of(options);
    let benches = [
        Bench::new(&old, &repaired_old, options, deadlines)?,
        Bench::new(&new, &repaired_new, options, deadlines)?,
    ];
    [&old, &new].into_iter().for_each(|version| observer.opened(version, &options.settings));
    let difference = difference(&old.protocol, &new.protocol);
    let near = Neighbourhood::new(&difference);
    let needs = Needs::of(&difference.words(&old.protocol, &new.protocol), &new.protocol);
    let parts = needs.parts();
    let walked = [(&old, &benches[0]), (&new, &benches[1])].map(|(version, bench)| Walked {
        given: &version.given,
        protocol: &version.protocol,
        repairs: bench.repairs(false).clone(),
        is_repaired: false,
        is_settled: bench.repaired.applied.is_empty(),
        towards: difference.entries().cloned().collect(),
        needs: &needs.systems,
    });
    let (pairs, explored, walks) = std::thread::scope(|scope| {
        let walks = scope.spawn(|| walk_all(&walked, options, deadlines));
        let small = scope.spawn(|| {
            let repairs = benches[1].repairs(false);
            let starving = starving::only_in_new(&old, &new, repairs, options, deadlines)?;
            // The old version may use half of what is left, the new one the rest.
            let half = deadlines.first_half();
            let old = small::explore_all(&old, &repaired_old, options, half, &parts)?;
            let new = small::explore_all(&new, &repaired_new, options, deadlines, &parts)?;
            Ok::<_, Error>(([old, new], starving))
        });
        let run = |client, lineage: &Lineage| {
            let [old, new] = &benches;
            Ok(Pair { old: old.run(client, lineage)?, new: new.run(client, lineage)? })
        };
        let handled = handled(&old.protocol).min(handled(&new.protocol));
        let guide = guide(options, handled).with_needed_extras(needs.extras(handled));
        let pairs = run_programs(options, guide, deadlines, observer, run, |pair: &Pair| {
            let reached = pair.new.reached.iter();
            reached.filter(|one| near.has(&new.protocol, one.triple)).copied().collect()
        });
        let explored = small.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        let walks = walks.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic));
        (pairs, explored, walks)
    });
    let (pairs, ([explored_old, explored_new], starving)) = (pairs?, explored?);
    // A finding of the smallest system says more than that a request waits.
    let starving = starving.filter(|_| !explored_new.first().is_some_and(|one| one.is_found));
    let (walks_old, walks_new) = on_both(walks, [&old.protocol, &new.protocol], options);
    let [bench_old, bench_new] = &benches;
    let mut gathered = [bench_old, bench_new].map(|bench| Gathered::new(bench, options));
    for pair in &pairs {
        gathered[0].add_run(&pair.old);
        gathered[1].add_run(&pair.new);
    }
    explored_old.iter().for_each(|explored| gathered[0].add_exploration(explored));
    explored_new.iter().for_each(|explored| gathered[1].add_exploration(explored));
    let short = explored_new.iter().flat_map(|explored| &explored.problems);
    let short = short.chain(walks_new.iter().map(|found| &found.shown));
    let short = short.chain(starving.iter().map(|(_, shown)| shown));
    let programs = pairs.iter().map(|pair| &pair.new);
    let causes = Causes::new(&difference, &new.protocol, programs, short);
    let [mut gathered_old, mut gathered_new] = gathered;
    gathered_old.add_walks(walks_old);
    gathered_new.add_walks(walks_new.clone());
    if let Some((command, shown)) = starving.clone() {
        gathered_new.add_shown(command, shown);
    }
    let (found_old, found_new) =
        (gathered_old.findings(observer)?, gathered_new.findings(observer)?);
    let reached = reached(
        &new.protocol,
        difference.reachable_entries(),
        |entry| entry,
        pairs.iter().map(|pair| &pair.new),
    );
    let reached_removed = self::reached(
        &old.protocol,
        difference.removed_entries(),
        |entry| entry_in_new_names(entry, &difference),
        pairs.iter().map(|pair| &pair.old),
    );
    let runs = (pairs.len() / options.clients.len().max(1)) as u32;
    let given_up = given_up(pairs.iter().flat_map(|pair| [&pair.old, &pair.new]));
    let operations = pairs.iter().map(|pair| pair.new.operations as u64).sum();
    let (mut only_old, mut only_new, both) = sorted(found_old, found_new, &difference);
    // A known fault that the files of both versions have is no difference, even if the programs show it in one of them only.
    only_old.retain(|finding| !is_in(finding, &repaired_new));
    only_new.retain(|finding| !is_in(finding, &repaired_old));
    let only_old = alike::together(only_old, bench_old)?;
    let only_new = causes.together(alike::together(only_new, bench_new)?);
    let both = alike::pairs_together(both, bench_new)?;
    let elapsed = start.elapsed();
    Ok(Compared {
        old,
        new,
        difference,
        runs,
        given_up,
        operations,
        explored_old,
        explored_new,
        first_found: first_found(only_new.iter(), start),
        only_new,
        only_old,
        both,
        reached,
        reached_removed,
        elapsed,
    })
}

/// What walks found in each version. What only walks through one version met is looked for in the other by making the same run there, since
/// walks find by chance what is rare.
fn on_both(
    found: Vec<Vec<FoundOnWalk>>,
    [old, new]: [&Protocol; 2],
    options: &Options,
) -> (Vec<FoundOnWalk>, Vec<FoundOnWalk>) {
    let mut found = found.into_iter();
    let (mut in_old, mut in_new) =
        (found.next().unwrap_or_default(), found.next().unwrap_or_default());
    let missing = |from: &[FoundOnWalk], to: &[FoundOnWalk], version: &Protocol| {
        let has = |one: &FoundOnWalk| {
            to.iter().any(|other| other.shown.problem.signature == one.shown.problem.signature)
        };
        let missing = from.iter().filter(|one| !has(one) && one.is_in(version, options));
        missing.cloned().collect::<Vec<FoundOnWalk>>()
    };
    let (more_old, more_new) = (missing(&in_new, &in_old, old), missing(&in_old, &in_new, new));
    in_old.extend(more_old);
    in_new.extend(more_new);
    (in_old, in_new)
}

/// Opens both versions, with the repairs. A named repair must fit at least one of them: the other one may have it already, which is often
/// what was changed.
fn open_both(old: &str, new: &str, repairs: &Repairs) -> Result<(Opened, Opened), Error> {
    let mut both = Opened::all_repaired(&[old, new], repairs)?.into_iter();
    match (both.next(), both.next()) {
        (Some(old), Some(new)) => Ok((old, new)),
        _ => unreachable!("as many are opened as are given"),
    }
}

/// Whether a finding is explained by faults that a protocol has, since their repairs fit it.
fn is_in(finding: &Finding, repaired: &Repaired) -> bool {
    let fits = |name: &String| repaired.applied.iter().any(|one| one.name == *name);
    finding.known.as_ref().is_some_and(|known| known.sets().flatten().all(fits))
}

/// Findings of the old version only, of the new one only, and of both. A finding that repairs explain is not the same as one that they
/// do not explain.
fn sorted(
    old: Vec<Finding>,
    new: Vec<Finding>,
    difference: &Difference,
) -> (Vec<Finding>, Vec<Finding>, Vec<(Finding, Finding)>) {
    let has_name = |one: &Finding, other: &Finding| {
        in_new_names(&one.signature, difference) == other.signature
            && one.known.is_some() == other.known.is_some()
    };
    // What programs show in the new version and in no run of the old one is something else, even if small systems show in the old version what
    // has the same name.
    let is_other = |one: &Finding, other: &Finding| {
        other.signature.place.is_empty() && one.clients.is_empty() && !other.clients.is_empty()
    };
    let is_same = |one: &Finding, other: &Finding| has_name(one, other) && !is_other(one, other);
    let mut left: Vec<Finding> = Vec::new();
    let mut both = Vec::new();
    let mut only_old = old;
    for finding in new {
        match only_old.iter().position(|one| is_same(one, &finding)) {
            Some(at) => add_to_both(&mut both, (only_old.remove(at), finding)),
            None => left.push(finding),
        }
    }
    // Several causes of one finding are one finding here.
    left.retain(|finding| !both.iter().any(|(known, _)| is_same(known, finding)));
    only_old.retain(|finding| !both.iter().any(|(_, known)| has_name(finding, known)));
    only_old.retain(|finding| !left.iter().any(|other| has_name(finding, other)));
    (once(only_old), once(left), both)
}

/// Adds a finding of both versions: to the pair of the same finding if there is one, since runs of one finding may need different repairs.
fn add_to_both(both: &mut Vec<(Finding, Finding)>, (old, new): (Finding, Finding)) {
    let is_same = |one: &Finding| {
        one.signature == new.signature && one.known.is_some() == new.known.is_some()
    };
    match both.iter_mut().find(|(_, known)| is_same(known)) {
        Some((first_old, first_new)) => {
            first_old.absorb(old);
            first_new.absorb(new);
        }
        None => both.push((old, new)),
    }
}

/// Findings with each signature once, however many causes there are.
fn once(findings: Vec<Finding>) -> Vec<Finding> {
    let mut all: Vec<Finding> = Vec::new();
    for finding in findings {
        match all.iter_mut().find(|one| one.signature == finding.signature) {
            Some(one) => one.absorb(finding),
            None => all.push(finding),
        }
    }
    all
}

/// The signature of a finding of the old version, with the names of the new one.
fn in_new_names(signature: &Signature, difference: &Difference) -> Signature {
    let place = signature.entry().map(|entry| {
        let TableEntry { machine, state, event } = entry_in_new_names(entry, difference);
        format!("{machine} ({state}, {event})")
    });
    let place = place.unwrap_or_else(|| signature.place.clone());
    Signature { kind: signature.kind.clone(), place }
}

/// The changed transitions and their neighbours.
struct Neighbourhood {
    /// Machine and state of the changed transitions.
    states: BTreeSet<(String, String)>,
    /// Machine and event of the changed transitions.
    events: BTreeSet<(String, String)>,
}

impl Neighbourhood {
    fn new(difference: &Difference) -> Neighbourhood {
        // Removed transitions count, too: their events are undefined in the new version, which a run has to reach.
        let entries = || difference.entries();
        Neighbourhood {
            states: entries().map(|one| (one.machine.clone(), one.state.clone())).collect(),
            events: entries().map(|one| (one.machine.clone(), one.event.clone())).collect(),
        }
    }

    /// Whether a triple is near a change. If no transition was changed, all triples are.
    fn has(&self, protocol: &Protocol, triple: u32) -> bool {
        let Some(entry) = entry_of(protocol, triple) else {
            return false;
        };
        self.states.is_empty()
            || self.states.contains(&(entry.machine.clone(), entry.state))
            || self.events.contains(&(entry.machine, entry.event))
    }
}

/// How often programs took each of `entries` on a protocol, whose own entries `renamed` gives the names of `entries`.
fn reached<'a>(
    protocol: &Protocol,
    entries: impl Iterator<Item = &'a TableEntry>,
    renamed: impl Fn(TableEntry) -> TableEntry,
    runs: impl Iterator<Item = &'a Ran>,
) -> Vec<(TableEntry, u64)> {
    let mut counts: BTreeMap<u32, u64> = BTreeMap::new();
    for one in runs.flat_map(|ran| &ran.reached) {
        *counts.entry(one.triple).or_default() += one.count;
    }
    let mut reached: BTreeMap<TableEntry, u64> = entries.map(|entry| (entry.clone(), 0)).collect();
    for (triple, count) in counts {
        let entry = entry_of(protocol, triple).map(&renamed);
        if let Some(sum) = entry.and_then(|entry| reached.get_mut(&entry)) {
            *sum += count;
        }
    }
    reached.into_iter().collect()
}

/// An entry of the old version's table, with the names of the new one.
fn entry_in_new_names(entry: TableEntry, difference: &Difference) -> TableEntry {
    let machine = difference.machines.iter().find(|one| one.machine == entry.machine);
    machine.map_or(entry.clone(), |machine| {
        let (state, event) =
            (machine.states.new_name(&entry.state), machine.events.new_name(&entry.event));
        TableEntry::new(&entry.machine, state, event)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::observer::NoObserver;
    use crate::testing::{Extent, FindingKind, Known};
    use mutate::named;
    use simulate::client::Client;

    /// Writes MI_example with a fault into a folder, and returns its path.
    fn mutated(folder: &std::path::Path) -> String {
        let mutant = named::find("mi-l1-replace-no-notify").unwrap();
        let original = Protocol::open("MI_example").unwrap();
        for (name, text) in fixtures::protocol("MI_example").unwrap().files {
            std::fs::write(folder.join(name), text).unwrap();
        }
        for changed in mutant.changed(&original.loaded).unwrap() {
            std::fs::write(folder.join(changed.path), changed.text).unwrap();
        }
        folder.join("MI_example.slicc").display().to_string()
    }

    #[test]
    fn a_finding_is_told_once_with_its_sets_of_repairs() {
        let finding = |place: &str, known: &[&str]| Finding {
            clients: vec!["in-order".to_owned()],
            known: (!known.is_empty())
                .then(|| Known::by(known.iter().map(|&name| name.to_owned()).collect())),
            ..Finding::plain(Signature {
                kind: FindingKind::FailedAssertion,
                place: place.to_owned(),
            })
        };
        let all = || {
            vec![
                finding("a", &["x"]),
                finding("a", &["y", "z"]),
                finding("b", &["x"]),
                finding("a", &[]),
            ]
        };
        let (only_old, only_new, both) = sorted(all(), all(), &Difference::default());
        assert!(only_old.is_empty() && only_new.is_empty());
        let told: Vec<(&str, usize, u32)> = both
            .iter()
            .map(|(old, new)| {
                assert_eq!((old.seen, &old.known), (new.seen, &new.known));
                let sets = new.known.as_ref().map_or(0, |known| known.sets().count());
                (new.signature.place.as_str(), sets, new.seen)
            })
            .collect();
        assert_eq!(told, [("a", 2, 2), ("b", 1, 1), ("a", 0, 1)]);
    }

    #[test]
    fn a_change_that_breaks_the_protocol_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let options = Options {
            extent: Extent::Runs(20),
            clients: vec![Client::early(8)],
            explores: false,
            ..Options::default()
        };
        let path = mutated(folder.path());
        let compared = compare("MI_example", &path, &options, &NoObserver).unwrap();
        assert_eq!(compared.difference.machines[0].transitions.len(), 2);
        // The other row is taken only where DMA engines recall lines.
        assert!(compared.reached.iter().any(|(_, count)| *count > 0));
        assert!(!compared.only_new.is_empty());
        assert!(compared.only_old.is_empty() && compared.both.is_empty());
        // The other way round it is a repair.
        let compared = compare(&path, "MI_example", &options, &NoObserver).unwrap();
        assert!(compared.only_new.is_empty());
        assert!(!compared.only_old.is_empty());
    }

    #[test]
    fn a_harmless_edit_of_a_faulty_protocol_has_no_findings() {
        let [old, new] = [(); 2].map(|()| tempfile::tempdir().unwrap());
        let original = mutated(old.path());
        for file in std::fs::read_dir(old.path()).unwrap() {
            let path = file.unwrap().path();
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.replace("pop_forward", "forward_done").replace("Fwd_GETX", "Forward");
            std::fs::write(new.path().join(path.file_name().unwrap()), text).unwrap();
        }
        let edited = new.path().join("MI_example.slicc").display().to_string();
        let options = Options { extent: Extent::Runs(6), ..Options::default() };
        let compared = compare(&original, &edited, &options, &NoObserver).unwrap();
        assert!(!compared.both.is_empty());
        assert!(compared.only_new.is_empty(), "{:?}", compared.only_new[0].signature);
    }
}
