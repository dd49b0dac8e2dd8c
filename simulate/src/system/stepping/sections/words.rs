//! Writes configurations into the system, and reads them from it.

use std::collections::HashMap;
use std::sync::Arc;

use super::token::{OTHERS, Token, TokenKind};
use super::{Config, End, Lane, Message, NAMED, Section, Sections, Step};
use crate::ruby::buffer::frozen::IN_FLIGHT;
use crate::ruby::cache::frozen::Held;
use crate::system::others::Sum;
use crate::system::stepping::Stepping;
use crate::system::stepping::freeze::NOTHING;
use crate::system::stepping::symmetry::words::WordKind;
use crate::system::stepping::values::{Renaming, STALE};
use crate::system::words::CachePlace;

/// The value that stands for the latest one of the line.
const LATEST: u64 = 1;

/// A word with its place: whether it is one of a controller, the machine or type, and the offset.
pub(super) type Place = (bool, usize, u16);

/// The messages before a move, by address.
pub(super) type Known<'a> = HashMap<u64, &'a Message>;

impl Sections {
    /// Writes a configuration into the system.
    pub(super) fn write(&mut self, config: &Config) {
        self.stepper.clear();
        for (cache, &number) in self.caches.iter().enumerate() {
            let section = config.caches.get(cache).and_then(Option::as_ref);
            let mut tokens = section.into_iter().flatten().copied();
            let code = next(&mut tokens) as u8;
            self.stepper.restore_request(cache, 0, code);
            self.stepper.write_controller(number, self.kind, &mut tokens);
        }
        for (&number, section) in self.shared.iter().zip(&config.shared) {
            self.stepper.write_controller(number, self.kind, &mut section.iter().copied());
        }
        if let Some(token) = config.shared.last().and_then(|memory| memory.first()) {
            let line = self.stepper.lines[0];
            // It is a whole line, so this cannot fail.
            let _ = self.stepper.system.memory.poke(line, 0, &[word_of(*token, self.kind)]);
        }
        self.addresses.clear();
        self.rest = None;
        for message in &config.messages {
            let object = self.write_message(message);
            self.addresses.push(object);
        }
    }

    fn write_message(&mut self, message: &Message) -> u64 {
        let buffer = self.buffer(message.to, message.buffer);
        let mut content = message.content.iter().copied();
        let object = self.stepper.write_object(self.kind, &mut content);
        let lane = match message.lane {
            Lane::Free => 0,
            Lane::From(rank) => 1 + self.buffer(message.from, rank) as u64,
            Lane::Own(lane) => u64::from(lane),
        };
        self.stepper.system.buffers.edit(buffer).deliver(IN_FLIGHT + lane, object);
        object
    }

    /// Writes a second message for the rest of those that are like the one with which a move begins.
    pub(super) fn write_rest(&mut self, config: &Config, step: Step) {
        if let Step::Arrive(at) = step
            && config.messages[at].many
        {
            let rest = self.write_message(&config.messages[at]);
            self.rest = Some((self.addresses[at], rest));
        }
    }

    /// Reads the configuration from the system, after a move that began with the message `begun`, if it did.
    pub(super) fn read(
        &mut self,
        named: usize,
        renaming: &Renaming,
        begun: Option<&Message>,
        known: &Known<'_>,
    ) -> Config {
        let sender = match begun.map(|message| message.from) {
            Some(End::Cache(cache)) => Some(cache),
            _ => None,
        };
        let mut reader = Reader { sections: self, renaming, sender, counted: None };
        let mut messages = Vec::new();
        for buffer in 0..reader.stepping().system.buffers.len() {
            reader.messages(buffer, known, &mut messages);
        }
        let mut caches: [Option<Section>; NAMED] = Default::default();
        for (cache, section) in caches.iter_mut().enumerate().take(named) {
            *section = Some(reader.cache(cache));
        }
        let controllers = reader.sections.shared.clone();
        let mut shared: Vec<Section> =
            controllers.into_iter().map(|number| reader.controller(number)).collect();
        let line = reader.stepping().lines[0];
        let held = reader.stepping().system.memory.peek(line).map_or(STALE, |block| block[0]);
        shared.push(vec![reader.block(held)]);
        let names = std::array::from_fn(|cache| if cache < named { cache as u8 } else { OTHERS });
        Config { caches, shared, messages }.seen_by(&names)
    }
}

