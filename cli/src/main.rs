//! `rubric`: reads traces of shared-memory executions, and decides whether a memory model allows them.
//!
//! Each subcommand is a module with its `Args` and a function `run`, which prints to `out` and returns the exit status, or an
//! error that `main` prints. The subcommands share these modules:
//!
//! - [`options`]: the options of every command that reads a trace;
//! - [`ending`]: how the recorded run ended, on standard error and in pictures;
//! - [`interrupt`]: Ctrl-C and termination;
//! - [`json`]: documents as lines of JSON;
//! - [`limits`]: the options that limit time and memory;
//! - [`probe`]: decoding Parquet in a child process first;
//! - [`progress`]: progress bars;
//! - [`question`]: the history and the models of `explain` and `shrink`;
//! - [`status`]: exit statuses;
//! - [`synonyms`]: suggestions for unknown options;
//! - [`version`]: the version, its commit and solver;
//! - [`words`]: parsers of options whose value is one of a few words;
//! - [`error`]: errors, printed as one line on standard error.

mod campaign;
mod check;
mod convert;
mod cover;
mod diff;
mod ending;
mod error;
mod experiment;
mod explain;
mod explore;
mod files;
mod generate;
mod ingest;
mod initial;
mod interrupt;
mod jobs;
mod json;
mod kernel;
mod limits;
mod lines;
mod litmus;
mod monitor;
mod mutants;
mod number;
mod options;
mod probe;
mod progress;
mod protocol;
mod prove;
mod question;
mod report;
mod run;
mod sample;
mod schema;
mod sequence;
mod shell;
mod shrink;
mod simulate;
mod stats;
mod status;
mod synonyms;
mod test;
mod time;
mod verify;
mod version;
mod watch;
mod words;

use std::io::{self, Write};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, Parser, Subcommand};

use check::paint::{self, Choice};
use error::Error;
use status::Status;

/// Decides whether recorded executions of a shared memory are SC, TSO or PSO.
#[derive(Parser)]
#[command(name = "rubric", version = version::LONG.as_str(), after_help = AFTER_HELP)]
struct Cli {
    /// When to use colour; NO_COLOR in the environment means never unless this option is given
    #[arg(
        long,
        global = true,
        value_name = "WHEN",
        default_value = "auto",
        help_heading = "Global options"
    )]
    color: Choice,

    /// A folder outside of a protocol's own from which it may include files; may be repeated
    #[arg(long, global = true, value_name = "FOLDER", help_heading = "Global options")]
    include: Vec<PathBuf>,

    /// A file that describes functions and classes of a fork of gem5 that protocols use and rubric lacks; may be repeated
    /// (docs/slicc.md)
    #[arg(long, global = true, value_name = "FILE", help_heading = "Global options")]
    library: Vec<PathBuf>,

    #[command(subcommand)]
    command: Command,
}

const AFTER_HELP: &str = "\
A TRACE is a gem5 trace, plain or gzip, or the gem5 output folder with one; axe text; JSON Lines or
Parquet as `rubric convert` writes them; `-` is standard input.

Exit status: 0 consistent (or done), 1 violation, 2 bad usage or input, 3 undecided.";

#[derive(Subcommand)]
enum Command {
    Campaign(Box<campaign::Args>),
    Completions(shell::Completions),
    Check(check::Args),
    Verify(verify::Args),
    Ingest(ingest::Args),
    Convert(convert::Args),
    Cover(cover::Args),
    Diff(diff::Args),
    Experiment(Box<experiment::Args>),
    Explain(explain::Args),
    Explore(Box<explore::Args>),
    Generate(generate::Args),
    Kernel(kernel::Args),
    Litmus(litmus::Args),
    Man(shell::ManPages),
    Monitor(monitor::Args),
    Mutants(mutants::Args),
    Protocol(protocol::Args),
    Prove(prove::Args),
    Report(report::Args),
    Run(Box<run::Args>),
    Schema(schema::Args),
    Shrink(shrink::Args),
    Simulate(Box<simulate::Args>),
    Stats(stats::Args),
    Test(test::Args),
    Watch(watch::Args),
}

impl Command {
    /// Whether the command computes one verdict and prints it last. The exit status is then that of the verdict even if the
    /// reader of the output has closed the pipe.
    fn is_about_one_verdict(&self) -> bool {
        matches!(
            self,
            Command::Explain(_)
                | Command::Explore(_)
                | Command::Kernel(_)
                | Command::Monitor(_)
                | Command::Prove(_)
                | Command::Shrink(_)
                | Command::Verify(_)
                | Command::Watch(_)
        )
    }

