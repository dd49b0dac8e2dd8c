//! The parameters by which a machine serves cores or DMA devices.

use slicc::ast::Object;
use slicc::protocol::Protocol;
use slicc::requests::is_sequencer;
use slicc::scripts::Declared;

use super::chi::is_chi;

/// Whether a protocol has DMA controllers, to which DMA devices can be attached. CHI gets request nodes for them.
pub fn has_dma(protocol: &Protocol) -> bool {
    let mut parameters = protocol.machines().flat_map(|machine| &machine.parameters);
    parameters.any(|one| is_kind(one, DMA_SEQUENCER)) || is_chi(protocol)
}

/// The type of the parameter by which a machine is a DMA controller.
pub(super) const DMA_SEQUENCER: &str = "DMASequencer";

pub(super) fn is_kind(object: &Object, kind: &str) -> bool {
    &*object.kind.text == kind
}

/// The number of sequencers of each controller of a machine.
pub(super) fn sequencers(machine: &Declared) -> u32 {
    machine.parameters.iter().filter(|parameter| is_sequencer(parameter)).count() as u32
}
