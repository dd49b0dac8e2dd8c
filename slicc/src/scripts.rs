//! Finds gem5's configuration script for a protocol, which decides what the protocol's files leave
//! open: above all which buffers are ordered.
//!
//! A protocol has the script of its own name, or else of the first known name that is the first part of its name,
//! which covers variants. A renamed copy is recognized by its machines and buffers. Where there is no script, buffers
//! are unordered unless they have the attribute `ordered="true"` or connect two machines directly. Unless the script
//! is that of the protocol's own name, [`notice`] tells the user what is assumed.

mod known;

use crate::ast::Object;
use crate::dialect::{ORDERED_AS_DECLARED, protocol_today};
use crate::setting::Setting;
pub use known::KnownProtocol;

/// A machine with its parameters, as a protocol declares it.
#[derive(Clone, Copy, Debug)]
pub struct Declared<'a> {
    /// The name, which is a machine type.
    pub name: &'a str,
    /// The parameters of the machine, as declared.
    pub parameters: &'a [Object],
}

/// How a script was found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Match {
    /// The protocol has the name of one of gem5's.
    Name,
    /// The first part of the protocol's name is that of one of gem5's.
    Variant,
    /// The protocol has the machines and buffers of one of gem5's.
    Alike,
}

/// The script that applies to a protocol.
#[derive(Clone, Copy, Debug)]
pub struct Script {
    /// The name of gem5's protocol that was found. Several protocols may have the same script.
    name: &'static str,
    /// The protocol for which the script was written.
    pub known: KnownProtocol,
    /// How the script was found.
    pub how: Match,
}

