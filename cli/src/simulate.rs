//! `rubric simulate`: runs coherence protocols, and shows, stores or checks the results.
//!
//! - [`args`]: the arguments ([`options`]: those of programs and systems; [`parse`]: values of options; [`command`]: the command
//!   that repeats a run);
//! - [`single`]: one run, with its trace;
//! - [`runs`]: many runs, on all cores, each scored ([`score`]); [`series`]: their results;
//! - [`kinds`]: the kinds of failures, and [`attribution`]: which known faults explain them;
//! - [`verdicts`]: checks histories and verifies their certificates;
//! - [`traces`]: the files of traces;
//! - [`coverage`], [`fault`], [`table`], [`json`]: the output.

mod args;
mod attribution;
pub(crate) mod command;
pub(crate) mod coverage;
pub(crate) mod extras;
pub(crate) mod fault;
pub(crate) mod json;
mod kinds;
pub(crate) mod options;
pub(crate) mod parse;
pub(crate) mod protocols;
mod runs;
mod score;
mod series;
mod single;
mod table;
mod traces;
pub(crate) mod verdicts;

use std::io::Write;

use simulate::client::Client;

use crate::error::Error;
use crate::files;
use crate::status::Status;
pub(crate) use args::Args;
use lab::protocols::Opened;

/// A protocol with a kind of cores: a cell of the table of results.
#[derive(Clone, Copy, Debug)]
struct Cell {
    /// Index of the protocol among those that were opened.
    protocol: usize,
    client: Client,
}

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    args.check()?;
    let names = args.protocols();
    let opened: Result<Vec<Opened>, lab::Error> = names
        .iter()
        .map(|name| Opened::repaired(name, &args.repair, args.mutant.as_deref()))
        .collect();
    let opened = opened?;
    files::spare(
        [],
        [&args.output, &args.save, &args.coverage, &args.chart].into_iter().flatten(),
    )?;
    let asked = args.asked_extras();
    opened.iter().try_for_each(|opened| opened.check_extras(asked))?;
    if !args.quiet {
        opened.iter().for_each(|opened| protocols::warn_of_protocol(opened, args.settings()));
    }
    let mut cells = Vec::new();
    for protocol in 0..opened.len() {
        let clients = args.clients().into_iter();
        cells.extend(clients.map(|client| Cell { protocol, client }));
    }
    match (&opened[..], &cells[..]) {
        ([protocol], [cell]) if args.runs.is_none() => single::run(args, protocol, cell, out),
        _ => runs::run(args, &opened, &cells, out),
    }
}
