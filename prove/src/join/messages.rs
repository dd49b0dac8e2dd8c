//! The messages of a configuration of three caches, from what each two of them see.
//!
//! A message of the configuration is seen by a pair as a message, or not at all. So the candidates are all messages
//! that become one of a pair, and that the other pairs see or do not show. How many there are of each follows from how
//! many each pair has: a number, or, for messages of caches without names, one or more than one.

use simulate::system::stepping::sections::{Config, End, Lane, Message, Names, OTHERS, Section};

use super::Seen;
use crate::pairs::THREE;

/// What is one message for a pair: its place among those of its lane, if that has an order, and the message itself.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Kind {
    message: Message,
    at: usize,
}

/// A kind of messages that a pair sees, with their number.
#[derive(Clone, Debug)]
struct Demand {
    kind: Kind,
    /// The number of messages; with `is_least`, there may be more.
    count: usize,
    is_least: bool,
}

/// A message that the configuration may have.
#[derive(Clone, Debug)]
struct Candidate {
    kind: Kind,
    /// The demands that it meets, one of each pair that sees it: the pair and the number of the demand.
    meets: Vec<(usize, usize)>,
}

/// All sets of messages of which the pairs see what they have.
pub(super) fn join(all: [Seen<'_, &Config>; 3]) -> Vec<Vec<Message>> {
    let demands = all.map(|(_, pair)| demands(pair));
    let mut candidates: Vec<Candidate> = Vec::new();
    for ((names, _), own) in all.iter().zip(&demands) {
        for demand in own {
            for kind in origins(&demand.kind, names) {
                if candidates.iter().any(|known| known.kind == kind) {
                    continue;
                }
                if let Some(meets) = met(&kind, all.map(|(names, _)| names), &demands) {
                    candidates.push(Candidate { kind, meets });
                }
            }
        }
    }
    let mut search = Search { candidates, demands, counts: Vec::new(), found: Vec::new() };
    search.go_on();
    search.found
}

/// The messages of a pair, by kinds.
fn demands(pair: &Config) -> Vec<Demand> {
    let mut demands: Vec<Demand> = Vec::new();
    let mut before: Option<(&Message, usize)> = None;
    for message in &pair.messages {
        let at = match before {
            Some((last, at)) if last.place() == message.place() => at + 1,
            _ => 0,
        };
        before = Some((message, at));
        let is_ordered = message.lane != Lane::Free;
        let kind = Kind {
            message: Message { many: false, ..message.clone() },
            at: if is_ordered { at } else { 0 },
        };
        match demands.iter_mut().find(|demand| demand.kind == kind) {
            Some(demand) => demand.count += 1,
            None => demands.push(Demand {
                kind,
                count: if message.many { 2 } else { 1 },
                is_least: message.many,
            }),
        }
    }
    demands
}

/// The kind of a message after caches have got other names; `None` if it is not shown then.
fn renamed(kind: &Kind, names: &Names) -> Option<Kind> {
    let message = kind.message.renamed(names)?;
    let at = if message.lane == Lane::Free { 0 } else { kind.at };
    Some(Kind { message, at })
}

/// The demands that a message meets; `None` if a pair would see it that does not.
fn met(kind: &Kind, names: [&Names; 3], demands: &[Vec<Demand>; 3]) -> Option<Vec<(usize, usize)>> {
    let mut meets = Vec::new();
    for (pair, names) in names.iter().enumerate() {
        if let Some(seen) = renamed(kind, names) {
            let demand = demands[pair].iter().position(|demand| demand.kind == seen)?;
            meets.push((pair, demand));
        }
    }
    Some(meets)
}

/// All kinds of messages that become one when caches get other names, as far as lanes are known: a message whose lane is not
/// shown has its lane from the pair that shows it.
fn origins(kind: &Kind, names: &Names) -> Vec<Kind> {
    let ends = |end: End| -> Vec<End> {
        match end {
            End::Shared(_) => vec![end],
            End::Cache(_) => {
                // Only three of the caches have names.
                let all = (0..3).chain([OTHERS]).map(End::Cache);
                all.filter(|origin| origin.renamed(names) == end).collect()
            }
        }
    };
    let mut contents: Vec<Section> = vec![Vec::new()];
    for token in &kind.message.content {
        let mut tokens = super::origins(*token, names);
        tokens.retain(|token| token.renamed(&THREE) == *token);
        contents = super::longer(contents, &tokens);
    }
    let mut all = Vec::new();
    for to in ends(kind.message.to) {
        for from in ends(kind.message.from) {
            for content in &contents {
                let content = content.clone();
                let message = Message { to, from, content, ..kind.message.clone() };
                // Where the lane is not shown and both ends have names now, the pair of these ends has the message.
                if kind.message.is_hidden() && !message.is_hidden() {
                    continue;
                }
                all.push(Kind { message, at: kind.at });
            }
        }
    }
    all
}

/// Tries all numbers of messages.
struct Search {
    candidates: Vec<Candidate>,
    demands: [Vec<Demand>; 3],
    /// The numbers of the first candidates.
    counts: Vec<usize>,
    found: Vec<Vec<Message>>,
}

impl Search {
    fn go_on(&mut self) {
        let at = self.counts.len();
        if at == self.candidates.len() {
            if self.is_met() {
                let messages = self.messages();
                self.found.push(messages);
            }
            return;
        }
        for count in 0..=self.most(at) {
            self.counts.push(count);
            self.go_on();
            self.counts.pop();
        }
    }

    /// The largest number of a candidate. Those of caches without names are counted up to 2. Of others, one pair names both
    /// ends and says how many there are; a pair that does not says only that there are several.
    fn most(&self, at: usize) -> usize {
        let candidate = &self.candidates[at];
        let exact = candidate.meets.iter().filter_map(|&(pair, demand)| {
            let of = &self.demands[pair][demand];
            (!of.is_least).then(|| of.count.saturating_sub(self.sum(pair, demand)))
        });
        let most = exact.min().unwrap_or(usize::MAX);
        if candidate.kind.message.is_hidden() { most.min(2) } else { most }
    }

    /// The number of messages that meet a demand, so far.
    fn sum(&self, pair: usize, demand: usize) -> usize {
        let chosen = self.candidates.iter().zip(&self.counts);
        chosen
            .filter(|(candidate, _)| candidate.meets.contains(&(pair, demand)))
            .map(|(_, count)| count)
            .sum()
    }

    fn is_met(&self) -> bool {
        self.demands.iter().enumerate().all(|(pair, own)| {
            own.iter().enumerate().all(|(demand, of)| {
                let sum = self.sum(pair, demand);
                if of.is_least { sum >= of.count } else { sum == of.count }
            })
        })
    }

    fn messages(&self) -> Vec<Message> {
        let mut kinds: Vec<Kind> = Vec::new();
        for (candidate, &count) in self.candidates.iter().zip(&self.counts) {
            let mut kind = candidate.kind.clone();
            if count > 0 && kind.message.is_hidden() {
                kind.message.many = count > 1;
                kinds.push(kind);
            } else {
                kinds.extend(std::iter::repeat_n(kind, count));
            }
        }
        kinds.sort_by(|one, other| {
            let key = |kind: &Kind| (kind.message.place(), kind.at);
            key(one).cmp(&key(other)).then_with(|| one.message.content.cmp(&other.message.content))
        });
        kinds.into_iter().map(|kind| kind.message).collect()
    }
}
