//! The report of a comparison as an HTML page.

use lab::testing::compare::text;
use lab::testing::{Compared, Options};
use report::page::tested::{TestPage, tested as page_of};

use crate::test::page::shown;

/// Renders the report as HTML.
pub(super) fn page(compared: &Compared, options: &Options) -> String {
    let only_new = compared.only_new.iter().map(|one| shown(one, "Only the new version"));
    let only_old = compared.only_old.iter().map(|one| shown(one, "Only the old version"));
    let both = compared.both.iter().map(|(_, new)| shown(new, "Both versions"));
    let files = text::lines(compared);
    let coverage = text::coverage(compared);
    let explored = text::explored(compared);
    let explored = explored.into_iter().map(|(system, text)| (format!("Explored {system}"), text));
    page_of(&TestPage {
        title: format!("{} compared with {}", compared.new.given, compared.old.given),
        lead: text::headline(compared, options),
        facts: coverage
            .into_iter()
            .map(|line| ("Changed transitions".to_owned(), line))
            .chain(explored)
            .chain(text::not_reached(compared, options).map(|line| ("Result".to_owned(), line)))
            .collect(),
        listing: files,
        findings: only_new.chain(only_old).chain(both).collect(),
        coverage: Vec::new(),
    })
}
