//! [`Wanted`]: which columns of a Parquet file are read, and decodes them.

use std::io::{Cursor, Read, Seek, SeekFrom};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use polars_arrow::array::Array;
use polars_arrow::compute::concatenate::concatenate;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, ArrowSchemaRef, Field};
use polars_arrow::record_batch::RecordBatch;
use polars_buffer::Buffer;
use polars_parquet::read::{
    BasicDecompressor, ColumnChunkMetadata, FileMetadata, Filter, PageReader, RowGroupMetadata,
    column_iter_to_arrays, infer_schema, read_metadata,
};

use crate::TableError;
use crate::guard::guarded;
use crate::types::{is_read, unread};
use crate::write::ROWS_IN_MEMORY;

/// The key of the metadata that says which types of Arrow the columns had when they were written.
const ARROW_SCHEMA: &str = "ARROW:schema";

const DIFFERENT_LENGTHS: &str = "its columns differ in length";

/// The metadata of a Parquet file and the columns of it that are wanted, which is all that reading it takes.
pub(super) struct Wanted {
    pub metadata: FileMetadata,
    /// The wanted columns that the file has.
    pub columns: ArrowSchemaRef,
}

impl Wanted {
    /// Reads the metadata of a file, and finds those of `columns` that it has; `None` wants all that can be read.
    ///
    /// # Errors
    /// Returns an error if the metadata cannot be read, or if a wanted column is of a type that is not read.
    pub(crate) fn of(
        path: &Path,
        source: &mut (impl Read + Seek),
        columns: Option<&[&str]>,
    ) -> Result<Wanted, TableError> {
        let mut metadata = guarded(path, || read_metadata(source))?;
        let mut schema = guarded(path, || infer_schema(&metadata))?;
        let is_dictionary = |dtype: &ArrowDataType| matches!(dtype, ArrowDataType::Dictionary(..));
        if schema.iter_values().any(|field| is_dictionary(&field.dtype)) {
            forget_arrow_schema(&mut metadata);
            schema = guarded(path, || infer_schema(&metadata))?;
        }
        let mut wanted = ArrowSchema::default();
        for field in schema.into_iter_values() {
            let is_asked = columns.is_some_and(|columns| columns.contains(&field.name.as_str()));
            if is_asked && !is_read(&field.dtype) {
                return Err(TableError::schema(path, unread(&field.name, &field.dtype)));
            }
            if is_asked || (columns.is_none() && is_read(&field.dtype)) {
                wanted.insert(field.name.clone(), field);
            }
        }
        Ok(Wanted { metadata, columns: Arc::new(wanted) })
    }

    /// Decodes the wanted columns, and visits their rows in batches of at most [`ROWS_IN_MEMORY`]. Holds the compressed
    /// columns of one row group at a time. A file with none of the columns is one batch without rows.
    ///
    /// # Errors
    /// Returns an error if the file cannot be read or is damaged, and those of `visit`.
    pub(crate) fn visit(
        &self,
        path: &Path,
        source: &mut (impl Read + Seek),
        mut visit: impl FnMut(&RecordBatch) -> Result<(), TableError>,
    ) -> Result<(), TableError> {
        if self.columns.is_empty() {
            return visit(&RecordBatch::new(0, self.columns.clone(), Vec::new()));
        }
        for group in &self.metadata.row_groups {
            let columns = self.columns.iter_values();
            let chunks: Result<Vec<_>, _> =
                columns.map(|field| Chunk::read(path, source, group, field)).collect();
            let chunks = chunks?;
            for rows in slices(group) {
                visit(&self.decode(path, &chunks, rows)?)?;
            }
        }
        Ok(())
    }

