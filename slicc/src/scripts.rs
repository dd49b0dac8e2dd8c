//! Finds gem5's configuration script for a protocol, which decides what the protocol's files leave
//! open: above all which buffers are ordered.
//!
//! A protocol has the script of its own name, or else of the first known name that is the first part of its name,
//! which covers variants. A renamed copy is recognized by its machines and buffers. Where there is no script, buffers
//! are unordered unless they have the attribute `ordered="true"` or connect two machines directly. Unless the script
//! is that of the protocol's own name, [`notice`] tells the user what is assumed.

mod known;

use std::sync::LazyLock;

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

const MEMORY: [&str; 2] = ["requestToMemory", "responseFromMemory"];

/// The protocols that have a script. [`BUFFERS`] has their machines. Of GPU_VIPER, the half of the system without the GPU is built, and
/// GPU_AMD_Base is the name on the `protocol` line of GPU_RfO.slicc.
const SCRIPTS: [(&str, KnownProtocol); 14] = [
    ("MI_example", KnownProtocol::MiExample),
    ("MESI_Two_Level", KnownProtocol::MesiTwoLevel),
    ("MESI_Three_Level", KnownProtocol::MesiThreeLevel),
    ("MESI_Three_Level_HTM", KnownProtocol::MesiThreeLevel),
    ("MOESI_hammer", KnownProtocol::MoesiHammer),
    ("MOESI_AMD_Base", KnownProtocol::MoesiAmdBase),
    ("GPU_VIPER", KnownProtocol::MoesiAmdBase),
    ("GPU_VIPER_Region", KnownProtocol::GpuViperRegion),
    ("GPU_AMD_Base", KnownProtocol::MoesiAmdBase),
    ("MOESI_CMP_directory", KnownProtocol::MoesiCmpDirectory),
    ("MOESI_CMP_token", KnownProtocol::MoesiCmpToken),
    ("CHI", KnownProtocol::Chi),
    ("Garnet_standalone", KnownProtocol::GarnetStandalone),
    ("MSI", KnownProtocol::Msi),
];

/// The buffers of each machine, in the groups of protocols that share them.
const BUFFERS: &str = include_str!("scripts/buffers.txt");

/// A machine and its buffers.
type MachineRow = (&'static str, Vec<&'static str>);

/// The machines of each group in [`BUFFERS`], with the names of its protocols.
static MACHINES: LazyLock<Vec<(Vec<&str>, Vec<MachineRow>)>> = LazyLock::new(|| {
    let words = |line: &'static str| line.split_whitespace();
    let row = |line: &'static str| {
        let mut words = words(line);
        (words.next().unwrap_or_default(), words.collect())
    };
    let groups = BUFFERS.split("\n\n").skip(1).map(|group| {
        let (names, machines) = group.split_once('\n').unwrap_or((group, ""));
        (words(names).collect(), machines.lines().map(row).collect())
    });
    groups.collect()
});

/// The machines of the protocol of a script, except DMA.
fn machines_of(script: &str) -> &'static [MachineRow] {
    let mut groups = MACHINES.iter();
    let group = groups.find(|(names, _)| names.contains(&script));
    group.map_or(&[], |(_, machines)| machines)
}

impl Script {
    /// Finds the script that applies to a protocol, if there is one.
    pub fn find(protocol: &str, machines: &[Declared]) -> Option<Script> {
        let protocol = protocol_today(protocol);
        let is_first_part = |name: &str| {
            let rest = protocol.strip_prefix(name);
            rest.is_some_and(|rest| rest.starts_with(|c: char| !c.is_alphanumeric()))
        };
        let found = |how: Match, fits: &dyn Fn(&str) -> bool| {
            let &(name, known) = SCRIPTS.iter().find(|(name, _)| fits(name))?;
            Some(Script { name, known, how })
        };
        found(Match::Name, &|name| name == protocol)
            .or_else(|| found(Match::Variant, &is_first_part))
            .or_else(|| found(Match::Alike, &|name| is_alike(machines_of(name), machines)))
    }
}

/// Buffers that gem5's protocols had once, and that their scripts did not order.
const UNORDERED_ONCE: [&str; 3] = ["requestFromDir", "foo1", "goo1"];

impl Script {
    /// Whether the script has a machine, but not this buffer of it; `name` is that of both, with a dot between them.
    fn lacks(&self, name: &str) -> bool {
        let Some((machine, buffer)) = name.split_once('.') else { return false };
        let mut known = machines_of(self.name).iter().filter(|(own, _)| *own == machine);
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

/// Whether a protocol has these machines and buffers, ignoring DMA.
fn is_alike(machines: &[MachineRow], declared: &[Declared]) -> bool {
    let others = declared.iter().filter(|machine| machine.name != "DMA");
    let counted = others.clone().count() == machines.len();
    counted
        && machines.iter().all(|(name, expected)| {
            let machine = others.clone().find(|machine| machine.name == *name);
            machine.is_some_and(|machine| {
                let mut own: Vec<&str> = buffers(machine).collect();
                let mut expected = expected.clone();
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
    fn every_script_has_machines() {
        let named = MACHINES.iter().flat_map(|(names, _)| names);
        assert!(named.clone().all(|name| SCRIPTS.iter().any(|(script, _)| script == name)));
        assert_eq!(named.count(), SCRIPTS.len());
        for (script, _) in SCRIPTS {
            let machines = machines_of(script);
            assert!(
                machines.len() > 1 && machines.iter().all(|(_, all)| all.len() > 2),
                "{script}"
            );
        }
    }

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
