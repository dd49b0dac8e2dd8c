//! The options of a protocol, which its `protocol` line names: `protocol "CHI" partial_func_reads;`.
//!
//! gem5 has them since 24.1, which builds several protocols into one program. Until then the names of a few protocols
//! decided the same at compile time, so a function does it for the files of these releases.

use crate::ast::Name;
use crate::near::nearest;
use crate::source::Diagnostic;

/// What a protocol asks of gem5's runtime.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ProtocolOption {
    /// Functional reads collect the bytes of a line from several controllers.
    PartialFunctionalReads,
    /// A load-linked comes as `Load_Linked` and not as `LD`.
    LoadLinked,
    /// A store-conditional comes as `Store_Conditional` and not as `ST`.
    StoreConditional,
    /// Cache-maintenance requests come as `FLUSH`, and are not answered by the port of the core.
    Flushes,
}

use ProtocolOption::{Flushes, LoadLinked, PartialFunctionalReads, StoreConditional};

/// All options with their names, in gem5's order.
const OPTIONS: [(ProtocolOption, &str); 4] = [
    (PartialFunctionalReads, "partial_func_reads"),
    (LoadLinked, "use_secondary_load_linked"),
    (StoreConditional, "use_secondary_store_conditional"),
    (Flushes, "supports_flushes"),
];

impl ProtocolOption {
    /// The name on the `protocol` line.
    pub fn name(self) -> &'static str {
        OPTIONS[self as usize].1
    }
}

/// The options that a protocol has.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Options(u8);

impl Options {
    /// Whether an option is among them.
    pub fn has(self, option: ProtocolOption) -> bool {
        self.0 & (1 << option as u8) != 0
    }

    /// These options and another one.
    pub(crate) fn with(self, option: ProtocolOption) -> Options {
        Options(self.0 | 1 << option as u8)
    }

    /// The names of the options, in gem5's order.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        OPTIONS.into_iter().filter(move |(option, _)| self.has(*option)).map(|(_, name)| name)
    }

    /// The options with these names, and an error for each name that is not one. As in gem5, an option may be named twice.
    pub(crate) fn named(names: &[Name]) -> (Options, Vec<Diagnostic>) {
        let (mut options, mut errors) = (Options::default(), Vec::new());
        for name in names {
            match OPTIONS.iter().find(|(_, known)| *known == &*name.text) {
                Some((option, _)) => options = options.with(*option),
                None => errors.push(unknown(name)),
            }
        }
        (options, errors)
    }
}

/// Whether a protocol may have an option of this name.
pub(crate) fn is_option(name: &str) -> bool {
    OPTIONS.iter().any(|(_, known)| *known == name)
}

fn unknown(name: &Name) -> Diagnostic {
    let known = OPTIONS.map(|(_, name)| name);
    let hint = match nearest(&name.text, known) {
        Some(meant) => format!("did you mean `{meant}`? gem5 knows: {}", known.join(", ")),
        None => format!("gem5 knows: {}", known.join(", ")),
    };
    let message = format!("there is no option `{}` of a protocol", name.text);
    Diagnostic::error(name.span, message).hint(hint)
}
