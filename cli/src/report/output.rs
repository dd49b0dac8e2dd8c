//! The files that a report writes: the page, the figures, the claims.

use std::path::{Path, PathBuf};

use rayon::prelude::*;
use report::answers::Answers;
use report::claims::Claim;
use report::figures::{self, Figure};
use report::page::{self, Page, shortest_violations};

use super::cycles;
use super::unreached;
use crate::error::Error;
use crate::files::{check_ending, create, failed};
use lab::stored::Stored;

/// How many violations the page explains.
const EXPLAINED: usize = 20;

/// The files that are asked for.
#[derive(clap::Args)]
pub struct Files {
    /// Write everything as one HTML page
    #[arg(long, short, value_name = "FILE.html")]
    output: Option<PathBuf>,

    /// Write every figure into this folder, as SVG and as PNG
    #[arg(long, value_name = "DIR")]
    figures: Option<PathBuf>,

    /// Write the papers' claims beside what was found here, as CSV
    #[arg(long, value_name = "FILE.csv")]
    claims: Option<PathBuf>,
}

impl Files {
    /// Refuses names of files with the ending of another format than the one that is written.
    ///
    /// # Errors
    /// Returns an error if a name has such an ending.
    pub fn check(&self) -> Result<(), Error> {
        if let Some(path) = &self.output {
            let advice = ".html was expected: a page can be printed from a browser, and --figures DIR writes every figure as SVG and PNG";
            check_ending("-o", path, &["html", "htm"], advice)?;
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

    /// Writes the files, and returns a line about each.
    ///
    /// # Errors
    /// Returns an error if a file cannot be written.
    pub fn write(
        &self,
        held: &Stored,
        answers: Option<&Answers>,
        claims: &[Claim],
    ) -> Result<Vec<String>, Error> {
        let results = &held.results;
        let mut lines = Vec::new();
        let is_drawn = self.output.is_some() || self.figures.is_some();
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
            violations.truncate(EXPLAINED);
            let page = Page {
                results,
                facts: &held.facts,
                answers,
                figures: &figures,
                claims,
                cycles: &cycles::of(&violations),
                unreached: &unreached::of(&results.coverage),
            };
            let html = page::html(&page);
            create(path, |out| out.write_all(html.as_bytes()).map_err(Error::Output))?;
            lines.push(format!("Page: {}", path.display()));
        }
        // A blank line separates them from the rest of the text.
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
