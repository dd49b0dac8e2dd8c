//! Tables of which every row is a record: written and read by what its fields are called and hold.

use std::fs::File;
use std::path::Path;

use polars::prelude::{AnyValue, Column, DataFrame, DataType, PolarsResult, Series};

use crate::TableError;
use crate::guard::{decoded, probed, reader};
use crate::names::current_algorithm;
use crate::write::create;

/// A row of a table.
pub(super) trait Record: Clone + Default {
    /// What the table is, for a sentence.
    const TABLE: &'static str;
    /// The command that makes one.
    const MADE_BY: &'static str;

    /// Columns that older versions did not write, and that may be null: they need not be there.
    const NEWER: &'static [&'static str] = &[];

    /// The columns, in order: reading and writing go by this alone.
    fn fields(&mut self) -> Vec<(&'static str, Field<'_>)>;
}

/// A field of a record: its column holds values of this type.
pub(super) enum Field<'a> {
    Text(&'a mut String),
    TextOrNull(&'a mut Option<String>),
    /// The name of an algorithm.
    Algorithm(&'a mut String),
    /// A text that is one of these names.
    Name(&'a mut String, &'static [&'static str]),
    /// One of a few words.
    Word(&'a mut dyn Word),
    Small(&'a mut u32),
    SmallOrNull(&'a mut Option<u32>),
    Number(&'a mut u64),
    NumberOrNull(&'a mut Option<u64>),
    Seconds(&'a mut f64),
    SecondsOrNull(&'a mut Option<f64>),
    Flag(&'a mut bool),
}

/// One of a few words, or where that is possible none.
pub(super) trait Word {
    /// The word.
    fn word(&self) -> Option<&'static str>;

    /// Sets it. False if it cannot be that.
    fn set(&mut self, word: Option<&str>) -> bool;
}

/// The one of `all` whose name is `word`.
pub(super) fn named<T: Copy>(all: &[T], name: impl Fn(T) -> &'static str, word: &str) -> Option<T> {
    all.iter().copied().find(|&one| name(one) == word)
}

/// Sets `field` to what was found, if anything was.
pub(super) fn set<T>(field: &mut T, found: Option<T>) -> bool {
    found.map(|found| *field = found).is_some()
}

impl Field<'_> {
    fn dtype(&self) -> DataType {
        match self {
            Field::Text(_)
            | Field::TextOrNull(_)
            | Field::Algorithm(_)
            | Field::Name(..)
            | Field::Word(_) => DataType::String,
            Field::Small(_) | Field::SmallOrNull(_) => DataType::UInt32,
            Field::Number(_) | Field::NumberOrNull(_) => DataType::UInt64,
            Field::Seconds(_) | Field::SecondsOrNull(_) => DataType::Float64,
            Field::Flag(_) => DataType::Boolean,
        }
    }

    fn value(&self) -> AnyValue<'static> {
        let text = |text: &str| AnyValue::StringOwned(text.into());
        match self {
            Field::Text(field) | Field::Algorithm(field) | Field::Name(field, _) => text(field),
            Field::TextOrNull(field) => field.as_deref().map_or(AnyValue::Null, text),
            Field::Word(field) => field.word().map_or(AnyValue::Null, text),
            Field::Small(number) => AnyValue::UInt32(**number),
            Field::SmallOrNull(number) => number.map_or(AnyValue::Null, AnyValue::UInt32),
            Field::Number(number) => AnyValue::UInt64(**number),
            Field::NumberOrNull(number) => number.map_or(AnyValue::Null, AnyValue::UInt64),
            Field::Seconds(seconds) => AnyValue::Float64(**seconds),
            Field::SecondsOrNull(seconds) => seconds.map_or(AnyValue::Null, AnyValue::Float64),
            Field::Flag(flag) => AnyValue::Boolean(**flag),
        }
    }

    /// Sets the field, which holds its default, to a value of its type. False if it cannot be that.
    fn set(&mut self, value: &AnyValue<'_>) -> bool {
        // A table of one row owns its texts.
        if let AnyValue::StringOwned(text) = value {
            return self.set(&AnyValue::String(text));
        }
        match (self, value) {
            (Field::Text(field), AnyValue::String(text)) => **field = (*text).to_owned(),
            (Field::TextOrNull(field), AnyValue::String(text)) => {
                **field = Some((*text).to_owned());
            }
            (Field::Algorithm(field), AnyValue::String(name)) => {
                **field = current_algorithm(name).to_owned();
            }
            (Field::Name(field, names), AnyValue::String(name)) if names.contains(name) => {
                **field = (*name).to_owned();
            }
            (Field::Word(field), AnyValue::String(word)) => return field.set(Some(word)),
            (Field::Word(field), AnyValue::Null) => return field.set(None),
            (Field::Small(field), AnyValue::UInt32(number)) => **field = *number,
            (Field::SmallOrNull(field), AnyValue::UInt32(number)) => **field = Some(*number),
            (Field::Number(field), AnyValue::UInt64(number)) => **field = *number,
            (Field::NumberOrNull(field), AnyValue::UInt64(number)) => **field = Some(*number),
            (Field::Seconds(field), AnyValue::Float64(seconds)) => **field = *seconds,
            (Field::SecondsOrNull(field), AnyValue::Float64(seconds)) => **field = Some(*seconds),
            (Field::Flag(field), AnyValue::Boolean(flag)) => **field = *flag,
            (
                Field::TextOrNull(_)
                | Field::SmallOrNull(_)
                | Field::NumberOrNull(_)
                | Field::SecondsOrNull(_),
                AnyValue::Null,
            ) => {}
            _ => return false,
        }
        true
    }
}

/// Rows that are held as values of polars at a time.
const PIECE: usize = 1 << 14;

/// Writes records as a table, in the order given.
///
/// # Errors
/// If the file cannot be written; what was written of it is removed.
pub(super) fn write_records<R: Record>(path: &Path, rows: &[R]) -> Result<(), TableError> {
    let (first, others) = rows.split_at(rows.len().min(PIECE));
    let pieces = std::iter::once(first).chain(others.chunks(PIECE));
    create(path, None, pieces.map(frame))
}

fn frame<R: Record>(rows: &[R]) -> PolarsResult<DataFrame> {
    let mut empty = R::default();
    let fields = empty.fields();
    let mut values: Vec<Vec<AnyValue<'static>>> =
        vec![Vec::with_capacity(rows.len()); fields.len()];
    for row in rows {
        let mut row = row.clone();
        for (column, (_, field)) in values.iter_mut().zip(row.fields()) {
            column.push(field.value());
        }
    }
    let columns = fields.iter().zip(&values).map(|((name, field), values)| {
        let name = (*name).into();
        Series::from_any_values_and_dtype(name, values, &field.dtype(), true).map(Column::from)
    });
    let columns: PolarsResult<Vec<Column>> = columns.collect();
    DataFrame::new_infer_height(columns?)
}

/// Reads what [`write_records`] wrote.
///
/// # Errors
/// A file that cannot be read, is damaged, or lacks columns or values.
pub(super) fn read_records<R: Record>(path: &Path) -> Result<Vec<R>, TableError> {
    let file = File::open(path).map_err(TableError::io(path))?;
    probed(path, None).map_err(|error| error.made_by(R::MADE_BY))?;
    let frame = decoded(path, reader(file));
    let frame = frame.map_err(|error| error.made_by(R::MADE_BY))?;
    let columns = columns::<R>(path, &frame)?;
    let mut rows = vec![R::default(); frame.height()];
    for (number, row) in rows.iter_mut().enumerate() {
        for (column, (name, mut field)) in columns.iter().zip(row.fields()) {
            let value = column.and_then(|column| column.get(number).ok());
            let value = value.unwrap_or(AnyValue::Null);
            if !field.set(&value) {
                let what = match value.get_str() {
                    Some(text) => format!("holds `{text}` in row {number}"),
                    None => format!("has no value in row {number}"),
                };
                return Err(wrong::<R>(path, name, &what));
            }
        }
    }
    Ok(rows)
}

/// The columns of a table, if they have the names and types of a record's fields; none for those that it need not have.
fn columns<'f, R: Record>(
    path: &Path,
    frame: &'f DataFrame,
) -> Result<Vec<Option<&'f Column>>, TableError> {
    let mut empty = R::default();
    let fields = empty.fields();
    let column = |(name, field): &(&str, Field<'_>)| {
        let column = match frame.column(name) {
            Ok(column) => column,
            Err(_) if R::NEWER.contains(name) => return Ok(None),
            Err(_) => return Err(wrong::<R>(path, name, "is missing")),
        };
        let (found, expected) = (column.dtype(), field.dtype());
        match *found == expected {
            true => Ok(Some(column)),
            false => Err(wrong::<R>(
                path,
                name,
                &format!("holds {found}, not {expected}"),
            )),
        }
    };
    fields.iter().map(column).collect()
}

fn wrong<R: Record>(path: &Path, column: &str, what: &str) -> TableError {
    TableError::Records {
        path: path.to_owned(),
        what: format!("the column `{column}` {what}"),
        table: R::TABLE,
        made_by: R::MADE_BY,
    }
}
