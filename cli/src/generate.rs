//! `rubric generate`: random histories from the operational machines.

mod c;
mod program;

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use check::Model;
use check::generate::families::{self, Family, HardRecipe};
use check::generate::{self, Mix, Recipe, RecipeError, WeakMix};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use flate2::Compression;
use flate2::write::GzEncoder;
use history::History;
use ingest::{TraceFormat, WriteError, axe, gem5, json};
use memory::PsoRmw;

use crate::error::Error;
use crate::files;
use crate::number;
use crate::simulate::parse::percent;
use crate::status::Status;
use crate::words;
use lab::save::{self, Format, WRITABLE};
use lab::text::END_OF_NAME;

/// Generate random histories by running random programs as a model allows, or histories that are
/// hard by construction
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric generate --model tso --seed 7 | rubric check --model sc,tso -
  rubric generate --threads 64 --operations 1M --locations 256 -o big.axe
  rubric generate --histories 200 --violations 1 --distance 50 -o mixed.parquet
  rubric generate --model pso --buffer 16 --skew 1 -o big.trace.gz
  rubric generate --model rvwmo --window 16 --dependencies 40 | rubric check --model rvwmo -
  rubric generate --family pairs-violation --size 4 | rubric check --algorithm complete -
  rubric generate program MESI_Two_Level --seed 7 -o program.txt
  rubric generate c --isa riscv --seed 7 -o program.c

A run is consistent under its model, and may violate a stronger one. A program for a weak model (ztso,
rvwmo, armv8, wmo, rmo) has dependencies, acquire and release annotations, load-linked with
store-conditional, and weak fences of the instruction set; its operations are performed out of order. Under wmo
and rmo an operation that depends on a read is issued at a later tick than the read returns at. With --violations
some reads are re-pointed to other writes, and the history may violate the model or not, since another
order may explain the values; `rubric check` decides.

The same options give the same bytes on every machine; they are the name of each history. The values
of a location are written in random order, and locations are named at random. Axe text has no ticks,
and its threads come one after the other: nothing in it hints at the order of the run. Parquet,
JSON and gem5 traces have the ticks of the run. A gem5 trace shows requests and no controllers, and the lines
of clients where fences or store buffers hide program order from Ruby; it cannot show a history of a weak model.")]
#[command(args_conflicts_with_subcommands = true)]
pub(crate) struct Args {
    #[command(subcommand)]
    other: Option<Other>,

    /// Generate a hard history of this family instead: a figure of Zennou et al. 2020 or of Manovit & Hangal
    /// 2006, in the size and number of copies given. Where --model does not keep a thread's order,
    /// fences do: the verdict is the same under it and under stronger models
    #[arg(long, value_name = "NAME", value_parser = family_parser(), conflicts_with_all = RANDOM)]
    family: Option<Family>,

