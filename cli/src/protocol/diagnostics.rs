//! Diagnostics as rustc shows them: the message, and the marked source lines.

use annotate_snippets::{Annotation, AnnotationKind, Group, Level, Renderer, Snippet};
use slicc::source::{Diagnostic, Severity, Sources, Span};

use crate::error::Error;

/// Most bytes of the source that are shown at a place.
const MOST: usize = 2000;

/// Most lines of the source that are shown at a place.
const LINES: usize = 5;

/// A diagnostic with the lines it is about.
pub(super) fn shown(sources: &Sources, diagnostic: &Diagnostic, paint: bool) -> String {
    let level = match diagnostic.severity {
        Severity::Error => Level::ERROR,
        Severity::Warning => Level::WARNING,
    };
    let mut main = Group::with_title(level.primary_title(diagnostic.message.as_str()));
    if let Some(span) = diagnostic.span {
        let label = diagnostic.label.as_deref();
        main = main.element(snippet(sources, span, AnnotationKind::Primary, label));
    }
    for (span, note) in &diagnostic.notes {
        let kind = AnnotationKind::Context;
        main = main.element(snippet(sources, *span, kind, Some(note)));
    }
    if let Some(hint) = &diagnostic.hint {
        main = main.element(Level::HELP.message(hint.as_str()));
    }
    let renderer = if paint { Renderer::styled() } else { Renderer::plain() };
    renderer.render(&[main])
}

/// The source lines of a place; the first ones if there are many.
fn snippet<'a>(
    sources: &'a Sources,
    span: Span,
    kind: AnnotationKind,
    label: Option<&'a str>,
) -> Snippet<'a, Annotation<'a>> {
    let (path, line, _) = sources.position(span);
    let text = &sources.files()[span.file as usize].text;
    let (start, mut end) = (span.start as usize, span.end as usize);
    let first = text[..start].rfind('\n').map_or(0, |at| at + 1);
    let inside = &text[start..end];
    if let Some((last, _)) = inside.match_indices('\n').nth(LINES - 1) {
        end = start + last;
    }
    // A line may be as long as a whole file.
    let end = boundary(text, end.min(start + MOST));
    let first = boundary(text, first.max(start.saturating_sub(MOST)));
    let line_end = text[end..].find('\n').map_or(text.len(), |at| end + at);
    let behind = boundary(text, line_end.min(end + MOST));
    let marked = kind.span(start - first..end - first).label(label);
    Snippet::source(&text[first..behind])
        .line_start(line)
        .path(path.display().to_string())
        .annotation(marked)
}

/// The first boundary of a character at or after a byte.
fn boundary(text: &str, at: usize) -> usize {
    (at..text.len()).find(|&at| text.is_char_boundary(at)).unwrap_or(text.len())
}

/// The error for a command that needs a protocol without errors.
pub(crate) fn refusal(name: &str, sources: &Sources, diagnostics: &[Diagnostic]) -> Error {
    let errors = diagnostics
        .iter()
        .filter(|one| one.severity == Severity::Error)
        .map(|one| shown(sources, one, false));
    Error::Protocol { name: name.to_owned(), errors: errors.collect::<Vec<_>>().join("\n\n") }
}
