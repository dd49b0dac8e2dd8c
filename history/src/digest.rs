//! A digest of the parts of a history that decide its verdict.

use sha2::{Digest, Sha256};

use crate::history::History;

/// Bytes that are collected before they are hashed.
const BYTES_AT_A_TIME: usize = 1 << 12;
/// Upper bound of the bytes that one operation adds, with those of its thread.
const LARGEST_OPERATION_BYTES: usize = 64;
/// The digits of the digest.
const HEX: &[u8; 16] = b"0123456789abcdef";

impl History {
    /// The SHA-256, in lower-case hex, of everything that decides a verdict: threads, operations in
    /// program order, locations, values, dependencies, initial and final values. Lines, ticks and sizes are left
    /// out, so a trace and its conversions share a digest. Cost: linear.
    pub fn digest(&self) -> String {
        self.hash(false)
    }

    /// [`History::digest`] with the ticks, for models under which ticks decide verdicts as well (WMO).
    pub fn digest_with_ticks(&self) -> String {
        self.hash(true)
    }

    fn hash(&self, with_ticks: bool) -> String {
        let mut hasher = Sha256::new();
        // Many small updates take longer than the hash itself.
        let mut bytes = Vec::with_capacity(BYTES_AT_A_TIME + LARGEST_OPERATION_BYTES);
        for thread in 0..self.threads().len() {
            bytes.extend(b"T");
            bytes.extend(self.threads()[thread].label.to_le_bytes());
            bytes.extend((self.thread_ops(thread).len() as u64).to_le_bytes());
            for op in self.thread_ops(thread) {
                bytes.extend([self.kind(op).code(), self.known[op.at()].0]);
                if let Some(location) = self.location(op) {
                    bytes.extend(self.locations[location as usize].address.to_le_bytes());
                }
                if let Some(value) = self.read(op) {
                    bytes.extend(value.to_le_bytes());
                }
                if let Some(value) = self.written(op) {
                    bytes.extend(value.to_le_bytes());
                }
                if with_ticks {
                    bytes.extend(self.issued[op.at()].to_le_bytes());
                    bytes.extend(self.completed[op.at()].to_le_bytes());
                }
                if bytes.len() >= BYTES_AT_A_TIME {
                    hasher.update(&bytes);
                    bytes.clear();
                }
            }
        }
        hasher.update(&bytes);
        self.hash_dependencies(&mut hasher);
        for (mark, ops) in [(b"X", self.structure.exceptions()), (b"Y", self.structure.ignored())] {
            for op in ops {
                hasher.update(mark);
                hasher.update(op.0.to_le_bytes());
            }
        }
        self.hash_fixed_values(&mut hasher);
        let digits =
            |byte: &u8| [byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)] as char);
        hasher.finalize().iter().flat_map(digits).collect()
    }

    fn hash_dependencies(&self, hasher: &mut Sha256) {
        for it in self.all_dependencies() {
            hasher.update([b'D', it.kind as u8]);
            hasher.update(it.op.0.to_le_bytes());
            hasher.update(it.on.0.to_le_bytes());
        }
    }

    /// Hashes initial and final values, and the sources fixed for accesses of mixed sizes.
    fn hash_fixed_values(&self, hasher: &mut Sha256) {
        for (location, initial) in self.locations.iter().zip(&self.initial) {
            if let Some(value) = initial {
                hasher.update(b"I");
                hasher.update(location.address.to_le_bytes());
                hasher.update(value.to_le_bytes());
            }
        }
        for last in &self.finals {
            hasher.update(b"F");
            hasher.update(self.locations[last.location as usize].address.to_le_bytes());
            hasher.update(last.value.to_le_bytes());
        }
        for (to, from) in &self.fixed_sources {
            hasher.update(b"S");
            hasher.update(to.to_le_bytes());
            hasher.update(from.to_le_bytes());
        }
    }
}
