//! [`Token`]: a word with what it means, and what is left of it if fewer caches have names.

use super::{Config, End, Lane, Message, NAMED, Section};
use crate::system::others::Sum;

/// The number that stands for all caches without names.
pub const OTHERS: u8 = NAMED as u8;

/// What a word means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum TokenKind {
    /// Nothing that has to do with caches.
    Plain,
    /// A cache, by its number.
    Cache,
    /// A set of caches, by bits.
    Caches,
    /// A value that has been overwritten: the cores whose loads may still return it, by bits.
    Old,
    /// A number that counts caches.
    Sum,
}

/// A word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Token {
    /// What it means.
    pub kind: TokenKind,
    /// The word, in a form that depends on its kind.
    pub word: u64,
}

/// What becomes of the names of caches: the new name of each.
pub type Names = [u8; NAMED + 1];

impl Token {
    /// A word that has nothing to do with caches.
    pub fn plain(word: u64) -> Token {
        Token { kind: TokenKind::Plain, word }
    }

    /// The word after caches have got other names; several may lose theirs.
    #[must_use]
    pub fn renamed(self, names: &Names) -> Token {
        let word = match self.kind {
            TokenKind::Plain => self.word,
            TokenKind::Cache => names.get(self.word as usize).map_or(0, |&to| u64::from(to)),
            TokenKind::Caches => renamed_set(self.word, names),
            TokenKind::Old => renamed_set(self.word, names) & ((1 << NAMED) - 1),
            TokenKind::Sum => renamed_sum(Sum::of(self.word), names).word().unwrap_or(self.word),
        };
        Token { kind: self.kind, word }
    }

    /// The coefficient of a named cache, if it is a number that counts caches or a plain number.
    pub fn coefficient(self, cache: usize) -> i64 {
        match self.kind {
            TokenKind::Sum => Sum::of(self.word).named[cache],
            _ => 0,
        }
    }

    /// Whether it counts any of the caches without names.
    pub fn counts_others(self) -> bool {
        let sum = Sum::of(self.word);
        self.kind == TokenKind::Sum && (sum.more > 0 || sum.less > 0)
    }

    /// Whether it names a cache that has no name when caches get other names.
    pub fn names_others(self, names: &Names) -> bool {
        let seen = self.renamed(names);
        match self.kind {
            TokenKind::Cache => seen.word == u64::from(OTHERS),
            TokenKind::Caches => seen.word >> OTHERS != 0,
            TokenKind::Sum => seen.counts_others(),
            TokenKind::Plain | TokenKind::Old => false,
        }
    }

    /// Whether it names a cache that has a name.
    fn names_any(self) -> bool {
        match self.kind {
            TokenKind::Cache => self.word != u64::from(OTHERS),
            TokenKind::Caches => self.word & ((1 << NAMED) - 1) != 0,
            TokenKind::Sum => Sum::of(self.word).named != [0; NAMED],
            TokenKind::Plain | TokenKind::Old => false,
        }
    }

    /// All words that become this one when caches get other names.
    pub fn origins(self, names: &Names) -> Vec<Token> {
        let words: Vec<u64> = match self.kind {
            TokenKind::Plain => return vec![self],
            TokenKind::Cache => (0..=u64::from(OTHERS)).collect(),
            TokenKind::Caches => (0..1 << NAMED)
                .flat_map(|bits| [0, 0b01, 0b11].map(|others| bits | others << OTHERS))
                .collect(),
            TokenKind::Old => (0..1 << NAMED).collect(),
            TokenKind::Sum => origins_of(Sum::of(self.word), names),
        };
        let tokens = words.into_iter().map(|word| Token { kind: self.kind, word });
        tokens.filter(|token| token.renamed(names) == self).collect()
    }
}

/// Sums among which are all that become this one when caches get other names.
fn origins_of(sum: Sum, names: &Names) -> Vec<u64> {
    let kept = |cache: usize| sum.named.get(usize::from(names[cache])).copied();
    let start = Sum { named: std::array::from_fn(|cache| kept(cache).unwrap_or(0)), ..sum };
    let mut all = vec![start];
    for cache in (0..NAMED).filter(|&cache| kept(cache).is_none()) {
        let with = |one: Sum| {
            Sum::COEFFICIENTS.map(move |coefficient| {
                let mut other = one;
                other.named[cache] = coefficient;
                other
            })
        };
        all = all.into_iter().flat_map(with).collect();
    }
    let mut words = Vec::new();
    for mut sum in all {
        for others in Sum::OF_OTHERS {
            (sum.more, sum.less) = others;
            words.extend(sum.word().filter(|&word| Sum::is_one(word)));
        }
    }
    words
}

/// The set after caches have got other names. It has one of the others, or more of them, for which there are two bits.
fn renamed_set(bits: u64, names: &Names) -> u64 {
    let mut all = 0;
    let mut others = bits >> names.len();
    for (_, to) in names.iter().enumerate().filter(|(from, _)| bits >> from & 1 == 1) {
        if *to == OTHERS {
            others = others << 1 | 1;
        } else {
            all |= 1 << to;
        }
    }
    all | (others & 0b11) << OTHERS
}

fn renamed_sum(sum: Sum, names: &Names) -> Sum {
    let mut renamed = Sum { named: [0; NAMED], ..sum };
    for (cache, &coefficient) in sum.named.iter().enumerate() {
        match renamed.named.get_mut(usize::from(names[cache])) {
            Some(place) => *place += coefficient,
            None => renamed = renamed.with_other(coefficient),
        }
    }
    renamed
}

