//! [`Item`]: a value of a column, and [`Value`]: the types that fields of records have.

use std::borrow::Cow;

use polars_arrow::array::{Array, BooleanArray, PrimitiveArray, StaticArray, Utf8ViewArray};
use polars_arrow::datatypes::ArrowDataType;

use crate::batch::Element;

/// A value of a column of a record.
#[derive(Clone, Debug)]
pub(super) enum Item<'a> {
    Null,
    U32(u32),
    U64(u64),
    F64(f64),
    Flag(bool),
    Text(Cow<'a, str>),
}

/// The types of columns of records.
#[derive(Clone, Copy)]
pub(super) enum Type {
    U32,
    U64,
    F64,
    Flag,
    Text,
}

/// A type of values that a column can hold.
pub(super) trait Value: Sized {
    /// The type of the column.
    const TYPE: Type;

    /// The value for a column.
    fn item(&self) -> Item<'static>;

    /// Converts an item; `None` if it is not of this type.
    fn read(item: &Item<'_>) -> Option<Self>;
}

impl Item<'_> {
    /// The item if it is text.
    pub(crate) fn text(&self) -> Option<&str> {
        match self {
            Item::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl Type {
    /// The type of arrays that are read.
    pub(crate) fn arrow(self) -> ArrowDataType {
        match self {
            Type::U32 => ArrowDataType::UInt32,
            Type::U64 => ArrowDataType::UInt64,
            Type::F64 => ArrowDataType::Float64,
            Type::Flag => ArrowDataType::Boolean,
            Type::Text => ArrowDataType::Utf8View,
        }
    }

    /// The column of these items; those of another type are null.
    pub(crate) fn column(self, items: &[Item<'_>]) -> Box<dyn Array> {
        fn all<'i, T: Value + Element>(items: &'i [Item<'i>]) -> Box<dyn Array> {
            T::array(items.iter().map(T::read))
        }
        match self {
            Type::U32 => all::<u32>(items),
            Type::U64 => all::<u64>(items),
            Type::F64 => all::<f64>(items),
            Type::Flag => all::<bool>(items),
            Type::Text => <&str>::array(items.iter().map(Item::text)),
        }
    }

    /// The item in a row of a column, which must be of this type.
    pub(crate) fn item(self, column: &dyn Array, row: usize) -> Item<'_> {
        fn at<A: StaticArray>(column: &dyn Array, row: usize) -> Option<A::ValueT<'_>> {
            column.as_any().downcast_ref::<A>()?.get(row)
        }
        let item = match self {
            Type::U32 => at::<PrimitiveArray<u32>>(column, row).map(Item::U32),
            Type::U64 => at::<PrimitiveArray<u64>>(column, row).map(Item::U64),
            Type::F64 => at::<PrimitiveArray<f64>>(column, row).map(Item::F64),
            Type::Flag => at::<BooleanArray>(column, row).map(Item::Flag),
            Type::Text => at::<Utf8ViewArray>(column, row).map(|text| Item::Text(text.into())),
        };
        item.unwrap_or(Item::Null)
    }
}

impl<T: Value> Value for Option<T> {
    const TYPE: Type = T::TYPE;

    fn item(&self) -> Item<'static> {
        self.as_ref().map_or(Item::Null, T::item)
    }

    fn read(item: &Item<'_>) -> Option<Option<T>> {
        match item {
            Item::Null => Some(None),
            item => T::read(item).map(Some),
        }
    }
}

impl Value for String {
    const TYPE: Type = Type::Text;

    fn item(&self) -> Item<'static> {
        Item::Text(self.clone().into())
    }

    fn read(item: &Item<'_>) -> Option<String> {
        item.text().map(str::to_owned)
    }
}

macro_rules! plain {
    ($($type:ty: $variant:ident,)*) => {$(
        impl Value for $type {
            const TYPE: Type = Type::$variant;

            fn item(&self) -> Item<'static> {
                Item::$variant(*self)
            }

            fn read(item: &Item<'_>) -> Option<$type> {
                match item {
                    Item::$variant(value) => Some(*value),
                    _ => None,
                }
            }
        }
    )*};
}

plain!(u32: U32, u64: U64, f64: F64, bool: Flag,);