    /// The size of a history of --family
    #[arg(long, value_name = "K", default_value = "2", value_parser = number::count,
          requires = "family")]
    size: u32,

    /// Copies of --family in one history, each on its own threads and locations. Of a violation, one
    /// copy violates the model and the others are consistent
    #[arg(long, value_name = "N", default_value = "1", value_parser = number::count,
          requires = "family")]
    copies: u32,

    /// The model that the run keeps
    #[arg(long, default_value = "sc", value_parser = words::model())]
    model: Model,

    /// What a read-modify-write waits for under PSO: its thread's stores to its own location, or
    /// all of its thread's stores
    #[arg(long, value_name = "own|all", default_value = "own", value_parser = words::rmw())]
    pso_rmw: PsoRmw,

    /// Number of threads. Counts may end in K (thousands) or M (millions)
    #[arg(long, value_name = "N", default_value = "4", value_parser = number::count)]
    threads: u32,

    /// Number of operations of all threads together
    #[arg(long, value_name = "N", default_value = "1000", value_parser = number::count)]
    operations: u32,

    /// Number of locations
    #[arg(long, value_name = "N", default_value = "16", value_parser = number::count)]
    locations: u32,

    /// How often loads, stores, read-modify-writes and fences occur, in proportion
    #[arg(long, value_name = "LOADS,STORES,RMWS,FENCES", default_value = "50,40,8,2",
          value_parser = parse_mix)]
    mix: Mix,

    /// How unequally locations are shared: the k-th most popular one is used in proportion to
    /// 1/k^S; 0 is uniform
    #[arg(long, value_name = "S", default_value_t = 0.0)]
    skew: f64,

    /// How many stores the buffer of a thread holds, under TSO and PSO
    #[arg(long, value_name = "N", default_value = "8", value_parser = number::count)]
    buffer: u32,

    /// Under a weak model: each operation is performed among the first N of its thread that were not
    /// performed before [default: 8]
    #[arg(long, value_name = "N", value_parser = number::count)]
    window: Option<u32>,

    /// Under a weak model: of 100 read-modify-writes, how many are load-linked with store-conditional
    /// [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = percent())]
    linked: Option<u32>,

    /// Under a weak model: of 100 operations, how many depend on an earlier read [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = percent())]
    dependencies: Option<u32>,

    /// Under a weak model: of 100 operations that can have an acquire or release annotation, how many have
    /// one [default: 20]
    #[arg(long, value_name = "PERCENT", value_parser = percent())]
    annotations: Option<u32>,

    /// Under a weak model: of 100 fences, how many are not full ones [default: 70]
    #[arg(long, value_name = "PERCENT", value_parser = percent())]
    weak_fences: Option<u32>,

    /// Seed of the pseudo-random numbers
    #[arg(long, value_name = "N", default_value_t = 1)]
    seed: u64,

    /// Re-point N reads, so that they return the value of another write. Not every such history
    /// violates the model
    #[arg(long, value_name = "N", default_value = "0", value_parser = number::count)]
    violations: u32,

    /// Largest distance of the other write from a re-pointed read, in operations of the memory order
    #[arg(long, value_name = "N", default_value = "100", value_parser = number::count)]
    distance: u32,

    /// Generate N histories, with the seed, the seed + 1 and so on, in one file
    #[arg(long, value_name = "N", default_value = "1", value_parser = number::count)]
    histories: u32,

    /// Format to write [default: as the name of the output says; for standard output axe, and json under a
    /// weak model]
    #[arg(long, alias = "format", value_name = "FORMAT", value_parser = words::one_of(&WRITABLE, Format::name))]
    to: Option<Format>,

    /// The output: a name ending in .axe, .json, .jsonl, .parquet, .trace or .litmus, or `-`; with .gz after it, text is compressed
    #[arg(long, short, value_name = "FILE", default_value = "-", hide_default_value = true)]
    output: PathBuf,
}

/// What is generated instead of histories.
#[derive(clap::Subcommand)]
enum Other {
    #[command(long_flag = "program")]
    Program(Box<program::Args>),
    #[command(long_flag = "c")]
    C(Box<c::Args>),
}

/// The options that do not apply to a history of a hard family.
const RANDOM: [&str; 13] = [
    "pso_rmw",
    "threads",
    "operations",
    "locations",
    "mix",
    "skew",
    "buffer",
    "window",
    "linked",
    "dependencies",
    "annotations",
    "weak_fences",
    "violations",
];

/// The format of standard output unless another is asked for or the model is weak.
const AXE: &dyn TraceFormat = &axe::Axe;

/// The format of standard output for a weak model, whose dependencies and annotations it has keys for.
const JSON: &dyn TraceFormat = &json::Json;

/// The format that needs ticks, and holds one history.
const GEM5: &dyn TraceFormat = &gem5::Gem5;

/// Runs the command.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    match &args.other {
        Some(Other::Program(args)) => return program::run(args, out),
        Some(Other::C(args)) => return c::run(args, out),
        None => {}
    }
    args.check()?;
    match args.format()? {
        Format::Parquet => {
            let histories: Result<Vec<History>, Error> = args.histories().collect();
            tables::write_histories(&args.output, &histories?)?;
        }
        Format::Litmus => {
            let histories: Vec<History> = args.histories().collect::<Result<_, Error>>()?;
            if args.output == Path::new("-") {
                save::text(Format::Litmus, "generated", &histories, out)?;
            } else {
                save::file(&args.output, Format::Litmus, "generated", &histories)?;
            }
        }
        Format::Text(format) if args.output == Path::new("-") => write(args, format, out)?,
        Format::Text(format) if is_compressed(&args.output) => {
            files::create(&args.output, |out| write_compressed(args, format, out))?;
        }
        Format::Text(format) => files::create(&args.output, |out| write(args, format, out))?,
    }
    Ok(Status::Done)
}

