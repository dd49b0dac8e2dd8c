//! The sequencer between a DMA device and its DMA controller.
//!
//! A device makes one request at a time, which lies within a cache line: gem5's devices split their accesses at the
//! ends of lines, and a `DMASequencer` would not find a request whose second line is answered. Most protocols have a
//! `DMASequencer` for a device. CHI has a request node for it, with a sequencer like that of a core ([`Interface`]).
//! Unlike a [`Sequencer`](super::Sequencer), it takes no part in coherence: the controller asks the directory, which
//! collects the line from caches and memory.

use super::Misuse;
use crate::program::Bytes;
use crate::request::{Refusal, Request, RequestKind, Response, Transfer};

/// The request of a DMA device.
#[derive(Clone, Copy, Debug)]
struct Pending {
    transfer: Transfer,
    accepted: u64,
}

/// How the protocol sees the requests of a DMA device.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Interface {
    /// The protocol gets messages of a `DMASequencer`, which hold the data to write.
    #[default]
    Messages,
    /// The protocol gets loads and stores, as from the `Sequencer` of a core. The callback of a store writes into the block
    /// that it is given.
    Requests,
}

/// The sequencer of one DMA device.
#[derive(Debug)]
pub struct DmaSequencer {
    /// How the protocol sees the requests.
    pub interface: Interface,
    number: u32,
    block_bytes: u64,
    pending: Option<Pending>,
}

impl DmaSequencer {
    /// Creates the DMA sequencer with this number, without a request.
    pub fn new(number: u32, block_bytes: u64) -> DmaSequencer {
        DmaSequencer { interface: Interface::default(), number, block_bytes, pending: None }
    }

    /// Removes the request.
    pub fn clear(&mut self) {
        self.pending = None;
    }

    /// Adds an outstanding request, as if it had been accepted at tick 0.
    pub fn hold(&mut self, transfer: Transfer) {
        self.pending = Some(Pending { transfer, accepted: 0 });
    }

    /// The outstanding request in the form of a core's, if it is for this line.
    pub fn head(&self, line: u64) -> Option<Request> {
        let transfer = self.pending?.transfer;
        (self.line_of(transfer.address) == line).then(|| Request {
            tag: 0,
            kind: transfer.kind(),
            address: transfer.address,
            size: 8,
            value: transfer.written.map_or(0, |written| written.first),
        })
    }

    /// Whether the outstanding request writes some of these bytes.
    pub fn writes(&self, bytes: Bytes) -> bool {
        let Some(Pending { transfer, .. }) = self.pending else { return false };
        let words = 0..u64::from(transfer.words);
        let overlaps = |word: u64| Bytes::word(transfer.address + 8 * word).overlaps(bytes);
        transfer.written.is_some() && words.into_iter().any(overlaps)
    }

    /// The number among all DMA sequencers.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// The outstanding request: the tick at which it was accepted, and its address.
    pub fn oldest(&self) -> Option<(u64, u64)> {
        self.pending.map(|pending| (pending.accepted, pending.transfer.address))
    }

    /// The line that contains an address.
    fn line_of(&self, address: u64) -> u64 {
        address & !(self.block_bytes - 1)
    }

    /// Accepts a request.
    ///
    /// # Errors
    /// Fails if another request is outstanding.
    pub fn request(&mut self, now: u64, transfer: Transfer) -> Result<(), Refusal> {
        if self.pending.is_some() {
            return Err(Refusal::BufferFull);
        }
        self.pending = Some(Pending { transfer, accepted: now });
        Ok(())
    }

    /// `dataCallback`, or `readCallback` of a request node: completes a read with the block of its line. Adds a response for each word.
    ///
    /// # Errors
    /// Fails if no request for the line is outstanding, or it is a write.
    pub fn data_done(
        &mut self,
        line: u64,
        block: &[u64],
        responses: &mut Vec<Response>,
    ) -> Result<(), Misuse> {
        let misuse = self.misuse("dataCallback", "readCallback", line);
        let transfer = self.take(line).ok_or_else(|| misuse.clone())?;
        if transfer.written.is_some() {
            return Err(misuse);
        }
        let first = (transfer.address - line) as usize / 8;
        let value = |word: usize| block.get(first + word).copied().unwrap_or(0);
        answer(&transfer, value, responses);
        Ok(())
    }

    /// `ackCallback`: completes a request. Adds a response for each word. gem5 completes a read as well, and leaves
    /// the device's buffer as it was: here all zeros.
    ///
    /// # Errors
    /// Fails if no request for the line is outstanding.
    pub fn ack_done(&mut self, line: u64, responses: &mut Vec<Response>) -> Result<(), Misuse> {
        let misuse = self.misuse("ackCallback", "ackCallback", line);
        let transfer = self.take(line).ok_or(misuse)?;
        answer(&transfer, |_| 0, responses);
        Ok(())
    }

