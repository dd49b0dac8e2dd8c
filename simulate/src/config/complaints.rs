//! Errors about options and settings.

use slicc::error::ParseError;
use slicc::setting::Setting;
use slicc::source::Diagnostic;

/// An error that is about no place in a source file.
pub(super) fn anywhere(message: String) -> Diagnostic {
    Diagnostic { span: None, ..Diagnostic::error(Default::default(), message) }
}

pub(super) fn wrong(setting: &Setting, expected: &str) -> Diagnostic {
    anywhere(format!("{}: {expected} was expected", settings::Setting::Set.to(setting)))
}

pub(super) fn unreadable(setting: &Setting, why: ParseError) -> Diagnostic {
    anywhere(format!("{}: {why}", settings::Setting::Set.to(setting)))
}