fn write_compressed(
    args: &Args,
    format: &'static dyn TraceFormat,
    out: &mut dyn Write,
) -> Result<(), Error> {
    // Traces repeat themselves so much that a fast level makes them small.
    let mut encoder = BufWriter::new(GzEncoder::new(out, Compression::new(2)));
    write(args, format, &mut encoder)?;
    let encoder = encoder.into_inner().map_err(|error| error.into_error());
    let finished = encoder.and_then(GzEncoder::finish);
    finished.map(|_| ()).map_err(Error::Output)
}

fn write(args: &Args, format: &'static dyn TraceFormat, out: &mut dyn Write) -> Result<(), Error> {
    for history in args.histories() {
        let history = history?;
        let written = if *format == *AXE {
            // `axe::write` keeps the history's own numbers; the format's `write` may renumber them.
            axe::write(&args.without_hints(history)?, out)
        } else {
            format.write(&history, args.histories as usize, out)
        };
        written.map_err(write_error)?;
    }
    Ok(())
}

fn write_error(error: WriteError) -> Error {
    match error {
        WriteError::Io(error) => Error::Output(error),
        error => Error::Usage(error.to_string()),
    }
}

impl Args {
    /// Refuses options that have no meaning for the model.
    fn check(&self) -> Result<(), Error> {
        let options = [
            ("--window", self.window),
            ("--linked", self.linked),
            ("--dependencies", self.dependencies),
            ("--annotations", self.annotations),
            ("--weak-fences", self.weak_fences),
        ];
        match options.iter().find(|(_, value)| value.is_some()) {
            Some((option, _)) if !self.model().is_weak() => Err(Error::Usage(format!(
                "{option}: only programs for a weak model have that, such as those of --model rvwmo"
            ))),
            _ => Ok(()),
        }
    }

    /// The history as axe text shows it: with ticks only if the model's definition uses them.
    fn without_hints(&self, history: History) -> Result<History, Error> {
        if self.model().uses_ticks() {
            return Ok(history);
        }
        generate::without_order(&history).map_err(|error| Error::Usage(error.to_string()))
    }

    /// The format to write.
    fn format(&self) -> Result<Format, Error> {
        let standard_output = self.output == Path::new("-");
        match self.to.or_else(|| by_name(&self.output)) {
            Some(Format::Parquet) if standard_output => Err(Error::Usage(
                "Parquet needs a file: give -o a name that ends in .parquet".to_owned(),
            )),
            Some(Format::Text(format)) if *format == *GEM5 && self.family.is_some() => Err(Error::Usage(
                "--family: no machine ran it, so there are no ticks for a gem5 trace; write another format"
                    .to_owned(),
            )),
            Some(Format::Text(format)) if *format == *GEM5 && self.model().is_weak() => Err(Error::Usage(format!(
                "--model {}: a gem5 trace cannot show dependencies, annotations and weak fences; write another format",
                self.model().name()
            ))),
            Some(Format::Text(format)) if *format == *GEM5 && self.histories != 1 => Err(Error::Usage(format!(
                "--histories {}: a gem5 trace holds one history; write another format, or a trace for \
                 each --seed",
                self.histories
            ))),
            Some(format) => Ok(format),
            None if standard_output && self.model().is_weak() => Ok(Format::Text(JSON)),
            None if standard_output => Ok(Format::Text(AXE)),
            None => Err(Error::Usage(format!(
                "-o {}: a name that ends in {} was expected, with .gz after it for compressed text; or add --to",
                self.output.display(),
                save::extensions()
            ))),
        }
    }

    /// Generates the histories, one after the other.
    fn histories(&self) -> impl Iterator<Item = Result<History, Error>> + '_ {
        (0..u64::from(self.histories)).map(|number| {
            let seed = self.seed.wrapping_add(number);
            let made = match self.family {
                Some(family) => self.hard(family, seed),
                None => self.random(seed),
            };
            made.map_err(|error| Error::Recipe { seed, error })
        })
    }

    fn random(&self, seed: u64) -> Result<History, RecipeError> {
        let recipe = Recipe {
            model: self.model(),
            threads: self.threads,
            operations: self.operations,
            locations: self.locations,
            mix: self.mix,
            skew: self.skew,
            buffer: self.buffer,
            weak: self.weak(),
            seed,
            violations: self.violations,
            distance: self.distance,
        };
        let mut history = generate::generate(&recipe)?;
        history.name = Some(name(&recipe));
        Ok(history)
    }

    fn weak(&self) -> WeakMix {
        let usual = WeakMix::default();
        WeakMix {
            window: self.window.unwrap_or(usual.window),
            linked: self.linked.unwrap_or(usual.linked),
            dependencies: self.dependencies.unwrap_or(usual.dependencies),
            annotations: self.annotations.unwrap_or(usual.annotations),
            weak_fences: self.weak_fences.unwrap_or(usual.weak_fences),
        }
    }

    fn hard(&self, family: Family, seed: u64) -> Result<History, RecipeError> {
        let recipe =
            HardRecipe { family, size: self.size, copies: self.copies, model: self.model(), seed };
        let mut history = families::hard(&recipe)?;
        history.name = Some(hard_name(&recipe));
        Ok(history)
    }

    fn model(&self) -> Model {
        self.model.with_rmw(self.pso_rmw)
    }
}

