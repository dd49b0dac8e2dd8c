//! [`Gem5`]: the format of gem5's traces.

use std::io::Write;

use history::History;

use crate::error::{Error, WriteError};
use crate::format::{Contents, FormatInfo, Resemblance, TraceFormat};
use crate::gem5::lines::alike::{self, Alike};
use crate::gem5::lines::fault::TITLE;
use crate::gem5::lines::layout;
use crate::gem5::lines::line::{self, Shape};
use crate::gem5::lines::recognise::{is_chatter, is_trace_line};
use crate::gem5::readers::live::LiveTrace;
use crate::gem5::readers::reader::read;
use crate::gem5::run::RunProperties;
use crate::gem5::write::{self, write};
use crate::input::{LINE_LIMIT, Lines};
use crate::live_reader::LiveReader;
use crate::options::Options;

/// The format of the text that gem5's debug flags print.
pub struct Gem5;

impl TraceFormat for Gem5 {
    fn info(&self) -> &'static FormatInfo {
        &FormatInfo {
            name: "gem5",
            title: TITLE,
            example: "    61000: system.…: …",
            extensions: &["trace"],
            line_limit: LINE_LIMIT,
        }
    }

    fn recognises(&self, line: &[u8]) -> Resemblance {
        let is_blank = line.trim_ascii().is_empty();
        match line::shape(line) {
            Ok(Shape::Raw(_)) => Resemblance::Certain,
            Ok(Shape::Named { path, .. }) if path.contains(&b'.') => Resemblance::Certain,
            _ if layout::restore(line).is_some() => Resemblance::Certain,
            _ if !is_blank && (is_trace_line(line) || is_chatter(line)) => Resemblance::Likely,
            _ => Resemblance::None,
        }
    }

    fn changed(&self, line: &[u8], number: u64, file: &str) -> Option<Error> {
        match alike::of_chatter(line) {
            Alike::Part(fault) => Some(fault.at(file, number, line)),
            Alike::Similar | Alike::Nothing => None,
        }
    }

    fn read(&self, lines: &mut Lines<'_>, options: &Options) -> Result<Contents, Error> {
        read(lines, options, &RunProperties::default())
    }

    fn watch<'o>(&self, options: &'o Options) -> Option<Box<dyn LiveReader + 'o>> {
        Some(Box::new(LiveTrace::new(options)))
    }

    fn loss(&self, history: &History) -> Option<&'static str> {
        write::loss(history)
    }

    fn write(
        &self,
        history: &History,
        count: usize,
        out: &mut dyn Write,
    ) -> Result<(), WriteError> {
        match count {
            1 => write(history, out),
            _ => Err(write::inexpressible(format!("{count} histories in one file"))),
        }
    }
}
