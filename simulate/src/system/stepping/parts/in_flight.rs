//! The messages in flight to a buffer, as a part of a state: messages and sequences of them have numbers.

use rustc_hash::FxHashMap;

use super::Missing;
use crate::numbering::Strings;
use crate::ruby::buffer::frozen::IN_FLIGHT;
use crate::system::stepping::Stepping;
use crate::system::stepping::coding::Dictionary;
use crate::system::stepping::freeze::NOTHING;
use crate::system::stepping::symmetry::words::{Kinds, WordKind};
use crate::system::stepping::values::{Classes, Renaming};
use crate::system::stepping::view::View;

/// The number of the sequence without messages.
pub(super) const NOTHING_IN_FLIGHT: u32 = 0;
/// Stands for a number that has not been computed.
const UNKNOWN: u32 = u32::MAX;

/// A message in flight: its lane and its number.
pub(super) type Flying = (u32, u32);

/// The messages in flight to one buffer: by lane, those of lane 0 by their bytes, those of another in the order of sending.
#[derive(Clone, Debug)]
struct Sequence {
    messages: Box<[Flying]>,
    /// The places of those that may arrive next.
    next: Box<[usize]>,
    /// For each place, the sequence without that message.
    without: Box<[u32]>,
    classes: Classes,
}

impl Sequence {
    /// The memory of its boxes in bytes.
    fn bytes(&self) -> usize {
        self.messages.len() * size_of::<Flying>()
            + self.next.len() * size_of::<usize>()
            + self.without.len() * size_of::<u32>()
    }
}

/// All messages and sequences that were met.
#[derive(Debug, Default)]
pub(super) struct Sequences {
    pub(super) messages: Strings,
    message_classes: Vec<Classes>,
    pub(super) numbers: Strings,
    sequences: Vec<Sequence>,
    /// The sequence that results from sending a message, by the sequence before and the message.
    with: FxHashMap<(u32, Flying), u32>,
}

impl Sequences {
    /// A collection with the sequence that has no messages.
    pub(super) fn new() -> Sequences {
        let mut sequences = Sequences::default();
        sequences.number(&[]);
        sequences
    }

    /// The number of a message in the system.
    pub(super) fn message(&mut self, stepping: &Stepping, message: u64) -> u32 {
        let mut bytes = Vec::with_capacity(64);
        stepping.classes.take();
        stepping.freeze_object(message, View::new(&Renaming::none()), &mut bytes);
        self.message_number(&bytes, stepping.classes.get())
    }

    fn message_number(&mut self, bytes: &[u8], classes: Classes) -> u32 {
        self.messages.number(bytes).unwrap_or_else(|number| {
            self.message_classes.push(classes);
            number
        })
    }

    /// The classes of the values in a message.
    pub(super) fn classes_of_message(&self, message: u32) -> Classes {
        self.message_classes[message as usize]
    }

    /// Creates a message in the system.
    pub(super) fn create(&self, stepping: &mut Stepping, message: u32) -> u64 {
        stepping.thaw_object(&mut self.messages.get(message))
    }

    /// Puts the messages of a sequence into a buffer of the system.
    pub(super) fn restore(&self, stepping: &mut Stepping, buffer: usize, sequence: u32) {
        for &(lane, message) in &self.sequences[sequence as usize].messages {
            let message = self.create(stepping, message);
            stepping.system.buffers.edit(buffer).deliver(IN_FLIGHT + u64::from(lane), message);
        }
    }

    /// The messages of a sequence.
    #[inline]
    pub(super) fn messages(&self, sequence: u32) -> &[Flying] {
        &self.sequences[sequence as usize].messages
    }

    /// The places of the messages of a sequence that may arrive next.
    #[inline]
    pub(super) fn next(&self, sequence: u32) -> &[usize] {
        &self.sequences[sequence as usize].next
    }

    /// The classes of the values in a sequence.
    #[inline]
    pub(super) fn classes(&self, sequence: u32) -> Classes {
        self.sequences[sequence as usize].classes
    }

    /// The number of the sequence that is written in some bytes; `None` if they name unknown messages.
    pub(super) fn number_written(&mut self, bytes: &[u8]) -> Option<u32> {
        let (words, rest) = bytes.as_chunks();
        let (flying, odd) = words.as_chunks();
        let messages: Vec<Flying> = flying
            .iter()
            .map(|&[lane, message]| (u32::from_le_bytes(lane), u32::from_le_bytes(message)))
            .collect();
        let is_known = |&(_, message): &Flying| (message as usize) < self.message_classes.len();
        let is_whole = rest.is_empty() && odd.is_empty() && messages.iter().all(is_known);
        is_whole.then(|| self.number(&messages))
    }

    /// The number of a sequence, whose messages are in order.
    fn number(&mut self, messages: &[Flying]) -> u32 {
        let mut bytes = Vec::with_capacity(8 * messages.len());
        for (lane, message) in messages {
            bytes.extend_from_slice(&lane.to_le_bytes());
            bytes.extend_from_slice(&message.to_le_bytes());
        }
        self.numbers.number(&bytes).unwrap_or_else(|number| {
            let classes = messages.iter().map(|(_, one)| self.message_classes[*one as usize]);
            self.sequences.push(Sequence {
                messages: messages.into(),
                next: next(messages),
                without: vec![UNKNOWN; messages.len()].into(),
                classes: classes.fold(Classes::default(), Classes::and),
            });
            number
        })
    }

