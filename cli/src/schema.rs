//! `rubric schema`: prints JSON Schemas, with versions, of the JSON that other commands print.

use std::io::Write;

use crate::error::Error;
use crate::status::Status;
use crate::words;

/// A stable form of JSON output. Keys that are not required may be added to a version; any other change gets a new version.
#[derive(Clone, Copy)]
struct Schema {
    name: &'static str,
    version: u32,
    about: &'static str,
    text: &'static str,
}

/// A schema with the text of the file of the same name.
macro_rules! schema {
    ($name:literal, $version:literal, $about:literal) => {
        Schema {
            name: $name,
            version: $version,
            about: $about,
            text: include_str!(concat!("schema/", $name, ".json")),
        }
    };
}

/// The schemas. The number of the version is also the end of `$id` in the text.
const SCHEMAS: &[Schema] = &[
    schema!("check", 1, "a line of `rubric check --format json`"),
    schema!("verdicts", 1, "a line of `rubric check -o FILE.json`"),
    schema!("kernel", 1, "a line of `rubric kernel --format json`"),
    schema!("litmus", 2, "a line of `rubric litmus --format json`"),
    schema!("shrink", 1, "what `rubric shrink --format json` prints"),
    schema!("watch", 1, "what `rubric watch --format json` prints"),
    schema!("simulate", 2, "a line of `rubric simulate --format json` for a protocol and client"),
    schema!("test", 1, "what `rubric test --format json` prints"),
    schema!("diff", 1, "what `rubric diff --format json` prints"),
    schema!("stats", 1, "a line of `rubric stats --format json`"),
    schema!("monitor", 1, "a line of `rubric monitor --format json`"),
    schema!("explore-protocol", 2, "a line of `rubric explore protocol --format json`"),
    schema!("explore-program", 1, "a line of `rubric explore program --format json`"),
    schema!("explore-memory-system", 1, "what `rubric explore memory-system --format json` prints"),
    schema!("explore-sizes", 1, "a line of `rubric explore sizes -o FILE`"),
    schema!(
        "report",
        2,
        "what `rubric report DIR --format json` and `rubric campaign --format json` print"
    ),
    schema!("report-list", 1, "what `rubric report --list --format json` prints"),
];

/// Print the JSON Schema of what a command prints with --format json
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric schema
  rubric schema check > check.schema.json

Without a name the schemas are listed, with their versions. A version stays as it is, but that keys may be added which are not
required. `$id` has the name and the version.")]
pub struct Args {
    /// The schema
    #[arg(value_name = "NAME", value_parser = words::one_of(SCHEMAS, |schema: Schema| schema.name))]
    name: Option<Schema>,
}

/// Prints a schema, or the list of all.
pub fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let printed = match args.name {
        Some(schema) => out.write_all(schema.text.as_bytes()),
        None => SCHEMAS.iter().try_for_each(|schema| {
            let Schema { name, version, about, .. } = schema;
            writeln!(out, "{name:21} version {version}  {about}")
        }),
    };
    printed.map_err(Error::Output)?;
    Ok(Status::Done)
}