    /// Decodes each wanted column by itself and discards it. Goes on after an error with the next one, so that what may happen when some of the
    /// columns are visited has happened here.
    ///
    /// # Errors
    /// Returns the first error.
    pub(crate) fn try_all(
        &self,
        path: &Path,
        source: &mut (impl Read + Seek),
    ) -> Result<(), TableError> {
        let mut result = Ok(());
        for group in &self.metadata.row_groups {
            for field in self.columns.iter_values() {
                let tried = Chunk::read(path, source, group, field).and_then(|chunk| {
                    slices(group).try_for_each(|rows| chunk.discard(path, &rows))
                });
                result = result.and(tried);
            }
        }
        result
    }

    /// Decodes some rows of a row group.
    fn decode(
        &self,
        path: &Path,
        chunks: &[Chunk<'_>],
        rows: Range<usize>,
    ) -> Result<RecordBatch, TableError> {
        let decoded = || chunks.iter().map(|chunk| chunk.decode(&rows)).collect();
        let arrays: Vec<Box<dyn Array>> = guarded(path, decoded)?;
        RecordBatch::try_new(rows.len(), self.columns.clone(), arrays)
            .map_err(|_| TableError::damaged(path, DIFFERENT_LENGTHS))
    }
}

/// The rows of a row group, some at a time.
fn slices(group: &RowGroupMetadata) -> impl Iterator<Item = Range<usize>> {
    let rows = group.num_rows();
    (0..rows).step_by(ROWS_IN_MEMORY).map(move |start| start..rows.min(start + ROWS_IN_MEMORY))
}

/// Removes the types of Arrow: columns are then read as Parquet stores them. A column of categories, which Arrow calls a
/// dictionary, is stored as the values themselves.
fn forget_arrow_schema(metadata: &mut FileMetadata) {
    if let Some(pairs) = &mut metadata.key_value_metadata {
        pairs.retain(|pair| pair.key != ARROW_SCHEMA);
    }
}

/// A column of a row group, as it is in the file.
struct Chunk<'m> {
    about: &'m ColumnChunkMetadata,
    bytes: Buffer<u8>,
    field: &'m Field,
}

impl<'m> Chunk<'m> {
    fn read(
        path: &Path,
        source: &mut (impl Read + Seek),
        group: &'m RowGroupMetadata,
        field: &'m Field,
    ) -> Result<Chunk<'m>, TableError> {
        let io = TableError::io(path);
        let about = group.columns_under_root_iter(&field.name).and_then(|mut chunks| chunks.next());
        let about = about.ok_or_else(|| {
            TableError::damaged(path, format!("rows have no column `{}`", field.name))
        })?;
        let range = guarded(path, || Ok::<_, std::io::Error>(about.byte_range()))?;
        if range.end > source.seek(SeekFrom::End(0)).map_err(&io)? {
            let what = format!("the column `{}` would be beyond its end", field.name);
            return Err(TableError::damaged(path, what));
        }
        let mut bytes = vec![0; (range.end - range.start) as usize];
        source.seek(SeekFrom::Start(range.start)).map_err(&io)?;
        source.read_exact(&mut bytes).map_err(&io)?;
        Ok(Chunk { about, bytes: bytes.into(), field })
    }

    /// Decodes some rows and discards them.
    fn discard(&self, path: &Path, rows: &Range<usize>) -> Result<(), TableError> {
        let column = guarded(path, || self.decode(rows))?;
        let is_whole = column.len() == rows.len();
        is_whole.then_some(()).ok_or_else(|| TableError::damaged(path, DIFFERENT_LENGTHS))
    }

    fn decode(&self, rows: &Range<usize>) -> polars_error::PolarsResult<Box<dyn Array>> {
        let bytes = Cursor::new(self.bytes.clone());
        let pages = PageReader::new(bytes, self.about, Vec::new(), usize::MAX);
        let (arrays, _) = column_iter_to_arrays(
            vec![BasicDecompressor::new(pages, Vec::new())],
            vec![&self.about.descriptor().descriptor.primitive_type],
            self.field.clone(),
            Some(Filter::new_ranged(rows.start, rows.end)),
        )?;
        concatenate(&arrays.iter().map(|array| &**array).collect::<Vec<_>>())
    }
}
