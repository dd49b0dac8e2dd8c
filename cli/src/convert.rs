//! `rubric convert`: converts histories between formats.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use history::{History, Isa};
use ingest::{FORMATS, TraceFormat, WriteError, litmus};

use crate::ending;
use crate::error::Error;
use crate::files::{self, ending};
use crate::litmus::histories;
use crate::options::TraceOptions;
use crate::status::Status;
use crate::words;
use lab::load::{self, Input};

/// Convert histories between gem5 traces, axe text, JSON Lines and Parquet
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric convert trace.gz -o run.axe
  rubric convert tests.axe -o tests.parquet
  rubric convert run.parquet -o - --to json | head -1
  rubric convert MP.litmus --outcome '1:x5=1 /\\ 1:x8=0' -o mp.json
  rubric convert mp.json -o mp-arm.litmus --arch arm
  rubric convert trace.gz -o run.json --source client --initial infer

JSON and Parquet keep everything that is known of a history. The axe format has no sizes, initial
values, load-linked, weak fences, acquires and releases or trace lines; what would change a verdict
is refused. A gem5 trace has one history, of cells such as axe text has, with the ticks of every operation, and
cell C becomes the 8 bytes at 0x1000 + 64 * C.

Of a litmus test --outcome gives the histories that end in this way, whether a model allows them or not:
every operation with its values and dependencies. Usually that is one.

The Axe checker reads numbers of up to nine digits and values below 2^23, and every location begins with
0. A history with other numbers, as gem5's addresses are, gets its threads, locations and values
numbered, the initial value 0 and those written 1, 2, …; comments say which number stands for what. Such
text has no ticks. Verdicts are the same.")]
pub struct Args {
    /// The input: a trace or a file of histories, or `-`
    input: PathBuf,

    /// The output, as versions before this one took it
    #[arg(hide = true, conflicts_with = "output")]
    second: Option<PathBuf>,

    /// The output: a name ending in .trace, .axe, .json, .jsonl, .parquet or .litmus, or `-`
    #[arg(long, short, value_name = "FILE", required_unless_present = "second")]
    output: Option<PathBuf>,

    /// The end of a litmus test's run: a proposition on registers and locations
    #[arg(long, value_name = "PROPOSITION")]
    outcome: Option<String>,

    /// Instruction set of the litmus test that is written [default: that of the trace, or the first of x86, AArch64 and RISC-V that can express it]
    #[arg(long, value_name = "ISA", value_parser = words::one_of(&Isa::ALL, Isa::name))]
    arch: Option<Isa>,

    /// The format to write, whatever the name says
    #[arg(long, value_name = "FORMAT", value_parser = words::one_of(&WRITABLE, Format::name))]
    to: Option<Format>,

    #[command(flatten)]
    options: TraceOptions,
}

/// A format that can be written.
#[derive(Clone, Copy, Debug)]
pub enum Format {
    /// One of the text formats.
    Text(&'static dyn TraceFormat),
    /// Parquet.
    Parquet,
    /// A litmus test.
    Litmus,
}

/// Every format that can be written.
pub static WRITABLE: LazyLock<Vec<Format>> = LazyLock::new(|| {
    let texts = FORMATS.iter().filter(|format| !format.info().extensions.is_empty());
    texts.map(|&format| Format::Text(format)).chain([Format::Parquet, Format::Litmus]).collect()
});

impl Format {
    /// The name in options.
    pub fn name(self) -> &'static str {
        match self {
            Format::Text(format) => format.name(),
            Format::Parquet => "parquet",
            Format::Litmus => "litmus",
        }
    }

    fn extensions(self) -> &'static [&'static str] {
        match self {
            Format::Text(format) => format.info().extensions,
            Format::Parquet => &["parquet"],
            Format::Litmus => &["litmus"],
        }
    }
}

/// Runs the command.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    // clap asks for one of them.
    let output = args.output.as_ref().or(args.second.as_ref());
    let output = output.map_or(Path::new("-"), PathBuf::as_path);
    let format = format(output, args.to)?;
    let options = args.options.for_reading()?;
    let mut input = match &args.outcome {
        Some(outcome) => histories::of(&args.input, outcome)?,
        None if ending(&args.input).as_deref() == Some("litmus") => {
            return Err(Error::Usage(format!(
                "{}: a litmus test has many histories: say with --outcome how the one you want ends",
                args.input.display()
            )));
        }
        None => load::open(&args.input, &options)?,
    };
    if let Some(isa) = args.arch {
        if !matches!(format, Format::Litmus) {
            let format = format.name();
            return Err(Error::Usage(format!("--arch is for litmus tests, not for {format}")));
        }
        input.histories.iter_mut().for_each(|history| history.provenance.isa = Some(isa));
    }
    write_to(&input, output, format, out)?;
    ending::warn(&input, args.options.quiet);
    Ok(Status::Done)
}

