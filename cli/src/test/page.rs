//! The report of a test as an HTML page.

use lab::testing::{Evidence, Finding, Options, Tested, text};
use report::explain;
use report::page::tested::{Shown, TestPage, tested as page_of};

use super::explained as explained_part;
use lab::released::words::explained;

/// Renders the report as HTML.
pub(crate) fn page(tested: &Tested, options: &Options) -> String {
    let explored = tested.explored.iter();
    page_of(&TestPage {
        title: format!("Test of {}", tested.opened.given),
        lead: text::headline(tested, options),
        facts: [("Result".to_owned(), text::verdict(tested))]
            .into_iter()
            .chain(explored.map(|explored| (explored.system.to_string(), text::extent(explored))))
            .chain([("Coverage".to_owned(), text::coverage(tested).to_string())])
            .chain(text::not_reached(tested, options).map(|line| ("Result".to_owned(), line)))
            .collect(),
        listing: Vec::new(),
        findings: tested.findings.iter().map(|finding| shown(finding, group(finding))).collect(),
        coverage: tested.coverage.clone(),
    })
}

/// The heading under which a finding is listed.
fn group(finding: &Finding) -> &'static str {
    if finding.known.is_some() { "Known findings" } else { "New findings" }
}

/// A finding as the page shows it, under the heading `group`.
pub(crate) fn shown(finding: &Finding, group: &str) -> Shown {
    let pictures = match &finding.evidence {
        Evidence::Part(part) => explain::violation(
            &part.whole,
            &part.reads_from,
            part.model,
            &part.violation(),
            &Default::default(),
            &|_, _| None,
            &finding.signature.to_string(),
        ),
        Evidence::Recent(_) | Evidence::Steps { .. } => Vec::new(),
    };
    let source = finding.source.iter();
    let mut facts: Vec<String> = vec![finding.message.clone()];
    facts.extend(source.map(|one| format!("{}:{}: {}", one.file, one.line, one.text)));
    facts.push(text::occurrence(finding));
    facts.extend(finding.known.iter().flat_map(explained));
    Shown {
        title: finding.signature.to_string(),
        group: group.to_owned(),
        facts,
        picture: pictures.into_iter().next(),
        evidence: text::evidence(finding, &explained_part),
        command: finding.command.clone(),
    }
}
