//! Sections whose headings have anchors.

use std::collections::BTreeSet;

use maud::{Markup, html};

/// A section of the page.
pub(super) struct Section {
    /// The anchor of its heading.
    pub id: String,
    /// The heading.
    pub title: String,
    /// The content before the parts.
    pub body: Markup,
    /// The parts of the section, which have no parts of their own, and open on demand.
    pub parts: Vec<Section>,
    /// The subject of the section, shown beside its heading so that a reader sees it without opening the part; may be
    /// empty.
    pub note: String,
}

impl Section {
    /// A section without parts.
    pub(super) fn new(anchors: &mut Anchors, id: &str, title: &str, body: Markup) -> Section {
        Section {
            id: anchors.take(id),
            title: title.to_owned(),
            body,
            parts: Vec::new(),
            note: String::new(),
        }
    }

    /// The markup with headings and parts.
    pub(super) fn markup(&self) -> Markup {
        html! {
            section aria-labelledby=(self.id) {
                h2 id=(self.id) { (self.title) (self.link()) }
                (self.body)
                @for part in &self.parts {
                    section aria-labelledby=(part.id) {
                        details.part {
                            summary {
                                h3 id=(part.id) { (part.title) (part.link()) }
                                @if !part.note.is_empty() { span.note { (part.note) } }
                            }
                            (part.body)
                        }
                    }
                }
            }
        }
    }

    fn link(&self) -> Markup {
        html! {
            " "
            a.anchor href={ "#" (self.id) } aria-label={ "Link to: " (self.title) } { "#" }
        }
    }
}

/// The ids of the page.
#[derive(Default)]
pub(super) struct Anchors {
    taken: BTreeSet<String>,
}

impl Anchors {
    /// Returns an id that is similar to a text and unique on the page. The text may be anything, since names come from files.
    pub(super) fn take(&mut self, like: &str) -> String {
        let plain = |c: char| {
            if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '-' }
        };
        let plain: String = like.chars().map(plain).collect();
        let numbered = (2..).map(|number| format!("{plain}-{number}"));
        let mut ids = std::iter::once(plain.clone()).chain(numbered);
        let is_free = |id: &String| !id.is_empty() && !self.taken.contains(id);
        let id = ids.find(is_free).unwrap_or(plain);
        self.taken.insert(id.clone());
        id
    }
}

#[cfg(test)]
mod tests {
    use super::Anchors;

    #[test]
    fn no_two_anchors_are_the_same() {
        let mut anchors = Anchors::default();
        let taken = ["A b", "a-b", "a.b", "", "\"><script>"].map(|text| anchors.take(text));
        assert_eq!(taken, ["a-b", "a-b-2", "a-b-3", "-2", "---script-"]);
    }
}
