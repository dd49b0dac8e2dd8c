//! Finds mutants that cannot change what a protocol does.
//!
//! [`equivalent`] compares a mutant with its protocol, and returns the reason if it finds that both behave alike. It
//! may miss equivalent mutants, but a mutant that it calls equivalent is so for the reason given. Only
//! [`Reason::VictimOnly`] and [`Reason::NotReached`] are weaker; [`Reason::is_strict`] tells them apart.
//!
//! All actions of a transition run within one event, with nothing in between, so their order
//! matters only where one accesses what another changes. Two messages sent into the same virtual
//! network keep their order. Messages sent into different networks may overtake each other anyway,
//! so the order in which they are sent only decides which of two random delays each gets.
//!
//! ```
//! use mutate::equivalent::equivalent;
//! use mutate::named;
//! use slicc::protocol::Protocol;
//!
//! let mutant = named::find("mi-l1-forward-blocks-queue").unwrap();
//! let original = Protocol::open("MI_example").unwrap();
//! let mutated = original.with(&mutant).unwrap();
//! assert_eq!(equivalent(&original, &mutated, true, None), None);
//! ```

use std::collections::BTreeSet;
use std::fmt;

use slicc::compile::code::{Program, Transition};
use slicc::compile::op::Op;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;

use crate::compare::{Comparison, Stretch, extent};
use crate::effects::{Effects, Surroundings};
use crate::touched::touched;
use crate::unreached::{self, Asked};

/// The reason why a mutant behaves like its protocol.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Reason {
    /// Nothing differs as compiled, so runs are the same, byte for byte. Code for statistics is not
    /// compiled.
    Identical,
    /// The mutant drops or adds actions that only read and calculate.
    Idle {
        /// The actions.
        actions: Vec<String>,
    },
    /// The mutant repeats actions, or no longer repeats them, whose second execution has no effect.
    Repeated {
        /// The actions.
        actions: Vec<String>,
    },
    /// The mutant reorders actions, and those whose order changed have nothing in common.
    Commuting {
        /// The pairs whose order changed, in their old order.
        exchanged: Vec<(String, String)>,
        /// Whether some of them draw random delays, so that a given seed gives a different run;
        /// both protocols can have both runs.
        up_to_delays: bool,
    },
    /// The entries that differ are unreachable.
    Unreachable {
        /// The entries with the reasons why they are unreachable.
        entries: Vec<(TableEntry, String)>,
    },
    /// The mutant drops or adds actions whose only effect is on which line a cache evicts. The
    /// contents of caches, and with them delays, may differ, but not correctness.
    VictimOnly {
        /// The actions.
        actions: Vec<String>,
    },
    /// The entries that differ were not reached in runs of the protocol: equivalent as far as those
    /// runs show.
    NotReached {
        /// The entries.
        entries: Vec<TableEntry>,
        /// The number of runs.
        runs: u64,
    },
    /// Several reasons, each of which holds for some of the entries.
    Several(Vec<Reason>),
}

impl Reason {
    /// Whether the mutant and the protocol have exactly the same possible runs.
    pub fn is_strict(&self) -> bool {
        match self {
            Reason::VictimOnly { .. } | Reason::NotReached { .. } => false,
            Reason::Several(reasons) => reasons.iter().all(Reason::is_strict),
            _ => true,
        }
    }

    /// Whether a given seed gives exactly the same run.
    pub fn keeps_runs(&self) -> bool {
        match self {
            Reason::Commuting { up_to_delays, .. } => !up_to_delays,
            Reason::Several(reasons) => reasons.iter().all(Reason::keeps_runs),
            _ => self.is_strict(),
        }
    }

    /// Whether the reason holds only for programs that make no requests but accesses of cores. Reasons for
    /// unreachable entries assume this.
    pub fn assumes_accesses_only(&self) -> bool {
        match self {
            Reason::Unreachable { .. } => true,
            Reason::Several(reasons) => reasons.iter().any(Reason::assumes_accesses_only),
            _ => false,
        }
    }

