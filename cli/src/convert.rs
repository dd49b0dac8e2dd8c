//! `rubric convert`: converts histories between formats.

use std::io::{self, Write};
use std::path::{Path, PathBuf};

use history::Isa;

use crate::ending;
use crate::error::Error;
use crate::files::{self, ending};
use crate::ingest::read_all;
use crate::litmus::histories;
use crate::options::TraceOptions;
use crate::status::Status;
use crate::words;
use lab::load::Input;
use lab::save::{self, Format, WRITABLE};

/// Convert histories between gem5 traces, axe text, JSON Lines and Parquet
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric convert trace.gz -o run.axe
  rubric convert tests.axe -o tests.parquet
  rubric convert run.parquet -o - --to json | head -1
  rubric convert runs -o runs.jsonl
  rubric convert MP.litmus --outcome '1:x5=1 /\\ 1:x8=0' -o mp.json
  rubric convert mp.json -o mp-arm.litmus --arch arm
  rubric convert trace.gz -o run.json --source client --initial infer

JSON and Parquet keep everything that is known of a history. The axe format has no sizes, initial
values or trace lines, and states load-linked, weak fences, acquires, releases and dependencies in comments; what
would change a verdict under any model is refused. A gem5 trace has one history, of cells such as axe text has, and
cell C becomes the 8 bytes at 0x1000 + 64 * C; a note says if it does not show all ticks, which wmo and rmo use.

Of a litmus test --outcome gives the histories that end in this way, whether a model allows them or not:
every operation with its values and dependencies. Usually that is one.

The Axe checker reads numbers of up to nine digits and values below 2^23, and every location begins with
0. A history with other numbers, as gem5's addresses are, gets its threads, locations and values
numbered, the initial value 0 and those written 1, 2, …; comments say which number stands for what. Ticks
stay. Verdicts are the same.")]
pub(crate) struct Args {
    /// Traces, files of histories, folders of any of these, patterns, or `-`. Several become one file of histories
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// The output: a name ending in .trace, .axe, .json, .jsonl, .parquet or .litmus, or `-`
    #[arg(long, short, value_name = "FILE")]
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

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let (inputs, output) = match (&args.output, &args.inputs[..]) {
        (Some(output), inputs) => (inputs, output),
        // Older versions took the output as the second argument.
        (None, [input, output]) => (std::slice::from_ref(input), output),
        (None, _) => return Err(Error::Usage("name the output: -o FILE".to_owned())),
    };
    let format = format(output, args.to)?;
    files::spare(inputs, [output])?;
    let (Some(mut input), status) = read(args, inputs, out)? else {
        return Ok(Status::Bad);
    };
    if let Some(isa) = args.arch {
        if !matches!(format, Format::Litmus) {
            let format = format.name();
            return Err(Error::Usage(format!("--arch is for litmus tests, not for {format}")));
        }
        input.histories.iter_mut().for_each(|history| history.provenance.isa = Some(isa));
    }
    write_to(&input, output, format, out)?;
    if let (Format::Text(text), false) = (format, args.options.quiet)
        && let Some(loss) = input.histories.iter().find_map(|history| text.loss(history))
    {
        crate::error::tell(format_args!("{}: note: {loss}", output.display()));
    }
    Ok(status)
}

/// Reads the inputs, and merges several into one; `None` if none of them can be read, which has been reported.
fn read(
    args: &Args,
    inputs: &[PathBuf],
    out: &mut dyn Write,
) -> Result<(Option<Input>, Status), Error> {
    let options = args.options.for_reading()?;
    let is_test = |input: &&PathBuf| ending(input).as_deref() == Some("litmus");
    if let Some(outcome) = &args.outcome {
        return match inputs {
            [input] => Ok((Some(histories::of(input, outcome)?), Status::Done)),
            _ => Err(Error::Usage("--outcome is about one litmus test".to_owned())),
        };
    }
    if let Some(test) = inputs.iter().find(is_test) {
        return Err(Error::Usage(format!(
            "{}: a litmus test has many histories: say with --outcome how the one you want ends",
            test.display()
        )));
    }
    let (read, status) = read_all(inputs, &options, out)?;
    for one in &read {
        ending::warn(one, args.options.quiet);
    }
    let mut read = read.into_iter();
    let mut all = read.next();
    for one in read {
        all.iter_mut().for_each(|all| all.histories.extend_from_slice(&one.histories));
    }
    Ok((all, status))
}

/// Writes the histories of an input to a file, or to `out` if the path is `-`.
///
/// # Errors
/// Returns an error if the format cannot express a history, or if the output cannot be written.
pub(crate) fn write_to(
    input: &Input,
    path: &Path,
    format: Format,
    out: &mut dyn Write,
) -> Result<(), Error> {
    if path != Path::new("-") {
        return Ok(save::file(path, format, &input.file, &input.histories)?);
    }
    // The first pass fails if the format cannot express a history, before anything is printed.
    save::text(format, &input.file, &input.histories, &mut io::sink())?;
    Ok(save::text(format, &input.file, &input.histories, out)?)
}

/// The format to write: the one that the user asks for, or else that of the output's extension.
///
/// # Errors
/// Returns an error if neither says a format, or if Parquet should go to standard output.
pub(crate) fn format(output: &Path, to: Option<Format>) -> Result<Format, Error> {
    let standard_output = output == Path::new("-");
    match to.or_else(|| save::by_name(output)) {
        Some(Format::Parquet) if standard_output => Err(Error::Usage(
            "Parquet needs a file: give an output that ends in .parquet".to_owned(),
        )),
        Some(format) => Ok(format),
        None if standard_output => Err(Error::Usage(
            "standard output has no name that says its format: add --to axe or --to json"
                .to_owned(),
        )),
        None => save::format(output).map_err(Error::Usage),
    }
}
