//! [`RunProperties`]: what the other files of a run say of its trace.

use history::Isa;

use crate::gem5::crash::end::End;
use crate::gem5::exec::ConfiguredCpu;

/// Properties of a run that its other files show.
#[derive(Clone, Debug, Default)]
pub(crate) struct RunProperties {
    pub end: End,
    /// Whether one of the files holds standard output or error of gem5, from which `end` was read.
    pub has_output: bool,
    pub block_size: Option<u32>,
    pub protocol: Option<String>,
    pub sequencers: Option<u64>,
    /// The instruction set of the CPUs of the run.
    pub isa: Option<Isa>,
    /// Whether an operating system ran.
    pub full_system: bool,
    pub cpus: Vec<ConfiguredCpu>,
}
