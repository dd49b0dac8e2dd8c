//! [`Record`]: rows with a column for each field. Writes and reads tables of such rows by the names and types of the
//! fields.

use std::path::Path;

use polars_arrow::array::Array;
use polars_arrow::datatypes::ArrowSchema;
use polars_arrow::record_batch::RecordBatch;

use crate::TableError;
use crate::batch::Batch;
use crate::decode::Wanted;
use crate::guard::probed;
use crate::item::{Item, Type, Value};
use crate::names::current_algorithm;
use crate::types::{mismatch, name};
use crate::write::create;

/// A row of a table.
pub(super) trait Record: Clone + Default {
    /// The kind of table, as messages name it.
    const TABLE: &'static str;
    /// The command that writes such a table.
    const MADE_BY: &'static str;

    /// Columns that may be missing, since older versions did not write them; their values are optional.
    const NEWER: &'static [&'static str] = &[];

    /// Columns of text with the names that they may hold.
    const NAMES: &'static [(&'static str, &'static [&'static str])] = &[];

    /// The fields with the names of their columns, in order. Reading and writing a table use this list alone.
    fn fields(&mut self) -> Vec<(&'static str, &mut dyn Cell)>;
}

/// A field of a record.
pub(super) trait Cell {
    /// The type of the field's column.
    fn column_type(&self) -> Type;

    /// The field's value.
    fn item(&self) -> Item<'static>;

    /// Sets the field. Returns false if the item is not of its type.
    fn set(&mut self, item: &Item<'_>) -> bool;
}

impl<T: Value> Cell for T {
    fn column_type(&self) -> Type {
        T::TYPE
    }

    fn item(&self) -> Item<'static> {
        Value::item(self)
    }

    fn set(&mut self, item: &Item<'_>) -> bool {
        T::read(item).map(|value| *self = value).is_some()
    }
}

/// Defines the word that stands for each variant of an enum in tables.
macro_rules! words {
    ($type:ident: $($variant:ident $word:literal)*) => {
        impl $type {
            /// Every variant.
            pub const ALL: [$type; [$($word),*].len()] = [$($type::$variant),*];

            /// The word that stands for the variant in tables.
            pub fn name(self) -> &'static str {
                match self {
                    $($type::$variant => $word,)*
                }
            }
        }

        impl crate::item::Value for $type {
            const TYPE: crate::item::Type = crate::item::Type::Text;

            fn item(&self) -> crate::item::Item<'static> {
                crate::item::Item::Text(self.name().into())
            }

            fn read(item: &crate::item::Item<'_>) -> Option<$type> {
                let word = item.text()?;
                $type::ALL.into_iter().find(|one| one.name() == word)
            }
        }
    };
}

/// Lists fields of a record as columns of the same names.
macro_rules! fields {
    ($record:ident: $($name:ident)*) => {
        vec![$((stringify!($name), &mut $record.$name as &mut dyn crate::records::Cell)),*]
    };
}

/// Defines the functions that write and read a table.
macro_rules! table {
    ($row:ident: $write:ident $read:ident) => {
        /// Writes rows as a table, in the order given.
        ///
        /// # Errors
        /// Returns an error if the file cannot be written; an earlier file stays as it was.
        pub fn $write(path: &std::path::Path, rows: &[$row]) -> Result<(), crate::TableError> {
            crate::records::write_records(path, rows)
        }

        /// Reads the rows of a table.
        ///
        /// # Errors
        /// Returns an error if the file cannot be read, is damaged, or lacks columns or values.
        pub fn $read(path: &std::path::Path) -> Result<Vec<$row>, crate::TableError> {
            crate::records::read_records(path)
        }
    };
}

pub(crate) use {fields, table, words};

/// Columns of text that name algorithms. Names that older versions wrote are read as the current ones.
const ALGORITHMS: [&str; 2] = ["algorithm", "decided_by"];

/// Number of rows that are held as items at a time.
const ROWS_IN_MEMORY: usize = 1 << 14;

/// Writes records as a table, in the order given.
///
/// # Errors
/// Returns an error if the file cannot be written; an earlier file stays as it was.
pub(super) fn write_records<R: Record>(path: &Path, rows: &[R]) -> Result<(), TableError> {
    create(path, None, pieces(rows))
}

/// The table in pieces, at least one so that there is a schema.
pub(super) fn pieces<R: Record>(rows: &[R]) -> impl Iterator<Item = RecordBatch> + use<'_, R> {
    let (first, others) = rows.split_at(rows.len().min(ROWS_IN_MEMORY));
    std::iter::once(first).chain(others.chunks(ROWS_IN_MEMORY)).map(batch)
}

