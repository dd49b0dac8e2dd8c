//! [`Batch`]: rows in memory as Arrow arrays, one for each column, from which tables are written.

use std::sync::Arc;

use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, Utf8Array};
use polars_arrow::datatypes::{ArrowSchema, Field};
use polars_arrow::record_batch::RecordBatch;

/// A type of values that a column can hold.
pub(super) trait Element: Sized {
    /// Makes the column of these values.
    fn array(values: impl Iterator<Item = Option<Self>>) -> Box<dyn Array>;
}

macro_rules! elements {
    ($($array:ty: $type:ty;)*) => {$(
        impl Element for $type {
            fn array(values: impl Iterator<Item = Option<$type>>) -> Box<dyn Array> {
                values.collect::<$array>().boxed()
            }
        }
    )*};
}

// Text is `large_utf8`: polars would make `utf8_view`, on which pyarrow has no comparisons, so that pandas could neither filter,
// sort nor print the rows. In a file the values are the same for either.
elements! {
    PrimitiveArray<u32>: u32;
    PrimitiveArray<u64>: u64;
    PrimitiveArray<f64>: f64;
    BooleanArray: bool;
    Utf8Array<i64>: String;
}

impl Element for &str {
    fn array(values: impl Iterator<Item = Option<Self>>) -> Box<dyn Array> {
        values.collect::<Utf8Array<i64>>().boxed()
    }
}

/// Columns of the same length, to which further ones are added.
#[derive(Default)]
pub(super) struct Batch {
    fields: Vec<Field>,
    arrays: Vec<Box<dyn Array>>,
}

impl Batch {
    /// Adds a column.
    pub(crate) fn push<E: Element>(&mut self, name: &str, values: impl Iterator<Item = Option<E>>) {
        self.push_array(name, E::array(values));
    }

    /// Adds a column that is an array already.
    pub(crate) fn push_array(&mut self, name: &str, array: Box<dyn Array>) {
        self.fields.push(Field::new(name.into(), array.dtype().clone(), true));
        self.arrays.push(array);
    }

    /// Ends the batch.
    ///
    /// # Panics
    /// Panics if the columns differ in length, which is a defect of the caller.
    pub(crate) fn finish(self) -> RecordBatch {
        let rows = self.arrays.first().map_or(0, |array| array.len());
        let schema: ArrowSchema = self.fields.into_iter().collect();
        RecordBatch::new(rows, Arc::new(schema), self.arrays)
    }
}
