//! The accesses of DMA devices.

use history::random::Rng;

use super::{Popular, ProgramSize, first_value};
use crate::request::WordValues;

/// Separates the random choices of a device from those of threads of cores with the same seed.
const PURPOSE: u64 = 0x444d_4100;

/// An access of a DMA device and the pause before it: whole words of one cache line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferStep {
    /// Number of ticks to wait before it.
    pub think: u32,
    /// Address of the first byte.
    pub address: u64,
    /// Number of words of 8 bytes.
    pub words: u32,
    /// The values of the words if it writes.
    pub written: Option<WordValues>,
}

/// Draws the accesses of the device with this number. Half of them are to one of the locations that threads use, the
/// others to the whole of such a line or to some of its words.
pub(super) fn draw(shape: &ProgramSize, popular: &Popular, device: u32) -> Vec<TransferStep> {
    let mut rng = Rng::new(shape.seed, PURPOSE + u64::from(device));
    let mut next_value = first_value(shape.threads + device) + 1;
    let transfers = (0..shape.operations).map(|_| {
        let think = rng.up_to(u64::from(shape.think)) as u32;
        let (address, words) = range(shape, popular.choose(&mut rng), &mut rng);
        let is_read = rng.percent(shape.reads);
        let written = (!is_read).then(|| WordValues::counting_from(next_value));
        if !is_read {
            next_value += u64::from(words);
        }
        TransferStep { think, address, words, written }
    });
    transfers.collect()
}

/// The address and the number of words of an access to the line of a location.
fn range(shape: &ProgramSize, location: u64, rng: &mut Rng) -> (u64, u32) {
    let words = shape.line_bytes / 8;
    let line = location & !(shape.line_bytes - 1);
    match rng.below(4) {
        0 | 1 => (location, 1),
        2 => (line, words as u32),
        _ => {
            let first = rng.below(words);
            (line + first * 8, 1 + rng.below(words - first) as u32)
        }
    }
}