/// A machine and its buffers.
type MachineRow = (&'static str, &'static [&'static str]);

/// A script: the name of its protocol, and the buffers of each machine except DMA.
type Row = (&'static str, KnownProtocol, &'static [MachineRow]);

const MEMORY: [&str; 2] = ["requestToMemory", "responseFromMemory"];

const SCRIPTS: [Row; 14] = [
    (
        "MI_example",
        KnownProtocol::MiExample,
        &[
            (
                "L1Cache",
                &[
                    "requestFromCache",
                    "responseFromCache",
                    "forwardToCache",
                    "responseToCache",
                    "mandatoryQueue",
                ],
            ),
            (
                "Directory",
                &[
                    "forwardFromDir",
                    "responseFromDir",
                    "dmaResponseFromDir",
                    "requestToDir",
                    "dmaRequestToDir",
                    MEMORY[0],
                    MEMORY[1],
                ],
            ),
        ],
    ),
    (
        "MESI_Two_Level",
        KnownProtocol::MesiTwoLevel,
        &[
            (
                "L1Cache",
                &[
                    "requestFromL1Cache",
                    "responseFromL1Cache",
                    "unblockFromL1Cache",
                    "requestToL1Cache",
                    "responseToL1Cache",
                    "optionalQueue",
                    "mandatoryQueue",
                ],
            ),
            ("L2Cache", &MESI_L2),
            ("Directory", &MESI_DIRECTORY),
        ],
    ),
    ("MESI_Three_Level", KnownProtocol::MesiThreeLevel, &THREE_LEVEL),
    ("MESI_Three_Level_HTM", KnownProtocol::MesiThreeLevel, &THREE_LEVEL),
    (
        "MOESI_hammer",
        KnownProtocol::MoesiHammer,
        &[
            (
                "L1Cache",
                &[
                    "requestFromCache",
                    "responseFromCache",
                    "unblockFromCache",
                    "forwardToCache",
                    "responseToCache",
                    "mandatoryQueue",
                    "triggerQueue",
                ],
            ),
            (
                "Directory",
                &[
                    "forwardFromDir",
                    "responseFromDir",
                    "dmaResponseFromDir",
                    "unblockToDir",
                    "responseToDir",
                    "requestToDir",
                    "dmaRequestToDir",
                    "triggerQueue",
                    MEMORY[0],
                    MEMORY[1],
                ],
            ),
        ],
    ),
    ("MOESI_AMD_Base", KnownProtocol::MoesiAmdBase, &AMD),
    // The half of the system without the GPU, whose controllers are not built.
    ("GPU_VIPER", KnownProtocol::MoesiAmdBase, &AMD),
    ("GPU_VIPER_Region", KnownProtocol::GpuViperRegion, &REGIONS),
    // The name on the `protocol` line of GPU_RfO.slicc.
    ("GPU_AMD_Base", KnownProtocol::MoesiAmdBase, &AMD),
    (
        "MOESI_CMP_directory",
        KnownProtocol::MoesiCmpDirectory,
        &[
            (
                "L1Cache",
                &[
                    "requestFromL1Cache",
                    "responseFromL1Cache",
                    "requestToL1Cache",
                    "responseToL1Cache",
                    "triggerQueue",
                    "mandatoryQueue",
                ],
            ),
            (
                "L2Cache",
                &[
                    "L1RequestFromL2Cache",
                    "GlobalRequestFromL2Cache",
                    "responseFromL2Cache",
                    "L1RequestToL2Cache",
                    "GlobalRequestToL2Cache",
                    "responseToL2Cache",
                    "triggerQueue",
                ],
            ),
            (
                "Directory",
                &[
                    "requestToDir",
                    "responseToDir",
                    "forwardFromDir",
                    "responseFromDir",
                    MEMORY[0],
                    MEMORY[1],
                    "triggerQueue",
                ],
            ),
        ],
    ),
    (
        "MOESI_CMP_token",
        KnownProtocol::MoesiCmpToken,
        &[
            (
                "L1Cache",
                &[
                    "responseFromL1Cache",
                    "persistentFromL1Cache",
                    "requestFromL1Cache",
                    "responseToL1Cache",
                    "persistentToL1Cache",
                    "requestToL1Cache",
                    "mandatoryQueue",
                ],
            ),
            (
                "L2Cache",
                &[
                    "responseFromL2Cache",
                    "GlobalRequestFromL2Cache",
                    "L1RequestFromL2Cache",
                    "responseToL2Cache",
                    "persistentToL2Cache",
                    "GlobalRequestToL2Cache",
                    "L1RequestToL2Cache",
                ],
            ),
            (
                "Directory",
                &[
                    "dmaResponseFromDir",
                    "responseFromDir",
                    "persistentFromDir",
                    "requestFromDir",
                    "responseToDir",
                    "persistentToDir",
                    "requestToDir",
                    "dmaRequestToDir",
                    MEMORY[0],
                    MEMORY[1],
                ],
            ),
        ],
    ),
    (
        "CHI",
        KnownProtocol::Chi,
        &[
            (
                "Cache",
                &[
                    CHI_NETWORK[0],
                    CHI_NETWORK[1],
                    CHI_NETWORK[2],
                    CHI_NETWORK[3],
                    CHI_NETWORK[4],
                    CHI_NETWORK[5],
                    CHI_NETWORK[6],
                    CHI_NETWORK[7],
                    "mandatoryQueue",
                    "triggerQueue",
                    "retryTriggerQueue",
                    "reqRdy",
                    "snpRdy",
                    "replTriggerQueue",
                    "prefetchQueue",
                ],
            ),
            (
                "Memory",
                &[
                    CHI_NETWORK[0],
                    CHI_NETWORK[1],
                    CHI_NETWORK[2],
                    CHI_NETWORK[3],
                    CHI_NETWORK[4],
                    CHI_NETWORK[5],
                    CHI_NETWORK[6],
                    CHI_NETWORK[7],
                    "reqRdy",
                    MEMORY[0],
                    MEMORY[1],
                    "triggerQueue",
                ],
            ),
            (
                "MiscNode",
                &[
                    CHI_NETWORK[0],
                    CHI_NETWORK[1],
                    CHI_NETWORK[2],
                    CHI_NETWORK[3],
                    CHI_NETWORK[4],
                    CHI_NETWORK[5],
                    CHI_NETWORK[6],
                    CHI_NETWORK[7],
                    "mandatoryQueue",
                    "triggerQueue",
                    "retryTriggerQueue",
                    "schedRspTriggerQueue",
                    "reqRdy",
                    "snpRdy",
                ],
            ),
        ],
    ),
    (
        "Garnet_standalone",
        KnownProtocol::GarnetStandalone,
        &[
            (
                "L1Cache",
                &["requestFromCache", "forwardFromCache", "responseFromCache", "mandatoryQueue"],
            ),
            ("Directory", &["requestToDir", "forwardToDir", "responseToDir"]),
        ],
    ),
    (
        "MSI",
        KnownProtocol::Msi,
        &[
            (
                "L1Cache",
                &[
                    "requestToDir",
                    "responseToDirOrSibling",
                    "forwardFromDir",
                    "responseFromDirOrSibling",
                    "mandatoryQueue",
                ],
            ),
            (
                "Directory",
                &[
                    "forwardToCache",
                    "responseToCache",
                    "requestFromCache",
                    "responseFromCache",
                    MEMORY[0],
                    MEMORY[1],
                ],
            ),
        ],
    ),
];

/// The buffers that connect a controller of CHI with the network.
const CHI_NETWORK: [&str; 8] =
    ["reqOut", "snpOut", "rspOut", "datOut", "reqIn", "snpIn", "rspIn", "datIn"];

/// The machines of three-level MESI, with transactions or without.
const THREE_LEVEL: [MachineRow; 4] = [
    ("L0Cache", &["bufferToL1", "bufferFromL1", "mandatoryQueue", "prefetchQueue"]),
    (
        "L1Cache",
        &[
            "bufferToL0",
            "bufferFromL0",
            "requestToL2",
            "responseToL2",
            "unblockToL2",
            "requestFromL2",
            "responseFromL2",
        ],
    ),
    ("L2Cache", &MESI_L2),
    ("Directory", &MESI_DIRECTORY),
];

/// The core pairs and directory of AMD's protocols.
const AMD: [MachineRow; 2] = [
    (
        "CorePair",
        &[
            "requestFromCore",
            "responseFromCore",
            "unblockFromCore",
            "probeToCore",
            "responseToCore",
            "mandatoryQueue",
            "triggerQueue",
        ],
    ),
    (
        "Directory",
        &[
            "requestFromDMA",
            "responseToDMA",
            "requestFromCores",
            "responseFromCores",
            "unblockFromCores",
            "probeToCore",
            "responseToCore",
            "triggerQueue",
            "L3triggerQueue",
            MEMORY[0],
            MEMORY[1],
        ],
    ),
];

/// The core pairs, directory, and keepers of regions of GPU_VIPER_Region.
const REGIONS: [MachineRow; 4] = [
    AMD[0],
    (
        "Directory",
        &[
            "requestFromCores",
            "responseFromCores",
            "unblockFromCores",
            "probeToCore",
            "responseToCore",
            "reqFromRegBuf",
            "reqToRegDir",
            "reqFromRegDir",
            "unblockToRegDir",
            "triggerQueue",
            "L3triggerQueue",
            MEMORY[0],
            MEMORY[1],
        ],
    ),
    (
        "RegionDir",
        &[
            "requestToDir",
            "notifyToRBuffer",
            "probeToRBuffer",
            "responseFromRBuffer",
            "requestFromRegBuf",
            "triggerQueue",
        ],
    ),
    (
        "RegionBuffer",
        &[
            "requestFromCore",
            "responseFromCore",
            "requestToNetwork",
            "notifyFromRegionDir",
            "probeFromRegionDir",
            "unblockFromDir",
            "responseToRegDir",
            "triggerQueue",
        ],
    ),
];

/// The second level of both MESI protocols.
const MESI_L2: [&str; 6] = [
    "DirRequestFromL2Cache",
    "L1RequestFromL2Cache",
    "responseFromL2Cache",
    "unblockToL2Cache",
    "L1RequestToL2Cache",
    "responseToL2Cache",
];
const MESI_DIRECTORY: [&str; 5] =
    ["requestToDir", "responseToDir", "responseFromDir", MEMORY[0], MEMORY[1]];

impl Script {
    /// Finds the script that applies to a protocol, if there is one.
    pub fn find(protocol: &str, machines: &[Declared]) -> Option<Script> {
        let protocol = protocol_today(protocol);
        let is_first_part = |name: &str| {
            let rest = protocol.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
        };
        let found = |how: Match, fits: &dyn Fn(&Row) -> bool| {
            let mut fitting = SCRIPTS.iter().filter(|row| fits(row));
            let &(name, known, _) = fitting.next()?;
            Some(Script { name, known, how })
        };
        found(Match::Name, &|row| row.0 == protocol)
            .or_else(|| found(Match::Variant, &|row| is_first_part(row.0)))
            .or_else(|| found(Match::Alike, &|row| is_alike(row, machines)))
    }
}

/// Buffers that gem5's protocols had once, and that their scripts did not order.
const UNORDERED_ONCE: [&str; 3] = ["requestFromDir", "foo1", "goo1"];

impl Script {
    /// Whether the script has a machine, but not this buffer of it; `name` is that of both, with a dot between them.
    fn lacks(&self, name: &str) -> bool {
        let Some((machine, buffer)) = name.split_once('.') else { return false };
        let row = SCRIPTS.iter().find(|(own, ..)| *own == self.name);
        let machines = row.into_iter().flat_map(|(_, _, machines)| machines.iter());
        let mut known = machines.filter(|(own, _)| *own == machine);
        known.any(|(_, buffers)| !buffers.contains(&buffer)) && !UNORDERED_ONCE.contains(&buffer)
    }
}

/// Whether a buffer of a machine is ordered unless a setting overrides it. The protocol's script decides. The
/// buffer's attribute `ordered` decides if there is no script or the protocol is older than August 2015; if the
/// script was found by machines and buffers alone, either of the two is enough.
pub fn is_ordered(script: Option<Script>, machine: &str, buffer: &Object) -> bool {
    let by_attribute = || {
        let mut pairs = buffer.pairs.iter();
        let attribute = pairs.find(|pair| &*pair.key.text == "ordered");
        attribute.is_some_and(|pair| matches!(&*pair.value.text, "true" | "True" | "1"))
    };
    let is_older = buffer.pairs.iter().any(|pair| &*pair.key.text == ORDERED_AS_DECLARED);
    match script {
        _ if is_older => by_attribute(),
        Some(Script { known, how, .. }) => {
            known.is_ordered(machine, &buffer.name.text) || how == Match::Alike && by_attribute()
        }
        None => by_attribute(),
    }
}

/// Whether a protocol has the machines and buffers of this script, ignoring DMA.
fn is_alike((_, _, machines): &Row, declared: &[Declared]) -> bool {
    let others = declared.iter().filter(|machine| machine.name != "DMA");
    let counted = others.clone().count() == machines.len();
    counted
        && machines.iter().all(|(name, expected)| {
            let machine = others.clone().find(|machine| machine.name == *name);
            machine.is_some_and(|machine| {
                let mut own: Vec<&str> = buffers(machine).collect();
                let mut expected = expected.to_vec();
                own.sort_unstable();
                expected.sort_unstable();
                own == expected
            })
        })
}

/// The names of the message buffers of a machine.
fn buffers<'a>(machine: &Declared<'a>) -> impl Iterator<Item = &'a str> {
    let parameters = machine.parameters.iter();
    let buffers = parameters.filter(|parameter| &*parameter.kind.text == "MessageBuffer");
    buffers.map(|buffer| &*buffer.name.text)
}

