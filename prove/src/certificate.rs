//! [`Certificate`]: what a proof rests on, as text.
//!
//! The first lines say which protocol it is about (by a digest of its files), with which network and settings, and which
//! words count caches. Then comes each pair: the sections of the two caches, those of the other controllers and of memory,
//! and the messages. A word is a number; a letter before it says that it is a cache (`c`), a set of caches (`s`), an overwritten
//! value (`o`) or a number that counts caches (`n`).

use std::fmt::Write;

use sha2::{Digest, Sha256};
use simulate::stepper::Order;
use simulate::system::stepping::sections::{
    Config, End, Lane, Message, NAMED, Section, Token, TokenKind,
};
use slicc::protocol::Protocol;
use slicc::setting::Setting;

/// The first line of a certificate.
const TITLE: &str = "rubric proof 1";

/// What a proof rests on.
#[derive(Clone, Debug, PartialEq)]
pub struct Certificate {
    /// The name of the protocol.
    pub protocol: String,
    /// The digest of the protocol's files.
    pub digest: String,
    /// Which messages the network keeps in order.
    pub order: Order,
    /// Whether the proof uses that order.
    pub uses_order: bool,
    /// The settings of parameters.
    pub settings: Vec<Setting>,
    /// The words that count caches: whether each is one of a controller, the machine or type, and the offset.
    pub counters: Vec<(bool, usize, u16)>,
    /// What two caches may see.
    pub pairs: Vec<Config>,
}

/// Why a text is no certificate.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {expected} was expected")]
pub struct Malformed {
    /// The number of the line, from 1.
    pub line: usize,
    /// What was expected there.
    pub expected: &'static str,
}

/// A digest of the files of a protocol.
pub fn digest(protocol: &Protocol) -> String {
    let mut hash = Sha256::new();
    for file in protocol.sources().files() {
        hash.update((file.text.len() as u64).to_le_bytes());
        hash.update(file.text.as_bytes());
    }
    hash.finalize().iter().fold(String::new(), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

impl Certificate {
    /// The certificate as text.
    pub fn text(&self) -> String {
        let mut text = format!("{TITLE}\nprotocol {}\ndigest {}\n", self.protocol, self.digest);
        let order = match self.order {
            Order::Buffers => "buffers",
            Order::VirtualNetworks => "vnets",
        };
        let used = if self.uses_order { "used" } else { "unused" };
        let _ = writeln!(text, "order {order} {used}");
        for setting in &self.settings {
            let _ = writeln!(text, "set {setting}");
        }
        for (is_of_machine, of, at) in &self.counters {
            let place = if *is_of_machine { "machine" } else { "type" };
            let _ = writeln!(text, "counter {place} {of} {at}");
        }
        for pair in &self.pairs {
            text.push_str("pair\n");
            for section in pair.caches.iter().flatten() {
                let _ = writeln!(text, "cache{}", words(section));
            }
            for section in &pair.shared {
                let _ = writeln!(text, "shared{}", words(section));
            }
            for message in &pair.messages {
                let _ = writeln!(text, "message {}", message_text(message));
            }
        }
        text
    }

    /// Reads a certificate.
    ///
    /// # Errors
    /// Fails with the first line that is wrong.
    pub fn read(text: &str) -> Result<Certificate, Malformed> {
        let mut certificate = Certificate {
            protocol: String::new(),
            digest: String::new(),
            order: Order::Buffers,
            uses_order: true,
            settings: Vec::new(),
            counters: Vec::new(),
            pairs: Vec::new(),
        };
        for (at, line) in text.lines().enumerate() {
            let wrong = |expected| Malformed { line: at + 1, expected };
            if at == 0 {
                if line != TITLE {
                    return Err(wrong("`rubric proof 1`"));
                }
                continue;
            }
            let (key, rest) = line.split_once(' ').unwrap_or((line, ""));
            certificate.add(key, rest).map_err(wrong)?;
        }
        if text.is_empty() {
            return Err(Malformed { line: 1, expected: "`rubric proof 1`" });
        }
        Ok(certificate)
    }

    /// Adds what a line says.
    fn add(&mut self, key: &str, rest: &str) -> Result<(), &'static str> {
        match key {
            "protocol" => self.protocol = rest.to_owned(),
            "digest" => self.digest = rest.to_owned(),
            "order" => {
                (self.order, self.uses_order) = match rest {
                    "buffers used" => (Order::Buffers, true),
                    "buffers unused" => (Order::Buffers, false),
                    "vnets used" => (Order::VirtualNetworks, true),
                    "vnets unused" => (Order::VirtualNetworks, false),
                    _ => return Err("`buffers` or `vnets`, and `used` or `unused`"),
                }
            }
            "set" => self.settings.push(rest.parse().map_err(|_| "a setting")?),
            "counter" => self.counters.push(counter(rest).ok_or("the place of a counter")?),
            "pair" => self.pairs.push(Config::default()),
            _ => {
                let pair = self.pairs.last_mut().ok_or("`pair`")?;
                add_to(pair, key, rest)?;
            }
        }
        Ok(())
    }
}

fn add_to(pair: &mut Config, key: &str, rest: &str) -> Result<(), &'static str> {
    let section = |rest: &str| section_of(rest).ok_or("words");
    match key {
        "cache" => {
            let place = pair.caches.iter_mut().take(2).find(|cache| cache.is_none());
            *place.ok_or("no third cache")? = Some(section(rest)?);
        }
        "shared" => pair.shared.push(section(rest)?),
        "message" => pair.messages.push(message_of(rest).ok_or("a message")?),
        _ => return Err("`pair`, `cache`, `shared` or `message`"),
    }
    Ok(())
}