    /// The sequence without the message at a place.
    ///
    /// # Errors
    /// Fails if that sequence has not been learnt.
    #[inline]
    pub(super) fn without(&self, sequence: u32, at: usize) -> Result<u32, Missing> {
        match self.sequences[sequence as usize].without[at] {
            UNKNOWN => Err(Missing::Without { sequence, at }),
            number => Ok(number),
        }
    }

    /// Learns the sequence without the message at a place.
    pub(super) fn learn_without(&mut self, sequence: u32, at: usize) {
        let mut messages = self.messages(sequence).to_vec();
        messages.remove(at);
        let number = self.number(&messages);
        self.sequences[sequence as usize].without[at] = number;
    }

    /// The sequence after another message was sent.
    ///
    /// # Errors
    /// Fails if that sequence has not been learnt.
    #[inline]
    pub(super) fn with(&self, sequence: u32, sent: Flying) -> Result<u32, Missing> {
        self.with.get(&(sequence, sent)).copied().ok_or(Missing::With { sequence, sent })
    }

    /// The sequence after another message was sent. It is learnt if it is not known.
    pub(super) fn learn_with(&mut self, sequence: u32, sent: Flying) -> u32 {
        if let Ok(number) = self.with(sequence, sent) {
            return number;
        }
        let mut messages = self.messages(sequence).to_vec();
        self.insert(&mut messages, sent);
        let number = self.number(&messages);
        self.with.insert((sequence, sent), number);
        number
    }

    fn insert(&self, messages: &mut Vec<Flying>, sent: Flying) {
        let bytes = |message: u32| self.messages.get(message);
        let at = messages.partition_point(|&(lane, message)| match sent {
            (0, other) => lane == 0 && bytes(message) <= bytes(other),
            (other, _) => lane <= other,
        });
        messages.insert(at, sent);
    }

    /// The sequence that results from renaming the messages and lanes of a sequence of messages to a buffer.
    pub(super) fn renamed(
        &mut self,
        stepping: &Stepping,
        buffer: usize,
        sequence: u32,
        view: View<'_>,
    ) -> u32 {
        let before = self.messages(sequence).to_vec();
        let mut messages = Vec::with_capacity(before.len());
        for (lane, message) in before {
            let is_memory = stepping.dictionary.get(&mut self.messages.get(message))
                == stepping.system.program.types.known.memory as u64;
            let lane = stepping.moved_lane(buffer, u64::from(lane), is_memory, view) as u32;
            let renamed = self.message_renamed(stepping, message, view);
            self.insert(&mut messages, (lane, renamed));
        }
        self.number(&messages)
    }

    fn message_renamed(&mut self, stepping: &Stepping, message: u32, view: View<'_>) -> u32 {
        let from = &mut self.messages.get(message);
        let mut bytes = Vec::with_capacity(from.len());
        let mut classes = Classes::default();
        let Stepping { dictionary, kinds, .. } = stepping;
        let counts = stepping.counts();
        rename(dictionary, kinds, from, &mut bytes, &mut |kind, word| match kind {
            WordKind::Block => {
                let value = view.value(word);
                classes.add(stepping.values, value, counts);
                value
            }
            _ => view.word(kind, word),
        });
        self.message_number(&bytes, classes)
    }

    /// The memory of messages and sequences in bytes.
    pub(super) fn bytes(&self) -> usize {
        let boxes = self.sequences.iter().map(Sequence::bytes).sum::<usize>();
        self.messages.bytes()
            + self.numbers.bytes()
            + self.message_classes.capacity() * size_of::<Classes>()
            + self.sequences.capacity() * size_of::<Sequence>()
            + boxes
    }

    /// The memory in bytes of the learnt results of sending messages.
    pub(super) fn bytes_of_moves(&self) -> usize {
        self.with.capacity() * size_of::<((u32, Flying), u32)>()
    }

    /// Forgets the learnt results of sending messages.
    pub(super) fn forget_moves(&mut self) {
        self.with = FxHashMap::default();
    }
}

/// The places of the messages that may arrive next: of each lane with an order the first one, and one of each group of
/// equal messages without order.
fn next(messages: &[Flying]) -> Box<[usize]> {
    let is_next = |at: &usize| {
        let (lane, message) = messages[*at];
        at.checked_sub(1).is_none_or(|before| {
            let (before_lane, before) = messages[before];
            before_lane != lane || lane == 0 && before != message
        })
    };
    (0..messages.len()).filter(is_next).collect()
}

/// Copies the bytes of an object, and changes its words.
fn rename(
    dictionary: &Dictionary,
    kinds: &Kinds,
    from: &mut &[u8],
    out: &mut Vec<u8>,
    change: &mut dyn FnMut(WordKind, u64) -> u64,
) {
    let of = dictionary.get(from);
    dictionary.put(of, out);
    if of == NOTHING {
        return;
    }
    for &kind in &kinds.objects[of as usize] {
        let word = dictionary.get(from);
        dictionary.put(change(kind, word), out);
    }
}
