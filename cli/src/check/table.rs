//! The table of all verdicts: as text, and as files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use history::History;
use host::Paint;
use lab::load::Input;
use lab::order;
use lab::text::{shortened, tame};
use lab::verdicts::{self, Counts, Group, groups};
use tables::VerdictRow;

use super::comparison::Comparison;
use super::markdown;
use super::paint::paint;
use super::{Decided, Printer};
use crate::error::Error;
use crate::files;
use crate::json;

/// Most inputs whose verdicts are printed in full, and most consistent histories that the table lists.
pub(super) const MOST_IN_FULL: usize = 40;

/// Prints no verdicts, because the table has them all.
pub(super) struct Silent;

impl Printer for Silent {
    fn crash(&mut self, _: &Input, _: &History, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn verdict(&mut self, _: &Decided<'_>, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn unreadable(&mut self, _: &VerdictRow, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn comparison(&mut self, _: &Comparison<'_>, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    fn file(&mut self, _: &Input, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }
}

/// A file for the table.
pub(super) struct Output {
    path: PathBuf,
    write: fn(&Path, &[VerdictRow]) -> Result<(), Error>,
}

impl Output {
    /// The output for a path, in the format of its extension.
    ///
    /// # Errors
    /// Returns an error if the extension is that of no format.
    pub(super) fn of(path: &Path) -> Result<Output, Error> {
        let write = match files::ending(path).as_deref() {
            Some("csv") => csv,
            Some("json" | "jsonl") => json,
            Some("md") => markdown::write,
            Some("parquet") => parquet,
            _ => {
                let path = path.display();
                return Err(Error::Usage(format!(
                    "-o {path}: a name that ends in .csv, .json, .jsonl, .md or .parquet was expected"
                )));
            }
        };
        Ok(Output { path: path.to_owned(), write })
    }

    /// Writes the rows.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written.
    pub(super) fn write(&self, rows: &[VerdictRow]) -> Result<(), Error> {
        (self.write)(&self.path, &verdicts::sorted(rows))
    }
}

fn csv(path: &Path, rows: &[VerdictRow]) -> Result<(), Error> {
    tables::write_csv(rows, path).map_err(files::failed(path))
}

fn json(path: &Path, rows: &[VerdictRow]) -> Result<(), Error> {
    files::create(path, |out| {
        rows.iter().try_for_each(|row| json::line(row, out)).map_err(Error::Output)
    })
}

fn parquet(path: &Path, rows: &[VerdictRow]) -> Result<(), Error> {
    Ok(tables::write_verdicts(path, rows)?)
}

/// The file, and the history's name if it has one, without control characters, which must not reach the terminal.
pub(super) fn name(row: &VerdictRow) -> String {
    tame(&match &row.history {
        Some(history) => format!("{}: {}", row.file, shortened(history)),
        None => row.file.clone(),
    })
}

/// Prints the table of several histories: those that are not consistent, all others if they are few, and the numbers of each folder.
pub(super) fn print(rows: &[VerdictRow], out: &mut dyn Write) -> io::Result<()> {
    let groups = groups(rows);
    if groups.len() < 2 {
        return Ok(());
    }
    let paint = paint();
    let lists_all = groups.len() <= MOST_IN_FULL;
    let listed: Vec<&Group<'_>> =
        groups.iter().filter(|group| lists_all || group.rank < verdicts::CONSISTENT).collect();
    if !listed.is_empty() {
        list(&listed, paint, out)?;
    }
    if !lists_all {
        totals(&groups, out)?;
    }
    let folders = verdicts::by_folder(rows);
    if folders.len() > 1 || folders.values().any(|counts| counts.traces > MOST_IN_FULL) {
        print_folders(&folders, out)?;
    }
    Ok(())
}

/// Prints a line for each history, with a column for each model or algorithm of the first history.
fn list(groups: &[&Group<'_>], paint: Paint, out: &mut dyn Write) -> io::Result<()> {
    let width =
        groups.iter().map(|group| name(group.rows[0]).chars().count()).max().unwrap_or(0).max(7);
    let has_verdict = |group: &&&Group<'_>| group.rows[0].model.is_some();
    let mutants = groups.iter().filter_map(|group| group.rows[0].mutant.as_deref());
    let mutant_width = mutants.map(|name| name.chars().count().max(6)).max();
    write!(out, "\n{:width$}  threads  operations", "history")?;
    if let Some(width) = mutant_width {
        write!(out, "  {:width$}", "mutant")?;
    }
    for row in groups.iter().find(has_verdict).map_or(&[][..], |group| &group.rows) {
        write!(out, "  {:10}", row.model.as_deref().unwrap_or_default())?;
    }
    writeln!(out)?;
    for group in groups {
        write!(out, "{:width$}", name(group.rows[0]))?;
        let first = group.rows[0];
        match (first.threads, first.operations) {
            (Some(threads), Some(operations)) => write!(out, "  {threads:7}  {operations:10}")?,
            _ => write!(out, "  {:7}  {:10}", "", "")?,
        }
        if let Some(width) = mutant_width {
            write!(out, "  {:width$}", tame(first.mutant.as_deref().unwrap_or_default()))?;
        }
        for row in &group.rows {
            write!(out, "  {}", paint.verdict(&row.verdict, &format!("{:10}", row.verdict)))?;
        }
        if first.crashed {
            write!(out, "  {}", paint.bad("crashed"))?;
        }
        writeln!(out)?;
    }
    Ok(())
}

/// Prints how many histories had each verdict under each model.
fn totals(groups: &[Group<'_>], out: &mut dyn Write) -> io::Result<()> {
    let mut counts: Vec<((&str, &str), usize)> = Vec::new();
    let rows = groups.iter().flat_map(|group| &group.rows);
    for row in rows.filter(|row| row.model.is_some()) {
        let verdict = (row.model.as_deref().unwrap_or_default(), &*row.verdict);
        match counts.iter_mut().find(|(known, _)| *known == verdict) {
            Some((_, count)) => *count += 1,
            None => counts.push((verdict, 1)),
        }
    }
    let histories = groups.iter().filter(|group| group.rows[0].model.is_some());
    writeln!(out, "\n{} histories", histories.count())?;
    for ((subject, word), count) in counts {
        writeln!(out, "{subject:4} {word:10} {count}")?;
    }
    let crashed = groups.iter().filter(|group| group.rows[0].crashed).count();
    if crashed > 0 {
        writeln!(out, "{:15} {crashed}", "crashed")?;
    }
    let errors = groups.iter().filter(|group| group.rows[0].model.is_none()).count();
    if errors > 0 {
        writeln!(out, "{:15} {errors}", "not checked")?;
    }
    Ok(())
}

fn print_folders(folders: &BTreeMap<&str, Counts>, out: &mut dyn Write) -> io::Result<()> {
    let shown = |folder: &str| tame(if folder.is_empty() { "." } else { folder });
    let width =
        folders.keys().map(|folder| shown(folder).chars().count()).max().unwrap_or(0).max(6);
    writeln!(out, "\n{:width$}  traces  violations  crashed  undecided  not checked", "folder")?;
    let mut folders: Vec<(&&str, &Counts)> = folders.iter().collect();
    folders.sort_by(|one, other| order::of_paths(Path::new(one.0), Path::new(other.0)));
    for (folder, counts) in folders {
        let Counts { traces, violations, crashed, errors, undecided } = counts;
        let folder = shown(folder);
        writeln!(
            out,
            "{folder:width$}  {traces:6}  {violations:10}  {crashed:7}  {undecided:9}  {errors:11}"
        )?;
    }
    Ok(())
}
