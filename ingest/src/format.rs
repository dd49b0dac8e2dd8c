//! Which format a text is in, told by its first lines.

use std::fmt;

/// A format that can be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// Text printed by gem5's debug flags.
    Gem5,
    /// The text format of the axe checker.
    Axe,
    /// A history written as JSON.
    Json,
}

impl Format {
    /// The name used in tables and JSON.
    pub fn name(self) -> &'static str {
        match self {
            Format::Gem5 => "gem5",
            Format::Axe => "axe",
            Format::Json => "json",
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Gem5 => "a gem5 trace",
            Format::Axe => "axe text",
            Format::Json => "JSON",
        })
    }
}