    fn run(&self, out: &mut dyn Write) -> Result<Status, Error> {
        match self {
            Command::Campaign(args) => campaign::run(args, out),
            Command::Completions(args) => shell::completions::<Cli>(args, out),
            Command::Check(args) => check::run(args, out),
            Command::Verify(args) => verify::run(args, out),
            Command::Ingest(args) => ingest::run(args, out),
            Command::Convert(args) => convert::run(args, out),
            Command::Cover(args) => cover::run(args, out),
            Command::Diff(args) => diff::run(args, out),
            Command::Experiment(args) => experiment::run(args, out),
            Command::Explain(args) => explain::run(args, out),
            Command::Explore(args) => explore::run(args, out),
            Command::Generate(args) => generate::run(args, out),
            Command::Kernel(args) => kernel::run(args, out),
            Command::Litmus(args) => litmus::run(args, out),
            Command::Man(args) => shell::man_pages::<Cli>(args, out),
            Command::Monitor(args) => monitor::run(args, out),
            Command::Mutants(args) => mutants::run(args, out),
            Command::Protocol(args) => protocol::run(args, out),
            Command::Prove(args) => prove::run(args, out),
            Command::Report(args) => report::run(args, out),
            Command::Run(args) => run::run(args, out),
            Command::Schema(args) => schema::run(args, out),
            Command::Shrink(args) => shrink::run(args, out),
            Command::Simulate(args) => simulate::run(args, out),
            Command::Stats(args) => stats::run(args, out),
            Command::Test(args) => test::run(args, out),
            Command::Watch(args) => watch::run(args, out),
        }
    }
}

/// Output that ignores a closed pipe, so that the command goes on to its exit status.
struct Unread<'a>(&'a mut dyn Write);

/// Counts a write to a closed pipe as done: returns `all` instead of the error.
fn unread<T>(written: io::Result<T>, all: T) -> io::Result<T> {
    match written {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(all),
        written => written,
    }
}

impl Write for Unread<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        unread(self.0.write(bytes), bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        unread(self.0.flush(), ())
    }
}

fn main() -> ExitCode {
    settings::spell(settings::as_option);
    lab::machine::set_commit(version::COMMIT);
    if let Some(ended) = probe::asked() {
        return ended;
    }
    probe::install();
    let cli = match Cli::try_parse() {
        Ok(cli) => cli,
        Err(error) => {
            let arguments: Vec<String> = std::env::args_os()
                .skip(1)
                .map(|argument| argument.to_string_lossy().into_owned())
                .collect();
            let mut command = Cli::command();
            command.build();
            return usage(&synonyms::corrected(error, &command, &arguments));
        }
    };
    host::inputs::protect();
    if let Some(missing) = cli.include.iter().find(|folder| !folder.is_dir()) {
        let kind =
            if missing.exists() { io::ErrorKind::NotADirectory } else { io::ErrorKind::NotFound };
        error::print(&Error::File { file: missing.display().to_string(), error: kind.into() });
        return Status::Bad.into();
    }
    slicc::disk::allow(&cli.include);
    if let Err((path, error)) = slicc::disk::describe(&cli.library) {
        error::print(&Error::File { file: path.display().to_string(), error });
        return Status::Bad.into();
    }
    paint::choose(cli.color);
    interrupt::listen();
    let mut out = io::BufWriter::new(io::stdout().lock());
    let status = if cli.command.is_about_one_verdict() {
        cli.command.run(&mut Unread(&mut out))
    } else {
        cli.command.run(&mut out)
    };
    let flushed = out.flush().map_err(Error::Output);
    // A reader that closed the output has seen enough.
    let is_real = |error: &Error| !error.is_broken_pipe();
    match (status, flushed.err().filter(is_real)) {
        (Ok(status), None) => status.into(),
        (Err(error), None) if error.is_broken_pipe() => Status::Done.into(),
        (Err(error), _) | (Ok(_), Some(error)) => {
            error::print(&error);
            Status::Bad.into()
        }
    }
}

/// Prints a message of clap. Help and version go to standard output, errors to standard error with the prefix `rubric: ` that all
/// errors have.
fn usage(error: &clap::Error) -> ExitCode {
    if error.use_stderr() {
        // If standard error is closed, the exit status still reports the failure.
        let _ = write!(io::stderr(), "rubric: ");
        let _ = error.print();
        return Status::Bad.into();
    }
    match error.print().and_then(|()| io::stdout().flush()).map_err(Error::Output) {
        Err(error) if !error.is_broken_pipe() => {
            error::print(&error);
            Status::Bad.into()
        }
        _ => Status::Done.into(),
    }
}
