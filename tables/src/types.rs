//! The types of columns that are read, and the names of those that are not.

use polars_arrow::datatypes::ArrowDataType;
use polars_arrow::datatypes::ArrowDataType as Type;

/// Whether columns of a type can be read, if only to say that another type was expected.
pub(super) fn is_read(dtype: &ArrowDataType) -> bool {
    name(dtype).is_some()
}

/// Says that a column is of a type that is not read, and what to do.
pub(super) fn unread(column: &str, dtype: &ArrowDataType) -> String {
    format!(
        "the column `{column}` is of the type {dtype:?}, which is not read; write whole numbers as UInt64, UInt32, Int64 or \
         Int32, and text as strings"
    )
}

/// The short name of a type that is read, as polars has it.
pub(super) fn name(dtype: &ArrowDataType) -> Option<&'static str> {
    Some(match dtype {
        Type::Null => "null",
        Type::Boolean => "bool",
        Type::Int32 => "i32",
        Type::Int64 => "i64",
        Type::UInt32 => "u32",
        Type::UInt64 => "u64",
        Type::Float32 => "f32",
        Type::Float64 => "f64",
        Type::Utf8 | Type::LargeUtf8 | Type::Utf8View => "str",
        Type::Binary | Type::LargeBinary | Type::BinaryView => "binary",
        _ => return None,
    })
}

/// Says that a column is of another type than expected.
pub(super) fn mismatch(column: &str, found: &ArrowDataType, expected: &str) -> String {
    format!("the column `{column}` holds {}, not {expected}", name(found).unwrap_or("another type"))
}
