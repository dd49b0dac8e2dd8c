//! Writes histories as tables of operations.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use history::{History, OpId, Row};
use host::files;
use polars_arrow::record_batch::RecordBatch;
use polars_error::PolarsResult;
use polars_parquet::write::{
    CompressionOptions, FileWriter, KeyValue, StatisticsOptions, Version, WriteOptions,
    get_dtype_encoding, row_group_iter, schema_to_metadata_key,
};

use crate::TableError;
use crate::batch::Batch;
use crate::metadata::Metadata;
use crate::operations::{Operations, OptionalColumns};

/// Number of rows that are held in memory at a time; also the size of a row group.
pub(super) const ROWS_IN_MEMORY: usize = 1 << 18;

/// How columns are stored: compressed by Zstandard, with the smallest and largest value, which readers of other programs use to
/// skip rows.
const OPTIONS: WriteOptions = WriteOptions {
    statistics: StatisticsOptions {
        min_value: true,
        max_value: true,
        distinct_count: false,
        null_count: true,
        binary_statistics_truncate_length: None,
    },
    version: Version::V1,
    compression: CompressionOptions::Zstd(None),
    data_page_size: None,
};

/// Writes histories as one table of operations.
///
/// # Errors
/// Returns an error if the file cannot be written; an earlier file stays as it was.
pub fn write_histories(path: &Path, histories: &[History]) -> Result<(), TableError> {
    let metadata = Metadata::of(histories).to_parquet(path)?;
    create(path, Some(metadata), pieces(histories))
}

/// Writes the batches of `pieces` as one file. The first one sets the schema.
pub(super) fn create(
    path: &Path,
    metadata: Option<(String, String)>,
    pieces: impl Iterator<Item = RecordBatch>,
) -> Result<(), TableError> {
    files::create(path, TableError::io(path), |file| write(path, file, metadata, pieces))
}

fn write(
    path: &Path,
    file: &mut File,
    metadata: Option<(String, String)>,
    mut pieces: impl Iterator<Item = RecordBatch>,
) -> Result<(), TableError> {
    let io = TableError::io(path);
    let mut out = Watched { out: BufWriter::new(file), error: None };
    let written = write_pieces(&mut out, metadata, &mut pieces).and_then(|()| Ok(out.flush()?));
    written.map_err(|error| match out.error {
        Some(error) => io(error),
        None => TableError::make(path, &error),
    })?;
    let file = out.out.get_ref();
    // A network file system may report only now that it is full, and the table is about to replace another.
    if file.metadata().map_err(&io)?.is_file() { file.sync_data().map_err(io) } else { Ok(()) }
}

fn write_pieces(
    out: &mut Watched<'_>,
    metadata: Option<(String, String)>,
    pieces: &mut impl Iterator<Item = RecordBatch>,
) -> PolarsResult<()> {
    let first = pieces.next().unwrap_or_else(|| Batch::default().finish());
    let arrow_schema = schema_to_metadata_key(first.schema());
    let mut writer = FileWriter::try_new(out, first.schema().clone(), OPTIONS)?;
    for piece in std::iter::once(first).chain(pieces).filter(|piece| !piece.is_empty()) {
        let encodings = piece.schema().iter_values().map(|field| get_dtype_encoding(&field.dtype));
        let (rows, encodings) = (piece.len() as u64, encodings.collect());
        let types = writer.parquet_schema().fields().to_vec();
        writer.write(rows, row_group_iter(piece, encodings, types, OPTIONS))?;
    }
    let metadata = metadata.map(|(key, value)| KeyValue { key, value: Some(value) });
    writer.end(Some(std::iter::once(arrow_schema).chain(metadata).collect()))?;
    Ok(())
}

/// A buffered file that keeps its first I/O error, since polars does not pass on the details of some errors.
struct Watched<'f> {
    out: BufWriter<&'f mut File>,
    error: Option<io::Error>,
}

impl Watched<'_> {
    fn watch<T>(&mut self, done: io::Result<T>) -> io::Result<T> {
        if let (Err(error), None) = (&done, &self.error)
            && error.kind() != io::ErrorKind::Interrupted
        {
            self.error = Some(match error.raw_os_error() {
                Some(code) => io::Error::from_raw_os_error(code),
                None => io::Error::new(error.kind(), error.to_string()),
            });
        }
        done
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let done = self.out.write(bytes);
        self.watch(done)
    }

    fn flush(&mut self) -> io::Result<()> {
        let done = self.out.flush();
        self.watch(done)
    }
}

/// The table in pieces of about [`ROWS_IN_MEMORY`] rows, at least one so that there is a schema.
pub(super) fn pieces(histories: &[History]) -> impl Iterator<Item = RecordBatch> + use<'_> {
    let optional = OptionalColumns::of(histories);
    let mut cursor = Cursor { histories, history: 0, op: 0, whole: None };
    let mut first = true;
    std::iter::from_fn(move || {
        let piece = cursor.piece();
        let wanted = first || piece.len() > 0;
        first = false;
        wanted.then(|| piece.into_batch(optional))
    })
}

/// The position in the histories up to which operations were turned into rows.
struct Cursor<'a> {
    histories: &'a [History],
    history: usize,
    op: u32,
    /// The rows of the history, if it has split accesses, which are written whole.
    whole: Option<Vec<Row>>,
}

impl<'a> Cursor<'a> {
    fn piece(&mut self) -> Operations<'a> {
        let mut piece = Operations::default();
        while let Some(history) = self.histories.get(self.history) {
            let number = (self.history as u32, history.name.as_deref());
            if self.op == 0 {
                piece.push_frame(number, &history.frame());
                self.whole = history.whole_rows();
            }
            let rows = self.whole.as_ref().map_or(history.len(), Vec::len);
            while (self.op as usize) < rows && piece.len() < ROWS_IN_MEMORY {
                let whole = self.whole.as_ref().map(|rows| rows[self.op as usize].clone());
                piece.push(number, whole.unwrap_or_else(|| history.row(OpId(self.op))));
                self.op += 1;
            }
            if (self.op as usize) < rows {
                break;
            }
            (self.history, self.op) = (self.history + 1, 0);
        }
        piece
    }
}
