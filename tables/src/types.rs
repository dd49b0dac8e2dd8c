//! The types of columns that are read, and the names of those that are not.

use std::path::Path;
use std::sync::Arc;

use polars_arrow::datatypes::ArrowDataType;
use polars_io::mmap::MmapBytesReader;
use polars_io::prelude::ParquetReader;
use polars_parquet::read::{FileMetadata, infer_schema};

use crate::TableError;
use crate::guard::{guarded, reader};

/// The key of the metadata that says which types of Arrow the columns had when they were written.
const ARROW_SCHEMA: &str = "ARROW:schema";

/// The metadata of a Parquet file and the columns of it that are wanted, which is all that reading it takes.
#[derive(Clone)]
pub(super) struct Wanted {
    pub metadata: Arc<FileMetadata>,
    columns: Vec<String>,
}

impl Wanted {
    /// Reads the metadata of a file, and finds those of `columns` that it has; `None` wants all that can be read.
    ///
    /// # Errors
    /// Returns an error if the metadata cannot be read, or if a wanted column is of a type that is not read.
    pub(crate) fn of<R: MmapBytesReader>(
        path: &Path,
        source: R,
        columns: Option<&[&str]>,
    ) -> Result<Wanted, TableError> {
        let mut whole = reader(source);
        let mut metadata = guarded(path, || whole.get_metadata().cloned())?;
        let mut schema = guarded(path, || infer_schema(&metadata))?;
        let is_dictionary = |dtype: &ArrowDataType| matches!(dtype, ArrowDataType::Dictionary(..));
        if schema.iter_values().any(|field| is_dictionary(&field.dtype)) {
            metadata = Arc::new(without_arrow_schema((*metadata).clone()));
            schema = guarded(path, || infer_schema(&metadata))?;
        }
        let mut wanted = Vec::new();
        for field in schema.iter_values() {
            let is_asked = columns.is_some_and(|columns| columns.contains(&field.name.as_str()));
            if is_asked && !is_read(&field.dtype) {
                return Err(TableError::schema(path, unread(&field.name, &field.dtype)));
            }
            if is_asked || (columns.is_none() && is_read(&field.dtype)) {
                wanted.push(field.name.to_string());
            }
        }
        Ok(Wanted { metadata, columns: wanted })
    }

    /// A reader of the wanted columns.
    pub(crate) fn reader<R: MmapBytesReader>(&self, source: R) -> ParquetReader<R> {
        let mut reader = reader(source).with_columns(Some(self.columns.clone()));
        reader.set_metadata(self.metadata.clone());
        reader
    }
}

/// The metadata without the types of Arrow: columns are then read as Parquet stores them. A column of categories, which
/// Arrow calls a dictionary, is stored as the values themselves.
fn without_arrow_schema(mut metadata: FileMetadata) -> FileMetadata {
    if let Some(pairs) = &mut metadata.key_value_metadata {
        pairs.retain(|pair| pair.key != ARROW_SCHEMA);
    }
    metadata
}

/// Whether columns of a type can be read, if only to say that another type was expected.
fn is_read(dtype: &ArrowDataType) -> bool {
    use ArrowDataType as Type;
    matches!(
        dtype,
        Type::Null
            | Type::Boolean
            | Type::Int32
            | Type::Int64
            | Type::UInt32
            | Type::UInt64
            | Type::Float32
            | Type::Float64
            | Type::Utf8
            | Type::LargeUtf8
            | Type::Utf8View
            | Type::Binary
            | Type::LargeBinary
            | Type::BinaryView
    )
}

/// Says that a column is of a type that is not read, and what to do.
fn unread(column: &str, dtype: &ArrowDataType) -> String {
    format!(
        "the column `{column}` is of the type {dtype:?}, which is not read; write whole numbers as UInt64, UInt32, Int64 or \
         Int32, and text as strings"
    )
}
