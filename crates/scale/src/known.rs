//! What is known of positions: rows of the learned table and of transposition tables.

use std::path::PathBuf;

use parquet::data_type::{ByteArrayType, Int32Type, Int64Type};
pub use rukh_store::learn::KnownRow;

use crate::rows::{Columns, GROUP, Groups, ScaleError, Writer, column, texts};

const KNOWN: &str = "message known {
    REQUIRED BYTE_ARRAY variant (UTF8);
    REQUIRED BYTE_ARRAY code (UTF8);
    REQUIRED INT32 depth;
    REQUIRED INT32 score;
    REQUIRED BYTE_ARRAY bound (UTF8);
    REQUIRED BYTE_ARRAY uci (UTF8);
    REQUIRED INT64 visits;
}";

/// A table that is being written.
pub struct KnownWriter {
    writer: Writer,
    rows: Vec<KnownRow>,
}

impl KnownWriter {
    /// A file; it takes its name when it is whole.
    pub fn create(path: &std::path::Path) -> Result<Self, ScaleError> {
        Ok(Self { writer: Writer::create(path, KNOWN)?, rows: Vec::new() })
    }

    /// Adds a row.
    pub fn push(&mut self, row: KnownRow) -> Result<(), ScaleError> {
        self.rows.push(row);
        if self.rows.len() == GROUP { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> Result<(), ScaleError> {
        let rows = std::mem::take(&mut self.rows);
        let text = |f: fn(&KnownRow) -> &str| texts(rows.iter().map(f));
        self.writer.group(|group| {
            column::<ByteArrayType>(group, &text(|row| &row.variant))?;
            column::<ByteArrayType>(group, &text(|row| &row.code))?;
            column::<Int32Type>(group, &rows.iter().map(|row| row.depth).collect::<Vec<_>>())?;
            column::<Int32Type>(group, &rows.iter().map(|row| row.score).collect::<Vec<_>>())?;
            column::<ByteArrayType>(group, &text(|row| &row.bound))?;
            column::<ByteArrayType>(group, &text(|row| &row.uci))?;
            column::<Int64Type>(group, &rows.iter().map(|row| row.visits).collect::<Vec<_>>())
        })
    }

    /// Puts the file in its place.
    pub fn finish(mut self) -> Result<(), ScaleError> {
        self.flush()?;
        self.writer.finish()
    }
}

/// The rows of files, one after another, a group in memory at a time.
pub struct KnownReader(Groups<KnownRow>);

impl KnownReader {
    /// Reads these files in their order.
    pub fn new(files: Vec<PathBuf>) -> Self {
        Self(Groups::new(files, read_group))
    }
}

impl Iterator for KnownReader {
    type Item = Result<KnownRow, ScaleError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.next()
    }
}

fn read_group(columns: &Columns<'_>) -> Result<Vec<KnownRow>, ScaleError> {
    let (variants, codes) = (columns.strings("variant")?, columns.strings("code")?);
    let (depths, scores, visits) = (columns.longs("depth")?, columns.longs("score")?, columns.longs("visits")?);
    let (bounds, ucis) = (columns.strings("bound")?, columns.strings("uci")?);
    let small = |value: i64| value.clamp(i32::MIN.into(), i32::MAX.into()) as i32;
    let texts = variants.into_iter().zip(codes).zip(bounds.into_iter().zip(ucis));
    let rows = texts.enumerate().map(|(at, ((variant, code), (bound, uci)))| KnownRow {
        variant,
        code,
        depth: small(depths[at]),
        score: small(scores[at]),
        bound,
        uci,
        visits: visits[at],
    });
    Ok(rows.collect())
}
