//! Diagnostics up to a limit, and the nearest name to a wrong one.

use crate::source::{Diagnostic, Span};

/// Most complaints about one protocol.
const MOST: usize = 100;

/// What is wrong, up to a limit.
#[derive(Default)]
pub(super) struct Complaints {
    said: Vec<Diagnostic>,
    unsaid: usize,
}

impl Complaints {
    pub fn say(&mut self, diagnostic: Diagnostic) {
        if self.is_full() {
            self.unsaid += 1;
        } else {
            self.said.push(diagnostic);
        }
    }

    /// Whether it is not worth to think about details any more.
    pub fn is_full(&self) -> bool {
        self.said.len() >= MOST
    }

    pub fn finish(mut self) -> Vec<Diagnostic> {
        if self.unsaid > 0 {
            let message = format!("and {} more", self.unsaid);
            self.said
                .push(Diagnostic { span: None, ..Diagnostic::error(Span::default(), message) });
        }
        self.said
    }
}

/// Longest name that is compared with others.
const LONGEST: usize = 100;

/// The candidate that differs least from a name, if it differs little.
pub(crate) fn nearest<'a>(
    name: &str,
    candidates: impl IntoIterator<Item = &'a str>,
) -> Option<&'a str> {
    if name.len() > LONGEST {
        return None;
    }
    // One letter in two is another name.
    let most = match name.len() {
        0..=2 => 0,
        len => (len / 3).max(1),
    };
    let lower = name.to_ascii_lowercase();
    let distance = |other: &str| strsim::osa_distance(&lower, &other.to_ascii_lowercase());
    candidates
        .into_iter()
        .filter(|other| other.len().abs_diff(name.len()) <= name.len() / 3 + 1)
        .map(|other| (distance(other), other))
        .min()
        .filter(|&(distance, _)| distance <= most)
        .map(|(_, other)| other)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name() {
        let names = ["Load", "Store", "Writeback_Ack", "Writeback_Nack"];
        assert_eq!(nearest("load", names), Some("Load"));
        assert_eq!(nearest("Laod", names), Some("Load"));
        assert_eq!(nearest("WritebackAck", names), Some("Writeback_Ack"));
        assert_eq!(nearest("Inv", names), None);
        assert_eq!(nearest(&"Load".repeat(100), names), None);
        assert_eq!(nearest("", names), None);
        assert_eq!(nearest("i", ["M", "I"]), Some("I"));
        assert_eq!(nearest("N", ["M", "I"]), None);
    }

    #[test]
    fn complaints_are_counted_when_they_are_many() {
        let mut complaints = Complaints::default();
        for _ in 0..MOST + 5 {
            complaints.say(Diagnostic::error(Span::default(), "a"));
        }
        let said = complaints.finish();
        assert_eq!(said.len(), MOST + 1);
        assert_eq!(said[MOST].message, "and 5 more");
    }
}
