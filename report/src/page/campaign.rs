//! The section about a campaign: mutants found and not found, criteria, operations until detection.

pub(crate) mod hints;
mod kills;
mod mutants;
mod shares;
pub(super) mod unmutated;

use maud::{Markup, html};

use super::Page;
use super::drawing::drawing;
use super::section::{Anchors, Section};
use crate::answers::{Answers, Scope};
use crate::figures::{CAMPAIGN, Figure};

/// Makes the section; `None` if there is no campaign.
pub(super) fn section(page: &Page<'_>, anchors: &mut Anchors) -> Option<Section> {
    let answers = page.answers?;
    let mut section = Section::new(anchors, "campaign", "Campaign", overview(answers));
    let figures: Vec<_> = page.figures.iter().filter(|figure| is_shown(figure)).collect();
    if let Some(first) = figures.first() {
        let note = first.title.clone();
        let body = html! { @for figure in &figures { (drawing(figure, anchors)) } };
        let part = Section::new(anchors, "campaign-figures", "Figures", body);
        section.parts.push(Section { note, ..part });
    }
    let parts = [
        ("kills", "Mutants found, by operator and finder, of each protocol", kills::part(answers)),
        ("rates", "Share of violations that each criterion refutes", shares::rates(answers)),
        ("operations", "Operations until a violation is detected", shares::operations(answers)),
        ("failures", "Mutants that made their protocol fail", mutants::failures(answers)),
        ("survivors", "Mutants that nothing found", mutants::survivors(answers, page.known)),
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
    let excluded = answers.equivalents.len() as u64;
    html! {
        p {
            (tried + excluded) " mutants = " (caught) " found + " (tried - caught) " not found + " (excluded) " excluded. "
            "Excluded are those that cannot be faults: they are equivalent to their protocol, unreachable or harmless. Shares are of the other "
            (tried) ". A criterion counts for a mutant only if the cores that ran it guarantee what it checks."
        }
    }
}

/// Whether the section draws a figure of the campaign. Its matrices of operators and finders are tables, so these
/// figures are left out.
pub(super) fn is_shown(figure: &Figure) -> bool {
    figure.experiment == CAMPAIGN && !figure.name.starts_with("mutants-kills")
}

/// The title of a scope.
fn scope(scope: &Scope) -> String {
    match scope {
        Scope::All => "all cores".to_owned(),
        Scope::Model(model) => format!("cores that guarantee {}", model.to_uppercase()),
        Scope::Client(client) => client.clone(),
        Scope::Protocol(protocol) => protocol.clone(),
        Scope::Cores { protocol, model } => {
            format!("{protocol}, cores that guarantee {}", model.to_uppercase())
        }
    }
}
