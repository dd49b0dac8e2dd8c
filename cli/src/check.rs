//! `rubric check`: is a history SC, TSO, PSO?

mod breach;
mod certificates;
mod json;
mod paint;
mod store_order;
mod text;
mod why;

use std::io::{self, IsTerminal, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use check::papers::hpca;
use check::{Algorithm, Model, Outcome, PsoRmw, Stage, Verdict};
use clap::ValueEnum;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use history::{Ambiguity, History, OpId, ReadsFrom};

use crate::error::{self, Error};
use crate::load::{self, Input};
use crate::options::{Format, TraceOptions};
use crate::status::Status;
use certificates::{Certificates, Written};
use paint::Paint;
use store_order::StoreOrder;

/// Decide whether histories are SC, TSO or PSO
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric check trace.gz
  rubric check --model sc,tso,pso m5out
  rubric check --model tso --certificate proofs tests.axe
  rubric check --addresses 0x4bd000-0x4bd100 x86.trace.gz
  zcat trace.gz | rubric check --format json -

JSON is one object a line for each history and model: `file`, `history`, `model`, `verdict`
(`consistent`, `violation` or `undecided`), `decided_by`, `threads`, `operations`, `seconds`, what
was assumed, and for a violation why (`violation.cycle`); the README has all keys. Where a criterion
is asked about that is weaker than the model, `criterion` names it and the verdict is about it.

Exit status: the first of 2 (bad usage or input), 1 (violation), 3 (undecided), 0 that occurred.")]
pub struct Args {
    /// Traces, gem5 output folders, files of histories, or `-`
    #[arg(required = true, value_name = "TRACE")]
    traces: Vec<PathBuf>,

    /// Memory models, separated by commas [default: sc, or tso for an algorithm that is for TSO
    /// alone]
    #[arg(long, value_name = "MODELS", value_delimiter = ',', value_parser = ["sc", "tso", "pso"])]
    model: Vec<String>,

    /// What a read-modify-write waits for under PSO: its thread's stores to its own location, or
    /// all of its thread's stores
    #[arg(long, value_name = "own|all", default_value = "own", value_parser = rmw_parser())]
    pso_rmw: PsoRmw,

    /// What decides: all stages in turn, or one of them alone
    #[arg(long, value_name = "NAME", default_value = "stages", value_parser = algorithm_parser())]
    algorithm: Algorithm,

    /// A value written twice to a location: an error, or sources taken from an order that explains
    /// every read, if one is found (else undecided)
    #[arg(long, value_name = "refuse|search", default_value = "refuse")]
    ambiguous: Ambiguous,

    /// How to print
    #[arg(long, value_name = "FORMAT", default_value = "text")]
    format: Format,

    /// Write a certificate for every verdict into this folder; `rubric verify` checks it
    #[arg(long, value_name = "DIR")]
    certificate: Option<PathBuf>,

    /// Time limit in seconds for each history and model
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds)]
    timeout: Option<Duration>,

    /// How many contradictions the search may meet before it gives up
    #[arg(long, value_name = "N", default_value_t = u64::MAX, hide_default_value = true)]
    budget: u64,

    /// Let heu, deriv, heu-back or deriv-back sort without inferring edges first
    #[arg(long)]
    no_baseline: bool,

    /// The order of the writes of each location, for the algorithms of the TSO tool (tso-baseline,
    /// hpca-r8, heu, deriv, heu-back, deriv-back): lines `ADDRESS: VALUE VALUE …`
    #[arg(long, value_name = "FILE", conflicts_with = "no_baseline")]
    store_order: Option<PathBuf>,

    #[command(flatten)]
    options: TraceOptions,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Ambiguous {
    Refuse,
    Search,
}

/// A verdict on one history under one model.
struct Decided<'a> {
    input: &'a Input,
    history: &'a History,
    model: Model,
    outcome: Outcome,
    seconds: f64,
    /// Its certificate.
    certificate: Option<Written>,
    /// What the verdict leaves open.
    caveat: Option<String>,
}

