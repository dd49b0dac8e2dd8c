//! The protocols that have a script of their own in gem5, and which buffers these make ordered.

/// A protocol with a script of its own in gem5.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Known {
    /// `MI_example`.
    MiExample,
    /// `MESI_Two_Level`.
    MesiTwoLevel,
    /// `MOESI_hammer`.
    MoesiHammer,
    /// `MOESI_AMD_Base`.
    MoesiAmdBase,
    /// `MOESI_CMP_directory`.
    MoesiCmpDirectory,
    /// `MOESI_CMP_token`.
    MoesiCmpToken,
    /// `MESI_Three_Level`.
    MesiThreeLevel,
    /// `MSI`.
    Msi,
}

impl Known {
    /// Whether the script makes a buffer ordered.
    pub fn is_ordered(self, machine: &str, buffer: &str) -> bool {
        if machine == "DMA" {
            return buffer == "responseFromDir" && self != Known::MoesiCmpDirectory;
        }
        let ordered: &[&str] = match (self, machine) {
            (Known::MiExample, "L1Cache") => {
                &["requestFromCache", "responseFromCache", "forwardToCache", "responseToCache"]
            }
            (Known::MiExample, "Directory") => {
                &["dmaResponseFromDir", "dmaRequestToDir", "requestToDir"]
            }
            (Known::MoesiHammer, "Directory") => {
                &["dmaResponseFromDir", "triggerQueue", "dmaRequestToDir"]
            }
            (Known::MoesiAmdBase, "CorePair") => &["triggerQueue"],
            // The one for DMA is ordered where a script makes it at all (section 20.3).
            (Known::MoesiAmdBase, "Directory") => {
                &["requestFromDMA", "triggerQueue", "L3triggerQueue", "requestFromCores"]
            }
            (Known::MoesiCmpDirectory, _) => &["triggerQueue"],
            (Known::MoesiCmpToken, "Directory") => {
                &["persistentToDir", "persistentFromDir", "dmaRequestToDir", "dmaResponseFromDir"]
            }
            // The wires between the two first levels.
            (Known::MesiThreeLevel, "L0Cache") => &["bufferToL1", "bufferFromL1"],
            (Known::MesiThreeLevel, "L1Cache") => &["bufferToL0", "bufferFromL0"],
            (Known::Msi, "L1Cache") => &[
                "requestToDir",
                "responseToDirOrSibling",
                "forwardFromDir",
                "responseFromDirOrSibling",
            ],
            (Known::Msi, "Directory") => {
                &["forwardToCache", "responseToCache", "requestFromCache", "responseFromCache"]
            }
            // A persistent request must not be overtaken by the message that ends it.
            (Known::MoesiCmpToken, _) => {
                &["persistentFromL1Cache", "persistentToL1Cache", "persistentToL2Cache"]
            }
            _ => &[],
        };
        ordered.contains(&buffer)
    }
}
