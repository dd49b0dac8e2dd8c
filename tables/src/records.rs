//! [`Record`]: rows with a column for each field. Writes and reads tables of such rows by the names and types of the
//! fields.

use std::path::Path;

use polars_core::prelude::{AnyValue, Column, DataFrame, DataType, PolarsResult, Series};
use polars_core::series::SeriesPhysIter;

use crate::TableError;
use crate::guard::{decoded, probed};
use crate::names::current_algorithm;
use crate::types::Wanted;
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

/// A type of values that a column can hold.
pub(super) trait Value: Sized {
    /// The type of the column.
    const TYPE: DataType;

    /// Converts the value to a value of polars.
    fn value(&self) -> AnyValue<'static>;

    /// Converts a value of polars; `None` if it is not of this type.
    fn read(value: &AnyValue<'_>) -> Option<Self>;
}

/// A field of a record.
pub(super) trait Cell {
    /// The type of the field's column.
    fn dtype(&self) -> DataType;

    /// The field's value as a value of polars.
    fn value(&self) -> AnyValue<'static>;

    /// Sets the field. Returns false if the value is not of its type.
    fn set(&mut self, value: &AnyValue<'_>) -> bool;
}

impl<T: Value> Cell for T {
    fn dtype(&self) -> DataType {
        T::TYPE
    }

    fn value(&self) -> AnyValue<'static> {
        Value::value(self)
    }

    fn set(&mut self, value: &AnyValue<'_>) -> bool {
        T::read(value).map(|value| *self = value).is_some()
    }
}

impl<T: Value> Value for Option<T> {
    const TYPE: DataType = T::TYPE;

    fn value(&self) -> AnyValue<'static> {
        self.as_ref().map_or(AnyValue::Null, T::value)
    }

    fn read(value: &AnyValue<'_>) -> Option<Option<T>> {
        match value {
            AnyValue::Null => Some(None),
            value => T::read(value).map(Some),
        }
    }
}

impl Value for String {
    const TYPE: DataType = DataType::String;

    fn value(&self) -> AnyValue<'static> {
        AnyValue::StringOwned(self.as_str().into())
    }

    fn read(value: &AnyValue<'_>) -> Option<String> {
        value.get_str().map(str::to_owned)
    }
}

macro_rules! numbers {
    ($($type:ty: $variant:ident,)*) => {$(
        impl Value for $type {
            const TYPE: DataType = DataType::$variant;

            fn value(&self) -> AnyValue<'static> {
                AnyValue::$variant(*self)
            }

            fn read(value: &AnyValue<'_>) -> Option<$type> {
                match value {
                    AnyValue::$variant(value) => Some(*value),
                    _ => None,
                }
            }
        }
    )*};
}

numbers!(u32: UInt32, u64: UInt64, f64: Float64, bool: Boolean,);

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

        impl crate::records::Value for $type {
            const TYPE: polars_core::prelude::DataType = polars_core::prelude::DataType::String;

            fn value(&self) -> polars_core::prelude::AnyValue<'static> {
                polars_core::prelude::AnyValue::StringOwned(self.name().into())
            }

            fn read(value: &polars_core::prelude::AnyValue<'_>) -> Option<$type> {
                let word = value.get_str()?;
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

/// Number of rows that are held as values of polars at a time.
const ROWS_IN_MEMORY: usize = 1 << 14;

/// Writes records as a table, in the order given.
///
/// # Errors
/// Returns an error if the file cannot be written; an earlier file stays as it was.
pub(super) fn write_records<R: Record>(path: &Path, rows: &[R]) -> Result<(), TableError> {
    create(path, None, pieces(rows))
}

/// The table in pieces, at least one so that there is a schema.
pub(super) fn pieces<R: Record>(
    rows: &[R],
) -> impl Iterator<Item = PolarsResult<DataFrame>> + use<'_, R> {
    let (first, others) = rows.split_at(rows.len().min(ROWS_IN_MEMORY));
    std::iter::once(first).chain(others.chunks(ROWS_IN_MEMORY)).map(frame)
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

/// Reads the records of a table that [`write_records`] wrote.
///
/// # Errors
/// Returns an error if the file cannot be read, is damaged, or lacks columns or values.
pub(super) fn read_records<R: Record>(path: &Path) -> Result<Vec<R>, TableError> {
    let file = host::inputs::open(path).map_err(TableError::io(path))?;
    probed(path, None).map_err(|error| error.made_by(R::MADE_BY))?;
    let mut empty = R::default();
    let names: Vec<&str> = empty.fields().iter().map(|(name, _)| *name).collect();
    let open = file.try_clone().map_err(TableError::io(path))?;
    let frame =
        Wanted::of(path, open, Some(&names)).and_then(|wanted| decoded(path, wanted.reader(file)));
    let mut frame = frame.map_err(|error| match error {
        TableError::Schema { path, what } => {
            TableError::Records { path, what, table: R::TABLE, made_by: R::MADE_BY }
        }
        error => error.made_by(R::MADE_BY),
    })?;
    frame.rechunk_mut();
    let mut columns = columns::<R>(path, &frame)?;
    let mut rows = vec![R::default(); frame.height()];
    for (number, row) in rows.iter_mut().enumerate() {
        for (column, (name, field)) in columns.iter_mut().zip(row.fields()) {
            let value = column.next();
            if !column.may_hold(&value) || !field.set(&value) {
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

/// A column while its values are read, one row after the other.
struct Reading<'f> {
    /// The values that were not read yet; `None` if the column is missing, as it may be in tables of older versions.
    values: Option<SeriesPhysIter<'f>>,
    names_algorithms: bool,
    /// The names that the column may hold, if [`Record::NAMES`] lists it.
    names: Option<&'static [&'static str]>,
}

impl<'f> Reading<'f> {
    /// Returns the value of the next row, by its current name if it names an algorithm.
    fn next(&mut self) -> AnyValue<'f> {
        let value = self.values.as_mut().and_then(Iterator::next).unwrap_or(AnyValue::Null);
        match value.get_str() {
            Some(text) if self.names_algorithms => {
                AnyValue::StringOwned(current_algorithm(text).into())
            }
            _ => value,
        }
    }

    fn may_hold(&self, value: &AnyValue<'_>) -> bool {
        self.names.is_none_or(|names| value.get_str().is_some_and(|it| names.contains(&it)))
    }
}

/// Returns the columns of a table for the fields of a record, or an error if a name or type is wrong. Each column must be one
/// array.
fn columns<'f, R: Record>(
    path: &Path,
    frame: &'f DataFrame,
) -> Result<Vec<Reading<'f>>, TableError> {
    let mut empty = R::default();
    let fields = empty.fields();
    let column = |(name, field): &(&'static str, &mut dyn Cell)| {
        let reading = |values| Reading {
            values,
            names_algorithms: ALGORITHMS.contains(name),
            names: R::NAMES.iter().find(|named| named.0 == *name).map(|named| named.1),
        };
        let column = match frame.column(name) {
            Ok(column) => column,
            Err(_) if R::NEWER.contains(name) => return Ok(reading(None)),
            Err(_) => return Err(wrong::<R>(path, name, "is missing")),
        };
        let (found, expected) = (column.dtype(), field.dtype());
        if *found == expected {
            Ok(reading(Some(column.as_materialized_series().phys_iter())))
        } else {
            Err(wrong::<R>(path, name, &format!("holds {found}, not {expected}")))
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
