//! Repairs: edits that take known faults out of protocols as gem5 releases them.
//!
//! A repair is a [`Mutant`] in the other direction. It is described by machine, states, events and calls as a named fault is, so it
//! applies to gem5's own files and to edited copies of them, and says where it does not fit. A protocol can have several at once, and
//! a mutant on top: [`Loaded::repairs`](crate::load::Loaded::repairs) lists them.

use super::{Misfit, Mutant, named};
use crate::load::Failure;
use crate::near::near;
use crate::protocol::Protocol;

/// All repairs, protocol by protocol.
pub fn all() -> impl Iterator<Item = Mutant> {
    named::repairs()
}

/// The repairs of a protocol, in the order in which they are to be applied.
pub fn of(protocol: &str) -> impl Iterator<Item = Mutant> {
    all().filter(move |one| one.protocol == protocol)
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

/// Applies every repair that fits. Repairs are in today's language: one with which a protocol in an
/// older dialect has errors does not fit it.
///
/// # Errors
/// A repair fits a protocol in today's language, but the protocol has errors with it.
pub fn all_that_fit(protocol: &Protocol) -> Result<Repaired, Failure> {
    let mut repaired =
        Repaired { protocol: protocol.clone(), applied: Vec::new(), left_out: Vec::new() };
    for repair in of(protocol.name()) {
        match repair.fits(&repaired.protocol.loaded) {
            Ok(()) => match repaired.protocol.with(&repair) {
                Ok(protocol) => {
                    repaired.protocol = protocol;
                    repaired.applied.push(repair);
                }
                Err(_) if protocol.loaded.is_older => {
                    repaired.left_out.push((repair, Misfit::Dialect));
                }
                Err(failure) => return Err(failure),
            },
            Err(misfit) => repaired.left_out.push((repair, misfit)),
        }
    }
    Ok(repaired)
}
