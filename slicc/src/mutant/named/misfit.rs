//! Why a fault cannot be put into a protocol.

/// Why a fault cannot be put into a protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The protocol has the fault.
    #[error("this protocol has the fault already: {0}")]
    Already(String),
    /// What it changes is not there.
    #[error(
        "it does not fit: there is no {}{}",
        article(wanted),
        listed("; there are", candidates)
    )]
    Nowhere {
        /// What was looked for.
        wanted: String,
        /// What there is instead, each with its file and line.
        candidates: Vec<String>,
    },
    /// Several places could be meant.
    #[error("{} places fit, and one must: {wanted}{}", candidates.len(), listed(": ", candidates))]
    Several {
        /// What was looked for.
        wanted: String,
        /// The places, each with its file and line.
        candidates: Vec<String>,
    },
}

/// What was looked for is not there.
pub(super) fn nowhere(wanted: String, candidates: Vec<String>) -> Misfit {
    Misfit::Nowhere { wanted, candidates }
}

fn article(wanted: &str) -> &str {
    let articles = ["an ", "a ", "the "];
    let found = articles.iter().find_map(|one| wanted.strip_prefix(one));
    found.unwrap_or(wanted)
}

/// Most candidates that are named.
const NAMED: usize = 12;

fn listed(head: &str, candidates: &[String]) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    let mut text = head.to_owned();
    for one in candidates.iter().take(NAMED) {
        text.push_str("\n  ");
        text.push_str(one);
    }
    if let Some(more) = candidates.len().checked_sub(NAMED).filter(|more| *more > 0) {
        text.push_str(&format!("\n  and {more} more"));
    }
    text
}
