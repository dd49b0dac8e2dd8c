//! [`laws`]: what pairs say of the sum of two numbers that count caches.
//!
//! A cache gets a message with such a number, and adds it to one of its own. Which of the caches without names are counted in both
//! is not said. But whatever one of them is counted in either, it is so in what the moving cache and that cache see as a
//! pair. So if no pair has a cache whose coefficients have a negative sum, no coefficient of the result is negative.

use simulate::system::stepping::sections::{
    Config, End, Law, Message, NAMED, Names, OTHERS, Section, Step, Token,
};

use crate::pairs::{FIRST, Pairs};

/// The cache that makes a move.
pub(crate) fn mover(config: &Config, step: Step) -> Option<usize> {
    match step {
        Step::Ask { cache, .. } => Some(usize::from(cache)),
        Step::Arrive(at) => match config.messages[at].to {
            End::Cache(cache) => Some(usize::from(cache)),
            End::Shared(_) => None,
        },
    }
}

/// The names of which a cache has the first and no other has any.
fn alone(cache: usize) -> Names {
    let mut names = [OTHERS; NAMED + 1];
    names[cache] = 0;
    names
}

/// The place of a word.
#[derive(Clone, Copy)]
enum Place {
    /// In the section of the moving cache.
    Own(usize),
    /// In the message that it gets.
    Message(usize),
}

impl Place {
    fn of(self, own: &[Token], message: &[Token]) -> Token {
        match self {
            Place::Own(at) => own[at],
            Place::Message(at) => message[at],
        }
    }
}

/// What a cache sees alone.
pub(crate) fn seen_alone(config: &Config, cache: usize) -> Config {
    config.seen_by(&alone(cache))
}

/// What is known of the numbers that a cache may add when it gets a message.
pub(crate) fn laws(pairs: &Pairs, config: &Config, step: Step) -> Vec<Law> {
    let (Step::Arrive(at), Some(mover)) = (step, mover(config, step)) else {
        return Vec::new();
    };
    let message = &config.messages[at];
    let own = config.caches[mover].as_deref().unwrap_or(&[]);
    let places: Vec<Place> = (0..own.len())
        .map(Place::Own)
        .chain((0..message.content.len()).map(Place::Message))
        .filter(|place| place.of(own, &message.content).counts_others())
        .collect();
    if places.len() < 2 {
        return Vec::new();
    }
    let Some(single) = pairs.single(&seen_alone(config, mover)) else {
        return Vec::new();
    };
    let Some(seen) = message.renamed(&alone(mover)) else {
        return Vec::new();
    };
    let mut laws: Vec<Law> = Vec::new();
    for (at, &one) in places.iter().enumerate() {
        for &other in &places[at..] {
            let words = [one, other].map(|place| place.of(own, &message.content).word);
            let mut law = Law { words, may_be_more: false, may_be_less: false };
            for &pair in pairs.with_first(single) {
                extend(&mut law, pairs.get(pair), &seen, [one, other]);
            }
            laws.push(law);
        }
    }
    merged(laws)
}

/// Adds what a pair says: that its second cache may have these coefficients.
fn extend(law: &mut Law, pair: &Config, seen: &Message, places: [Place; 2]) {
    let section: &Section = match &pair.caches[0] {
        Some(section) => section,
        None => return,
    };
    let is_it = |message: &&Message| {
        let alone = message.renamed(&FIRST);
        alone.is_some_and(|alone| {
            Message { many: false, ..alone } == Message { many: false, ..seen.clone() }
        })
    };
    for message in pair.messages.iter().filter(is_it) {
        let [one, other] = places.map(|place| place.of(section, &message.content).coefficient(1));
        let sum = one + other;
        law.may_be_more |= sum > 0;
        law.may_be_less |= sum < 0;
    }
}

/// One law for the same words.
fn merged(laws: Vec<Law>) -> Vec<Law> {
    let mut all: Vec<Law> = Vec::new();
    for law in laws {
        let same = |known: &&mut Law| {
            known.words == law.words || known.words == [law.words[1], law.words[0]]
        };
        match all.iter_mut().find(same) {
            Some(known) => {
                known.may_be_more |= law.may_be_more;
                known.may_be_less |= law.may_be_less;
            }
            None => all.push(law),
        }
    }
    all
}
