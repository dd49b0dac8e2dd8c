//! [`Columns`]: access to the columns of a table by name and type.

use std::path::Path;

use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, StaticArray, Utf8ViewArray};
use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::record_batch::RecordBatch;
use polars_arrow::types::NativeType;

use crate::TableError;
use crate::types::mismatch;

/// Whole numbers, or null.
pub(super) type Numbers = PrimitiveArray<u64>;

/// The columns of one piece of a table.
pub(super) struct Columns<'a> {
    pub path: &'a Path,
    pub batch: &'a RecordBatch,
}

impl<'a> Columns<'a> {
    /// Returns a column of numbers. Integer types other than u64 are accepted, since not every program can write
    /// unsigned numbers.
    pub(crate) fn numbers(&self, name: &str) -> Result<Numbers, TableError> {
        let column = self.column(name)?;
        let numbers = match column.dtype() {
            ArrowDataType::UInt64 => cast::<u64>(column),
            ArrowDataType::UInt32 => cast::<u32>(column),
            ArrowDataType::Int64 => cast::<i64>(column),
            ArrowDataType::Int32 => cast::<i32>(column),
            ArrowDataType::Null => {
                Some(Numbers::new_null(ArrowDataType::UInt64, self.batch.height()))
            }
            found => return Err(self.wrong_type(name, found, "whole numbers")),
        };
        numbers.ok_or_else(|| {
            TableError::schema(self.path, format!("the column `{name}` holds numbers below 0"))
        })
    }

    /// Returns a column of numbers, or `None` if the table has no such column.
    pub(crate) fn optional_numbers(&self, name: &str) -> Result<Option<Numbers>, TableError> {
        self.find(name).map(|_| self.numbers(name)).transpose()
    }

    /// Returns a column of text.
    pub(crate) fn text(&self, name: &str) -> Result<Utf8ViewArray, TableError> {
        let column = self.column(name)?;
        if *column.dtype() == ArrowDataType::Null {
            return Ok(Utf8ViewArray::new_null(ArrowDataType::Utf8View, self.batch.height()));
        }
        let text = column.as_any().downcast_ref::<Utf8ViewArray>().cloned();
        text.ok_or_else(|| self.wrong_type(name, column.dtype(), "text"))
    }

    /// Returns a column of text, or `None` if the table has no such column.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<Utf8ViewArray>, TableError> {
        self.find(name).map(|_| self.text(name)).transpose()
    }

    /// Returns a column of booleans, or `None` if the table has no such column.
    pub(crate) fn optional_flags(&self, name: &str) -> Result<Option<BooleanArray>, TableError> {
        let Some(column) = self.find(name) else {
            return Ok(None);
        };
        let flags = column.as_any().downcast_ref::<BooleanArray>().cloned();
        let wrong = || self.wrong_type(name, column.dtype(), "true and false");
        flags.map(Some).ok_or_else(wrong)
    }

    fn find(&self, name: &str) -> Option<&'a dyn Array> {
        let number = self.batch.schema().index_of(name)?;
        Some(&*self.batch.arrays()[number])
    }

    fn column(&self, name: &str) -> Result<&'a dyn Array, TableError> {
        let missing = || TableError::schema(self.path, format!("the column `{name}` is missing"));
        self.find(name).ok_or_else(missing)
    }

    fn wrong_type(&self, name: &str, found: &ArrowDataType, expected: &str) -> TableError {
        TableError::schema(self.path, mismatch(name, found, expected))
    }
}

/// Converts a column of numbers of type `T`; `None` if one is below 0.
fn cast<T: NativeType + TryInto<u64>>(column: &dyn Array) -> Option<Numbers> {
    let column = column.as_any().downcast_ref::<PrimitiveArray<T>>()?;
    let numbers = (0..column.len()).map(|row| match column.get(row) {
        None => Some(None),
        Some(number) => number.try_into().ok().map(Some),
    });
    numbers.collect()
}
