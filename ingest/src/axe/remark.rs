//! Remarks ([`Remark`]): comments that begin with `#! ` and state what the Axe checker cannot read.
//!
//! The checker skips comments, so it sees an operation without its remark. That operation allows at least the
//! executions that the operation with its remark allows, so the checker forbids nothing that the whole history allows.

use history::{Annotation, DependencyKind, Kind, WeakFence, dependency_from_text};

/// The beginning of a remark. Ordinary comments do not begin like this, since names of histories follow `# `.
pub(super) const MARK: &str = "#! ";

/// The properties that a remark adds to the operation of its line.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Remark {
    /// The kind of the operation, if the line shows it as a load or a store.
    pub kind: Option<Kind>,
    pub annotation: Annotation,
    pub depends: Vec<(DependencyKind, u32)>,
    /// Tick of issue, if the checker would refuse it on the line.
    pub issued: Option<u64>,
    /// Tick of completion, if the checker would refuse it on the line.
    pub completed: Option<u64>,
}

/// The kinds that are stated in the remark, each with the kind that the line shows for it.
const KINDS: [(Kind, Kind); 4] = [
    (Kind::LoadLinked, Kind::Load),
    (Kind::FailedCas, Kind::Load),
    (Kind::SilentRmw, Kind::Load),
    (Kind::StoreConditional, Kind::Store),
];

/// The kind that the line shows for an operation of this kind: the kind itself for most.
pub(super) fn shown(kind: Kind) -> Kind {
    KINDS.iter().find(|(hidden, _)| *hidden == kind).map_or(kind, |(_, shown)| *shown)
}

impl Remark {
    /// Parses the words of a remark on an operation that the line shows to be of kind `line`. The error is the text
    /// from the first word on that such a remark cannot have.
    pub(super) fn parse(text: &[u8], line: Kind) -> Result<Remark, &[u8]> {
        let mut remark = Remark::default();
        let mut rest = text.trim_ascii_start();
        while !rest.is_empty() {
            let end = rest.iter().position(u8::is_ascii_whitespace).unwrap_or(rest.len());
            let (word, behind) = rest.split_at(end);
            let known = std::str::from_utf8(word).ok().and_then(|text| remark.add(text, line));
            known.ok_or(rest)?;
            rest = behind.trim_ascii_start();
        }
        Ok(remark)
    }

    fn add(&mut self, word: &str, line: Kind) -> Option<()> {
        if let Some(kind) = Kind::from_name(word) {
            // A line shows every kind but these, and whether a read-modify-write has written.
            let adds = kind != line || kind == Kind::Rmw;
            let fits = self.kind.is_none() && adds && shown(kind) == line;
            self.kind = Some(kind);
            return fits.then_some(());
        }
        if let Some(annotation) = Annotation::from_name(word) {
            let fits = self.annotation.is_none() && !line.is_fence();
            self.annotation = annotation;
            return fits.then_some(());
        }
        if let Some(dependency) = dependency_from_text(word) {
            self.depends.push(dependency);
            return Some(());
        }
        let (name, tick) = word.split_once(':')?;
        let stated = match name {
            "issued" => &mut self.issued,
            "completed" => &mut self.completed,
            _ => return None,
        };
        let is_first = stated.is_none();
        *stated = Some(tick.parse().ok()?);
        is_first.then_some(())
    }
}

/// Parses the name of a weak fence at the beginning of a text. Returns the fence and the rest of the text.
pub(super) fn weak_fence(text: &[u8]) -> Option<(Kind, &[u8])> {
    WeakFence::ALL.into_iter().find_map(|weak| {
        let rest = text.strip_prefix(weak.name().as_bytes())?;
        let is_whole = rest.first().is_none_or(u8::is_ascii_whitespace);
        is_whole.then_some((Kind::WeakFence(weak), rest))
    })
}
