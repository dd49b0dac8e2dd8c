//! The report of `rubric test` and `rubric diff` as a page.

use maud::{Markup, html};

use super::cell::breakable;
use super::coverage::{self, Unreached};
use super::document;
use super::explained::drawn;
use super::section::{Anchors, Section};
use crate::picture::Picture;
use tables::Coverage;

/// The content of the page.
#[derive(Clone, Debug)]
pub struct TestPage {
    /// Title, as plain text.
    pub title: String,
    /// What was tested, in a sentence.
    pub lead: String,
    /// Further facts about the test, each with its name.
    pub facts: Vec<(String, String)>,
    /// The differences between two versions, line by line; empty if there is one version.
    pub listing: Vec<String>,
    /// The findings, in their order.
    pub findings: Vec<Shown>,
    /// How often the programs took each transition; empty if the page does not show it.
    pub coverage: Vec<Coverage>,
}

/// A finding of a test, as the page shows it.
#[derive(Clone, Debug)]
pub struct Shown {
    /// The finding in a few words.
    pub title: String,
    /// The heading above the finding; findings with the same heading must follow each other.
    pub group: String,
    /// The description of the finding, one text for each paragraph.
    pub facts: Vec<String>,
    /// The violation as a picture, if it is one.
    pub picture: Option<Picture>,
    /// The evidence of the finding, line by line.
    pub evidence: Vec<String>,
    /// The command that reproduces the finding.
    pub command: String,
}

/// Renders the page, with a section for each group of findings. The same findings give the same bytes.
pub fn tested(page: &TestPage) -> String {
    let mut anchors = Anchors::default();
    let facts = html! {
        dl { @for (name, value) in &page.facts { dt { (name) } dd { (value) } } }
        @if !page.listing.is_empty() { pre tabindex="0" { (page.listing.join("\n")) } }
    };
    let mut sections = vec![Section::new(&mut anchors, "tested", "What was tested", facts)];
    let mut at = 0;
    for group in page.findings.chunk_by(|a, b| a.group == b.group) {
        let articles = group.iter().map(|finding| {
            at += 1;
            (finding, at)
        });
        let body = html! { @for (finding, at) in articles { (article(finding, at)) } };
        let title = group.first().map_or("", |finding| finding.group.as_str());
        sections.push(Section::new(&mut anchors, title, title, body));
    }
    let unreached: Vec<Unreached> = page.coverage.iter().filter_map(Unreached::of).collect();
    sections.extend(coverage::section(&page.coverage, &unreached, &mut anchors));
    document(&page.title, &page.lead, &sections)
}

fn article(finding: &Shown, at: usize) -> Markup {
    html! {
        details.violation open[at == 1] {
            summary { (finding.title) }
            @for fact in &finding.facts { p { (breakable(fact)) } }
            p { "Reproduce with: " code { (breakable(&finding.command)) } }
            @if let Some(picture) = &finding.picture { (drawn(picture, &format!("t{at}-"))) }
            @if !finding.evidence.is_empty() { pre tabindex="0" { (finding.evidence.join("\n")) } }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn findings_stand_under_their_headings() {
        let shown = |title: &str, group: &str| Shown {
            title: title.to_owned(),
            group: group.to_owned(),
            facts: vec!["a <fact>".to_owned()],
            picture: None,
            evidence: vec!["1 core 0 loads".to_owned()],
            command: "rubric simulate P --seed 1".to_owned(),
        };
        let page = tested(&TestPage {
            title: "P".to_owned(),
            lead: "3 programs".to_owned(),
            facts: vec![("Coverage".to_owned(), "50 %".to_owned())],
            listing: Vec::new(),
            findings: vec![shown("deadlock", "New"), shown("misuse", "New"), shown("x", "Known")],
            coverage: vec![Coverage { event: "Load".to_owned(), count: 3, ..Coverage::default() }],
        });
        assert_eq!(page.matches("<h2").count(), 4, "{page}");
        assert!(page.contains("Load in : taken 3 times"), "{page}");
        assert_eq!(page.matches("a &lt;fact").count(), 3);
        assert!(page.find(">New<").or(page.find("New ")) < page.find("Known"));
    }
}