    /// `writeCallback` or `writeUniqueCallback` of a request node: completes a write, whose words go into the block. Adds a
    /// response for each word.
    ///
    /// # Errors
    /// Fails if no request for the line is outstanding, or it is a read.
    pub fn write_done(
        &mut self,
        line: u64,
        block: &mut [u64],
        responses: &mut Vec<Response>,
    ) -> Result<(), Misuse> {
        let misuse = self.misuse("writeCallback", "writeCallback", line);
        let transfer = self.take(line).ok_or_else(|| misuse.clone())?;
        let Some(written) = transfer.written else { return Err(misuse) };
        let first = (transfer.address - line) as usize / 8;
        let words = block.iter_mut().skip(first).take(transfer.words as usize);
        words.zip(0..).for_each(|(word, at)| *word = written.word(at));
        answer(&transfer, |_| 0, responses);
        Ok(())
    }

    /// The error of a callback that completes no request of a device.
    pub fn unasked(&self, callback: &'static str, line: u64) -> Misuse {
        self.misuse(callback, callback, line)
    }

    /// Removes the request for a line.
    fn take(&mut self, line: u64) -> Option<Transfer> {
        let pending = self.pending.filter(|it| self.line_of(it.transfer.address) == line)?;
        self.pending = None;
        Some(pending.transfer)
    }

    /// The error of a callback that does not fit the request, by its name in either interface.
    fn misuse(&self, dma: &'static str, ruby: &'static str, line: u64) -> Misuse {
        let own = self.pending.map(|it| it.transfer);
        let own = own.filter(|transfer| self.line_of(transfer.address) == line);
        let (kind, callback) = match self.interface {
            Interface::Messages => ("DMA sequencer", dma),
            Interface::Requests => ("sequencer of DMA device", ruby),
        };
        Misuse {
            kind,
            version: self.number,
            callback,
            line,
            head: own.map(|transfer| (transfer.kind(), transfer.address)),
            lacks_block: false,
            unaddressed: None,
        }
    }
}

/// Adds the responses to a request, one for each word.
fn answer(transfer: &Transfer, value: impl Fn(usize) -> u64, responses: &mut Vec<Response>) {
    let kind = transfer.kind();
    responses.extend((0..transfer.words).map(|word| Response {
        tag: transfer.tag + word,
        kind,
        address: transfer.address + u64::from(word) * 8,
        value: if kind == RequestKind::Load { value(word as usize) } else { 0 },
        success: true,
    }));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::WordValues;

    const READ: Transfer = Transfer { tag: 5, address: 0x1010, words: 2, written: None };

    #[test]
    fn a_read_gets_the_words_that_it_asked_for() {
        let mut sequencer = DmaSequencer::new(0, 64);
        sequencer.request(3, READ).unwrap();
        assert_eq!(sequencer.request(4, READ), Err(Refusal::BufferFull));
        assert_eq!(sequencer.oldest(), Some((3, 0x1010)));
        let mut responses = Vec::new();
        sequencer.data_done(0x1000, &[0, 1, 2, 3, 4, 5, 6, 7], &mut responses).unwrap();
        let seen: Vec<(u32, u64, u64)> =
            responses.iter().map(|one| (one.tag, one.address, one.value)).collect();
        assert_eq!(seen, [(5, 0x1010, 2), (6, 0x1018, 3)]);
        assert_eq!(sequencer.oldest(), None);
    }

    #[test]
    fn a_write_of_a_request_node_goes_into_the_block() {
        let mut sequencer = DmaSequencer::new(0, 64);
        sequencer.interface = Interface::Requests;
        let (mut block, mut responses) = ([0; 8], Vec::new());
        sequencer
            .request(3, Transfer { written: Some(WordValues::counting_from(7)), ..READ })
            .unwrap();
        sequencer.write_done(0x1000, &mut block, &mut responses).unwrap();
        assert_eq!((block, responses.len()), ([0, 0, 7, 8, 0, 0, 0, 0], 2));
        sequencer.request(4, READ).unwrap();
        let error = sequencer.write_done(0x1000, &mut block, &mut responses).unwrap_err();
        assert!(
            error.to_string().starts_with("sequencer of DMA device 0: writeCallback"),
            "{error}"
        );
    }

    #[test]
    fn callbacks_that_fit_no_request_are_errors() {
        let mut sequencer = DmaSequencer::new(1, 64);
        let mut responses = Vec::new();
        let error = sequencer.ack_done(0x1000, &mut responses).unwrap_err();
        assert!(error.to_string().starts_with("DMA sequencer 1: ackCallback"), "{error}");
        sequencer
            .request(0, Transfer { written: Some(WordValues::counting_from(9)), ..READ })
            .unwrap();
        assert!(sequencer.ack_done(0x1040, &mut responses).is_err());
        assert!(sequencer.data_done(0x1000, &[0; 8], &mut responses).is_err());
        assert!(responses.is_empty());
    }
}