    /// The name of the reason, in tables and JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Reason::Identical => "identical",
            Reason::Idle { .. } => "idle",
            Reason::Repeated { .. } => "repeated",
            Reason::Commuting { .. } => "commuting",
            Reason::Unreachable { .. } => "unreachable",
            Reason::VictimOnly { .. } => "victim-only",
            Reason::NotReached { .. } => "not-reached",
            Reason::Several(_) => "several",
        }
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Identical => f.write_str("it compiles to the same code"),
            Reason::Idle { actions } => {
                write!(f, "{}: no effect", listed(actions))
            }
            Reason::Repeated { actions } => {
                write!(f, "{}: repeating it has no effect", listed(actions))
            }
            Reason::Commuting { exchanged, up_to_delays } => {
                let pair = |(one, other): &(String, String)| format!("{one} and {other}");
                let pairs: Vec<String> = exchanged.iter().map(pair).collect();
                write!(f, "{}: neither accesses what the other changes", listed(&pairs))?;
                if *up_to_delays { f.write_str(", but for random delays") } else { Ok(()) }
            }
            Reason::Unreachable { entries } => {
                let entry = |(place, why): &(TableEntry, String)| format!("{place} ({why})");
                let entries: Vec<String> = entries.iter().map(entry).collect();
                write!(f, "never reached: {}", listed(&entries))
            }
            Reason::VictimOnly { actions } => {
                write!(f, "{}: only affects which line is evicted", listed(actions))
            }
            Reason::NotReached { entries, runs } => {
                let entries: Vec<String> = entries.iter().map(TableEntry::to_string).collect();
                write!(f, "not reached in {runs} runs without the mutant: {}", listed(&entries))
            }
            Reason::Several(reasons) => {
                for (at, reason) in reasons.iter().enumerate() {
                    write!(f, "{}{reason}", if at == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
        }
    }
}

/// Largest number of items that a message lists.
const MOST_LISTED: usize = 4;

/// Joins the first items, with the number of the others.
fn listed(all: &[String]) -> String {
    let shown = all.iter().take(MOST_LISTED).cloned().collect::<Vec<_>>();
    match all.len() - shown.len() {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

/// The entries that runs of a protocol, without a mutant, have reached.
#[derive(Clone, Debug, Default)]
pub struct Reached {
    runs: u64,
    entries: BTreeSet<TableEntry>,
}

impl Reached {
    /// Adds a run by the entries that were taken or stalled in it.
    pub fn add(&mut self, entries: impl IntoIterator<Item = TableEntry>) {
        self.runs += 1;
        self.entries.extend(entries);
    }

    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.runs
    }

    /// Whether a run has reached an entry.
    pub fn has(&self, place: &TableEntry) -> bool {
        self.entries.contains(place)
    }
}

/// Returns the reason why a mutant is equivalent to its protocol, or `None` if no reason was found. `same_parameters`
/// is as in [`touched`]; `reached` has the entries that known runs of the protocol have reached.
pub fn equivalent(
    original: &Protocol,
    mutated: &Protocol,
    same_parameters: bool,
    reached: Option<&Reached>,
) -> Option<Reason> {
    let touched = touched(original, mutated, same_parameters);
    if !touched.elsewhere.is_empty() {
        return None;
    }
    let unreached = unreached::of(original, Asked::default());
    let mut reasons = Vec::new();
    for machine in machines(&touched.entries) {
        let own = touched.entries.iter().filter(|one| one.machine == machine);
        let mut examiner = Examiner::new(original, mutated, machine)?;
        for place in own {
            let found = examiner.examine(place);
            let strict = found.clone().filter(Reason::is_strict);
            let reason = strict
                .or_else(|| Some(unreachable(place, unreached.get(place)?)))
                .or(found)
                .or_else(|| not_reached(place, reached?))?;
            add(&mut reasons, reason);
        }
    }
    match reasons.len() {
        0 => Some(Reason::Identical),
        1 => reasons.pop(),
        _ => Some(Reason::Several(reasons)),
    }
}

fn machines(places: &[TableEntry]) -> BTreeSet<&str> {
    places.iter().map(|place| &*place.machine).collect()
}

fn unreachable(place: &TableEntry, why: &str) -> Reason {
    Reason::Unreachable { entries: vec![(place.clone(), why.to_owned())] }
}

fn not_reached(place: &TableEntry, reached: &Reached) -> Option<Reason> {
    let is_new = reached.runs > 0 && !reached.has(place);
    is_new.then(|| Reason::NotReached { entries: vec![place.clone()], runs: reached.runs })
}

/// Adds a reason to a list, merging it with one of the same kind.
fn add(reasons: &mut Vec<Reason>, reason: Reason) {
    fn extend<T: PartialEq>(all: &mut Vec<T>, more: Vec<T>) {
        for one in more {
            if !all.contains(&one) {
                all.push(one);
            }
        }
    }
    if let Reason::Several(several) = reason {
        several.into_iter().for_each(|one| add(reasons, one));
        return;
    }
    let same = |one: &&mut Reason| one.name() == reason.name();
    let Some(known) = reasons.iter_mut().find(same) else {
        return reasons.push(reason);
    };
    match (known, reason) {
        (Reason::Idle { actions }, Reason::Idle { actions: more })
        | (Reason::Repeated { actions }, Reason::Repeated { actions: more })
        | (Reason::VictimOnly { actions }, Reason::VictimOnly { actions: more }) => {
            extend(actions, more);
        }
        (Reason::Unreachable { entries }, Reason::Unreachable { entries: more }) => {
            extend(entries, more);
        }
        (Reason::NotReached { entries, .. }, Reason::NotReached { entries: more, .. }) => {
            extend(entries, more);
        }
        (
            Reason::Commuting { exchanged, up_to_delays },
            Reason::Commuting { exchanged: more, up_to_delays: too },
        ) => {
            extend(exchanged, more);
            *up_to_delays |= too;
        }
        _ => {}
    }
}

/// Compares the entries of one machine.
struct Examiner<'a> {
    original: &'a Protocol,
    mutated: &'a Protocol,
    comparison: Comparison<'a>,
    /// The machine in the protocol and in the mutant, for deriving effects.
    sides: (Surroundings<'a>, Surroundings<'a>),
}

