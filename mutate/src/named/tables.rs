//! The tables of known faults and of repairs that come with the program.

use std::sync::{LazyLock, OnceLock};

use super::fault::{self, Fault};

/// The faults of each protocol, parsed when they are first needed.
static FAULTS: LazyLock<Vec<OnceLock<Vec<Fault>>>> =
    LazyLock::new(|| vec![OnceLock::new(); fixtures::PROTOCOLS.len()]);

/// The faults of the protocols whose tables `is_wanted` selects, protocol by protocol. A table that cannot be read
/// yields none; a test checks that all can.
pub(crate) fn faults(is_wanted: impl Fn(&str) -> bool) -> impl Iterator<Item = &'static Fault> {
    let tables = fixtures::PROTOCOLS.iter().zip(&*FAULTS);
    let wanted = tables.filter(move |(one, _)| is_wanted(one.faults));
    let parsed = |one: &fixtures::ProtocolFiles| fault::parse(one.name, one.faults);
    wanted.flat_map(move |(one, known)| known.get_or_init(|| parsed(one).unwrap_or_default()))
}

/// The repairs of released protocols, protocol by protocol. A table that cannot be read yields none; a test checks
/// that all can.
static REPAIRS: LazyLock<Vec<Fault>> = LazyLock::new(|| {
    let repairs = fixtures::REPAIRS.iter();
    repairs.flat_map(|(name, text)| fault::parse(name, text).unwrap_or_default()).collect()
});

/// All repairs, protocol by protocol.
pub(crate) fn repairs() -> impl Iterator<Item = &'static Fault> {
    REPAIRS.iter()
}

/// Protocols that reuse the machines of another protocol, with additions or with further machines. The repairs of the other
/// protocol apply to them, too.
const BUILT_ON: [(&str, &str); 2] =
    [("MESI_Three_Level_HTM", "MESI_Three_Level"), ("GPU_VIPER", "MOESI_AMD_Base")];

/// Whether the repairs of one protocol apply to another: to itself, or to a protocol that is built on it.
pub(crate) fn repairs_apply(of: &str, protocol: &str) -> bool {
    of == protocol || BUILT_ON.iter().any(|(name, base)| *name == protocol && of == *base)
}

/// The repairs of a protocol, in the order in which they are to be applied.
pub(crate) fn repairs_of(protocol: &str) -> impl Iterator<Item = &'static Fault> {
    repairs().filter(move |one| repairs_apply(one.protocol, protocol))
}
