//! Recognises the coherence protocol of a trace by the events of its machines.

use std::collections::BTreeSet;

/// Protocol, machine and the machine's events, separated by spaces.
const TABLE: &str = include_str!("protocols.csv");

/// Types of controllers that the table does not have.
const OTHER_MACHINES: [&str; 14] = [
    "Cache",
    "Collector",
    "L1Cache_wCC",
    "L2Cache_wCC",
    "Memory",
    "MiscNode",
    "MN",
    "RegionBuffer",
    "RegionDir",
    "SQC",
    "TCC",
    "TCCdir",
    "TCP",
    "NULL",
];

/// The rows of the table: protocol, machine, events.
fn rows() -> impl Iterator<Item = (&'static str, &'static str, &'static str)> {
    TABLE.lines().skip(1).filter_map(|row| {
        let mut fields = row.splitn(3, ',');
        Some((fields.next()?, fields.next()?, fields.next()?))
    })
}

/// Names of the protocols in the table.
pub(crate) fn names() -> BTreeSet<&'static str> {
    rows().map(|(protocol, _, _)| protocol).collect()
}

/// The longest type of a controller that a word begins with.
pub(crate) fn machine_prefix(word: &str) -> Option<&'static str> {
    rows()
        .map(|(_, machine, _)| machine)
        .chain(OTHER_MACHINES)
        .filter(|machine| word.starts_with(machine))
        .max_by_key(|machine| machine.len())
}

/// The protocol that has all observed pairs of machine and event, and of several such protocols the one with the fewest
/// other pairs. `None` if there is none, or nothing was observed.
pub(crate) fn recognise(observed: &BTreeSet<(&str, &str)>) -> Option<&'static str> {
    if observed.is_empty() {
        return None;
    }
    names()
        .into_iter()
        .filter_map(|protocol| {
            let known: BTreeSet<(&str, &str)> = rows()
                .filter(|row| row.0 == protocol)
                .flat_map(|(_, machine, events)| {
                    events.split(' ').map(move |event| (machine, event))
                })
                .collect();
            observed.is_subset(&known).then_some((known.len(), protocol))
        })
        .min()
        .map(|(_, protocol)| protocol)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_smallest_protocol_that_fits() {
        let mi = [("L1Cache", "Fwd_GETX"), ("Directory", "PUTX_NotOwner")];
        assert_eq!(recognise(&mi.into()), Some("MI_example"));
        let hammer = [("Directory", "All_acks_and_data_no_sharers")];
        assert_eq!(recognise(&hammer.into()), Some("MOESI_hammer"));
        assert_eq!(recognise(&[("L1Cache", "Teleport")].into()), None);
        assert_eq!(recognise(&BTreeSet::new()), None);
    }

    #[test]
    fn glued_words_begin_with_a_machine() {
        assert_eq!(machine_prefix("L2CacheL2_Replacement_clean"), Some("L2Cache"));
        assert_eq!(machine_prefix("L1Cache_wCCLoad"), Some("L1Cache_wCC"));
        assert_eq!(machine_prefix("NovelLoad"), None);
    }
}