/// The actions of an entry: the code and the name of each.
type Actions<'a> = Vec<(Stretch, &'a str)>;

impl<'a> Examiner<'a> {
    fn new(original: &'a Protocol, mutated: &'a Protocol, machine: &str) -> Option<Examiner<'a>> {
        let find = |protocol: &'a Protocol| {
            let mut all = protocol.program.machines.iter();
            all.find(|one| &*one.name == machine)
        };
        let (ours, theirs) = (find(original)?, find(mutated)?);
        Some(Examiner {
            original,
            mutated,
            comparison: Comparison::new(&original.program, ours, &mutated.program, theirs),
            sides: (Surroundings::new(original, ours), Surroundings::new(mutated, theirs)),
        })
    }

    /// The reason why an entry behaves alike although its code differs; `None` if its code does not show one.
    fn examine(&mut self, place: &TableEntry) -> Option<Reason> {
        let ours = self.comparison.machines.0;
        let one = ours.transitions.iter().find(|one| {
            *ours.states[usize::from(one.state)] == *place.state
                && *ours.events[usize::from(one.event)] == *place.event
        })?;
        let other = self.comparison.counterpart(one)?;
        if !self.comparison.frame(one, other) || !self.same_ends(one, other) {
            return None;
        }
        let before = actions(self.original, place, one);
        let after = actions(self.mutated, place, other);
        if before.len() == after.len() {
            self.reordered(&before, &after)
        } else {
            self.changed_number(&before, &after)
        }
    }

    /// Whether the code before and after the actions is the same.
    fn same_ends(&mut self, one: &Transition, other: &Transition) -> bool {
        let ends = |program: &Program, of: &Transition| {
            let code = extent(program, of.code);
            let (first, last) = (*of.actions.first()? as usize, *of.actions.last()? as usize);
            let end = (last..code.end).find(|at| program.code[*at] == Op::End)?;
            Some((code.start..first, last..end + 1))
        };
        let ours = ends(&self.original.program, one);
        let theirs = ends(&self.mutated.program, other);
        let (Some(ours), Some(theirs)) = (ours, theirs) else {
            return false;
        };
        self.comparison.stretch(ours.0, theirs.0) && self.comparison.stretch(ours.1, theirs.1)
    }

    /// Compares entries with equally many actions, which may be reordered.
    fn reordered(&mut self, before: &Actions<'a>, after: &Actions<'a>) -> Option<Reason> {
        // For each action of the mutant, its index in the protocol.
        let mut places: Vec<usize> = Vec::new();
        for (code, _) in after {
            let free = (0..before.len()).filter(|at| !places.contains(at));
            let own: Vec<usize> = free.collect();
            let mut own = own.into_iter();
            let at = own.find(|at| self.comparison.stretch(before[*at].0.clone(), code.clone()))?;
            places.push(at);
        }
        let effects: Vec<Effects> =
            before.iter().map(|(code, _)| self.sides.0.effects(code.clone())).collect();
        let (mut exchanged, mut up_to_delays) = (Vec::new(), false);
        for (at, &later) in places.iter().enumerate() {
            for &earlier in places[at + 1..].iter().filter(|earlier| **earlier < later) {
                let (one, other) = (&effects[earlier], &effects[later]);
                if !one.commutes(other) {
                    return None;
                }
                up_to_delays |= one.timing && other.timing;
                let name = |at: usize| before[at].1.to_owned();
                exchanged.push((name(earlier), name(later)));
            }
        }
        Some(Reason::Commuting { exchanged, up_to_delays })
    }

    /// Compares entries where actions were dropped or added.
    fn changed_number(&mut self, before: &Actions<'a>, after: &Actions<'a>) -> Option<Reason> {
        let is_longer = before.len() > after.len();
        let (longer, shorter) = if is_longer { (before, after) } else { (after, before) };
        let mut rest = shorter.iter().peekable();
        let mut extra = Vec::new();
        for (at, (code, _)) in longer.iter().enumerate() {
            let is_there = rest.peek().is_some_and(|(other, _)| {
                let (one, other) = (code.clone(), other.clone());
                if is_longer {
                    self.comparison.stretch(one, other)
                } else {
                    self.comparison.stretch(other, one)
                }
            });
            if is_there {
                rest.next();
            } else {
                extra.push(at)
            }
        }
        if rest.next().is_some() {
            return None;
        }
        let side = if is_longer { &self.sides.0 } else { &self.sides.1 };
        let effects: Vec<Effects> =
            longer.iter().map(|(code, _)| side.effects(code.clone())).collect();
        let mut reasons = Vec::new();
        for &at in &extra {
            let actions = vec![longer[at].1.to_owned()];
            let reason = if effects[at].is_nothing() {
                Reason::Idle { actions }
            } else if is_repeated(side, longer, &effects, at, &extra) {
                Reason::Repeated { actions }
            } else if effects[at].is_hint() {
                Reason::VictimOnly { actions }
            } else {
                return None;
            };
            add(&mut reasons, reason);
        }
        match reasons.len() {
            1 => reasons.pop(),
            _ => Some(Reason::Several(reasons)),
        }
    }
}

