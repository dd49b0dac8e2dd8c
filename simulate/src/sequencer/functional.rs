//! What functional writes do to the requests of a sequencer.

use super::{Pending, Sequencer};
use crate::program::Bytes;
use crate::request::RequestKind;

impl Pending {
    fn writes(&self) -> bool {
        let kind = self.request.kind;
        let stores = matches!(
            kind,
            RequestKind::Store | RequestKind::StoreConditional | RequestKind::LockedWrite
        );
        stores || kind.is_atomic()
    }

    fn bytes(&self) -> Bytes {
        Bytes { address: self.request.address, size: self.request.size }
    }
}

impl Sequencer {
    /// Whether an outstanding request writes some of these bytes.
    pub fn writes(&self, bytes: Bytes) -> bool {
        self.pending.iter().any(|one| one.writes() && one.bytes().overlaps(bytes))
    }

    /// A functional write changes the data of outstanding stores as well, so that they write its value where it overlaps them.
    /// The operand of an atomic is not in its data.
    pub fn write_functionally(&mut self, bytes: Bytes, value: u64) {
        let stores = self.pending.iter_mut().filter(|one| {
            one.writes() && !one.request.kind.is_atomic() && one.bytes().overlaps(bytes)
        });
        for one in stores {
            let own = one.bytes();
            for address in own.addresses().filter(|at| bytes.addresses().contains(at)) {
                let byte = value >> (8 * (address - bytes.address)) & 0xff;
                let shift = 8 * (address - own.address);
                let data = &mut one.request.value;
                *data = *data & !(0xff << shift) | byte << shift;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Config;
    use super::*;
    use crate::request::Request;

    #[test]
    fn a_functional_write_changes_the_bytes_of_stores_that_wait() {
        let mut sequencer = Sequencer::new(Config { block_bytes: 64, ..Config::new(0, 0) });
        let bytes = |address, size| Bytes { address, size };
        let mut ask = |kind, bytes, value| {
            sequencer.request(0, Request::new(0, kind, bytes, value), false, None).unwrap();
        };
        ask(RequestKind::Store, bytes(0x1000, 4), 0x4444_4444);
        ask(RequestKind::Load, bytes(0x1000, 8), 0);
        ask(RequestKind::Atomic, bytes(0x1000, 4), 0x5555_5555);
        assert!(sequencer.writes(bytes(0x1003, 1)) && !sequencer.writes(bytes(0x1004, 4)));
        sequencer.write_functionally(bytes(0x1002, 4), 0xddcc_bbaa);
        let values: Vec<u64> = sequencer.pending.iter().map(|one| one.request.value).collect();
        assert_eq!(values, [0xbbaa_4444, 0, 0x5555_5555]);
    }
}
