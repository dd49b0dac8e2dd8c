//! The header of a record: its form, the program, and the layout of its words.

use history::{History, Source};
use memchr::memmem;

use super::layout::{Layout, Recording};
use super::{MAGIC, checksum, hint};
use crate::error::{Error, excerpt};
use crate::input::Lines;
use crate::json;
use crate::options::Options;

/// The version of the format.
const VERSION: &str = "1";

/// The form in which rounds are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// A line a round.
    Text,
    /// Blocks of words.
    Binary,
}

impl Form {
    /// Both forms.
    pub const ALL: [Form; 2] = [Form::Text, Form::Binary];

    /// The name in records and options.
    pub fn name(self) -> &'static str {
        match self {
            Form::Text => "text",
            Form::Binary => "binary",
        }
    }
}

/// The header of the records of a program, up to its first round.
///
/// # Errors
/// Fails if the program has values of reads or final values.
pub fn header(program: &History, layout: &Layout, form: Form) -> Result<String, String> {
    check(program)?;
    let mut object = Vec::new();
    json::write(program, &mut object).map_err(|error| error.to_string())?;
    let object = String::from_utf8(object).map_err(|error| error.to_string())?;
    let words: String = layout.words().map(|count| format!(" {count}")).collect();
    let text = format!(
        "{MAGIC}{VERSION} {}\n{object}words {}{words}\n",
        form.name(),
        layout.recording().name()
    );
    let sum = sum_of(text.lines().map(str::as_bytes));
    Ok(format!("{text}begin {sum:016x}\n"))
}

/// Checks that a history is the program of a record.
fn check(program: &History) -> Result<(), String> {
    if program.ops().any(|op| program.read(op).is_some()) || !program.finals().is_empty() {
        return Err("a program with values of reads or final values".to_owned());
    }
    Ok(())
}

fn sum_of<'a>(lines: impl Iterator<Item = &'a [u8]>) -> u64 {
    checksum(lines.flatten().map(|&byte| u64::from(byte)))
}

/// A header as it was read.
pub(super) struct Head {
    pub program: History,
    pub layout: Layout,
    pub form: Form,
}

impl Head {
    /// Reads the header. Lines before it are skipped, as the output of what started the program.
    pub(super) fn read(lines: &mut Lines<'_>, options: &Options) -> Result<Head, Error> {
        let mut texts = Vec::new();
        let first = loop {
            let line = next(lines, "the first line of a record")?;
            if let Some(first) = first_line(&line) {
                break first.to_vec();
            }
        };
        let form = form(lines, &first)?;
        texts.push(first);
        texts.push(next(lines, "the program, as a line of JSON")?);
        let mut program = json::read(lines, options)?;
        program.provenance.source = Source::Record;
        check(&program).map_err(|found| lines.syntax(found, "a program", hint()))?;
        let words = next(lines, "a line `words values …`")?;
        let layout = layout(lines, &words, &program)?;
        texts.push(words);
        let begin = next(lines, "a line `begin SUM`")?;
        let sum = sum_of(texts.iter().map(Vec::as_slice));
        if begin != format!("begin {sum:016x}").as_bytes() {
            let found = format!("`{}`", excerpt(&begin, 60));
            let expected =
                format!("`begin {sum:016x}`, since that is the checksum of the lines before");
            return Err(lines.syntax(found, expected, hint()));
        }
        Ok(Head { program, layout, form })
    }
}

/// The first line of a record in a line, which may begin with what a serial line has transmitted before.
pub(super) fn first_line(line: &[u8]) -> Option<&[u8]> {
    let at = memmem::find(line, MAGIC.as_bytes())?;
    let first = &line[at..];
    let ends = |form: &Form| first.ends_with(form.name().as_bytes());
    (at == 0 || Form::ALL.iter().any(ends)).then_some(first)
}

fn next(lines: &mut Lines<'_>, expected: &str) -> Result<Vec<u8>, Error> {
    match lines.next()? {
        Some(line) => Ok(line.to_vec()),
        None => Err(lines.syntax("the end of the input", expected, hint())),
    }
}

fn form(lines: &Lines<'_>, line: &[u8]) -> Result<Form, Error> {
    let named = |form: &Form| line == format!("{MAGIC}{VERSION} {}", form.name()).as_bytes();
    Form::ALL.into_iter().find(named).ok_or_else(|| {
        lines.syntax(
            format!("`{}`", excerpt(line, 60)),
            "`rubric-record 1 text` or `rubric-record 1 binary`",
            "another version of rubric may have written the record",
        )
    })
}

fn layout(lines: &Lines<'_>, line: &[u8], program: &History) -> Result<Layout, Error> {
    let wrong =
        |expected: String| lines.syntax(format!("`{}`", excerpt(line, 60)), expected, hint());
    let text = String::from_utf8_lossy(line);
    let mut words = text.split(' ');
    let kind = words.next().filter(|word| *word == "words").and_then(|_| words.next());
    let recording = kind.and_then(|kind| Recording::ALL.into_iter().find(|it| it.name() == kind));
    let expected =
        || "`words values` or `words signature`, and a number for each thread".to_owned();
    let recording = recording.ok_or_else(|| wrong(expected()))?;
    let layout = Layout::new(program, recording).map_err(wrong)?;
    let counts: Vec<String> = layout.words().map(|count| count.to_string()).collect();
    if !words.eq(counts.iter().map(String::as_str)) {
        return Err(wrong(format!("the numbers {} for this program", counts.join(" "))));
    }
    Ok(layout)
}