/// Whether an action repeats an earlier or later one that is not among `extra`, the actions that only one of the two
/// protocols has, with nothing in between that interferes with it.
fn is_repeated(
    side: &Surroundings<'_>,
    actions: &Actions<'_>,
    effects: &[Effects],
    at: usize,
    extra: &[usize],
) -> bool {
    let mut itself = Comparison::new(side.program, side.machine, side.program, side.machine);
    let same = |other: &usize| itself.stretch(actions[*other].0.clone(), actions[at].0.clone());
    let copies: Vec<usize> = (0..actions.len()).filter(same).collect();
    let is_free = |other: usize| {
        let mut between = at.min(other) + 1..at.max(other);
        between.all(|one| copies.contains(&one) || effects[one].commutes(&effects[at]))
    };
    let mut kept = copies.iter().filter(|copy| !extra.contains(copy));
    effects[at].is_idempotent() && kept.any(|&other| is_free(other))
}

/// The actions of an entry, with the names that the protocol gives them.
fn actions<'a>(protocol: &'a Protocol, place: &TableEntry, of: &Transition) -> Actions<'a> {
    let names = protocol.outline.machine(&place.machine).and_then(|machine| {
        let (state, event) = (machine.state(&place.state)?, machine.event(&place.event)?);
        let mut entries = machine.entries.iter();
        let entry = entries.find(|one| (one.state, one.event) == (state, event))?;
        let name = |at: &u16| Some(&*machine.actions.get(usize::from(*at))?.name);
        entry.actions.iter().map(name).collect::<Option<Vec<&str>>>()
    });
    let codes = of.actions.windows(2).map(|ends| ends[0] as usize..ends[1] as usize);
    codes.zip(names.unwrap_or_default()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use slicc::protocol::BLOCK_BYTES;
    use slicc::source::Changed;

    /// `MI_example` with an action `use_line`, which sets the line that was used last, and with these actions on a
    /// store that hits.
    fn with_store_hit(actions: &str) -> Protocol {
        let original = Protocol::open("MI_example").unwrap();
        let (path, row) = ("MI_example-cache.sm", "{write_hit, pop_core}");
        let files = original.loaded.own_files();
        let (_, text) = files.iter().find(|(own, _)| *own == path).unwrap();
        assert_eq!(text.matches(row).count(), 1);
        let action = "action(use_line, \"ul\", desc=\"\") { cacheMemory.setMRU(cache_entry); }
            action(read_miss_done,";
        let text = text.replace(row, &format!("{{{actions}}}"));
        let text = text.replace("action(read_miss_done,", action);
        let changed = Changed { path: path.to_owned(), text };
        Protocol::new(original.loaded.reload(&[changed]).unwrap(), BLOCK_BYTES).unwrap()
    }

    #[test]
    fn an_action_is_repeated_only_if_a_copy_stays() {
        let twice = with_store_hit("write_hit, use_line, pop_core, use_line");
        let reason = |actions| equivalent(&twice, &with_store_hit(actions), true, None);
        let actions = || vec!["use_line".to_owned()];
        let once = reason("write_hit, use_line, pop_core");
        assert_eq!(once, Some(Reason::Repeated { actions: actions() }));
        let never = reason("write_hit, pop_core");
        assert_eq!(never, Some(Reason::VictimOnly { actions: actions() }));
    }
}
