//! The section about a campaign: mutants found and not found, criteria, operations until detection.

mod kills;
mod mutants;
mod shares;
mod unmutated;

use maud::{Markup, html};

use super::Page;
use super::drawing::drawing;
use super::section::{Anchors, Section};
use crate::answers::{Answers, Scope};
use crate::figures::CAMPAIGN;

/// The section; none if there is no campaign.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let answers = page.answers?;
    let figures = page.figures.iter().filter(|figure| figure.experiment == CAMPAIGN);
    let body = html! {
        (overview(answers))
        @for figure in figures { (drawing(figure, anchors)) }
    };
    let mut section = Section::new(anchors, "campaign", "Campaign", body);
    let parts = [
        ("kills", "Mutants found, by operator and finder", kills::part(answers)),
        ("rates", "Share of violations that each criterion refutes", shares::rates(answers)),
        ("operations", "Operations until a violation is detected", shares::operations(answers)),
        ("failures", "Mutants that made their protocol fail", mutants::failures(answers)),
        ("survivors", "Mutants that nothing found", mutants::survivors(answers)),
        ("equivalents", "Excluded mutants", mutants::equivalents(answers)),
        ("generators", "Blind and guided programs", unmutated::generators(answers)),
        ("unmutated", "Unmutated protocols", unmutated::alarms(answers)),
    ];
    for (id, title, body) in parts {
        if let Some(body) = body {
            section.parts.push(Section::new(anchors, id, title, body));
        }
    }
    Some(section)
}

fn overview(answers: &Answers) -> Markup {
    let all = answers.kills.iter().find(|matrix| matrix.scope == Scope::All);
    let (tried, caught) = all.map_or((0, 0), |matrix| (matrix.total.mutants, matrix.total.killed));
    html! {
        p {
            "Of " (tried) " mutants that may differ from their protocol, " (caught) " were found and " (tried - caught)
            " were not. Another " (answers.equivalents.len()) " were excluded, as equivalent to their protocol or unreachable. "
            "A criterion counts for a mutant only if the cores that ran it guarantee what it checks."
        }
    }
}

/// The title of a scope.
fn scope(scope: &Scope) -> String {
    match scope {
        Scope::All => "all cores".to_owned(),
        Scope::Model(model) => format!("cores that guarantee {}", model.to_uppercase()),
        Scope::Client(client) => client.clone(),
    }
}
