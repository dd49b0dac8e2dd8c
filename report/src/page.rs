//! Shows all results of a folder as one HTML page.
//!
//! The page is a single file: it contains its style, script and figures, and its policy forbids browsers to load anything else. The script
//! only sorts and filters tables, so the page works without it. The same input gives the same bytes.
//!
//! ```
//! use report::page::{Page, html};
//! use tables::results::Results;
//!
//! let results = Results::default();
//! let known = Default::default();
//! let page = Page {
//!     results: &results, facts: &[], answers: None, figures: &[], claims: &[], cycles: &[], unreached: &[], known: &known,
//! };
//! assert!(html(&page).starts_with("<!DOCTYPE html>"));
//! ```
//!
//! [`markdown`] and [`rows`] have the same results for pull requests and spreadsheets.
//!
//! Each section has a module: `summary` (whose sentences are `overview`'s), `ran`, `claims`, `protocols` with
//! `clients`, `experiments`, `campaign` with its parts, `fidelity`, `coverage` and `violations`. `explained` makes a
//! page about a single history, `charted` one about a single run of a protocol. `section` has headings and anchors,
//! `table` and `cell` tables, and `drawing` puts figures into the page.

pub(crate) mod campaign;
mod cell;
mod charted;
mod claims;
mod clients;
mod coverage;
mod drawing;
mod experiments;
mod explained;
mod fidelity;
mod grid;
mod machine;
mod markdown;
mod overview;
mod protocols;
mod ran;
mod section;
mod sheet;
mod summary;
mod table;
pub mod tested;
mod timeline;
mod violations;

use std::collections::BTreeMap;

use maud::{DOCTYPE, Markup, PreEscaped, html as markup};

use crate::answers::Answers;
use crate::claims::Claim;
use crate::figures::Figure;
use crate::numbers::counted;
use section::{Anchors, Section};
use tables::results::Results;

pub use charted::charted;
pub use coverage::Unreached;
pub use explained::explained;
pub use machine::machines_page;
pub use markdown::markdown;
pub use sheet::{Row, rows};
pub use violations::{Cycle, shortest_violations};

/// The content of a page.
#[derive(Clone, Copy)]
pub struct Page<'a> {
    /// The rows of all tables.
    pub results: &'a Results,
    /// Facts about the campaigns that rows do not contain, each with a label.
    pub facts: &'a [(&'static str, String)],
    /// The results of a campaign, if there are any.
    pub answers: Option<&'a Answers>,
    /// The figures that are shown.
    pub figures: &'a [Figure],
    /// The claims of the papers.
    pub claims: &'a [Claim],
    /// The cycles of some of the [`shortest_violations`].
    pub cycles: &'a [Cycle],
    /// Unreachable transitions of the protocols whose coverage is shown.
    pub unreached: &'a [Unreached],
    /// For named mutants, a sentence on how their fault can be detected.
    pub known: &'a BTreeMap<String, String>,
}

/// Forbids browsers to load anything.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'";

const STYLE: &str = include_str!("page/style.css");
const SCRIPT: &str = include_str!("page/script.js");

/// Renders the page as HTML.
pub fn html(page: &Page<'_>) -> String {
    let mut anchors = Anchors::default();
    let sections = [
        summary::section(page, &mut anchors),
        claims::section(page, &mut anchors),
        protocols::section(page, &mut anchors),
        experiments::section(page, &mut anchors),
        campaign::section(page, &mut anchors),
        fidelity::section(page, &mut anchors),
        coverage::section(&page.results.coverage, page.unreached, &mut anchors),
        violations::section(page, &mut anchors),
        ran::section(page, &mut anchors),
    ];
    let sections: Vec<Section> = sections.into_iter().flatten().collect();
    document(title(page), &lead(page), &sections)
}

/// Renders a page with these sections.
fn document(title: &str, lead: &str, sections: &[Section]) -> String {
    let whole = markup! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                meta name="color-scheme" content="light dark";
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    h1 { (title) }
                    p.lead { (lead) }
                }
                @if sections.len() > 1 { (contents(sections)) }
                main {
                    @for section in sections {
                        (section.markup())
                    }
                }
                script { (PreEscaped(SCRIPT)) }
            }
        }
    };
    whole.into_string()
}

fn title(page: &Page<'_>) -> &'static str {
    match (page.results.trials.is_empty(), page.answers) {
        (false, _) => "Memory consistency: published results and ours",
        (true, Some(_)) => "Memory consistency: a campaign of mutants",
        (true, None) => "Memory consistency: results",
    }
}

/// Says in a sentence what the page is computed from.
fn lead(page: &Page<'_>) -> String {
    let (trials, runs) = (page.results.trials.len(), page.results.runs.len());
    let mut parts = Vec::new();
    if trials > 0 {
        parts.push(format!("{} of algorithms on histories", counted(trials, "trial", "trials")));
    }
    if runs > 0 {
        parts.push(format!("{} of protocols with random programs", counted(runs, "run", "runs")));
    }
    if !page.results.fidelity.is_empty() {
        let programs = page.results.fidelity.len() / 2;
        let programs = counted(programs, "program", "programs");
        parts.push(format!("{programs} on rubric's simulator and in gem5"));
    }
    if parts.is_empty() {
        "There are no rows.".to_owned()
    } else {
        format!(
            "From {}. Every number is computed from the rows of the tables.",
            parts.join(" and ")
        )
    }
}

fn contents(sections: &[Section]) -> Markup {
    markup! {
        nav aria-label="Contents" {
            ul {
                @for section in sections {
                    li { a href={ "#" (section.id) } { (section.title) } }
                }
            }
        }
    }
}
