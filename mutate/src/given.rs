//! Whether the places that a repair changes are as gem5 had them, so that a repair never overwrites a change of the user's own.
//!
//! The table `fixtures/protocols/repairs/places.tsv` has a line for every content of such a place in gem5's history: the protocol, the place, the
//! numbers of the versions that had it, the next state (`-` if there is no such row), and each action with a digest of its code. Code
//! is compared token by token and without the names of actions, so comments, formatting and renamed actions do not count. The
//! version of a user's protocol is the one with which it has the most places in common. Places that a repair only adds actions to may differ,
//! since nothing is lost there. A test draws the table from files of gem5.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

use slicc::ast::{Block, NextState, Transition};
use slicc::load::Loaded;

use crate::named::fault::Fault;
use crate::named::misfit::Misfit;
use crate::named::places::{Place, places};
use crate::named::syntax::MachineSyntax;
use crate::named::tables::repairs_of;

/// The content of a place; none if a row does not exist.
type Content = Option<Row>;

/// The content of a row or, with one action and no next state, of a port.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Row {
    /// The next state.
    next: String,
    /// The actions with digests of their code, in order.
    actions: Vec<(String, u32)>,
    /// File and line of the row in the user's protocol; empty in the table.
    source: String,
}

/// The contents of the places that repairs of a protocol change, as the user gave it.
#[derive(Debug, Default)]
pub(crate) struct GivenPlaces(BTreeMap<String, Content>);

/// A content of a place in gem5's history.
struct Released {
    /// The versions that had it, as ranges of numbers.
    versions: Vec<(u32, u32)>,
    content: Content,
}

/// The contents in gem5's history, by protocol and place.
static RELEASED: LazyLock<BTreeMap<&str, BTreeMap<&str, Vec<Released>>>> = LazyLock::new(|| {
    let mut all: BTreeMap<&str, BTreeMap<&str, Vec<Released>>> = BTreeMap::new();
    for line in fixtures::REPAIRED_PLACES.lines() {
        if let [protocol, place, versions, next, actions] = line.split('\t').collect::<Vec<_>>()[..]
        {
            let released = Released { versions: ranges(versions), content: content(next, actions) };
            all.entry(protocol).or_default().entry(place).or_default().push(released);
        }
    }
    all
});

/// Parses ranges of numbers: `0-12,15`.
fn ranges(text: &str) -> Vec<(u32, u32)> {
    let range = |word: &str| {
        let (first, last) = word.split_once('-').unwrap_or((word, word));
        Some((first.parse().ok()?, last.parse().ok()?))
    };
    text.split(',').filter_map(range).collect()
}

impl Released {
    fn is_of(&self, version: u32) -> bool {
        self.versions.iter().any(|&(first, last)| (first..=last).contains(&version))
    }
}

/// Parses the content of a place.
fn content(next: &str, actions: &str) -> Content {
    let action = |word: &str| {
        let (name, digest) = word.split_once('=')?;
        Some((name.to_owned(), u32::from_str_radix(digest, 16).ok()?))
    };
    let actions = actions.split(' ').filter_map(action).collect();
    (next != "-").then(|| Row { next: next.to_owned(), actions, source: String::new() })
}

impl Row {
    /// Whether next state and code are the same, whatever the actions are called.
    fn does_same(&self, other: &Row) -> bool {
        self.next == other.next && self.digests().eq(other.digests())
    }

    fn digests(&self) -> impl Iterator<Item = u32> {
        self.actions.iter().map(|(_, digest)| *digest)
    }

    /// The differences from what gem5 had, in words.
    fn differences(&self, released: &Row) -> Vec<String> {
        let mut differences = Vec::new();
        if self.next != released.next {
            differences.push(format!("it leads to {} instead of {}", self.next, released.next));
        }
        let only = |these: &Row, others: &Row| -> Vec<(String, u32)> {
            let is_other =
                |(_, digest): &&(String, u32)| !others.digests().any(|one| one == *digest);
            these.actions.iter().filter(is_other).cloned().collect()
        };
        let (mut added, mut missing) = (only(self, released), only(released, self));
        let mut edited = Vec::new();
        added.retain(|(name, _)| match missing.iter().position(|(other, _)| other == name) {
            Some(at) => {
                missing.remove(at);
                edited.push(name.clone());
                false
            }
            None => true,
        });
        let names = |actions: &[(String, u32)]| -> String {
            actions.iter().map(|(name, _)| name.as_str()).collect::<Vec<_>>().join(", ")
        };
        if !edited.is_empty() {
            differences.push(format!("{} has other code", edited.join(", ")));
        }
        if !missing.is_empty() {
            differences.push(format!("without {}", names(&missing)));
        }
        if !added.is_empty() {
            differences.push(format!("with {}", names(&added)));
        }
        if differences.is_empty() {
            differences.push(format!("its actions are {}", names(&self.actions)));
        }
        differences
    }
}

impl GivenPlaces {
    /// Reads the places of a protocol as the user gave it, before repairs and mutants.
    pub(crate) fn of(loaded: &Loaded) -> GivenPlaces {
        GivenPlaces(contents(loaded.as_given()))
    }

    /// Checks that gem5 had what a repair overwrites.
    ///
    /// # Errors
    /// Fails with the differences from what it had.
    pub(crate) fn check(&self, repair: &Fault) -> Result<(), Misfit> {
        let Some(released) = RELEASED.get(repair.protocol) else { return Ok(()) };
        let versions = self.nearest_versions(released);
        let mut changed = None;
        for version in versions {
            match self.first_change(repair, released, version) {
                None => return Ok(()),
                Some(change) => changed = changed.or(Some(change)),
            }
        }
        changed.map_or(Ok(()), Err)
    }