impl Decided<'_> {
    /// The criterion that the verdict is about, if that is weaker than the model.
    fn criterion(&self) -> Option<&'static str> {
        match (&self.outcome.verdict, self.outcome.decided_by) {
            // A proof is about the model.
            (Verdict::Violation(_), _) => None,
            (_, Stage::Paper(algorithm)) => algorithm.criterion(),
            _ => None,
        }
    }

    /// The name of what the verdict is about.
    fn subject(&self) -> &'static str {
        self.criterion().unwrap_or(self.model.name())
    }
}

/// Prints verdicts as they are found.
trait Printer {
    /// One verdict.
    fn verdict(&mut self, decided: &Decided<'_>, out: &mut dyn Write) -> io::Result<()>;
    /// After the last history of a file.
    fn file(&mut self, input: &Input, out: &mut dyn Write) -> io::Result<()>;
    /// After everything.
    fn end(&mut self, out: &mut dyn Write) -> io::Result<()>;
}

/// Runs the command. An input that cannot be read does not keep the others from being checked.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let reading = args.options.for_reading()?;
    let models = args.models()?;
    let store_order = args.for_tso_tool()?;
    let mut certificates = match &args.certificate {
        Some(folder) => Some(Certificates::new(folder, args.options.as_arguments())?),
        None => None,
    };
    let mut printer: Box<dyn Printer> = match args.format {
        Format::Text => Box::new(text::Text::new(Paint::new(io::stdout().is_terminal()))),
        Format::Json => Box::new(json::Json),
    };
    let mut status = Status::Done;
    for path in &args.traces {
        let checked = load::open(path, &reading).and_then(|input| {
            check_file(
                args,
                &models,
                store_order.as_ref(),
                &input,
                &mut certificates,
                &mut *printer,
                out,
                &mut status,
            )
        });
        match checked {
            Ok(()) => {}
            // Nobody reads on; what was found so far still counts.
            Err(error) if error.is_broken_pipe() => return Ok(status),
            Err(error) => status = status.and(complain(&error, out)?),
        }
    }
    match printer.end(out).map_err(Error::Output) {
        Err(error) if !error.is_broken_pipe() => Err(error),
        _ => Ok(status),
    }
}

/// Reports an error about one input, after what was printed so far.
fn complain(error: &Error, out: &mut dyn Write) -> Result<Status, Error> {
    out.flush().map_err(Error::Output)?;
    error::print(error);
    Ok(Status::Bad)
}

fn check_file(
    args: &Args,
    models: &[Model],
    store_order: Option<&StoreOrder>,
    input: &Input,
    certificates: &mut Option<Certificates>,
    printer: &mut dyn Printer,
    out: &mut dyn Write,
    status: &mut Status,
) -> Result<(), Error> {
    let mut decided_any = false;
    let store_order = match store_order {
        Some(order) => Some(order.of(input)?),
        None => None,
    };
    for history in &input.histories {
        let reads_from = match ReadsFrom::derive(history, args.ambiguity(input)) {
            Ok(reads_from) => reads_from,
            Err(twice) => {
                let error = Error::written_twice(&input.file, history, &twice);
                *status = status.and(complain(&error, out)?);
                continue;
            }
        };
        for &model in models {
            let options = args.for_checking(store_order.clone());
            let mut decided = decide(&options, input, history, &reads_from, model);
            if let Some(certificates) = certificates {
                decided.certificate = certificates.write(&decided, &reads_from)?;
            }
            *status = status.and(match decided.outcome.verdict {
                Verdict::Consistent(_) | Verdict::Satisfied => Status::Done,
                Verdict::Violation(_) | Verdict::Unproved | Verdict::Breach(_) => Status::Violation,
                Verdict::Undecided(_) => Status::Undecided,
            });
            decided_any = true;
            printer.verdict(&decided, out).map_err(Error::Output)?;
        }
    }
    if decided_any {
        printer.file(input, out).map_err(Error::Output)?;
    }
    Ok(())
}

fn decide<'a>(
    options: &check::Options,
    input: &'a Input,
    history: &'a History,
    reads_from: &ReadsFrom,
    model: Model,
) -> Decided<'a> {
    let start = Instant::now();
    let outcome = check::check(history, reads_from, model, options);
    Decided {
        input,
        history,
        model,
        outcome,
        seconds: start.elapsed().as_secs_f64(),
        certificate: None,
        caveat: caveat(reads_from),
    }
}

