//! `rubric experiment fidelity`: the same programs on rubric's simulator and in binaries of gem5. [`lab::fidelity`] does the work.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::str::FromStr;

use lab::fidelity::{Fidelity, Options, stored};
use lab::gem5::Given;
use report::fidelity::{self as compared, Findings, SharePair, SubjectPair};
use report::numbers::{halves, percent};

use super::Args;
use crate::error::Error;
use crate::interrupt;
use crate::progress::Bars;
use crate::report::table::Table;
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
    let fidelity = compared::Fidelity::of(&outcome.results);
    print(&fidelity, out).map_err(Error::Output)?;
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

/// Prints a table of the mutants, and how many transitions agree.
pub(crate) fn print(fidelity: &compared::Fidelity, out: &mut dyn Write) -> io::Result<()> {
    let heads = [
        "",
        "found here",
        "finder",
        "operations",
        "found in gem5",
        "finder",
        "operations",
        "by chance",
        "ticks",
    ];
    for protocol in fidelity.protocols() {
        writeln!(out, "{protocol}")?;
        let mut table = Table::new(&heads);
        let own = fidelity.subjects.iter().filter(|subject| subject.protocol == protocol);
        own.for_each(|subject| table.push(row(subject)));
        table.print(out)?;
        transitions(&fidelity.of_protocol(protocol).collect::<Vec<_>>(), out)?;
    }
    let ((same, all), [here, there, _]) =
        (fidelity.agreeing_unmutated(), fidelity.found_unmutated());
    if here + there > 0 {
        writeln!(out, "The same finder: {same} of {all} unmutated protocols")?;
    }
    match fidelity.agreeing() {
        (_, 0) => Ok(()),
        (same, all) => {
            let share = percent(same as f64 / all as f64);
            writeln!(out, "The same finder: {same} of {all} mutants ({share})")?;
            writeln!(
                out,
                "Found as often, unless chance makes such a difference in less than {} of comparisons: {} of {all} mutants",
                percent(compared::SIGNIFICANCE),
                fidelity.found_as_often()
            )
        }
    }
}

fn row(subject: &SubjectPair) -> Vec<String> {
    let SubjectPair { simulator, gem5, agrees, .. } = subject;
    let mark = if *agrees { "" } else { " *" };
    let mut row = vec![format!("{}{mark}", subject.name())];
    row.extend([simulator, gem5].into_iter().flat_map(cells));
    row.push(format!("{:.3}", subject.by_chance));
    row.push(match simulator.ticks {
        0 => "-".to_owned(),
        ticks => format!("{:.2}", gem5.ticks as f64 / ticks as f64),
    });
    row
}

fn cells(found: &Findings) -> [String; 3] {
    [
        format!("{}/{}", found.found, found.runs),
        found.finder.clone().unwrap_or_else(|| "-".to_owned()),
        found.operations.map_or_else(|| "-".to_owned(), halves),
    ]
}

/// Prints how many transitions of an unmutated protocol agree.
fn transitions(pairs: &[&SharePair], out: &mut dyn Write) -> io::Result<()> {
    if pairs.is_empty() {
        return Ok(());
    }
    let alone = |at: usize| pairs.iter().filter(|pair| pair.counts[1 - at] == 0).count();
    let compared = pairs.iter().filter(|pair| pair.is_compared());
    let far = compared.clone().filter(|pair| pair.difference() > compared::TOLERANCE);
    writeln!(
        out,
        "  transitions of the unmutated protocol: {} taken, {} only here, {} only in gem5; of {} taken at least {} times, {} differ \
         in their share by more than {}",
        pairs.len(),
        alone(0),
        alone(1),
        compared.clone().count(),
        compared::COMPARED,
        far.count(),
        percent(compared::TOLERANCE)
    )
}