    /// The versions with which most places are the same, the newest first.
    fn nearest_versions(&self, released: &BTreeMap<&str, Vec<Released>>) -> Vec<u32> {
        let mut same: BTreeMap<u32, usize> = BTreeMap::new();
        for (place, contents) in released {
            let given = self.0.get(*place).and_then(Option::as_ref);
            for one in contents {
                let is_same = is_same(given, one.content.as_ref());
                for version in one.versions.iter().flat_map(|&(first, last)| first..=last) {
                    *same.entry(version).or_default() += usize::from(is_same);
                }
            }
        }
        let most = same.values().max().copied().unwrap_or_default();
        same.into_iter().filter(|(_, count)| *count == most).map(|(version, _)| version).collect()
    }

    /// The first place of a repair that is not as a version had it.
    fn first_change(
        &self,
        repair: &Fault,
        released: &BTreeMap<&str, Vec<Released>>,
        version: u32,
    ) -> Option<Misfit> {
        places(repair).into_iter().find_map(|place| {
            let place = place.to_string();
            let had = released.get(&*place)?.iter().filter(|one| one.is_of(version));
            let had: Vec<&Content> = had.map(|one| &one.content).collect();
            let given = self.0.get(&place).and_then(Option::as_ref);
            let is_kept = had.iter().any(|content| is_same(given, content.as_ref()));
            (!is_kept && !had.is_empty())
                .then(|| Misfit::Changed { differences: differences(given, &had), place })
        })
    }
}

/// Whether the contents of a place are the same.
fn is_same(one: Option<&Row>, other: Option<&Row>) -> bool {
    match (one, other) {
        (None, None) => true,
        (Some(one), Some(other)) => one.does_same(other),
        _ => false,
    }
}

/// The differences of a place from the nearest of the contents that gem5 had.
fn differences(given: Option<&Row>, had: &[&Content]) -> Vec<String> {
    let Some(given) = given else {
        return vec!["there is no such row, and gem5 had one".to_owned()];
    };
    let rows = had.iter().copied().flatten();
    let all = rows.map(|row| given.differences(row));
    let nearest = all.min_by_key(|differences| (differences.len(), differences.concat().len()));
    let mut nearest = nearest.unwrap_or_else(|| vec!["gem5 had no such row".to_owned()]);
    nearest.push(format!("see {}", given.source));
    nearest
}

/// The contents of all places that repairs of the protocol change.
fn contents(loaded: &Loaded) -> BTreeMap<String, Content> {
    let all: BTreeSet<Place> = repairs_of(&loaded.protocol).flat_map(places).collect();
    let known =
        all.into_iter().filter(|place| MachineSyntax::of(loaded, place.machine()).is_some());
    known.map(|place| (place.to_string(), content_of(loaded, &place))).collect()
}

fn content_of(loaded: &Loaded, place: &Place) -> Content {
    match place {
        Place::Row { machine, state, event } => {
            let syntax = MachineSyntax::of(loaded, machine)?;
            let is_it = |one: &&Transition| {
                one.states.iter().any(|name| &*name.text == state.as_str())
                    && one.events.iter().any(|name| &*name.text == event.as_str())
            };
            let transition = syntax.transitions().find(is_it)?;
            let next = match &transition.next {
                NextState::Same => state.clone(),
                NextState::State(name) => name.text.to_string(),
                NextState::Computed(_) => "*".to_owned(),
            };
            let actions = transition.actions.iter().map(|name| {
                let action = syntax.action(&name.text);
                (name.text.to_string(), action.map_or(0, |action| digest(&syntax, &action.body)))
            });
            Some(Row { next, actions: actions.collect(), source: syntax.place(transition.span) })
        }
        Place::Port { machine, buffer } => {
            let syntax = MachineSyntax::of(loaded, machine)?;
            let port = syntax.in_port(buffer)?;
            let action = (port.name.text.to_string(), digest(&syntax, &port.body));
            let source = syntax.place(port.span);
            Some(Row { next: String::new(), actions: vec![action], source })
        }
    }
}

/// A digest of code without comments and formatting (FNV-1a).
fn digest(syntax: &MachineSyntax<'_>, body: &Block) -> u32 {
    let words = syntax.loaded.code_words(body.span).into_iter();
    words
        .flat_map(|word| word.bytes().chain([b' ']))
        .fold(0x811c_9dc5, |digest: u32, byte| (digest ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

/// The contents of the places of a protocol as it is, for the table: protocol and place, and the rest of a line after the versions.
pub fn described(loaded: &Loaded) -> Vec<(String, String)> {
    let described = |content: &Content| match content {
        None => "-\t".to_owned(),
        Some(row) => {
            let actions = row.actions.iter().map(|(name, digest)| format!("{name}={digest:x}"));
            format!("{}\t{}", row.next, actions.collect::<Vec<_>>().join(" "))
        }
    };
    let contents = contents(loaded);
    let bases: BTreeSet<&str> = repairs_of(&loaded.protocol).map(|one| one.protocol).collect();
    let of_base = |base: &'static str| {
        let contents = contents.iter();
        contents.map(move |(place, one)| (format!("{base}\t{place}"), described(one)))
    };
    bases.into_iter().flat_map(of_base).collect()
}