fn batch<R: Record>(rows: &[R]) -> RecordBatch {
    let mut empty = R::default();
    let fields = empty.fields();
    let mut items: Vec<Vec<Item<'static>>> = vec![Vec::with_capacity(rows.len()); fields.len()];
    for row in rows {
        let mut row = row.clone();
        for (column, (_, field)) in items.iter_mut().zip(row.fields()) {
            column.push(field.item());
        }
    }
    let mut batch = Batch::default();
    for ((name, field), items) in fields.iter().zip(&items) {
        batch.push_array(name, field.column_type().column(items));
    }
    batch.finish()
}

/// Reads the records of a table that [`write_records`] wrote.
///
/// # Errors
/// Returns an error if the file cannot be read, is damaged, or lacks columns or values.
pub(super) fn read_records<R: Record>(path: &Path) -> Result<Vec<R>, TableError> {
    let mut file = host::inputs::open(path).map_err(TableError::io(path))?;
    probed(path, None).map_err(|error| error.made_by(R::MADE_BY))?;
    let mut empty = R::default();
    let names: Vec<&str> = empty.fields().iter().map(|(name, _)| *name).collect();
    let wanted = Wanted::of(path, &mut file, Some(&names)).map_err(of_records::<R>)?;
    let columns = columns::<R>(path, &wanted.columns)?;
    let mut rows = Vec::new();
    let read = wanted.visit(path, &mut file, |batch| add_rows(path, &columns, batch, &mut rows));
    read.map_err(of_records::<R>).map(|()| rows)
}

/// The error with what a table of these records is and which command writes it.
fn of_records<R: Record>(error: TableError) -> TableError {
    match error {
        TableError::Schema { path, what } => {
            TableError::Records { path, what, table: R::TABLE, made_by: R::MADE_BY }
        }
        error => error.made_by(R::MADE_BY),
    }
}

fn add_rows<R: Record>(
    path: &Path,
    columns: &[Reading],
    batch: &RecordBatch,
    rows: &mut Vec<R>,
) -> Result<(), TableError> {
    let arrays = columns.iter().map(|column| Some(&*batch.arrays()[column.number?]));
    let arrays: Vec<Option<&dyn Array>> = arrays.collect();
    for at in 0..batch.height() {
        let mut row = R::default();
        for ((column, array), (name, field)) in columns.iter().zip(&arrays).zip(row.fields()) {
            let item = column.item(*array, at);
            if !column.may_hold(&item) || !field.set(&item) {
                let number = rows.len();
                let what = match item.text() {
                    Some(text) => format!("holds `{text}` in row {number}"),
                    None => format!("has no value in row {number}"),
                };
                return Err(wrong(path, name, &what));
            }
        }
        rows.push(row);
    }
    Ok(())
}

/// A column that is read.
struct Reading {
    /// Its number in each batch; `None` if it is missing, as it may be in tables of older versions.
    number: Option<usize>,
    column_type: Type,
    names_algorithms: bool,
    /// The names that the column may hold, if [`Record::NAMES`] lists it.
    names: Option<&'static [&'static str]>,
}

impl Reading {
    /// Returns the value in a row, by its current name if it names an algorithm.
    fn item<'a>(&self, column: Option<&'a dyn Array>, row: usize) -> Item<'a> {
        let item = column.map_or(Item::Null, |column| self.column_type.item(column, row));
        match item.text() {
            Some(text) if self.names_algorithms => {
                Item::Text(current_algorithm(text).to_owned().into())
            }
            _ => item,
        }
    }

    fn may_hold(&self, item: &Item<'_>) -> bool {
        self.names.is_none_or(|names| item.text().is_some_and(|it| names.contains(&it)))
    }
}

/// Returns the columns of a table for the fields of a record, or an error if a name or type is wrong.
fn columns<R: Record>(path: &Path, found: &ArrowSchema) -> Result<Vec<Reading>, TableError> {
    let mut empty = R::default();
    let fields = empty.fields();
    let column = |(field, cell): &(&'static str, &mut dyn Cell)| {
        let column_type = cell.column_type();
        let number = match found.get_full(field) {
            Some((number, _, column)) if column.dtype == column_type.arrow() => Some(number),
            Some((_, _, column)) => {
                let expected = name(&column_type.arrow()).unwrap_or_default();
                let what = mismatch(field, &column.dtype, expected);
                return Err(of_records::<R>(TableError::schema(path, what)));
            }
            None if R::NEWER.contains(field) => None,
            None => return Err(of_records::<R>(wrong(path, field, "is missing"))),
        };
        Ok(Reading {
            number,
            column_type,
            names_algorithms: ALGORITHMS.contains(field),
            names: R::NAMES.iter().find(|named| named.0 == *field).map(|named| named.1),
        })
    };
    fields.iter().map(column).collect()
}

fn wrong(path: &Path, column: &str, what: &str) -> TableError {
    TableError::schema(path, format!("the column `{column}` {what}"))
}
