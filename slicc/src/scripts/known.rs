//! The protocols for which gem5 has a configuration script, and which buffers the script orders.

/// A protocol for which gem5 has a configuration script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KnownProtocol {
    /// `MI_example`.
    MiExample,
    /// `MESI_Two_Level`.
    MesiTwoLevel,
    /// `MOESI_hammer`.
    MoesiHammer,
    /// `MOESI_AMD_Base`.
    MoesiAmdBase,
    /// `GPU_VIPER_Region`, of 2016 to 2020.
    GpuViperRegion,
    /// `MOESI_CMP_directory`.
    MoesiCmpDirectory,
    /// `MOESI_CMP_token`.
    MoesiCmpToken,
    /// `MESI_Three_Level`.
    MesiThreeLevel,
    /// `Garnet_standalone`.
    GarnetStandalone,
    /// `MSI`.
    Msi,
    /// `CHI`.
    Chi,
}

impl KnownProtocol {
    /// Whether the script makes one directory, however many gem5's options ask for.
    pub fn has_one_directory(self) -> bool {
        matches!(self, KnownProtocol::Msi | KnownProtocol::GpuViperRegion)
    }

    /// The largest number of cores for which the protocol works, if it has one. With more, GPU_VIPER_Region stops at a request of
    /// the second core pair: its region directory knows the region buffer of the first alone.
    pub fn most_threads(self) -> Option<u32> {
        (self == KnownProtocol::GpuViperRegion).then_some(2)
    }

    /// Whether the protocol keeps a line locked between the halves of a locked read-modify-write.
    /// CHI does not: its cores use load-linked and store-conditional, or atomics.
    pub fn has_locks(self) -> bool {
        self != KnownProtocol::Chi
    }

    /// Whether sequencers pass atomic instructions on as atomics. For the other protocols they are stores.
    pub fn has_atomics(self) -> bool {
        self == KnownProtocol::Chi
    }

    /// Whether the script makes a buffer one for the events of its own controller: messages may
    /// arrive in the cycle in which they are sent, and are never delayed at random.
    pub fn is_trigger(self, buffer: &str) -> bool {
        const TRIGGERS: [&str; 6] = [
            "triggerQueue",
            "retryTriggerQueue",
            "replTriggerQueue",
            "schedRspTriggerQueue",
            "reqRdy",
            "snpRdy",
        ];
        self == KnownProtocol::Chi && TRIGGERS.contains(&buffer)
    }

    /// Whether the script makes a buffer ordered.
    pub fn is_ordered(self, machine: &str, buffer: &str) -> bool {
        if machine == "DMA" {
            let ordered = match self {
                KnownProtocol::MoesiCmpDirectory => "triggerQueue",
                _ => "responseFromDir",
            };
            return buffer == ordered;
        }
        let ordered: &[&str] = match (self, machine) {
            (KnownProtocol::MiExample, "L1Cache") => {
                &["requestFromCache", "responseFromCache", "forwardToCache", "responseToCache"]
            }
            (KnownProtocol::MiExample, "Directory") => {
                &["dmaResponseFromDir", "dmaRequestToDir", "requestToDir"]
            }
            (KnownProtocol::MoesiHammer, "Directory") => {
                &["dmaResponseFromDir", "triggerQueue", "dmaRequestToDir"]
            }
            (KnownProtocol::MoesiAmdBase | KnownProtocol::GpuViperRegion, "CorePair") => {
                &["triggerQueue"]
            }
            (KnownProtocol::GpuViperRegion, "Directory") => {
                &["reqToRegDir", "reqFromRegDir", "triggerQueue", "L3triggerQueue"]
            }
            (KnownProtocol::GpuViperRegion, "RegionDir") => &["requestToDir", "triggerQueue"],
            (KnownProtocol::GpuViperRegion, "RegionBuffer") => &["requestFromCore", "triggerQueue"],
            // Only some of gem5's scripts create the buffer for DMA; those that do, order it.
            (KnownProtocol::MoesiAmdBase, "Directory") => {
                &["requestFromDMA", "triggerQueue", "L3triggerQueue", "requestFromCores"]
            }
            (KnownProtocol::MoesiCmpDirectory, _) => &["triggerQueue"],
            (KnownProtocol::MoesiCmpToken, "Directory") => {
                &["persistentToDir", "persistentFromDir", "dmaRequestToDir", "dmaResponseFromDir"]
            }
            // The buffers that connect the first two levels directly.
            (KnownProtocol::MesiThreeLevel, "L0Cache") => &["bufferToL1", "bufferFromL1"],
            (KnownProtocol::MesiThreeLevel, "L1Cache") => &["bufferToL0", "bufferFromL0"],
            (KnownProtocol::Msi, "L1Cache") => &[
                "requestToDir",
                "responseToDirOrSibling",
                "forwardFromDir",
                "responseFromDirOrSibling",
            ],
            (KnownProtocol::Msi, "Directory") => {
                &["forwardToCache", "responseToCache", "requestFromCache", "responseFromCache"]
            }
            (KnownProtocol::Chi, "Cache") => &["retryTriggerQueue", "replTriggerQueue"],
            (KnownProtocol::Chi, "Memory") => &["requestToMemory", "responseFromMemory"],
            // A persistent request must not be overtaken by the message that ends it.
            (KnownProtocol::MoesiCmpToken, _) => {
                &["persistentFromL1Cache", "persistentToL1Cache", "persistentToL2Cache"]
            }
            _ => &[],
        };
        ordered.contains(&buffer)
    }
}