/// Writes the histories of an input to a file, or to `out` for `-`.
pub fn write_to(
    input: &Input,
    path: &Path,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Error> {
    match format {
        Format::Parquet => Ok(tables::write_histories(path, &input.histories)?),
        Format::Litmus if path == Path::new("-") => write_test(&input.file, &input.histories, out),
        Format::Litmus => files::create(path, |out| write_test(&input.file, &input.histories, out)),
        Format::Text(format) if path == Path::new("-") => {
            // The first pass finds what cannot be expressed, so that nothing is printed then.
            write(input, format, &mut io::sink())?;
            write(input, format, out)
        }
        Format::Text(format) => files::create(path, |out| write(input, format, out)),
    }
}

/// The format to write: the one that is asked for, or that the name of the output says.
pub fn format(output: &Path, to: Option<Format>) -> Result<Format, Error> {
    let standard_output = output == Path::new("-");
    match to.or_else(|| by_name(output)) {
        Some(Format::Parquet) if standard_output => Err(Error::Usage(
            "Parquet needs a file: give an output that ends in .parquet".to_owned(),
        )),
        Some(format) => Ok(format),
        None if standard_output => Err(Error::Usage(
            "standard output has no name that says its format: add --to axe or --to json"
                .to_owned(),
        )),
        None => Err(Error::Usage(format!(
            "{}: a name that ends in {} was expected",
            output.display(),
            extensions()
        ))),
    }
}

/// The format that a file's name says.
pub fn by_name(path: &Path) -> Option<Format> {
    let extension = path.extension()?.to_str()?;
    let mut formats = WRITABLE.iter().copied();
    formats.find(|format| format.extensions().contains(&extension))
}

/// The endings of file names that say a format: `.axe, .json or .parquet`.
pub fn extensions() -> String {
    let all = WRITABLE.iter().flat_map(|format| format.extensions());
    let all: Vec<String> = all.map(|extension| format!(".{extension}")).collect();
    ingest::any_of(&all)
}

/// The instruction set of a test that is made from a history: the one asked for, else that of its trace, else the first that can
/// express it.
pub fn architecture(history: &History, asked: Option<Isa>) -> Isa {
    let can_express =
        |isa: &Isa| litmus::write(history, "", "", *isa, &mut std::io::sink()).is_ok();
    let first = || [Isa::X86, Isa::Arm, Isa::Riscv].into_iter().find(can_express);
    asked.or(history.provenance.isa).or_else(first).unwrap_or(Isa::X86)
}

/// Writes the only one of some histories as a litmus test; `file` names them in messages and in the test.
pub fn write_test(file: &str, histories: &[History], out: &mut dyn Write) -> Result<(), Error> {
    let [history] = histories else {
        let count = histories.len();
        return Err(Error::Usage(format!(
            "{file}: a litmus test is one history, and there are {count}: write JSON or Parquet"
        )));
    };
    let title = history.name.as_deref().unwrap_or("history");
    let about = format!("{file}: the outcome of this history");
    let written = litmus::write(history, title, &about, architecture(history, None), out);
    written.map_err(|error| match error {
        WriteError::Io(error) => Error::Output(error),
        error => Error::Usage(format!("{file}: {error}")),
    })
}

fn write(input: &Input, format: &dyn TraceFormat, out: &mut dyn Write) -> Result<(), Error> {
    let count = input.histories.len();
    for (number, history) in input.histories.iter().enumerate() {
        let written = format.write(history, count, out);
        written.map_err(|error| write_error(error, input, number, history))?;
    }
    Ok(())
}

fn write_error(error: WriteError, input: &Input, number: usize, history: &History) -> Error {
    match error {
        WriteError::Io(error) => Error::Output(error),
        error => {
            let which = match &history.name {
                Some(name) => format!(" history `{name}`:"),
                None if input.histories.len() > 1 => format!(" history {number}:"),
                None => String::new(),
            };
            Error::Usage(format!("{}:{which} {error}", input.file))
        }
    }
}
