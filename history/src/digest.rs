//! A digest of the parts of a history that decide its verdict.

use sha2::{Digest, Sha256};

use crate::history::{History, NONE32};

impl History {
    /// The SHA-256, in lower-case hex, of everything that decides a verdict: threads, operations in
    /// program order, locations, values, dependencies, initial and final values. Lines, ticks and sizes are left
    /// out, so a trace and its conversions share a digest. Cost: linear.
    pub fn digest(&self) -> String {
        self.hash(false)
    }

    /// [`History::digest`] with the ticks, for models under which they decide verdicts, too (WMO).
    pub fn digest_with_ticks(&self) -> String {
        self.hash(true)
    }

    fn hash(&self, with_ticks: bool) -> String {
        let mut hasher = Sha256::new();
        for thread in 0..self.threads.len() {
            hasher.update(b"T");
            hasher.update(self.threads[thread].label.to_le_bytes());
            hasher.update((self.thread_ops(thread).len() as u64).to_le_bytes());
            for op in self.thread_ops(thread) {
                hasher.update([self.kind[op.at()].code(), self.known[op.at()].0]);
                let location = self.location[op.at()];
                if location != NONE32 {
                    hasher.update(self.locations[location as usize].address.to_le_bytes());
                }
                if let Some(value) = self.read(op) {
                    hasher.update(value.to_le_bytes());
                }
                if let Some(value) = self.written(op) {
                    hasher.update(value.to_le_bytes());
                }
                if with_ticks {
                    hasher.update(self.issued[op.at()].to_le_bytes());
                    hasher.update(self.completed[op.at()].to_le_bytes());
                }
            }
        }
        self.hash_dependencies(&mut hasher);
        self.hash_fixed_values(&mut hasher);
        hasher.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
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
