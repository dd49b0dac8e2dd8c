//! `rubric protocol source`: prints or writes the files of a protocol as rubric runs it. The files of built-in protocols exist
//! only inside the program, and mutants and repairs change the text.

use std::fs::File;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use lab::protocols::{Opened, Repairs};
use slicc::source::{GivenLine, Source, Sources};

use crate::error::Error;
use crate::files::{self, failed};
use crate::status::Status;

/// Number of lines that are printed before and after the requested line.
const AROUND: usize = 8;

/// Print the files of a protocol, a built-in one above all, or write them to a folder
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  rubric protocol source MI_example
  rubric protocol source MI_example MI_example-cache.sm
  rubric protocol source MI_example MI_example-cache.sm:155
  rubric protocol source MI_example MI_example-cache.sm:155 --mutant mi-l1-nack-before-forward
  rubric protocol source MI_example -o copy

A line is that of the file as it is without a mutant and repairs, as in messages; lines that these add are shown with a +.
Without a file, the files are listed with the number of their lines. With -o they are written to a folder, to be
changed and run: `rubric simulate copy/MI_example.slicc`.")]
pub(super) struct Args {
    /// The name of a built-in protocol, or a `.slicc` file
    protocol: String,

    /// Print this file; with a line, as messages name places (FILE:LINE), the lines around it
    #[arg(value_name = "FILE[:LINE]")]
    file: Option<String>,

    /// Repair known faults of gem5's released protocol first, as in `rubric simulate`
    #[arg(long, value_name = "REPAIRS", default_value = "none", hide_default_value = true)]
    repair: Repairs,

    /// Put a fault into the protocol: a mutant from `rubric mutants list PROTOCOL`
    #[arg(long, value_name = "MUTANT")]
    mutant: Option<String>,

    /// Write all files to this folder. If the folder has a different version of one of them, nothing is written
    #[arg(short, long, value_name = "DIR", conflicts_with = "file")]
    output: Option<PathBuf>,

    /// With -o, replace different versions of the files
    #[arg(long, requires = "output")]
    force: bool,
}

/// A file of a protocol.
struct SourceFile<'a> {
    name: String,
    text: &'a str,
    source: &'a Source,
}

/// Runs the command.
pub(super) fn run(args: &Args, out: &mut dyn Write) -> Result<Status, Error> {
    let opened = Opened::repaired(&args.protocol, &args.repair, args.mutant.as_deref())?;
    let files = files(opened.protocol.sources());
    match (&args.file, &args.output) {
        (Some(place), _) => print(&args.protocol, &files, place, out)?,
        (None, Some(folder)) => write_all(&files, folder, args.force, out)?,
        (None, None) => list(&files, out).map_err(Error::Output)?,
    }
    Ok(Status::Done)
}

/// The files of a protocol, without the declarations that rubric adds.
fn files(sources: &Sources) -> Vec<SourceFile<'_>> {
    let files = sources.files().iter();
    let named = files.map(|source| {
        let name = source.path.display().to_string();
        SourceFile { name, text: &source.text, source }
    });
    named.filter(|file| !file.name.ends_with(" (built in)")).collect()
}

fn list(files: &[SourceFile<'_>], out: &mut dyn Write) -> io::Result<()> {
    files
        .iter()
        .try_for_each(|file| writeln!(out, "{:>5} lines  {}", file.text.lines().count(), file.name))
}

/// Prints a file, or the lines around one of its lines.
fn print(
    protocol: &str,
    files: &[SourceFile<'_>],
    place: &str,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let line =
        place.rsplit_once(':').filter(|(_, line)| line.bytes().all(|it| it.is_ascii_digit()));
    let name = line.map_or(place, |(name, _)| name);
    let is_it = |file: &&SourceFile<'_>| {
        let path = Path::new(&file.name);
        file.name == name || path.file_name().is_some_and(|own| own == name)
    };
    let Some(file) = files.iter().find(is_it) else {
        let names: Vec<&str> = files.iter().map(|file| &*file.name).collect();
        let what = format!("{name}: expected a file of {protocol}: {}", names.join(", "));
        return Err(Error::Usage(what));
    };
    let Some((_, line)) = line else {
        return out.write_all(file.text.as_bytes()).map_err(Error::Output);
    };
    let lines: Vec<(GivenLine, &str)> = numbered(file).collect();
    let is_it = |line: usize| {
        let own = lines.iter().position(|(given, _)| given.number == line && !given.is_added);
        own.or_else(|| lines.iter().position(|(given, _)| given.number >= line && line > 0))
    };
    match line.parse().ok().and_then(is_it) {
        Some(at) => around(&lines, at, out).map_err(Error::Output),
        None => {
            let count = lines.iter().map(|(given, _)| given.number).max().unwrap_or(0);
            Err(Error::Usage(format!("{place}: expected a line from 1 to {count}")))
        }
    }
}

/// The lines of a file, each with the number that it had before repairs and mutants changed the file.
fn numbered<'a>(file: &'a SourceFile<'_>) -> impl Iterator<Item = (GivenLine, &'a str)> {
    file.text.lines().enumerate().map(|(at, text)| (file.source.given_line(at + 1), text))
}

/// Prints the lines around a line, which is marked. Lines that a repair or mutant added have a `+` in place of a number.
fn around(lines: &[(GivenLine, &str)], at: usize, out: &mut dyn Write) -> io::Result<()> {
    let first = at.saturating_sub(AROUND);
    for (place, (given, text)) in lines.iter().enumerate().take(at + AROUND + 1).skip(first) {
        let mark = if place == at { '>' } else { ' ' };
        let number = if given.is_added { "+".to_owned() } else { given.number.to_string() };
        writeln!(out, "{}", format!("{number:>5} {mark} {text}").trim_end())?;
    }
    Ok(())
}

/// Whether a regular file has this text.
fn holds(path: &Path, text: &str) -> bool {
    let there = path.is_file().then(|| File::open(path)).and_then(Result::ok);
    let there = there.and_then(|file| host::inputs::read_from(file, text.len() as u64).ok());
    there.is_some_and(|there| there == text.as_bytes())
}

/// Writes all files to a folder, which is created if it does not exist. Without `force`, nothing is written if the folder has a
/// different version of a file, since the user may have edited it.
fn write_all(
    files: &[SourceFile<'_>],
    folder: &Path,
    force: bool,
    out: &mut dyn Write,
) -> Result<(), Error> {
    let path_of =
        |file: &SourceFile<'_>| folder.join(Path::new(&file.name).file_name().unwrap_or_default());
    let is_changed = |file: &&SourceFile<'_>| {
        let path = path_of(file);
        path.exists() && !holds(&path, file.text)
    };
    if let Some(changed) = files.iter().find(is_changed).filter(|_| !force) {
        return Err(Error::Usage(format!(
            "{}: exists and differs from the file of the protocol; give another folder, or replace it with --force",
            path_of(changed).display()
        )));
    }
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    for file in files {
        let path = path_of(file);
        files::create(&path, |out| out.write_all(file.text.as_bytes()).map_err(Error::Output))?;
        writeln!(out, "{}", path.display()).map_err(Error::Output)?;
    }
    Ok(())
}
