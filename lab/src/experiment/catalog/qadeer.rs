//! The experiment of Qadeer, *Verifying Sequential Consistency on Shared-Memory Multiprocessors by Model Checking*, TPDS 2003.

use ::explore::memory::Witness;
use check::Model;

use super::faults::ALL_FAULTS;
use super::{IN_ORDER, decisions, mutated, recipe};
use crate::experiment::point::{NiceCycles, Point, SearchedSystem, Size, Source, Task};
use crate::exploration::memory_system::{System, witness_name};

/// Section 6: how many processors and locations a violation needs. Section 5.2: whether the order of completions explains valid
/// runs.
pub(super) fn qadeer_cycles(size: Size) -> Vec<Point> {
    let point = |threads: u32| Point {
        part: "histories",
        name: format!("threads={threads}"),
        first: 0,
        histories: size.of(40, 400, 2000),
        source: Source::Made(mutated(&ALL_FAULTS, threads)),
        tasks: decisions(
            Model::SC,
            &[papers::NICE_CYCLE, papers::SIMPLE_WITNESS, papers::WSC, papers::CCM],
        ),
    };
    let valid = |threads: u32| Point {
        part: "valid",
        name: format!("valid,threads={threads}"),
        first: 0,
        histories: size.of(40, 400, 2000),
        source: Source::Made(recipe(IN_ORDER, threads, 50 * threads)),
        tasks: decisions(Model::SC, &[papers::SIMPLE_WITNESS]),
    };
    [2, 4, 8].map(point).into_iter().chain([valid(4)]).collect()
}

/// The memory systems that are searched. The simple witness is that of the paper; where writes wait, memory order is tried as well.
const SYSTEMS: [(System, Witness); 7] = [
    (System::Serial, Witness::Simple),
    (System::Piranha, Witness::Simple),
    (System::PiranhaBuggy, Witness::Simple),
    (System::LazyCaching, Witness::Simple),
    (System::LazyCaching, Witness::MemoryOrder),
    (System::StoreBuffer, Witness::Simple),
    (System::StoreBuffer, Witness::MemoryOrder),
];

/// The built-in protocols, and for each a mutant that violates SC with cores that have one access at a time: the index in [`ALL_FAULTS`].
const PROTOCOLS: [(&str, usize); 4] =
    [("MI_example", 0), ("MESI_Two_Level", 5), ("MOESI_hammer", 6), ("MOESI_AMD_Base", 7)];

/// Section 8: all runs of the paper's memory system, of its earlier version and of others, with a search for each length of cycles.
pub(super) fn qadeer_systems(size: Size) -> Vec<Point> {
    let memories = SYSTEMS.map(|(system, witness)| {
        let name = if system.delays_writes() {
            format!("{},{}", system.name(), witness_name(witness))
        } else {
            system.name().to_owned()
        };
        ("systems", name, SearchedSystem::Memory(system, witness), size.of(2, 2, 3), 2)
    });
    let protocols = PROTOCOLS.iter().flat_map(|&(name, fault)| {
        let fault = Some(ALL_FAULTS[fault].mutant);
        [(name.to_owned(), None), (format!("{name},mutant"), fault)].map(|(point, mutant)| {
            // A protocol of two lines has many more states, and a cycle of length 1 needs one.
            ("protocols", point, SearchedSystem::Protocol(name, mutant), 2, 1)
        })
    });
    let all = memories.into_iter().chain(protocols);
    let lengths = all.flat_map(|(part, name, system, processors, least)| {
        (1..=2).map(move |k: u8| Point {
            part,
            name: format!("{name},k={k}"),
            first: 0,
            histories: 1,
            source: Source::System(NiceCycles { system, processors, locations: k.max(least), k }),
            tasks: vec![Task::NiceCycles],
        })
    });
    lengths.collect()
}
