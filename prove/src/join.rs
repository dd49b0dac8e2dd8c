//! [`join`]: the configurations of three caches of which each two see a given pair.
//!
//! A word of such a configuration becomes the words of the three pairs if one of the caches loses its name. So all words that become the
//! word of the first pair are tried ([`Token::origins`]), and those are kept that become those of the others. The
//! messages are found by `messages`.

mod messages;

use std::cell::RefCell;

use itertools::Itertools;
use rustc_hash::FxHashMap;
use simulate::system::stepping::sections::{
    Config, End, Lane, Message, Names, OTHERS, Section, Token, TokenKind,
};

use crate::pairs::{FIRST_TWO, FOURTH, LAST_TWO, OUTER, THREE};

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
        sections.push(unify(&THREE, &seen.map(|((names, pair), at)| (names, cache_of(pair, at)))));
    }
    for at in 0..one.shared.len() {
        sections.push(unify(&THREE, &all.map(|(names, pair)| (names, pair.shared[at].as_slice()))));
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

/// A configuration of three caches to whose third a message comes from a cache without a name: the configurations of four in
/// which the sender is the fourth, and sees with the third what a pair says. Each comes with the place of the message.
///
/// They are made for the one move in which the third cache gets this message. It depends on what that cache and the message
/// say, and on nothing else, so nothing else says what has to do with the fourth cache, and in place of its section is the one that
/// a cache has at first, `idle`.
pub(crate) fn with_sender(
    config: &Config,
    at: usize,
    pair: &Config,
    idle: &Section,
) -> Vec<(Config, usize)> {
    let begun = &config.messages[at];
    let third = config.caches[2].as_deref().unwrap_or(&[]);
    let sections = unify(&ALL, &[(&THREE, third), (&FOURTH, cache_of(pair, 0))]);
    let mut all = Vec::new();
    if sections.is_empty() {
        return all;
    }
    let is_it = |one: &&Message| {
        one.to == End::Cache(0) && one.from == End::Cache(1) && one.buffer == begun.buffer
    };
    let rests: &[Option<bool>] = if begun.many { &[Some(false), Some(true)] } else { &[None] };
    for message in pair.messages.iter().filter(is_it) {
        let contents = unify(&ALL, &[(&THREE, &begun.content), (&FOURTH, &message.content)]);
        for ((section, content), rest) in
            sections.iter().cartesian_product(&contents).cartesian_product(rests)
        {
            let mut four = config.clone();
            four.caches[2] = Some(section.clone());
            four.caches[3] = Some(idle.clone());
            match rest {
                Some(many) => four.messages[at].many = *many,
                None => {
                    four.messages.remove(at);
                }
            }
            let content = content.clone();
            let from = End::Cache(3);
            let sent = Message { from, content, lane: Lane::Free, many: false, ..begun.clone() };
            four.messages.push(sent.clone());
            four.sort();
            let place = four.messages.iter().position(|one| *one == sent);
            all.extend(place.map(|place| (four, place)));
        }
    }
    all
}

/// All caches keep their names.
const ALL: Names = [0, 1, 2, 3, OTHERS];

/// The section of a cache of a pair.
fn cache_of(pair: &Config, cache: usize) -> &[Token] {
    pair.caches[cache].as_deref().unwrap_or(&[])
}

/// All sequences of words that become the given ones with each of the names, and that name no other caches than `within`.
fn unify(within: &Names, seen: &[Seen<'_, &[Token]>]) -> Vec<Section> {
    let (names, first) = seen[0];
    if seen.iter().any(|(_, section)| section.len() != first.len()) {
        return Vec::new();
    }
    let mut all = vec![Vec::with_capacity(first.len())];
    for at in 0..first.len() {
        if first[at].kind == TokenKind::Plain {
            if seen[1..].iter().any(|(_, section)| section[at] != first[at]) {
                return Vec::new();
            }
            all.iter_mut().for_each(|section| section.push(first[at]));
            continue;
        }
        let fits = |token: &Token| {
            token.renamed(within) == *token
                && seen[1..].iter().all(|(names, section)| token.renamed(names) == section[at])
        };
        let tokens: Vec<Token> = origins(first[at], names).into_iter().filter(fits).collect();
        all = longer(all, &tokens);
        if all.is_empty() {
            break;
        }
    }
    all
}

thread_local! {
    /// The origins of words that were asked for before.
    static ORIGINS: RefCell<FxHashMap<(Token, Names), Vec<Token>>> = RefCell::default();
}

/// All words that become this one when caches get other names.
fn origins(token: Token, names: &Names) -> Vec<Token> {
    ORIGINS.with_borrow_mut(|known| {
        known.entry((token, *names)).or_insert_with(|| token.origins(names)).clone()
    })
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

#[cfg(test)]
mod tests {
    use history::random::Rng;

    use super::*;

    /// A section that may name any of four caches, and others.
    fn section(random: &mut Rng, length: usize) -> Section {
        let token = |random: &mut Rng| match random.index(3) {
            0 => Token { kind: TokenKind::Plain, word: random.index(2) as u64 },
            1 => Token { kind: TokenKind::Cache, word: random.index(5) as u64 },
            _ => Token { kind: TokenKind::Caches, word: random.index(32) as u64 },
        };
        (0..length).map(|_| token(random)).collect()
    }

    fn end(random: &mut Rng) -> End {
        match random.index(5) {
            number @ 0..=2 => End::Cache(number as u8),
            3 => End::Cache(OTHERS),
            _ => End::Shared(0),
        }
    }

    /// What three caches see of a state with up to five messages of each of two kinds.
    fn config(random: &mut Rng) -> Config {
        let mut config = Config { shared: vec![section(random, 2)], ..Config::default() };
        for cache in &mut config.caches {
            *cache = Some(section(random, 1));
        }
        for _ in 0..2 {
            let lane = if random.index(2) == 0 { Lane::Free } else { Lane::From(0) };
            let (to, from, content) = (end(random), end(random), section(random, 1));
            let message = Message { to, buffer: 0, from, lane, content, many: false };
            config.messages.extend(vec![message; random.index(6)]);
        }
        config.seen_by(&THREE)
    }

    /// Moves of third caches are made in all configurations that are found, so a proof needs all of them.
    #[test]
    fn what_three_pairs_were_cut_from_is_found() {
        let mut random = Rng::new(1, 0);
        let mut alike = 0;
        for _ in 0..3000 {
            let config = config(&mut random);
            let [one, two, three] =
                [FIRST_TWO, OUTER, LAST_TWO].map(|names| config.seen_by(&names));
            assert!(join([&one, &two, &three]).contains(&config), "{config:?}");
            alike += usize::from(config.messages.len() > 2);
        }
        assert!(alike > 500, "{alike}");
    }
}