/// Parses the name of a family. The help describes each family.
fn family_parser() -> impl TypedValueParser<Value = Family> {
    let name = |family: Family| PossibleValue::new(family.name()).help(family.describe());
    PossibleValuesParser::new(Family::all().map(name)).try_map(|name| {
        Family::from_name(&name).ok_or_else(|| "the name of a family was expected".to_owned())
    })
}

/// The command that makes this hard history alone, and the version that ran it.
fn hard_name(recipe: &HardRecipe) -> String {
    let model = recipe.model.name();
    let HardRecipe { family, size, copies, seed, .. } = recipe;
    let copies = match copies {
        1 => String::new(),
        _ => format!(" --copies {copies}"),
    };
    let command = format!("rubric generate --model {model} --family {family} --size {size}");
    format!("{command}{copies} --seed {seed}{END_OF_NAME}")
}

/// The command that makes this history alone, without options that change nothing, and the version
/// that ran it.
fn name(recipe: &Recipe) -> String {
    let Mix { loads, stores, rmws, fences } = recipe.mix;
    let mut name = format!("rubric generate --model {}", recipe.model.name());
    let mut option = |is_needed, option: String| {
        if is_needed {
            name.push_str(" --");
            name.push_str(&option);
        }
    };
    option(recipe.model == Model::PSO_RMW_ALL, "pso-rmw all".to_owned());
    option(true, format!("threads {}", recipe.threads));
    option(true, format!("operations {}", recipe.operations));
    option(true, format!("locations {}", recipe.locations));
    option(true, format!("mix {loads},{stores},{rmws},{fences}"));
    option(recipe.skew != 0.0, format!("skew {}", recipe.skew));
    let is_weak = recipe.model.is_weak();
    option(recipe.model.buffers() && !is_weak, format!("buffer {}", recipe.buffer));
    for (name, value) in [
        ("window", recipe.weak.window),
        ("linked", recipe.weak.linked),
        ("dependencies", recipe.weak.dependencies),
        ("annotations", recipe.weak.annotations),
        ("weak-fences", recipe.weak.weak_fences),
    ] {
        option(is_weak, format!("{name} {value}"));
    }
    option(true, format!("seed {}", recipe.seed));
    let has_violations = recipe.violations > 0;
    option(has_violations, format!("violations {}", recipe.violations));
    option(has_violations, format!("distance {}", recipe.distance));
    name + END_OF_NAME
}

/// The format that the extension of a file names; for `.gz`, the extension before it.
fn by_name(path: &Path) -> Option<Format> {
    if !is_compressed(path) {
        return save::by_name(path);
    }
    let text = save::by_name(Path::new(path.file_stem()?));
    text.filter(|format| matches!(format, Format::Text(_)))
}

/// Whether the name of a file means compressed text.
fn is_compressed(path: &Path) -> bool {
    path.extension().is_some_and(|extension| extension == "gz")
}

fn parse_mix(text: &str) -> Result<Mix, String> {
    let expected = "four numbers were expected: how often loads, stores, read-modify-writes and fences occur, \
         such as 50,40,8,2";
    let weights: Result<Vec<u32>, _> = text.split(',').map(|word| word.trim().parse()).collect();
    match weights.as_deref() {
        Ok(&[loads, stores, rmws, fences]) => Ok(Mix { loads, stores, rmws, fences }),
        _ => Err(expected.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mix_has_four_weights() {
        let mix = Mix { loads: 1, stores: 2, rmws: 0, fences: 4 };
        assert_eq!(parse_mix("1,2, 0,4"), Ok(mix));
        for bad in ["", "1,2,3", "1,2,3,4,5", "1,2,3,x", "1,2,3,-4"] {
            assert!(parse_mix(bad).is_err(), "{bad}");
        }
    }
}
