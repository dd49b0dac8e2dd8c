//! [`ArrowTable`]: tables in memory, which other programs read through Arrow's C stream interface without a copy.

use history::History;
use ingest::Transition;
use polars_arrow::array::{Array, StructArray, get_display};
use polars_arrow::datatypes::{ArrowDataType, Field};
pub(crate) use polars_arrow::ffi::ArrowArrayStream;
use polars_arrow::ffi::export_iterator;
use polars_arrow::record_batch::RecordBatch;

use crate::write::pieces;
use crate::{CampaignRun, Coverage, Equivalent, VerdictRow, records, transitions};

/// A table as Arrow arrays. Its clones and streams share the arrays.
///
/// Text is stored as `large_utf8`, which all readers of Arrow know, and numbers as in the Parquet tables.
#[derive(Clone)]
pub struct ArrowTable {
    columns: Vec<Field>,
    batches: Vec<Box<dyn Array>>,
}

impl ArrowTable {
    /// Makes the table of operations that [`write_histories`](crate::write_histories) would write.
    pub fn of_histories(histories: &[History]) -> ArrowTable {
        ArrowTable::of(pieces(histories))
    }

    /// Makes the table of transitions that [`write_transitions`](crate::write_transitions) would write.
    pub fn of_transitions<'a>(rows: impl Iterator<Item = (u32, Transition<'a>)>) -> ArrowTable {
        ArrowTable::of(transitions::pieces(rows))
    }

    /// Makes the table of a campaign's runs.
    pub fn of_runs(runs: &[CampaignRun]) -> ArrowTable {
        ArrowTable::of(records::pieces(runs))
    }

    /// Makes the table of the mutants that a campaign has excluded.
    pub fn of_equivalents(equivalents: &[Equivalent]) -> ArrowTable {
        ArrowTable::of(records::pieces(equivalents))
    }

    /// Makes the table of transitions and how often a campaign took them.
    pub fn of_coverage(coverage: &[Coverage]) -> ArrowTable {
        ArrowTable::of(records::pieces(coverage))
    }

    /// Makes the table of verdicts.
    pub fn of_verdicts(verdicts: &[VerdictRow]) -> ArrowTable {
        ArrowTable::of(records::pieces(verdicts))
    }

    /// Collects pieces of a table, all of which have the columns of the first.
    fn of(pieces: impl Iterator<Item = RecordBatch>) -> ArrowTable {
        let mut table = ArrowTable { columns: Vec::new(), batches: Vec::new() };
        for piece in pieces {
            let rows = piece.height();
            let (schema, arrays) = piece.into_schema_and_arrays();
            if table.columns.is_empty() {
                table.columns = schema.iter_values().cloned().collect();
            }
            let array = StructArray::new(table.data_type(), rows, arrays, None);
            table.batches.push(array.boxed());
        }
        table
    }

    fn data_type(&self) -> ArrowDataType {
        ArrowDataType::Struct(self.columns.clone())
    }

    /// The number of rows.
    pub fn height(&self) -> usize {
        self.batches.iter().map(|batch| batch.len()).sum()
    }

    /// The names of the columns, in order.
    pub fn columns(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| column.name.as_str())
    }

    /// The first rows as text, at most `most` of them. A null value is an empty text.
    pub fn first_rows(&self, most: usize) -> Vec<Vec<String>> {
        let all = self.batches.iter().flat_map(|batch| {
            let columns =
                batch.as_any().downcast_ref::<StructArray>().map_or(&[][..], StructArray::values);
            (0..batch.len())
                .map(move |row| columns.iter().map(|column| cell(&**column, row)).collect())
        });
        all.take(most).collect()
    }

    /// Returns a stream of the rows in Arrow's C stream interface. Cost: constant; no value is copied.
    pub fn stream(&self) -> ArrowArrayStream {
        let field = Field::new("".into(), self.data_type(), false);
        export_iterator(Box::new(self.batches.clone().into_iter().map(Ok)), field)
    }
}

/// A value as text.
fn cell(column: &dyn Array, row: usize) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = get_display(column, "")(&mut text, row);
    text
}
