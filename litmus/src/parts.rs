//! Cuts accesses of different sizes that overlap into parts ([`cut`]), and composes the values of locations from those
//! of their bytes.
//!
//! An access is cut at every boundary of another access inside it, as [`history`] does it. One that is not aligned to
//! its size is cut into bytes, since RISC-V lets the processor perform them one by one.

use std::collections::BTreeSet;

use crate::candidate::CandidateEvent;
use crate::order::bits;
use crate::test::LitmusTest;
use crate::value::{Location, Value};

/// Bytes of a location that are accessed as one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Place {
    pub location: Location,
    /// The number of bytes of the location before the first.
    pub offset: u16,
    /// The number of bytes.
    pub bytes: u16,
}

impl Place {
    /// The bytes that an access has.
    pub(crate) fn of(event: &CandidateEvent) -> Option<Place> {
        let location = event.event.location?;
        let (offset, bytes) = (event.event.offset, u16::from(event.event.width.bits / 8));
        Some(Place { location, offset, bytes })
    }

    /// The offset of the first byte after the place.
    pub(crate) fn end(&self) -> u16 {
        self.offset.saturating_add(self.bytes)
    }

    /// Whether the place begins at a multiple of its size.
    pub(crate) fn is_aligned(&self) -> bool {
        self.bytes == 0 || self.offset.is_multiple_of(self.bytes)
    }
}

/// The parts of the accesses of a candidate.
pub(crate) struct Cut {
    /// The parts and the fences, in program order. The parts of the read and the write of one instruction alternate, so
    /// that those of the same bytes stand together.
    pub events: Vec<CandidateEvent>,
    pub places: Vec<Place>,
    /// Per access, its parts as bits, if there are no more events than a set can hold.
    pub parts: Vec<u64>,
}

/// Cuts the accesses of a candidate at every boundary of another one inside them.
pub(crate) fn cut(accesses: &[CandidateEvent]) -> Cut {
    let whole: Vec<Option<Place>> = accesses.iter().map(Place::of).collect();
    let bounds = bounds(&whole);
    let mut events: Vec<CandidateEvent> = Vec::with_capacity(accesses.len());
    let mut at = 0;
    while at < accesses.len() {
        let is_pair = accesses.get(at + 1).is_some_and(CandidateEvent::is_second_half);
        let count = if is_pair { 2 } else { 1 };
        match whole[at] {
            None => events.push(accesses[at]),
            Some(place) => {
                for part in pieces(place, &bounds) {
                    events.extend(accesses[at..at + count].iter().map(|it| piece(it, part)));
                }
            }
        }
        at += count;
    }
    let places: BTreeSet<Place> = events.iter().filter_map(Place::of).collect();
    let places: Vec<Place> = places.into_iter().collect();
    let mut parts = vec![0; accesses.len()];
    for (number, event) in events.iter().enumerate() {
        parts[event.access] |= 1_u64.checked_shl(number as u32).unwrap_or(0);
    }
    for number in 0..events.len() {
        let own = events[number];
        let place = Place::of(&own).and_then(|place| places.binary_search(&place).ok());
        let same_bytes = |part: &usize| Place::of(&events[*part]) == Place::of(&own);
        let pair = own.pair.and_then(|pair| bits(parts[pair]).find(same_bytes));
        let event = &mut events[number];
        event.place = place;
        event.pair = pair;
        for set in [&mut event.address, &mut event.data, &mut event.control, &mut event.choice] {
            *set = of_all(&parts, *set);
        }
    }
    Cut { events, places, parts }
}

/// The parts of all accesses of a set.
pub(crate) fn of_all(parts: &[u64], accesses: u64) -> u64 {
    bits(accesses).map(|access| parts[access]).fold(0, |all, parts| all | parts)
}

/// Where accesses begin or end, by location.
fn bounds(places: &[Option<Place>]) -> BTreeSet<(Location, u16)> {
    let mut bounds = BTreeSet::new();
    for place in places.iter().flatten() {
        let inner = if place.is_aligned() { 0..0 } else { place.offset..place.end() };
        bounds.extend(
            [place.offset, place.end()].into_iter().chain(inner).map(|at| (place.location, at)),
        );
    }
    bounds
}

/// The pieces of a place between the bounds inside it.
fn pieces(place: Place, bounds: &BTreeSet<(Location, u16)>) -> Vec<Place> {
    let inside = bounds.range((place.location, place.offset)..=(place.location, place.end()));
    let inside: Vec<u16> = inside.map(|(_, at)| *at).collect();
    let pair = |pair: &[u16]| Place { offset: pair[0], bytes: pair[1] - pair[0], ..place };
    inside.windows(2).map(pair).collect()
}

