//! Rows as CSV.

use std::io;
use std::path::Path;

use host::files;
use serde::Serialize;

use crate::escape::cell;

/// Rows that are held as text at a time.
const ROWS_IN_MEMORY: usize = 1 << 12;

/// Writes rows as CSV to `out` under a heading with the names of their fields. Text is written as [`cell`] does, so that it does no
/// harm in a spreadsheet or a terminal.
///
/// # Errors
/// Returns the error of `out`.
pub fn csv_to(rows: &[impl Serialize], out: impl io::Write) -> io::Result<()> {
    let mut table = csv::Writer::from_writer(out);
    for (number, some) in rows.chunks(ROWS_IN_MEMORY).enumerate() {
        let mut raw = csv::WriterBuilder::new().has_headers(number == 0).from_writer(Vec::new());
        some.iter().try_for_each(|row| raw.serialize(row))?;
        let raw = raw.into_inner().map_err(|error| io::Error::other(error.to_string()))?;
        let mut raw = csv::ReaderBuilder::new().has_headers(false).from_reader(&raw[..]);
        for record in raw.records() {
            table.write_record(record?.iter().map(|text| cell(text).into_owned()))?;
        }
    }
    table.flush()
}

/// Writes rows as CSV under a heading with the names of their fields.
///
/// # Errors
/// Returns an error if the file cannot be written; an earlier file stays as it was.
pub fn write_csv(rows: &[impl Serialize], path: &Path) -> io::Result<()> {
    files::create(path, |error| error, |file| csv_to(rows, file))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Row {
        name: &'static str,
        number: i32,
    }

    #[test]
    fn text_of_others_is_harmless_and_numbers_stay() {
        let rows = [Row { name: "=1,\"2\"", number: -5 }, Row { name: "a\tb", number: 7 }];
        let mut text = Vec::new();
        csv_to(&rows, &mut text).unwrap();
        assert_eq!(
            String::from_utf8(text).unwrap(),
            "name,number\n\"'=1,\"\"2\"\"\",-5\na\\tb,7\n"
        );
    }

    #[test]
    fn the_heading_comes_once() {
        let rows: Vec<Row> =
            (0..=ROWS_IN_MEMORY as i32).map(|number| Row { name: "", number }).collect();
        let mut text = Vec::new();
        csv_to(&rows, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(text.matches("name").count(), 1);
        assert_eq!(text.lines().count(), rows.len() + 1);
    }
}