/// The word of the runtime for a token. `kind` is the machine type of caches.
fn word_of(token: Token, kind: u64) -> u64 {
    match (token.kind, token.word) {
        (TokenKind::Plain | TokenKind::Sum | TokenKind::Caches, word) => word,
        (TokenKind::Cache, cache) => kind << 32 | cache,
        (TokenKind::Old, 0) => STALE,
        (TokenKind::Old, loads) => LATEST + loads,
    }
}

fn next(from: &mut dyn Iterator<Item = Token>) -> u64 {
    from.next().map_or(0, |token| token.word)
}

impl Stepping {
    /// The control words of a controller that may change: those of its variables.
    fn variables(&self, number: usize) -> Vec<usize> {
        let machine = self.system.controllers[number].machine;
        let of = &self.system.program.machines[machine];
        let first = usize::from(slicc::compile::op::control::FREE);
        let is_parameter =
            |at: usize| of.parameters.iter().any(|member| usize::from(member.offset) == at);
        let all = first..of.initial.len();
        all.filter(|&at| !self.handles[machine][at] && !is_parameter(at)).collect()
    }

    fn write_controller(
        &mut self,
        number: usize,
        kind: u64,
        from: &mut dyn Iterator<Item = Token>,
    ) {
        self.system.controllers[number].blocked.clear();
        self.system.controllers[number].waiting.clear();
        let start = self.system.controllers[number].control as usize;
        let base = &self.bases[number];
        self.system.words.words[start..start + base.len()].copy_from_slice(base);
        for at in self.variables(number) {
            if let Some(token) = from.next() {
                self.system.words.words[start + at] = word_of(token, kind);
            }
        }
        let owned = Arc::clone(&self.owned);
        let owned = &owned[number];
        for &store in &owned.stores {
            self.write_cache(store, kind, from);
        }
        for &table in &owned.tables {
            self.system.line_tables.tables[table].clear();
            for _ in 0..next(from) {
                let (line, object) = (next(from), self.write_object(kind, from));
                let _ = self.system.line_tables.tables[table].allocate(line, object);
            }
        }
        for &directory in &owned.directories {
            self.system.line_tables.directories[directory].clear();
            for _ in 0..next(from) {
                let (line, object) = (next(from), self.write_object(kind, from));
                let _ = self.system.line_tables.directories[directory].allocate(line, object);
            }
        }
        for &table in &owned.timers {
            self.system.timers[table].clear();
        }
        for &table in &owned.persistents {
            self.system.persistents[table].clear();
        }
    }

    fn write_cache(&mut self, store: usize, kind: u64, from: &mut dyn Iterator<Item = Token>) {
        let cache = self.stores[store].cache;
        for at in 0..self.stores[store].sets.len() {
            let set = self.stores[store].sets[at];
            self.system.line_tables.caches[cache].clear_set(set);
            for way in 0..next(from) as usize {
                let (line, permission) = (next(from), next(from) as u8);
                let entry = self.write_object(kind, from);
                let held = Held { line, entry, permission, monitor: None };
                let slot = self.system.line_tables.caches[cache].hold(set, way, held);
                self.system.words.set_cache_place(entry, Some(CachePlace { cache, slot }));
            }
        }
    }

    fn write_object(&mut self, kind: u64, from: &mut dyn Iterator<Item = Token>) -> u64 {
        let of = next(from);
        if of == NOTHING {
            return 0;
        }
        let of = of as usize;
        let object = self.system.words.allocate(of, &self.system.program.types[of].initial);
        for at in 0..self.kinds.objects[of].len() {
            if let Some(token) = from.next() {
                self.system.words.words[object as usize + at] = word_of(token, kind);
            }
        }
        object
    }
}

/// Reads the words of a configuration.
struct Reader<'a> {
    sections: &'a mut Sections,
    renaming: &'a Renaming,
    /// The cache that has sent the message.
    sender: Option<u8>,
    /// The cache that a constant in a counter stands for, where the words come that are read now.
    counted: Option<u8>,
}