fn section_renamed(section: &Section, names: &Names) -> Section {
    section.iter().map(|token| token.renamed(names)).collect()
}

impl End {
    /// The end after caches have got other names.
    #[must_use]
    pub fn renamed(self, names: &Names) -> End {
        match self {
            End::Cache(cache) => End::Cache(names[usize::from(cache)]),
            End::Shared(_) => self,
        }
    }
}

impl Message {
    /// The message after caches have got other names; `None` if it is not shown then.
    ///
    /// It is shown if it comes from or goes to a cache with a name, if it names such a cache, or if it is none of a cache's.
    #[must_use]
    pub fn renamed(&self, names: &Names) -> Option<Message> {
        let (to, from) = (self.to.renamed(names), self.from.renamed(names));
        let content = section_renamed(&self.content, names);
        let others = End::Cache(OTHERS);
        let is_hidden = to == others || from == others;
        let is_of_named =
            [to, from].iter().any(|end| matches!(end, End::Cache(cache) if *cache != OTHERS));
        if is_hidden && !is_of_named && !content.iter().any(|token| token.names_any()) {
            return None;
        }
        let lane = if is_hidden { Lane::Free } else { self.lane };
        Some(Message { to, buffer: self.buffer, from, lane, content, many: self.many })
    }

    /// The place by which messages are sorted.
    pub fn place(&self) -> (End, u8, End, Lane) {
        (self.to, self.buffer, self.from, self.lane)
    }

    /// Whether it comes from or goes to a cache without a name, so that it stands for one such message, or for more.
    pub fn is_hidden(&self) -> bool {
        [self.to, self.from].contains(&End::Cache(OTHERS))
    }
}

impl Config {
    /// What is left of a configuration when caches get other names, or none.
    #[must_use]
    pub fn seen_by(&self, names: &Names) -> Config {
        let mut caches: [Option<Section>; NAMED] = Default::default();
        for (from, section) in self.caches.iter().enumerate() {
            let place = caches.get_mut(usize::from(names[from]));
            if let (Some(section), Some(place)) = (section, place) {
                *place = Some(section_renamed(section, names));
            }
        }
        let shared = self.shared.iter().map(|section| section_renamed(section, names)).collect();
        let messages = self.messages.iter().filter_map(|message| message.renamed(names));
        let mut config = Config { caches, shared, messages: messages.collect() };
        config.sort();
        config
    }

    /// Sorts the messages: by their places, then in their order if they have one, or else by their content. Of equal messages
    /// of caches without names, one is left, which stands for more.
    pub fn sort(&mut self) {
        self.messages.sort_by(|one, other| {
            one.place().cmp(&other.place()).then_with(|| match one.lane {
                Lane::Free => one.content.cmp(&other.content),
                _ => std::cmp::Ordering::Equal,
            })
        });
        self.messages.dedup_by(|later, earlier| {
            let same = earlier.is_hidden()
                && later.place() == earlier.place()
                && later.content == earlier.content;
            earlier.many |= same;
            same
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST_TWO: Names = [0, 1, OTHERS, OTHERS, OTHERS];
    const OUTER: Names = [0, OTHERS, 1, OTHERS, OTHERS];

    fn token(kind: TokenKind, word: u64) -> Token {
        Token { kind, word }
    }

    #[test]
    fn origins_are_all_words_that_become_one() {
        let mut words = vec![token(TokenKind::Plain, 5)];
        words.extend((0..=4).map(|word| token(TokenKind::Cache, word)));
        words.extend((0..32).chain(48..64).map(|word| token(TokenKind::Caches, word)));
        words.extend((0..16).map(|word| token(TokenKind::Old, word)));
        for bits in 1..48 {
            let sum = Sum::of_set(bits & 15, (bits >> 4) as u8);
            words.extend(
                [sum, sum.negative()]
                    .map(|sum| token(TokenKind::Sum, sum.word().expect("it is small"))),
            );
        }
        for (names, word) in
            [FIRST_TWO, OUTER].iter().flat_map(|names| words.iter().map(move |word| (names, word)))
        {
            let seen = word.renamed(names);
            let origins = seen.origins(names);
            assert!(origins.contains(word), "{word:?} as {seen:?}");
            assert!(origins.iter().all(|origin| origin.renamed(names) == seen));
        }
    }

    #[test]
    fn messages_of_hidden_senders_are_shown_to_their_receiver_alone() {
        let message = |to: End| Message {
            to,
            buffer: 0,
            from: End::Cache(2),
            lane: Lane::From(1),
            content: vec![token(TokenKind::Cache, 2)],
            many: false,
        };
        let shown = message(End::Cache(0)).renamed(&FIRST_TWO).expect("its receiver has a name");
        assert_eq!((shown.from, shown.lane), (End::Cache(OTHERS), Lane::Free));
        assert_eq!(shown.content, [token(TokenKind::Cache, 4)]);
        assert_eq!(message(End::Shared(0)).renamed(&FIRST_TWO), None);
        assert_eq!(message(End::Cache(2)).renamed(&FIRST_TWO), None);
        let mut naming = message(End::Shared(0));
        naming.content.push(token(TokenKind::Caches, 0b101));
        let shown = naming.renamed(&FIRST_TWO).expect("it names a cache");
        assert_eq!(shown.content[1], token(TokenKind::Caches, 0b10001));
    }
}
