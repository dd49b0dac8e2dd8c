//! `rubric experiment fidelity`: the same programs on rubric's simulator and in binaries of gem5. [`lab::fidelity`] does the work.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lab::fidelity::{Fidelity, Options, stored};
use lab::gem5::Given;
use report::fidelity::Fidelity as Compared;

use super::Args;
use crate::error::Error;
use crate::interrupt;
use crate::progress::Bars;
use crate::report::fidelity;
use crate::simulate::parse::{self, Clients};
use crate::status::Status;

/// The options that only this experiment has.
#[derive(clap::Args)]
#[command(next_help_heading = "Options of fidelity")]
pub(crate) struct FidelityArgs {
    /// Binaries of gem5 that were built with rubric's plug-in, each with the mutant that was built in, or `none`
    #[arg(long, value_name = "NAME=PATH", num_args = 1.., value_parser = Given::from_str)]
    pub gem5: Vec<Given>,

    /// The kinds of cores [default: in-order, store-buffer, early]
    #[arg(long, value_name = "CLIENTS", value_delimiter = ',', value_parser = parse::client, requires = "gem5")]
    pub client: Vec<Clients>,

    /// Programs for each binary and kind of core
    #[arg(long, value_name = "N", default_value = "50", value_parser = parse::positive, requires = "gem5")]
    pub runs: u32,
}

/// Runs the experiment and prints what it found.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let options = options(args)?;
    if !args.quiet {
        let folder = options.output.clone();
        interrupt::farewell(move || interrupted(&folder));
    }
    let outcome = Fidelity::new(options)?.run(&Bars::new(args.quiet))?;
    interrupt::no_farewell();
    let fidelity = Compared::of(&outcome.results);
    fidelity::print(&fidelity, out).map_err(Error::Output)?;
    let tables = outcome.tables.map(|table: PathBuf| table.display().to_string());
    writeln!(out, "\nTables: {}", tables.join(", ")).map_err(Error::Output)?;
    Ok(Status::Done)
}

/// The message for an experiment that a signal ends: the number of stored programs, and how to resume.
fn interrupted(folder: &Path) -> String {
    let programs = match stored(folder) {
        1 => "1 program is".to_owned(),
        stored => format!("{stored} programs are"),
    };
    format!(
        "interrupted: {programs} stored in {}; the same command resumes the experiment",
        folder.display()
    )
}

fn options(args: &Args) -> Result<Options, Error> {
    let FidelityArgs { gem5, client, runs } = &args.fidelity;
    if gem5.is_empty() {
        let what = "fidelity compares with gem5: name binaries that were built with rubric's plug-in, such as --gem5 \
                    none=path/to/gem5.opt (docs/gem5.md)";
        return Err(Error::Usage(what.to_owned()));
    }
    let all = ["all".to_owned()];
    let protocols = if args.protocol.is_empty() { &all } else { &args.protocol[..] };
    let clients = if client.is_empty() {
        lab::campaign::Options::default().clients
    } else {
        parse::clients(client)
    };
    Ok(Options {
        protocols: parse::protocols(protocols).into_iter().map(str::to_owned).collect(),
        gem5: gem5.clone(),
        output: args.output.clone(),
        clients,
        runs: *runs,
        seed: args.seed,
        timeout: args.timeout,
        max_memory: args.max_memory.as_u64(),
    })
}