/// A sentence that tells the user how the order of a protocol's buffers was decided. `None` if the
/// protocol's own script decides, or settings cover all buffers.
pub fn notice(protocol: &str, machines: &[Declared], settings: &[Setting]) -> Option<String> {
    let is_set = |machine: &str, buffer: &str| {
        settings.iter().any(|setting| {
            let named = setting.machine.as_deref();
            setting.parameter == buffer && named.is_none_or(|named| named == machine)
        })
    };
    let with_controllers = machines.iter().filter(|machine| machine.name != "DMA");
    let open: Vec<String> = with_controllers
        .flat_map(|machine| {
            let open = buffers(machine).filter(|buffer| !is_set(machine.name, buffer));
            open.map(|buffer| format!("{}.{buffer}", machine.name))
        })
        .filter(|name| !MEMORY.iter().any(|memory| name.ends_with(memory)))
        .collect();
    let example = open.first()?;
    let setting = |name: &str| settings::Setting::Set.to(format!("{name}=ordered"));
    let say = format!("{} or =unordered overrides this", setting(example));
    match Script::find(protocol, machines) {
        Some(script) if script.how == Match::Name => {
            let others = open.into_iter().filter(|name| script.lacks(name)).collect::<Vec<_>>();
            let first = others.first()?;
            Some(format!(
                "gem5's script of {} has no {}, so {} taken as unordered; {} overrides this",
                script.name,
                others.join(", "),
                if others.len() == 1 { "it is" } else { "they are" },
                setting(first)
            ))
        }
        Some(script) => {
            let name = script.name;
            let why = match script.how {
                Match::Variant => format!("its name begins with {name}"),
                _ => format!("its machines and buffers have the same names as those of {name}"),
            };
            Some(format!(
                "{protocol} has no script of its own in gem5; {why}, so its buffers are ordered where {name}'s are; \
                 {say}"
            ))
        }
        None => Some(format!(
            "{protocol} has no script in gem5 that says which buffers are ordered: all are assumed to be \
             unordered, but for those with the attribute ordered=\"true\" and those that connect two machines without a \
             virtual network; {say}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ast::Declaration;
    use crate::load::load_with;

    #[test]
    fn a_notice_names_the_protocol_whose_name_fits() {
        let text = "protocol 'P'; machine(M:X) : MessageBuffer * in; { }";
        let loaded = load_with("p.slicc".as_ref(), &mut |_| Ok(text.as_bytes().to_vec())).unwrap();
        let machine = loaded.declarations.iter().find_map(|one| match one {
            Declaration::Machine(machine) => Some(machine),
            _ => None,
        });
        let machines = [Declared { name: "X", parameters: &machine.unwrap().parameters }];
        let of = |protocol| notice(protocol, &machines, &[]).unwrap();
        for (protocol, known) in
            [("GPU_VIPER_x", "GPU_VIPER"), ("MOESI_AMD_Base_x", "MOESI_AMD_Base")]
        {
            let notice = of(protocol);
            assert!(notice.contains(&format!("its name begins with {known},")), "{notice}");
        }
    }
}
