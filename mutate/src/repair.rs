//! Repairs: edits that take known faults out of protocols as gem5 releases them.
//!
//! A repair is a [`Mutant`] in the other direction. It is described by machine, states, events and calls as a named fault is, so it
//! applies to gem5's own files and to edited copies of them, and says where it does not fit. A protocol can have several at once, and
//! a mutant on top: [`Loaded::repairs`](slicc::load::Loaded::repairs) lists them.

use std::collections::BTreeSet;

use slicc::load::Failure;
use slicc::near::near;
use slicc::outline::TableEntry;
use slicc::protocol::Protocol;
use slicc::source::{Diagnostic, Severity};

use crate::mutant::{Change, Mutant};
use crate::named;
use crate::named::misfit::Misfit;
use crate::named::places::added;
use crate::named::tables::repairs_apply;

/// All repairs, protocol by protocol.
pub fn all() -> impl Iterator<Item = Mutant> {
    named::repairs()
}

/// The repairs of a protocol, in the order in which they are to be applied.
///
/// Those of MESI_Three_Level are also repairs of MESI_Three_Level_HTM, and those of MOESI_AMD_Base of GPU_VIPER, since
/// gem5 makes these protocols of the same machines.
///
/// ```
/// use mutate::repair;
///
/// let names: Vec<_> = repair::of("GPU_VIPER").map(|one| one.name).collect();
/// assert!(names.contains(&"amd-stalewb-undefined".into()));
/// ```
pub fn of(protocol: &str) -> impl Iterator<Item = Mutant> {
    all().filter(move |one| is_of(one, protocol))
}

/// Whether a repair applies to a protocol: to its name, or to that of the protocol on which it is built.
pub fn is_of(repair: &Mutant, protocol: &str) -> bool {
    repairs_apply(&repair.protocol, protocol)
}

/// The rows that a repair adds, which are the undefined transitions that it repairs.
pub fn added_rows(name: &str) -> Vec<TableEntry> {
    match find(name).map(|one| one.change) {
        Some(Change::Described(fault)) => added(fault),
        _ => Vec::new(),
    }
}

/// The repair of this name.
pub fn find(name: &str) -> Option<Mutant> {
    all().find(|one| one.name == name)
}

/// Names of repairs similar to this one, the most similar first.
pub fn nearest(name: &str) -> Vec<String> {
    let names: Vec<String> = all().map(|one| one.name.into_owned()).collect();
    near(name, names.iter().map(String::as_str)).into_iter().map(str::to_owned).collect()
}

/// A protocol with every repair that fits it.
#[derive(Clone, Debug)]
pub struct Repaired {
    /// The protocol with the repairs.
    pub protocol: Protocol,
    /// The repairs that were applied, in order.
    pub applied: Vec<Mutant>,
    /// The repairs of the protocol's name that do not fit these files, with the reason: often that the files have them already.
    pub left_out: Vec<(Mutant, Misfit)>,
}

/// Applies every repair that fits. One with which the protocol would have an error does not fit: repairs are written in today's
/// SLICC and for machines of some releases, and others may lack what they need.
pub fn all_that_fit(protocol: &Protocol) -> Repaired {
    all_that_fit_but(protocol, &BTreeSet::new())
}

/// As [`all_that_fit`], without the repairs of some names.
pub fn all_that_fit_but(protocol: &Protocol, without: &BTreeSet<String>) -> Repaired {
    let mut repaired =
        Repaired { protocol: protocol.clone(), applied: Vec::new(), left_out: Vec::new() };
    for repair in of(protocol.name()).filter(|one| !without.contains(&*one.name)) {
        let fits = repair.fits(&repaired.protocol.loaded);
        match fits.and_then(|()| repaired.protocol.with(&repair).map_err(misfit)) {
            Ok(protocol) => {
                repaired.protocol = protocol;
                repaired.applied.push(repair);
            }
            Err(misfit) => repaired.left_out.push((repair, misfit)),
        }
    }
    repaired
}

/// Why a repair does not fit with which the protocol has errors.
fn misfit(failure: Failure) -> Misfit {
    let is_error = |one: &&Diagnostic| one.severity == Severity::Error;
    let error = failure.diagnostics.iter().find(is_error).map(|one| one.message.clone());
    Misfit::Error(error.unwrap_or_default())
}