impl Reader<'_> {
    fn stepping(&self) -> &Stepping {
        &self.sections.stepper
    }

    fn cache(&mut self, cache: usize) -> Section {
        let mut section = vec![Token::plain(u64::from(self.stepping().request_code(cache, 0)))];
        let number = self.sections.caches[cache];
        section.extend(self.controller(number));
        section
    }

    fn controller(&mut self, number: usize) -> Section {
        let mut section = Vec::new();
        let controller = &self.stepping().system.controllers[number];
        let (machine, start) = (controller.machine, controller.control as usize);
        // What the controller has counted is the cache that has sent the message.
        self.counted = self.sender.filter(|_| number == self.stepping().system.current);
        for at in self.stepping().variables(number) {
            let kind = self.stepping().kinds.controls[machine][at];
            let word = self.stepping().system.words.words[start + at];
            section.push(self.token(kind, word, (true, machine, at as u16)));
        }
        let owned = Arc::clone(&self.stepping().owned);
        let owned = &owned[number];
        for &store in &owned.stores {
            self.lines(store, &mut section);
        }
        for &table in &owned.tables {
            let pairs = self.stepping().system.line_tables.tables[table].sorted();
            self.pairs(pairs, &mut section);
        }
        for &directory in &owned.directories {
            let pairs = self.stepping().system.line_tables.directories[directory].sorted();
            self.pairs(pairs, &mut section);
        }
        self.counted = None;
        section
    }

    fn lines(&mut self, store: usize, section: &mut Section) {
        let Store { cache, sets } = self.store(store);
        for set in sets {
            let of = &self.stepping().system.line_tables.caches[cache];
            let held: Vec<Held> = (0..of.ways()).filter_map(|way| of.held(set, way)).collect();
            section.push(Token::plain(held.len() as u64));
            for one in held {
                section.push(Token::plain(one.line));
                section.push(Token::plain(u64::from(one.permission)));
                self.object(one.entry, section);
            }
        }
    }

    fn store(&self, store: usize) -> Store {
        let of = &self.stepping().stores[store];
        Store { cache: of.cache, sets: of.sets.clone() }
    }

    fn pairs(&mut self, pairs: Vec<(u64, u64)>, section: &mut Section) {
        section.push(Token::plain(pairs.len() as u64));
        for (line, object) in pairs {
            section.push(Token::plain(line));
            self.object(object, section);
        }
    }

    fn object(&mut self, object: u64, section: &mut Section) {
        if object == 0 {
            return section.push(Token::plain(NOTHING));
        }
        let of = self.stepping().system.words.type_of(object);
        section.push(Token::plain(of as u64));
        let stepping = self.stepping();
        let (start, width) = (object as usize, stepping.kinds.objects[of].len());
        let mut words = stepping.system.words.words[start..start + width].to_vec();
        // What is written before it is read is the same in all states.
        for &at in stepping.dead_words(of, &words.clone()) {
            words[usize::from(at)] = stepping.system.program.types[of].initial[usize::from(at)];
        }
        // The number of the core differs between caches. No code reads it, which `prove` checks.
        if self.sections.context.0 == of {
            words[usize::from(self.sections.context.1)] = 0;
        }
        for (at, word) in words.into_iter().enumerate() {
            let kind = self.stepping().kinds.objects[of][at];
            section.push(self.token(kind, word, (false, of, at as u16)));
        }
    }

    /// The token for a word.
    fn token(&mut self, kind: WordKind, word: u64, place: Place) -> Token {
        let of = self.sections.kind;
        match kind {
            WordKind::Block => self.block(word),
            WordKind::Machine if word >> 32 == of && word as u32 <= u32::from(OTHERS) => {
                Token { kind: TokenKind::Cache, word: u64::from(word as u32) }
            }
            WordKind::Machines(kind) if u64::from(kind) == of => {
                Token { kind: TokenKind::Caches, word }
            }
            WordKind::Numbers if word != 0 => {
                self.refuse("it has a set of numbers");
                Token::plain(word)
            }
            WordKind::Plain => self.number(word, place),
            _ => Token::plain(word),
        }
    }

    fn refuse(&mut self, why: &'static str) {
        self.sections.stepper.system.others.refuse(usize::MAX, why);
    }

    /// The token for a word that may count caches.
    fn number(&mut self, word: u64, place: Place) -> Token {
        let is_counter = self.sections.counters.contains(&place);
        if !is_counter {
            if !Sum::is_one(word) {
                return Token::plain(word);
            }
            self.sections.found.insert(place);
        }
        let mut sum = Sum::of(word);
        if let Some(cache) = self.counted.filter(|_| is_counter) {
            let others = &mut self.sections.stepper.system.others;
            let named = others.named;
            sum = sum.attributed(u32::from(cache), named, &mut |count| others.pick(count));
        }
        match sum.word() {
            Some(word) if Sum::is_one(word) => Token { kind: TokenKind::Sum, word },
            Some(word) => Token::plain(word),
            None => {
                self.refuse("a number of caches is too large to be followed");
                Token::plain(word)
            }
        }
    }

    /// The token for the content of a block.
    fn block(&self, word: u64) -> Token {
        match self.renaming.rename(word) {
            STALE => Token { kind: TokenKind::Old, word: 0 },
            LATEST => Token::plain(LATEST),
            old => Token { kind: TokenKind::Old, word: old - LATEST },
        }
    }

    /// Reads the messages of a buffer. Those that were not known before were sent in the move.
    fn messages(&mut self, buffer: usize, known: &Known<'_>, all: &mut Vec<Message>) {
        let system = &self.stepping().system;
        let (consumer, mover) = (system.consumers[buffer] as usize, system.current);
        let (to, mover) = (self.sections.end(consumer), self.sections.end(mover));
        let rank = rank(&self.stepping().owned[consumer].buffers, buffer);
        let of = &system.buffers[buffer];
        let arrived = of.arrived().into_iter();
        let arrived = arrived.map(|one| (one.message, one.stalled.is_some().then_some(Lane::Free)));
        let mut in_flight: Vec<_> = of.in_flight().collect();
        in_flight.sort_by_key(|one| one.is_new);
        let in_flight = in_flight.into_iter().map(|one| {
            (one.message, Some(self.lane_of(buffer, self.stepping().lane(buffer, one))))
        });
        let found: Vec<(u64, Option<Lane>)> = arrived.chain(in_flight).collect();
        let rest = self.sections.rest;
        for &(message, lane) in &found {
            // Of the messages that are alike, one is left, or more.
            let of_rest = rest.filter(|(_, rest)| *rest == message).map(|(begun, _)| begun);
            let is_left = of_rest.is_some_and(|begun| found.iter().all(|(one, _)| *one != begun));
            let before = known.get(&of_rest.unwrap_or(message));
            let from = before.map_or(mover, |message| message.from);
            let lane = lane.or(before.map(|message| message.lane)).unwrap_or(Lane::Free);
            let mut content = Vec::new();
            // What a cache sends counts itself, and what another controller sends the cache that it answers.
            self.counted = match (before, mover) {
                (Some(_), _) => None,
                (None, End::Cache(cache)) => Some(cache),
                (None, End::Shared(_)) => self.sender,
            };
            self.object(message, &mut content);
            self.counted = None;
            let many = if is_left {
                self.sections.stepper.system.others.choose()
            } else {
                before.is_some_and(|message| message.many)
            };
            all.push(Message { to, buffer: rank, from, lane, content, many });
        }
    }

    /// The lane with a number of the runtime.
    fn lane_of(&self, buffer: usize, lane: u64) -> Lane {
        let system = &self.stepping().system;
        match lane.checked_sub(1) {
            None => Lane::Free,
            Some(_) if !self.sections.is_ordered => Lane::Free,
            Some(sender) if system.network.receives(buffer as u32) => {
                let owner = system.consumers[sender as usize] as usize;
                Lane::From(rank(&self.stepping().owned[owner].buffers, sender as usize))
            }
            Some(_) => Lane::Own(lane as u8),
        }
    }
}

/// A cache with the sets of the line.
struct Store {
    cache: usize,
    sets: Vec<usize>,
}

/// The number of a buffer among those of its controller.
fn rank(buffers: &[usize], buffer: usize) -> u8 {
    buffers.iter().position(|&one| one == buffer).unwrap_or(0) as u8
}
