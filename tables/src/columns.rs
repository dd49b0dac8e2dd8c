//! [`Columns`]: access to the columns of a table by name and type.

use std::path::Path;

use polars_core::prelude::{
    BooleanChunked, ChunkFullNull, DataFrame, DataType, StringChunked, UInt64Chunked,
};

use crate::TableError;

/// The columns of one piece of a table.
pub(super) struct Columns<'a> {
    pub path: &'a Path,
    pub frame: &'a DataFrame,
}

impl Columns<'_> {
    /// Returns a column of numbers. Integer types other than u64 are accepted, since not every program can write
    /// unsigned numbers.
    pub(crate) fn numbers(&self, name: &str) -> Result<UInt64Chunked, TableError> {
        let column = self.column(name)?;
        if !column.dtype().is_integer() && !column.dtype().is_null() {
            return Err(self.wrong_type(name, column.dtype(), "whole numbers"));
        }
        let cast = column.strict_cast(&DataType::UInt64).map_err(|_| {
            let what = format!("the column `{name}` holds numbers below 0");
            TableError::schema(self.path, what)
        })?;
        cast.u64().cloned().map_err(|_| self.wrong_type(name, column.dtype(), "whole numbers"))
    }

    /// Returns a column of numbers, or `None` if the table has no such column.
    pub(crate) fn optional_numbers(&self, name: &str) -> Result<Option<UInt64Chunked>, TableError> {
        match self.frame.column(name) {
            Ok(_) => self.numbers(name).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Returns a column of text.
    pub(crate) fn text(&self, name: &str) -> Result<StringChunked, TableError> {
        let column = self.column(name)?;
        if column.dtype().is_null() {
            return Ok(StringChunked::full_null(name.into(), self.frame.height()));
        }
        column.str().cloned().map_err(|_| self.wrong_type(name, column.dtype(), "text"))
    }

    /// Returns a column of text, or `None` if the table has no such column.
    pub(crate) fn optional_text(&self, name: &str) -> Result<Option<StringChunked>, TableError> {
        match self.frame.column(name) {
            Ok(_) => self.text(name).map(Some),
            Err(_) => Ok(None),
        }
    }

    /// Returns a column of booleans, or `None` if the table has no such column.
    pub(crate) fn optional_flags(&self, name: &str) -> Result<Option<BooleanChunked>, TableError> {
        let Ok(column) = self.frame.column(name) else {
            return Ok(None);
        };
        match column.bool() {
            Ok(flags) => Ok(Some(flags.clone())),
            Err(_) => Err(self.wrong_type(name, column.dtype(), "true and false")),
        }
    }

    fn column(&self, name: &str) -> Result<&polars_core::prelude::Column, TableError> {
        self.frame
            .column(name)
            .map_err(|_| TableError::schema(self.path, format!("the column `{name}` is missing")))
    }

    fn wrong_type(&self, name: &str, found: &DataType, expected: &str) -> TableError {
        let what = format!("the column `{name}` holds {found}, not {expected}");
        TableError::schema(self.path, what)
    }
}
