//! [`join`]: the configurations of three caches of which each two see a given pair.
//!
//! A word of such a configuration becomes the words of the three pairs if one of the caches loses its name. So all words that become the
//! word of the first pair are tried ([`Token::origins`]), and those are kept that become those of the others. The
//! messages are found by `messages`.

mod messages;

use itertools::Itertools;
use simulate::system::stepping::sections::{Config, Names, Section, Token};

use crate::pairs::{FIRST_TWO, LAST_TWO, OUTER};

/// A part of a pair, with the names that caches have there.
type Seen<'a, T> = (&'a Names, T);

/// All configurations of three caches of which the first two see the first pair, the first and the third the second
/// pair, and the last two the third.
pub(crate) fn join([one, two, three]: [&Config; 3]) -> Vec<Config> {
    let all = [(&FIRST_TWO, one), (&OUTER, two), (&LAST_TWO, three)];
    let [v, w, u] = all;
    let caches = [[(v, 0), (w, 0)], [(v, 1), (u, 0)], [(w, 1), (u, 1)]];
    let mut sections: Vec<Vec<Section>> = Vec::new();
    for seen in caches {
        sections.push(unify(&seen.map(|((names, pair), at)| (names, cache_of(pair, at)))));
    }
    for at in 0..one.shared.len() {
        sections.push(unify(&all.map(|(names, pair)| (names, pair.shared[at].as_slice()))));
    }
    if sections.iter().any(Vec::is_empty) {
        return Vec::new();
    }
    let messages = messages::join(all);
    let sections = sections.into_iter().multi_cartesian_product();
    sections
        .cartesian_product(&messages)
        .map(|(mut sections, messages)| {
            let shared = sections.split_off(caches.len());
            let mut caches = sections.into_iter().map(Some);
            let caches = std::array::from_fn(|_| caches.next().flatten());
            Config { caches, shared, messages: messages.clone() }
        })
        .collect()
}

/// The section of a cache of a pair.
fn cache_of(pair: &Config, cache: usize) -> &[Token] {
    pair.caches[cache].as_deref().unwrap_or(&[])
}

/// All sequences of words that become the given ones with each of the names.
fn unify(seen: &[Seen<'_, &[Token]>]) -> Vec<Section> {
    let (names, first) = seen[0];
    if seen.iter().any(|(_, section)| section.len() != first.len()) {
        return Vec::new();
    }
    let mut all = vec![Vec::with_capacity(first.len())];
    for at in 0..first.len() {
        let fits = |token: &Token| {
            seen[1..].iter().all(|(names, section)| token.renamed(names) == section[at])
        };
        let tokens: Vec<Token> = first[at].origins(names).into_iter().filter(fits).collect();
        all = longer(all, &tokens);
        if all.is_empty() {
            break;
        }
    }
    all
}

/// All sequences with one more word.
fn longer(mut all: Vec<Section>, tokens: &[Token]) -> Vec<Section> {
    if let [token] = tokens {
        all.iter_mut().for_each(|section| section.push(*token));
        return all;
    }
    let with = |section: Section| {
        tokens.iter().map(move |token| section.iter().copied().chain([*token]).collect())
    };
    all.into_iter().flat_map(with).collect()
}
