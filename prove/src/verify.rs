//! Verifies a certificate: that the first pair is in it, and that no move leads out of it or to something wrong.
//!
//! Nothing is learnt here, and no move is left out: of every pair, and of every configuration of three caches of which
//! each two see a pair of the certificate, all moves are made.

use host::Bounds;
use rustc_hash::FxHashSet;
use simulate::system::stepping::sections::{Config, End, OTHERS, Outcome, Section, Sections, Step};
use slicc::protocol::Protocol;

use crate::certificate::{Certificate, digest};
use crate::join::{join, with_sender};
use crate::laws::laws;
use crate::learn::{ends_of, refusal};
use crate::pairs::{FIRST_TWO, Pairs};
use crate::{Problem, scope};

/// Number of moves between two looks at the clock.
const LOOK: u64 = 256;

/// Why a certificate proves nothing.
#[derive(Debug, thiserror::Error)]
pub enum Rejection {
    /// It is about another protocol.
    #[error("it is about another protocol, or another version of it: {0}")]
    OtherProtocol(String),
    /// The protocol cannot be proved by pairs at all.
    #[error(transparent)]
    Problem(#[from] Problem),
    /// A section does not have the form that sections of the protocol have.
    #[error("pair {0} is not one of this protocol")]
    Form(usize),
    /// The first pair is not in it.
    #[error("what two caches see at first is missing")]
    First,
    /// A move leads to a pair that is not in it.
    #[error("a pair is missing to which a move leads: {0}")]
    Open(String),
    /// A move leads to something wrong.
    #[error("{wrong}, after: {step}")]
    Wrong {
        /// What is wrong.
        wrong: String,
        /// The move.
        step: String,
    },
}

/// Verifies that a certificate proves its protocol for any number of caches from [`FEWEST`](simulate::system::stepping::sections::FEWEST) on. Returns the number of moves
/// that were made.
///
/// # Errors
/// Fails with the reason why it proves nothing.
pub fn verify(protocol: &Protocol, certificate: &Certificate) -> Result<u64, Rejection> {
    verify_within(protocol, certificate, &Bounds::none())
}

/// Verifies as [`verify`] does, within limits of time.
pub(crate) fn verify_within(
    protocol: &Protocol,
    certificate: &Certificate,
    bounds: &Bounds,
) -> Result<u64, Rejection> {
    let own = digest(protocol);
    if certificate.digest != own {
        return Err(Rejection::OtherProtocol(protocol.title()));
    }
    let scope = scope(certificate.order, &certificate.settings);
    let mut sections = crate::sections(protocol, &scope, certificate.uses_order)?;
    sections.set_counters(certificate.counters.iter().copied());
    let first = sections.first();
    let mut pairs = Pairs::default();
    for (at, pair) in certificate.pairs.iter().enumerate() {
        if !is_formed(pair, &first) {
            return Err(Rejection::Form(at));
        }
        pairs.add(pair.clone());
    }
    if !pairs.contains(&first.seen_by(&FIRST_TWO)) {
        return Err(Rejection::First);
    }
    let idle = first.caches[0].clone().unwrap_or_default();
    let mut verifier = Verifier { protocol, sections, pairs, bounds, moves: 0 };
    for number in 0..verifier.pairs.len() {
        verifier.pair(number)?;
    }
    for number in 0..verifier.pairs.len() {
        verifier.triples(number, &idle)?;
    }
    if verifier.sections.learn_counters() {
        let why = "a word counts caches that the certificate does not name";
        return Err(Problem::Unfit(why.to_owned()).into());
    }
    Ok(verifier.moves)
}

/// Whether a pair has two caches and the other controllers of the protocol, and messages between these.
fn is_formed(pair: &Config, first: &Config) -> bool {
    let ends = |end: End| match end {
        End::Cache(cache) => cache < 2 || cache == OTHERS,
        End::Shared(number) => usize::from(number) + 1 < first.shared.len(),
    };
    let mut sorted = pair.clone();
    sorted.sort();
    pair.caches[..2].iter().all(Option::is_some)
        && pair.shared.len() == first.shared.len()
        && pair.messages.iter().all(|message| ends(message.to) && ends(message.from))
        && pair.seen_by(&FIRST_TWO) == *pair
        && sorted == *pair
}

struct Verifier<'a> {
    protocol: &'a Protocol,
    sections: Sections,
    pairs: Pairs,
    bounds: &'a Bounds,
    moves: u64,
}

impl Verifier<'_> {
    /// Makes all moves of a pair, except those that begin with a message of a cache without a name.
    fn pair(&mut self, number: usize) -> Result<(), Rejection> {
        let pair = self.pairs.get(number).clone();
        for step in self.sections.steps(&pair) {
            if ends_of(&pair, step).1 != Some(End::Cache(OTHERS)) {
                self.take(&pair, step)?;
            }
        }
        Ok(())
    }

    /// Makes all moves of third caches with a pair, and those that begin with a message of a third cache.
    fn triples(&mut self, number: usize, idle: &Section) -> Result<(), Rejection> {
        let (first, second) = self.pairs.ends(number);
        for two in self.pairs.with_first(first).to_vec() {
            let (_, third) = self.pairs.ends(two);
            let mut made = FxHashSet::default();
            for three in self.pairs.with_both(second, third).to_vec() {
                for config in join([number, two, three].map(|number| self.pairs.get(number))) {
                    if made.insert(config.clone()) {
                        self.third(&config, third, idle)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn third(&mut self, config: &Config, third: usize, idle: &Section) -> Result<(), Rejection> {
        for step in self.sections.steps(config) {
            let (actor, sender) = ends_of(config, step);
            let is_of_third = actor == End::Cache(2);
            match (step, sender) {
                (Step::Arrive(at), Some(End::Cache(OTHERS))) if is_of_third => {
                    for pair in self.pairs.with_first(third).to_vec() {
                        for (four, place) in with_sender(config, at, self.pairs.get(pair), idle) {
                            self.take(&four, Step::Arrive(place))?;
                        }
                    }
                }
                _ if is_of_third || sender == Some(End::Cache(2)) => self.take(config, step)?,
                _ => {}
            }
        }
        Ok(())
    }

    /// Makes a move, and looks whether the first two caches still see a pair of the certificate.
    fn take(&mut self, config: &Config, step: Step) -> Result<(), Rejection> {
        self.moves += 1;
        if self.moves.is_multiple_of(LOOK) && self.bounds.passed() {
            return Err(Problem::Stopped.into());
        }
        let laws = laws(&self.pairs, config, step);
        for Outcome { after, .. } in self.sections.take(config, step, &laws) {
            if let Some(why) = refusal(self.protocol, &self.sections) {
                return Err(Problem::Unfit(why).into());
            }
            match after {
                Ok(after) if self.pairs.contains(&after.seen_by(&FIRST_TWO)) => {}
                Ok(_) => return Err(Rejection::Open(self.sections.describe(config, step))),
                Err(wrong) => {
                    let step = self.sections.describe(config, step);
                    return Err(Rejection::Wrong { wrong, step });
                }
            }
        }
        Ok(())
    }
}