fn counter(text: &str) -> Option<(bool, usize, u16)> {
    let mut parts = text.split(' ');
    let is_of_machine = match parts.next()? {
        "machine" => true,
        "type" => false,
        _ => return None,
    };
    Some((is_of_machine, parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
}

/// The letters of the kinds of words.
const LETTERS: [(TokenKind, &str); 5] = [
    (TokenKind::Plain, ""),
    (TokenKind::Cache, "c"),
    (TokenKind::Caches, "s"),
    (TokenKind::Old, "o"),
    (TokenKind::Sum, "n"),
];

fn words(section: &Section) -> String {
    section.iter().fold(String::new(), |mut text, token| {
        let letter = LETTERS.iter().find(|(kind, _)| *kind == token.kind);
        let _ = write!(text, " {}{}", letter.map_or("", |(_, letter)| letter), token.word);
        text
    })
}

fn section_of(text: &str) -> Option<Section> {
    text.split(' ').filter(|word| !word.is_empty()).map(token_of).collect()
}

fn token_of(word: &str) -> Option<Token> {
    let (kind, number) = LETTERS
        .iter()
        .rev()
        .find_map(|(kind, letter)| Some((*kind, word.strip_prefix(letter)?)))?;
    let word: u64 = number.parse().ok()?;
    let is_known = match kind {
        TokenKind::Cache => word <= NAMED as u64,
        TokenKind::Caches => word < 1 << (NAMED + 2),
        TokenKind::Old => word < 1 << NAMED,
        TokenKind::Plain | TokenKind::Sum => true,
    };
    is_known.then_some(Token { kind, word })
}

fn end_text(end: End) -> String {
    match end {
        End::Cache(cache) => format!("cache-{cache}"),
        End::Shared(number) => format!("shared-{number}"),
    }
}

fn end_of(text: &str) -> Option<End> {
    let (kind, number) = text.split_once('-')?;
    let number: u8 = number.parse().ok()?;
    match kind {
        "cache" if usize::from(number) <= NAMED => Some(End::Cache(number)),
        "shared" => Some(End::Shared(number)),
        _ => None,
    }
}

fn message_text(message: &Message) -> String {
    let lane = match message.lane {
        Lane::Free => "free".to_owned(),
        Lane::From(rank) => format!("from-{rank}"),
        Lane::Own(lane) => format!("own-{lane}"),
    };
    let count = if message.many { "many" } else { "one" };
    let (to, from) = (end_text(message.to), end_text(message.from));
    format!("{to} {} {from} {lane} {count}{}", message.buffer, words(&message.content))
}

fn message_of(text: &str) -> Option<Message> {
    let mut parts = text.splitn(6, ' ');
    let to = end_of(parts.next()?)?;
    let buffer = parts.next()?.parse().ok()?;
    let from = end_of(parts.next()?)?;
    let lane = match parts.next()? {
        "free" => Lane::Free,
        other => {
            let (kind, number) = other.split_once('-')?;
            let number = number.parse().ok()?;
            match kind {
                "from" => Lane::From(number),
                "own" => Lane::Own(number),
                _ => return None,
            }
        }
    };
    let many = match parts.next()? {
        "many" => true,
        "one" => false,
        _ => return None,
    };
    let content = section_of(parts.next().unwrap_or(""))?;
    Some(Message { to, buffer, from, lane, content, many })
}
