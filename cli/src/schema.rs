//! `rubric schema`: prints JSON Schemas, with versions, of the JSON that other commands print. They are made of the types that
//! are printed; [`form`] is the form that all have.

mod form;

use std::io::{self, Write};

use lab::decided::Decided;
use schemars::JsonSchema;
use schemars::generate::SchemaSettings;
use tables::VerdictRow;

use crate::error::Error;
use crate::status::Status;
use crate::{check, kernel, litmus, monitor, mutants, prove, report, run, shrink, watch, words};

/// A stable form of JSON output. Keys that are not required may be added to a version; any other change gets a new version.
#[derive(Clone, Copy)]
struct Schema {
    name: &'static str,
    version: u32,
    /// The command whose output it describes.
    command: &'static str,
    about: &'static str,
    make: fn() -> schemars::Schema,
}

impl Schema {
    /// The schema of a type.
    const fn of<T: JsonSchema>(
        name: &'static str,
        version: u32,
        command: &'static str,
        about: &'static str,
    ) -> Schema {
        Schema { name, version, command, about, make: make::<T> }
    }

    fn print(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut schema = (self.make)();
        schema
            .insert("$id".to_owned(), format!("urn:rubric:{}:{}", self.name, self.version).into());
        schema.insert("title".to_owned(), self.command.into());
        serde_json::to_writer_pretty(&mut *out, &schema)?;
        writeln!(out)
    }
}

/// Makes the schema of what is written for a type.
fn make<T: JsonSchema>() -> schemars::Schema {
    let settings = SchemaSettings::draft2020_12().for_serialize();
    let settings = settings.with(|settings| settings.inline_subschemas = true);
    settings.with_transform(form::shape).into_generator().into_root_schema_for::<T>()
}

/// The schemas. The number of the version is also the end of `$id` in the text.
const SCHEMAS: &[Schema] = &[
    Schema::of::<check::json::Line<'_>>(
        "check",
        1,
        "rubric check",
        "a line of `rubric check --format json`",
    ),
    Schema::of::<VerdictRow>(
        "verdicts",
        1,
        "rubric verdicts",
        "a line of `rubric check -o FILE.json`",
    ),
    Schema::of::<kernel::Line<'_>>(
        "kernel",
        1,
        "rubric kernel",
        "a line of `rubric kernel --format json`",
    ),
    Schema::of::<litmus::json::Line<'_>>(
        "litmus",
        2,
        "rubric litmus",
        "a line of `rubric litmus --format json`",
    ),
    Schema::of::<prove::Document>(
        "prove",
        1,
        "rubric prove",
        "what `rubric prove --format json` prints",
    ),
    Schema::of::<shrink::Document<'_>>(
        "shrink",
        1,
        "rubric shrink",
        "what `rubric shrink --format json` prints",
    ),
    Schema::of::<watch::output::Document<'_>>(
        "watch",
        1,
        "rubric watch",
        "what `rubric watch --format json` prints",
    ),
    Schema::of::<lab::series::json::Line<'_>>(
        "simulate",
        lab::series::json::VERSION,
        "rubric simulate",
        "a line of `rubric simulate --format json` for a protocol and client",
    ),
    Schema::of::<lab::testing::json::Document<'_>>(
        "test",
        lab::testing::json::VERSION,
        "rubric test",
        "what `rubric test --format json` prints",
    ),
    Schema::of::<lab::testing::compare::json::Document<'_>>(
        "diff",
        lab::testing::compare::json::VERSION,
        "rubric diff",
        "what `rubric diff --format json` prints",
    ),
    Schema::of::<lab::covering::json::Document<'_>>(
        "cover",
        lab::covering::json::VERSION,
        "rubric cover",
        "what `rubric cover --format json` prints",
    ),
    Schema::of::<lab::covering::json::ReplayedDocument<'_>>(
        "cover-replay",
        lab::covering::json::VERSION,
        "rubric cover --replay",
        "what `rubric cover --replay WALK --format json` prints",
    ),
    Schema::of::<lab::statistics::Summary<'_>>(
        "stats",
        1,
        "rubric stats",
        "a line of `rubric stats --format json`",
    ),
    Schema::of::<monitor::Line<'_>>(
        "monitor",
        1,
        "rubric monitor",
        "a line of `rubric monitor --format json`",
    ),
    Schema::of::<lab::exploration::json::Line<'_>>(
        "explore-protocol",
        lab::exploration::json::VERSION,
        "rubric explore protocol",
        "a line of `rubric explore protocol --format json`",
    ),
    Schema::of::<lab::exploration::program::json::Line<'_>>(
        "explore-program",
        1,
        "rubric explore program",
        "a line of `rubric explore program --format json`",
    ),
    Schema::of::<lab::exploration::memory_system::Document<'_>>(
        "explore-memory-system",
        1,
        "rubric explore memory-system",
        "what `rubric explore memory-system --format json` prints",
    ),
    Schema::of::<Decided>(
        "explore-sizes",
        1,
        "rubric explore sizes",
        "a line of `rubric explore sizes -o FILE`",
    ),
    Schema::of::<report::json::Document<'_>>(
        "report",
        2,
        "rubric report",
        "what `rubric report DIR --format json` and `rubric campaign --format json` print",
    ),
    Schema::of::<report::json::Lists>(
        "report-list",
        1,
        "rubric report --list",
        "what `rubric report --list --format json` prints",
    ),
    Schema::of::<run::json::Document<'_>>(
        "run",
        1,
        "rubric run",
        "what `rubric run --format json` prints",
    ),
    Schema::of::<lab::protocols::examined::Report<'_>>(
        "protocol-check",
        1,
        "rubric protocol check",
        "what `rubric protocol check --format json` prints",
    ),
    Schema::of::<::report::machines::json::Tables<'_>>(
        "protocol-show",
        1,
        "rubric protocol show",
        "what `rubric protocol show --format json` prints",
    ),
    Schema::of::<mutants::Line<'_>>(
        "mutants",
        1,
        "rubric mutants",
        "a line of `rubric mutants list --format json`",
    ),
];

/// Print the JSON Schema of what a command prints with --format json
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric schema
  rubric schema check > check.schema.json

Without a name the schemas are listed, with their versions. A version stays as it is, but that keys may be added which are not
required. `$id` has the name and the version.")]
pub(crate) struct Args {
    /// The schema
    #[arg(value_name = "NAME", value_parser = words::one_of(SCHEMAS, |schema: Schema| schema.name))]
    name: Option<Schema>,
}

/// Prints a schema, or the list of all.
pub(crate) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let printed = match args.name {
        Some(schema) => schema.print(out),
        None => SCHEMAS.iter().try_for_each(|schema| {
            let Schema { name, version, about, .. } = schema;
            writeln!(out, "{name:21} version {version}  {about}")
        }),
    };
    printed.map_err(Error::Output)?;
    Ok(Status::Done)
}
