//! The files that a report writes: the page, the figures, the claims.

use std::io;
use std::path::{Path, PathBuf};

use rayon::prelude::*;
use report::answers::Answers;
use report::claims::Claim;
use report::figures::{self, Figure};
use report::page::{self, Page, shortest_violations};

use super::cycles;
use super::unreached;
use crate::error::Error;
use crate::files::{check_ending, create, ending, failed};
use lab::campaign::named_effects;
use lab::stored::Stored;

/// Most violations that the page explains.
const EXPLAINED: usize = 20;

/// The files that are asked for.
#[derive(clap::Args)]
pub(super) struct Files {
    /// Write everything as one page (.html), a summary for a pull request (.md), or rows for a spreadsheet (.csv)
    #[arg(long, short, value_name = "FILE.html|md|csv")]
    output: Option<PathBuf>,

    /// Write every figure into this folder, as SVG and as PNG
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,

    /// Write the papers' claims beside what was found here, as CSV
    #[arg(long, value_name = "FILE.csv")]
    claims: Option<PathBuf>,
}

impl Files {
    /// Refuses file names with the extension of another format than the one that is written.
    ///
    /// # Errors
    /// Returns an error if a name has such an ending.
    pub(super) fn check(&self) -> Result<(), Error> {
        if let Some(path) = &self.output {
            let advice = ".html, .md or .csv was expected: for a PDF, print the .html page from a browser; --figures DIR writes every figure \
                          as SVG and PNG";
            check_ending("-o", path, &["html", "htm", "md", "csv"], advice)?;
        }
        match &self.claims {
            Some(path) => check_ending(
                "--claims",
                path,
                &["csv"],
                ".csv was expected; --format json has the claims as JSON",
            ),
            None => Ok(()),
        }
    }

    /// Refuses to write files about explorations of mutants, for which there is only a table.
    ///
    /// # Errors
    /// Returns an error if a file is asked for.
    pub(super) fn refuse(&self, folder: &Path) -> Result<(), Error> {
        let asked =
            [("-o", &self.output), ("--figures", &self.figures), ("--claims", &self.claims)];
        match asked.iter().find(|(_, path)| path.is_some()) {
            None => Ok(()),
            Some((option, _)) => Err(Error::Usage(format!(
                "{option}: {} has explorations of mutants, of which there is a table only: leave {option} out; --format json has each \
                 with its run",
                folder.display()
            ))),
        }
    }

    /// Writes the files, and returns a line about each.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub(super) fn write(
        &self,
        held: &Stored,
        answers: Option<&Answers>,
        claims: &[Claim],
    ) -> Result<Vec<String>, Error> {
        let results = &held.results;
        let mut lines = Vec::new();
        let form = self.output.as_ref().and_then(|path| ending(path));
        let is_page = self.output.is_some() && !matches!(form.as_deref(), Some("md" | "csv"));
        let is_drawn = is_page || self.figures.is_some();
        let mut figures = Vec::new();
        if is_drawn {
            figures = figures::all(results, answers);
        }
        if let Some(folder) = &self.figures {
            write_figures(&figures, folder)?;
            lines.push(format!("Figures: {} in {}", figures.len(), folder.display()));
        }
        if let Some(path) = &self.claims {
            tables::write_csv(claims, path).map_err(failed(path))?;
            lines.push(format!("Claims: {}", path.display()));
        }
        if let Some(path) = &self.output {
            let mut violations = shortest_violations(results);
            violations.truncate(if is_page { EXPLAINED } else { 0 });
            let known = named_effects::all().map_err(|error| Error::File {
                file: "mutants.csv of this program".to_owned(),
                error: io::Error::other(error),
            })?;
            let page = Page {
                results,
                facts: &held.facts,
                answers,
                figures: &figures,
                claims,
                cycles: &cycles::of(&violations),
                unreached: &unreached::of(&results.coverage),
                known: &known,
            };
            match form.as_deref() {
                Some("csv") => tables::write_csv(&page::rows(&page), path).map_err(failed(path))?,
                form => {
                    let text = match form {
                        Some("md") => page::markdown(&page),
                        _ => page::html(&page),
                    };
                    create(path, |out| out.write_all(text.as_bytes()).map_err(Error::Output))?;
                }
            }
            lines.push(format!("{}: {}", if is_page { "Page" } else { "Summary" }, path.display()));
        }
        // A blank line separates the lines from the text before them.
        if let Some(first) = lines.first_mut() {
            first.insert(0, '\n');
        }
        Ok(lines)
    }
}

fn write_figures(figures: &[Figure], folder: &Path) -> Result<(), Error> {
    std::fs::create_dir_all(folder).map_err(failed(folder))?;
    figures.par_iter().try_for_each(|figure| {
        let file = |extension: &str| folder.join(format!("{}.{extension}", figure.name));
        create(&file("svg"), |out| out.write_all(figure.svg.as_bytes()).map_err(Error::Output))?;
        create(&file("png"), |out| out.write_all(&figure.png()).map_err(Error::Output))
    })
}