/// Reads that no source is known of constrain nothing.
fn caveat(reads_from: &ReadsFrom) -> Option<String> {
    let reads = match reads_from.unknown() {
        0 => return None,
        1 => "1 read".to_owned(),
        reads => format!("{reads} reads"),
    };
    Some(format!(
        "{reads} returned a value that the trace does not show or that was written outside of the \
         history: nothing is concluded from them"
    ))
}

impl Args {
    /// The models to check, to all of which the algorithm applies.
    fn models(&self) -> Result<Vec<Model>, Error> {
        if self.model.is_empty() {
            return Ok(vec![self.algorithm.default_model()]);
        }
        // The parser of the option knows the names.
        let named = self.model.iter();
        let models: Vec<Model> = named
            .filter_map(|name| Model::from_name(name, self.pso_rmw))
            .collect();
        match models
            .iter()
            .find(|&&model| !self.algorithm.applies_to(model))
        {
            None => Ok(models),
            Some(model) => Err(Error::Usage(format!(
                "--algorithm {} says nothing about {model}: leave --model out, or name the one it \
                 is for, {}",
                self.algorithm.name(),
                self.algorithm.default_model().name()
            ))),
        }
    }

    /// The options that only the algorithms of the TSO tool take: refused with others.
    fn for_tso_tool(&self) -> Result<Option<StoreOrder>, Error> {
        let refused = |option: &str, takes: fn(Algorithm) -> bool| {
            let takers = Algorithm::ALL.into_iter().filter(|&taker| takes(taker));
            let names: Vec<&str> = takers.map(Algorithm::name).collect();
            Error::Usage(format!(
                "{option} is for --algorithm {}, not for {}",
                names.join(", "),
                self.algorithm.name()
            ))
        };
        if self.no_baseline && !hpca::sorts(self.algorithm) {
            return Err(refused("--no-baseline", hpca::sorts));
        }
        let Some(path) = &self.store_order else {
            return Ok(None);
        };
        if !hpca::has(self.algorithm) {
            return Err(refused("--store-order", hpca::has));
        }
        if self.traces.len() > 1 {
            return Err(Error::Usage(format!(
                "--store-order is about one history, but {} traces are given",
                self.traces.len()
            )));
        }
        StoreOrder::read(path).map(Some)
    }

    fn for_checking(&self, store_order: Option<Vec<OpId>>) -> check::Options {
        check::Options {
            algorithm: self.algorithm,
            timeout: self.timeout,
            budget: self.budget,
            no_baseline: self.no_baseline,
            store_order,
            ..check::Options::default()
        }
    }

    /// The axe format promises that values are written once. Elsewhere a repeated value does no
    /// harm at a location that one thread alone uses.
    fn ambiguity(&self, input: &Input) -> Ambiguity {
        match (self.ambiguous, input.format) {
            (Ambiguous::Search, _) => Ambiguity::Keep,
            (Ambiguous::Refuse, "axe") => Ambiguity::Refuse,
            (Ambiguous::Refuse, _) => Ambiguity::RefuseShared,
        }
    }
}

/// Reads what a read-modify-write waits for under PSO.
pub fn rmw_parser() -> impl TypedValueParser<Value = PsoRmw> {
    PossibleValuesParser::new(["own", "all"]).map(|name| match name.as_str() {
        "all" => PsoRmw::All,
        _ => PsoRmw::Own,
    })
}

fn algorithm_parser() -> impl TypedValueParser<Value = Algorithm> {
    PossibleValuesParser::new(Algorithm::ALL.map(Algorithm::name)).map(|name| {
        let named = |algorithm: &Algorithm| algorithm.name() == name;
        Algorithm::ALL.into_iter().find(named).unwrap_or_default()
    })
}

fn parse_seconds(text: &str) -> Result<Duration, String> {
    let expected = "a number of seconds was expected, such as 10 or 0.5";
    let seconds: f64 = text.parse().map_err(|_| expected)?;
    Duration::try_from_secs_f64(seconds).map_err(|_| expected.to_owned())
}
