//! Proves by exploration that transitions that no program took are unreachable in small systems.
//!
//! A transition that random programs did not take may be rare or impossible. Small systems are explored completely, with the requests that
//! the programs make. If no run of them takes a transition, its row of the table of coverage names their sizes. A size at which a limit
//! stops the exploration, or at which it finds a fault, proves nothing: it is left out, and the outcome of the campaign says so. A size that a
//! protocol does not have is refused before anything runs.

use std::collections::BTreeSet;

use explore::protocol::{SearchOptions, Store, Verdict, explore_by};
use explore::search::Limits;
use mutate::unreached::Asked;
use settings::Setting;
use simulate::config::asked;
use simulate::stepper::{Repertoire, Scope, Stepper, Symmetry};
use tables::Coverage;

use super::Options;
use crate::decided::Size;
use crate::error::Error;
use crate::protocols::Opened;
use crate::testing::small;

/// The number of states after which an exploration is given up.
pub const STATES: usize = 3_000_000;

/// Checks that all sizes that are to be explored can be built of all protocols.
///
/// # Errors
/// Fails if one cannot.
pub(super) fn check(opened: &[Opened], options: &Options) -> Result<(), Error> {
    for one in opened {
        for &size in &options.explored {
            let scope = scope(size, repertoire(asked(&one.protocol, options.extras)));
            Stepper::new(&one.protocol, &scope)
                .map_err(|why| small::refusal(why, &one.given, &one.protocol))?;
        }
    }
    Ok(())
}

/// Fills in the reason `unreached` of the transitions that neither a program nor any run of the completely explored sizes took. Returns a sentence
/// for each size that proves nothing.
///
/// # Errors
/// Fails if a protocol has errors.
pub(super) fn prove(
    opened: &[Opened],
    options: &Options,
    rows: &mut [Coverage],
) -> Result<Vec<String>, Error> {
    let mut unproved = Vec::new();
    for one in opened {
        let mut open: Vec<&mut Coverage> = rows
            .iter_mut()
            .filter(|row| row.protocol == one.given && row.count == 0 && row.unreached.is_none())
            .collect();
        if open.is_empty() {
            continue;
        }
        let explored = explored(one, options)?;
        unproved.extend(explored.unproved);
        let names: Vec<&str> = explored.sizes.iter().map(String::as_str).collect();
        let Some((last, others)) = names.split_last() else { continue };
        let sizes = match others {
            [] => (*last).to_owned(),
            others => format!("{} or {last}", others.join(", ")),
        };
        let reason = format!("in no run of {sizes}{}", explored.also);
        for row in &mut open {
            let name = (row.machine.clone(), row.state.clone(), row.event.clone());
            if !explored.taken.contains(&name) {
                row.unreached = Some(reason.clone());
            }
        }
    }
    Ok(unproved)
}

/// The combined result of the complete explorations of a protocol.
struct Explored {
    /// The sizes, in words.
    sizes: Vec<String>,
    /// The requests that cores and devices make besides loads and stores, in words.
    also: String,
    /// The transitions that some run takes or stalls at.
    taken: BTreeSet<(String, String, String)>,
    /// A sentence for each size that proves nothing.
    unproved: Vec<String>,
}

fn repertoire(asked: Asked) -> Repertoire {
    Repertoire {
        fetch: true,
        flush: asked.flushes,
        devices: u32::from(asked.devices),
        ..Repertoire::default()
    }
}

fn scope(size: Size, repertoire: Repertoire) -> Scope {
    Scope {
        caches: size.threads,
        lines: size.locations,
        tiny: size.tiny,
        repertoire,
        symmetries: vec![Symmetry::Cores, Symmetry::Lines],
        live_variables: true,
        ..Scope::default()
    }
}

fn explored(opened: &Opened, options: &Options) -> Result<Explored, Error> {
    let protocol = &opened.protocol;
    let asked = asked(protocol, options.extras);
    let repertoire = repertoire(asked);
    let devices = if asked.devices { ", a DMA device" } else { "" };
    let flushes = if asked.flushes { ", flushes" } else { "" };
    let mut explored = Explored {
        sizes: Vec::new(),
        also: format!(" (with fetches{devices}{flushes})"),
        taken: BTreeSet::new(),
        unproved: Vec::new(),
    };
    let jobs = rayon::current_num_threads();
    let search_options = SearchOptions { store: Store::Exact, jobs, partial_order: true };
    let limits = Limits { states: Some(STATES), ..Limits::default() };
    for &size in &options.explored {
        let scope = scope(size, repertoire);
        let one = explore_by(protocol, &scope, &search_options, &limits, &mut |_| {});
        let one = one.map_err(|why| small::refusal(why, &opened.given, protocol))?;
        let why = match one.verdict {
            Verdict::Clean => {
                explored.sizes.push(size.to_string());
                explored.taken.extend(one.taken);
                explored.taken.extend(one.stalled);
                continue;
            }
            Verdict::Found(_) => "it finds a fault",
            Verdict::Unproved { .. } => "it was not explored completely",
            Verdict::Stopped(_) => "it has more states than the limit of three million",
        };
        let given = &opened.given;
        let setting = Setting::Explore.to(size);
        explored.unproved.push(format!("{given}: {setting} proves nothing: {why}"));
    }
    Ok(explored)
}
