//! How a run ended, on standard error and in pictures. [`lab::ending`] knows it.

use lab::ending::RunEnd;
use lab::load::Input;
use lab::released::words::recognised;
use lab::text::{capitalized, tame};
use report::picture::{List, ListRow, Picture};

use crate::error::tell;

/// Says on standard error that a run crashed or left requests unanswered, for commands that only write files.
pub(crate) fn warn(input: &Input, quiet: bool) {
    let mut ends = input.histories.iter().map(|history| RunEnd::of(history, &input.ending));
    let broken = ends.find(|end| end.crash.is_some() || end.unfinished > 0);
    if let Some(note) = broken.filter(|_| !quiet).and_then(|end| end.note()) {
        tell(format_args!("{}: {note}", tame(&input.file)));
    }
}

/// Adds the end of a run to a picture, as lists and as notes.
pub(crate) fn add_to(end: &RunEnd<'_>, picture: &mut Picture) {
    let rows = |list: lab::ending::List| {
        let rows = list.rows.into_iter();
        rows.map(|row| ListRow { text: row.text, is_wrong: row.is_wrong }).collect()
    };
    let lists = end.lists().into_iter();
    let lists = lists.map(|list| List { title: capitalized(&list.title), rows: rows(list) });
    picture.lists = lists.collect();
    if end.crash.is_none() {
        let notes = end.note().into_iter().chain(end.ending.unexplained.clone());
        picture.notes.splice(0..0, notes);
    }
    picture.notes.extend(end.ending.processor.iter().map(|line| tame(line)));
    picture.notes.extend(recognised(&end.known()));
    if end.crash.is_some() || end.unfinished > 0 {
        picture.notes.extend(end.ending.missing.iter().cloned());
    }
}

/// A picture that shows only the end of a run.
pub(crate) fn picture(end: &RunEnd<'_>, title: String, lead: Vec<String>) -> Picture {
    let mut picture = Picture { title, lead, ..Picture::default() };
    add_to(end, &mut picture);
    picture
}
