//! The offsets of the fields of messages that the runtime itself reads.

use slicc::compile::types::{Field, Type, Types};

use crate::system::{DmaFields, Envelope};

/// The offset of a field; 0 if there is none.
pub(super) fn field(of: &Type, name: &str) -> u16 {
    of.fields.get(name).map(|field| field.offset).unwrap_or_default()
}

/// The offsets and numbers that a DMA sequencer needs for its messages to the protocol.
pub(super) fn dma_fields(types: &Types) -> DmaFields {
    let Some(of) = types.find(None, "SequencerMsg") else {
        return DmaFields::default();
    };
    let message = &types[of];
    let kinds = message.fields.get("Type").map(|field| &types[field.of]);
    let number = |name: &str| kinds.and_then(|kinds| kinds.enumerator(name)).unwrap_or_default();
    DmaFields {
        of,
        line: field(message, "LineAddress"),
        address: field(message, "PhysicalAddress"),
        kind: field(message, "Type"),
        block: field(message, "DataBlk"),
        length: field(message, "Len"),
        load: number("LD"),
        store: number("ST"),
    }
}

/// The offsets of the fields of a type that the network reads.
pub(super) fn envelope(of: &Type, types: &Types) -> Envelope {
    let size = |field: &Field| {
        (field.offset, types[field.of].initial.first().copied().unwrap_or_default())
    };
    Envelope {
        destination: of
            .fields
            .get("Destination")
            .filter(|field| field.of == types.known.destinations)
            .map(|field| field.offset),
        size: of.fields.get("MessageSize").map(size),
        width: of.initial.len(),
    }
}
