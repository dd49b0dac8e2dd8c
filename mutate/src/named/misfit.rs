//! The reasons why a fault cannot be injected into a protocol.

/// The reason why a fault cannot be injected into a protocol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Misfit {
    /// The protocol has the fault, or the repair, already.
    #[error("this protocol has it already: {0}")]
    Already(String),
    /// With the edit the protocol has an error: it lacks what the edit needs, such as an event, or is in an older dialect of SLICC.
    #[error("with it this protocol would have an error: {0}")]
    Error(String),
    /// The user's protocol differs from what gem5 had in a place whose content the repair would overwrite.
    #[error(
        "it would overwrite a change of your own: {place} is not as gem5 had it: {}. Make the repair's change there by hand, or undo your own",
        differences.join("; ")
    )]
    Changed {
        /// The row or port.
        place: String,
        /// The differences in words, and the file and line.
        differences: Vec<String>,
    },
    /// There is no place that fits.
    #[error(
        "it does not fit: there is no {}{}",
        article(wanted),
        listed("; there are", candidates)
    )]
    Nowhere {
        /// The description of the place.
        wanted: String,
        /// The places that there are instead, each with its file and line.
        candidates: Vec<String>,
    },
    /// Several places fit.
    #[error("{} places fit, and one must: {wanted}{}", candidates.len(), listed(": ", candidates))]
    Several {
        /// The description of the place.
        wanted: String,
        /// The places that fit, each with its file and line.
        candidates: Vec<String>,
    },
}

/// The error that no place fits.
pub(super) fn nowhere(wanted: String, candidates: Vec<String>) -> Misfit {
    Misfit::Nowhere { wanted, candidates }
}

fn article(wanted: &str) -> &str {
    let articles = ["an ", "a ", "the "];
    let found = articles.iter().find_map(|one| wanted.strip_prefix(one));
    found.unwrap_or(wanted)
}

/// Largest number of candidates that a message lists.
const MOST_LISTED: usize = 12;

fn listed(head: &str, candidates: &[String]) -> String {
    if candidates.is_empty() {
        return String::new();
    }
    let mut text = head.to_owned();
    for one in candidates.iter().take(MOST_LISTED) {
        text.push_str("\n  ");
        text.push_str(one);
    }
    if let Some(more) = candidates.len().checked_sub(MOST_LISTED).filter(|more| *more > 0) {
        text.push_str(&format!("\n  and {more} more"));
    }
    text
}
