//! Any table as Parquet: columns of texts and numbers, and lists of them, with gaps.

use std::path::Path;
use std::sync::Arc;

use parquet::basic::{LogicalType, Repetition, Type as Physical};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::writer::SerializedColumnWriter;
use parquet::schema::types::Type;

use crate::rows::{ScaleError, Writer, file_error};

/// What a column holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8.
    Text,
    /// 32 bits.
    Int32,
    /// 64 bits.
    Int64,
}

/// Some values of a column, laid out as Arrow has them.
#[derive(Clone, Copy, Debug)]
pub enum Values<'a> {
    /// Where each text begins and ends, and their bytes.
    Text(&'a [i32], &'a [u8]),
    /// Numbers.
    Int32(&'a [i32]),
    /// Numbers.
    Int64(&'a [i64]),
}

/// Which values are there.
pub type Has<'a> = Box<dyn Fn(usize) -> bool + 'a>;

/// Some rows of a column.
pub struct Part<'a> {
    /// How many.
    pub rows: usize,
    /// Which rows are there.
    pub has: Has<'a>,
    /// Where each row's list begins and ends, and which of the items are there.
    pub lists: Option<(&'a [i32], Has<'a>)>,
    /// The values, or the items of all lists.
    pub values: Values<'a>,
}

/// Writes a table, which has its name when it is whole.
pub struct TableWriter(Writer);

impl TableWriter {
    /// Begins a table with these columns; those with `true` hold lists.
    pub fn create<'a>(
        path: &Path,
        columns: impl Iterator<Item = (&'a str, Kind, bool)>,
    ) -> Result<TableWriter, ScaleError> {
        let fields = columns.map(|(name, kind, lists)| field(name, kind, lists).map(Arc::new));
        let schema = fields
            .collect::<Result<Vec<_>, _>>()
            .and_then(|fields| Type::group_type_builder("table").with_fields(fields).build());
        Writer::with(path, schema.map_err(|e| file_error(path)(&e))?).map(TableWriter)
    }

    /// Writes one group of rows: for each column its parts, in the order of rows.
    pub fn write(&mut self, columns: &[Vec<Part<'_>>]) -> Result<(), ScaleError> {
        self.0.group(|group| {
            for parts in columns {
                let mut column =
                    group.next_column()?.ok_or_else(|| ParquetError::General("too many columns".into()))?;
                parts.iter().try_for_each(|part| part.write(&mut column))?;
                column.close()?;
            }
            Ok(())
        })
    }

    /// Gives the file its name.
    pub fn finish(self) -> Result<(), ScaleError> {
        self.0.finish()
    }
}

fn field(name: &str, kind: Kind, lists: bool) -> Result<Type, ParquetError> {
    let (physical, logical) = match kind {
        Kind::Text => (Physical::BYTE_ARRAY, Some(LogicalType::String)),
        Kind::Int32 => (Physical::INT32, None),
        Kind::Int64 => (Physical::INT64, None),
    };
    let value = |name| {
        Type::primitive_type_builder(name, physical)
            .with_repetition(Repetition::OPTIONAL)
            .with_logical_type(logical.clone())
            .build()
    };
    if !lists {
        return value(name);
    }
    let items = Type::group_type_builder("list")
        .with_repetition(Repetition::REPEATED)
        .with_fields(vec![Arc::new(value("element")?)])
        .build()?;
    Type::group_type_builder(name)
        .with_repetition(Repetition::OPTIONAL)
        .with_logical_type(Some(LogicalType::List))
        .with_fields(vec![Arc::new(items)])
        .build()
}

impl Part<'_> {
    fn write(&self, column: &mut SerializedColumnWriter<'_>) -> Result<(), ParquetError> {
        // Parquet writes down how deep each value goes before it is missing, and where a new list begins.
        let (mut depths, mut begins, mut there) = (Vec::new(), Vec::new(), Vec::new());
        for row in 0..self.rows {
            let Some((offsets, has_item)) = &self.lists else {
                depths.push(i16::from((self.has)(row)));
                there.extend((self.has)(row).then_some(row));
                continue;
            };
            let items = offsets[row] as usize..offsets[row + 1] as usize;
            if !(self.has)(row) || items.is_empty() {
                depths.push(i16::from((self.has)(row)));
                begins.push(0);
                continue;
            }
            for item in items.clone() {
                begins.push(i16::from(item > items.start));
                depths.push(2 + i16::from(has_item(item)));
                there.extend(has_item(item).then_some(item));
            }
        }
        let begins = self.lists.is_some().then_some(&*begins);
        match self.values {
            Values::Int32(values) => put::<Int32Type>(column, there.iter().map(|&at| values[at]), &depths, begins),
            Values::Int64(values) => put::<Int64Type>(column, there.iter().map(|&at| values[at]), &depths, begins),
            Values::Text(ends, bytes) => {
                let text = |&at: &usize| ByteArray::from(bytes[ends[at] as usize..ends[at + 1] as usize].to_vec());
                put::<ByteArrayType>(column, there.iter().map(text), &depths, begins)
            }
        }
    }
}

fn put<T: DataType>(
    column: &mut SerializedColumnWriter<'_>,
    values: impl Iterator<Item = T::T>,
    depths: &[i16],
    begins: Option<&[i16]>,
) -> Result<(), ParquetError> {
    let values: Vec<T::T> = values.collect();
    column.typed::<T>().write_batch(&values, Some(depths), begins).map(|_| ())
}