/// The part of an access that accesses `place`.
fn piece(access: &CandidateEvent, place: Place) -> CandidateEvent {
    let mut part = *access;
    part.shift = place.offset - access.event.offset;
    part.event.offset = place.offset;
    part.event.width.bits = (place.bytes * 8) as u8;
    part
}

/// The `size` bits of a number after the first `shift` bytes.
pub(crate) fn extract(number: i64, shift: u16, size: u8) -> i64 {
    let shifted = (number as u64).checked_shr(8 * u32::from(shift)).unwrap_or(0);
    (shifted & history::low_bytes(size / 8)) as i64
}

/// The value of the bytes of a place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Piece {
    /// A value.
    Whole(Value),
    /// Some bytes of an address, after a number of others. They have no number, but make the address again together.
    OfAddress(Value, u16),
}

impl Piece {
    /// The `bits` bits of a value after the first `shift` bytes.
    pub(crate) fn of(value: Value, shift: u16, bits: u8) -> Piece {
        match value {
            Value::Number(number) => Piece::Whole(Value::Number(extract(number, shift, bits))),
            address => Piece::OfAddress(address, shift),
        }
    }
}

/// The value of `bytes` bytes from its pieces, each with the number of bytes before it. `None` if it depends on where a
/// location lies.
pub(crate) fn composed(bytes: u16, pieces: impl Iterator<Item = (Piece, u16)>) -> Option<Value> {
    let mut number = 0;
    let mut address = None;
    for (at, (piece, before)) in pieces.enumerate() {
        match piece {
            Piece::Whole(Value::Number(part)) if address.is_none() => {
                number |= part << (8 * before)
            }
            Piece::Whole(value) if at == 0 && before == 0 && address.is_none() => {
                return Some(value);
            }
            Piece::OfAddress(value, shift)
                if shift == before && bytes == 8 && (at == 0 || address == Some(value)) =>
            {
                address = Some(value);
            }
            _ => return None,
        }
    }
    address.or(Some(Value::Number(number)))
}

impl LitmusTest {
    /// The initial value of up to 8 bytes.
    pub(crate) fn initial(&self, place: &Place) -> Piece {
        let location = usize::from(place.location.0);
        let element = self.types[location].bytes;
        let value_at = |offset: u16| {
            let value = self.memory[location].get(usize::from(offset / element));
            value.copied().unwrap_or(Value::ZERO)
        };
        let inside = place.offset % element;
        if inside == 0 && place.bytes == element {
            return Piece::Whole(value_at(place.offset));
        }
        if inside + place.bytes <= element {
            return Piece::of(value_at(place.offset), inside, (place.bytes * 8) as u8);
        }
        let bytes = (place.offset..place.end()).map(|at| match value_at(at) {
            Value::Number(number) => Some(extract(number, at % element, 8)),
            Value::Address(..) | Value::Code(_) | Value::Instruction(_) => None,
        });
        let whole = bytes.enumerate().try_fold(0, |all, (at, byte)| Some(all | byte? << (8 * at)));
        // Bytes of several addresses make no value.
        whole.map_or(Piece::OfAddress(value_at(place.offset), u16::MAX), |number| {
            Piece::Whole(Value::Number(number))
        })
    }

    /// The value of up to 8 bytes at the end, given the last value of each place that is accessed. `None` if it depends
    /// on where a location lies.
    pub(crate) fn at_the_end(&self, whole: &Place, last: &[(Place, Piece)]) -> Option<Value> {
        let same_location = |place: &Place| place.location == whole.location;
        if let Some((_, Piece::Whole(value))) = last.iter().find(|(place, _)| place == whole) {
            return Some(*value);
        }
        let mut pieces = Vec::new();
        let mut at = whole.offset;
        while at < whole.end() {
            let covers =
                |place: &Place| same_location(place) && place.offset <= at && at < place.end();
            let begins = last.iter().map(|(place, _)| place.offset).filter(|offset| *offset > at);
            let next = begins.chain([whole.end()]).min().unwrap_or(whole.end()).min(whole.end());
            let piece = match last.iter().find(|(place, _)| covers(place)) {
                Some((place, piece)) => {
                    let end = place.end().min(whole.end());
                    let bits = ((end - at) * 8) as u8;
                    let before = at - place.offset;
                    pieces.push((
                        match piece {
                            Piece::Whole(value) if before == 0 && end == place.end() => {
                                Piece::Whole(*value)
                            }
                            Piece::Whole(value) => Piece::of(*value, before, bits),
                            Piece::OfAddress(value, shift) => {
                                Piece::OfAddress(*value, shift + before)
                            }
                        },
                        at - whole.offset,
                    ));
                    at = end;
                    continue;
                }
                None => self.initial(&Place { offset: at, bytes: next - at, ..*whole }),
            };
            pieces.push((piece, at - whole.offset));
            at = next;
        }
        composed(whole.bytes, pieces.into_iter())
    }
}
