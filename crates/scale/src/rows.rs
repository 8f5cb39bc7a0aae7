//! The two tables of a cluster job and their Parquet files; `docs/formats/parquet.md` has the columns.

use std::fs::File;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use parquet::basic::Compression;
use parquet::column::reader::ColumnReader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnPath, Type};
use rukh_files::OutputFile;
use rukh_pgn::{PgnGame, PgnWriter};
use rukh_store::db::{Database, DbError, Figures, Row, Stored};
use thiserror::Error;

/// Why a table could not be written or read.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum ScaleError {
    /// The file.
    #[error("{}: {problem}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// What is wrong.
        problem: String,
    },
    /// An output could not be written; its error names it.
    #[error(transparent)]
    Output(std::io::Error),
    /// Neither a file nor a folder.
    #[error("there is no {}", .0.display())]
    Missing(PathBuf),
    /// The database.
    #[error(transparent)]
    Database(#[from] DbError),
}

pub(crate) fn file_error(path: &Path) -> impl Fn(&dyn std::fmt::Display) -> ScaleError {
    move |problem| ScaleError::File { path: path.to_owned(), problem: problem.to_string() }
}

/// What the file itself says names it already.
fn unwritten(path: &Path) -> impl Fn(ParquetError) -> ScaleError {
    move |error| match error {
        ParquetError::External(inner) => match inner.downcast::<std::io::Error>() {
            Ok(error) => ScaleError::Output(*error),
            Err(other) => file_error(path)(&other),
        },
        other => file_error(path)(&other),
    }
}

/// Rows of one group: a unit of memory in both directions.
pub(crate) const GROUP: usize = 100_000;

const GAMES: &str = "message games {
    REQUIRED INT64 id;
    REQUIRED BYTE_ARRAY shard (UTF8);
    REQUIRED INT64 number;
    OPTIONAL BYTE_ARRAY event (UTF8);
    OPTIONAL BYTE_ARRAY site (UTF8);
    OPTIONAL BYTE_ARRAY date (UTF8);
    OPTIONAL BYTE_ARRAY round (UTF8);
    OPTIONAL BYTE_ARRAY white (UTF8);
    OPTIONAL BYTE_ARRAY black (UTF8);
    OPTIONAL BYTE_ARRAY eco (UTF8);
    OPTIONAL BYTE_ARRAY time_control (UTF8);
    OPTIONAL BYTE_ARRAY fen (UTF8);
    OPTIONAL INT32 white_elo;
    OPTIONAL INT32 black_elo;
    REQUIRED BYTE_ARRAY variant (UTF8);
    REQUIRED BYTE_ARRAY result (UTF8);
    REQUIRED INT32 plies;
    REQUIRED BYTE_ARRAY pgn (UTF8);
}";

const POSITIONS: &str = "message positions {
    REQUIRED INT64 key;
    REQUIRED BYTE_ARRAY code (UTF8);
    REQUIRED BYTE_ARRAY position (UTF8);
    REQUIRED BYTE_ARRAY uci (UTF8);
    REQUIRED INT64 games;
    REQUIRED INT64 white;
    REQUIRED INT64 draws;
    REQUIRED INT64 black;
    REQUIRED INT64 rated;
    REQUIRED INT64 rating_sum;
    REQUIRED INT32 first_year;
    REQUIRED INT32 last_year;
    REQUIRED INT64 first_game;
    REQUIRED INT32 first_ply;
    REQUIRED INT32 best_rating;
    REQUIRED INT64 best_game;
    REQUIRED INT32 latest_date;
    REQUIRED INT64 latest_game;
}";

/// Keys and hashes are stored so that the order of signed numbers is theirs.
fn signed(key: u64) -> i64 {
    (key ^ 1 << 63) as i64
}

fn unsigned(key: i64) -> u64 {
    key as u64 ^ 1 << 63
}

/// A file under another name until it is whole.
pub(crate) struct Writer {
    path: PathBuf,
    out: SerializedFileWriter<OutputFile>,
}

impl Writer {
    pub(crate) fn create(path: &Path, schema: &str) -> Result<Writer, ScaleError> {
        Writer::with(path, parse_message_type(schema).map_err(|e| file_error(path)(&e))?)
    }

    pub(crate) fn with(path: &Path, schema: Type) -> Result<Writer, ScaleError> {
        let mut properties = WriterProperties::builder()
            .set_compression(Compression::SNAPPY)
            .set_statistics_enabled(EnabledStatistics::None)
            .set_column_statistics_enabled(ColumnPath::from("key"), EnabledStatistics::Chunk);
        // Columns whose values hardly ever come twice: looking for doubles would be lost time.
        for unique in ["key", "code", "position", "id", "pgn"] {
            properties = properties.set_column_dictionary_enabled(ColumnPath::from(unique), false);
        }
        let properties = properties.build();
        let file = OutputFile::create(path).map_err(ScaleError::Output)?;
        let out = SerializedFileWriter::new(file, Arc::new(schema), Arc::new(properties)).map_err(unwritten(path))?;
        Ok(Writer { path: path.to_owned(), out })
    }

    pub(crate) fn group(
        &mut self,
        fill: impl FnOnce(&mut SerializedRowGroupWriter<'_, OutputFile>) -> Result<(), ParquetError>,
    ) -> Result<(), ScaleError> {
        let mut group = self.out.next_row_group().map_err(unwritten(&self.path))?;
        let done = fill(&mut group).and_then(|()| group.close());
        done.map(|_| ()).map_err(unwritten(&self.path))
    }

    pub(crate) fn finish(self) -> Result<(), ScaleError> {
        let file = self.out.into_inner().map_err(unwritten(&self.path))?;
        file.commit().map_err(ScaleError::Output)
    }
}

/// Writes the next column of a group.
pub(crate) fn column<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, OutputFile>,
    values: &[T::T],
) -> Result<(), ParquetError> {
    let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("too many columns".into()))?;
    column.typed::<T>().write_batch(values, None, None)?;
    column.close()
}

pub(crate) fn texts<'a>(values: impl Iterator<Item = &'a str>) -> Vec<ByteArray> {
    values.map(ByteArray::from).collect()
}

/// Tags that are columns of the table of games, in its order.
const TAGS: [&str; 9] = ["Event", "Site", "Date", "Round", "White", "Black", "ECO", "TimeControl", "FEN"];

/// Writes the games of a database; `shard` says where they came from.
pub fn write_games<R: Stored>(database: &Database<R>, shard: &str, path: &Path) -> Result<u64, ScaleError> {
    let mut writer = Writer::create(path, GAMES)?;
    let (mut games, mut count) = (Vec::new(), 0);
    for game in database.games() {
        games.push(database.archived(game)?);
        if games.len() == GROUP / 10 {
            write_group(&mut writer, shard, count, &games)?;
            count += games.len() as u64;
            games.clear();
        }
    }
    write_group(&mut writer, shard, count, &games)?;
    writer.finish()?;
    Ok(count + games.len() as u64)
}

fn write_group(writer: &mut Writer, shard: &str, first: u64, games: &[(u64, PgnGame)]) -> Result<(), ScaleError> {
    let path = writer.path.clone();
    let mut pgns = Vec::with_capacity(games.len());
    for (_, game) in games {
        let mut text = PgnWriter::new(Vec::new());
        let text = text.write_game(game).and_then(|()| text.finish()).map_err(|e| file_error(&path)(&e))?;
        pgns.push(ByteArray::from(text));
    }
    let ids: Vec<i64> = games.iter().map(|(id, _)| signed(*id)).collect();
    let numbers: Vec<i64> = (first as i64..).take(games.len()).collect();
    let each = |of: &dyn Fn(&PgnGame) -> String| games.iter().map(|(_, game)| of(game).into_bytes().into()).collect();
    let variants: Vec<ByteArray> = each(&|game| game.start.variant().name().to_owned());
    let results: Vec<ByteArray> = each(&|game| game.result.as_str().to_owned());
    writer.group(|group| {
        column::<Int64Type>(group, &ids)?;
        column::<ByteArrayType>(group, &vec![ByteArray::from(shard); games.len()])?;
        column::<Int64Type>(group, &numbers)?;
        for tag in TAGS {
            optional::<ByteArrayType>(group, games, |game| Some(ByteArray::from(&*game.tags.known(tag)?)))?;
        }
        optional::<Int32Type>(group, games, |game| game.tags.white_elo().map(i32::from))?;
        optional::<Int32Type>(group, games, |game| game.tags.black_elo().map(i32::from))?;
        column::<ByteArrayType>(group, &variants)?;
        column::<ByteArrayType>(group, &results)?;
        column::<Int32Type>(group, &games.iter().map(|(_, game)| game.moves.len() as i32).collect::<Vec<i32>>())?;
        column::<ByteArrayType>(group, &pgns)
    })
}

/// Writes the next column of a group, whose values may be missing.
fn optional<T: DataType>(
    group: &mut SerializedRowGroupWriter<'_, OutputFile>,
    games: &[(u64, PgnGame)],
    value: impl Fn(&PgnGame) -> Option<T::T>,
) -> Result<(), ParquetError> {
    let values: Vec<Option<T::T>> = games.iter().map(|(_, game)| value(game)).collect();
    let there: Vec<i16> = values.iter().map(|value| value.is_some().into()).collect();
    let values: Vec<T::T> = values.into_iter().flatten().collect();
    let mut column = group.next_column()?.ok_or_else(|| ParquetError::General("too many columns".into()))?;
    column.typed::<T>().write_batch(&values, Some(&there), None)?;
    column.close()
}

/// Writes the rows of a database, in the order of keys. Temporary files lie beside the table.
pub fn write_positions<R: Stored>(database: &Database<R>, path: &Path) -> Result<u64, ScaleError> {
    let mut writer = Writer::create(path, POSITIONS)?;
    let mut rows: Vec<Row> = Vec::new();
    let mut count = 0;
    let work = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    database.each_row(work, |row| {
        rows.push(row);
        count += 1;
        if rows.len() == GROUP {
            write_rows(&mut writer, &database.codes_of(&rows), &rows)?;
            rows.clear();
        }
        Ok::<(), ScaleError>(())
    })?;
    write_rows(&mut writer, &database.codes_of(&rows), &rows)?;
    writer.finish()?;
    Ok(count)
}

fn write_rows(writer: &mut Writer, codes: &[String], rows: &[Row]) -> Result<(), ScaleError> {
    let long = |f: &dyn Fn(&Row) -> u64| rows.iter().map(|row| f(row) as i64).collect::<Vec<i64>>();
    let key = |f: &dyn Fn(&Row) -> u64| rows.iter().map(|row| signed(f(row))).collect::<Vec<i64>>();
    let int = |f: &dyn Fn(&Row) -> u32| rows.iter().map(|row| f(row) as i32).collect::<Vec<i32>>();
    writer.group(|group| {
        column::<Int64Type>(group, &key(&|r| r.key))?;
        column::<ByteArrayType>(group, &texts(codes.iter().map(String::as_str)))?;
        column::<ByteArrayType>(group, &texts(rows.iter().map(|r| r.position.as_str())))?;
        column::<ByteArrayType>(group, &texts(rows.iter().map(|r| r.uci.as_str())))?;
        column::<Int64Type>(group, &long(&|r| r.figures.games))?;
        column::<Int64Type>(group, &long(&|r| r.figures.white))?;
        column::<Int64Type>(group, &long(&|r| r.figures.draws))?;
        column::<Int64Type>(group, &long(&|r| r.figures.black))?;
        column::<Int64Type>(group, &long(&|r| r.figures.rated))?;
        column::<Int64Type>(group, &long(&|r| r.figures.rating_sum))?;
        column::<Int32Type>(group, &int(&|r| r.figures.first_year.into()))?;
        column::<Int32Type>(group, &int(&|r| r.figures.last_year.into()))?;
        column::<Int64Type>(group, &key(&|r| r.first_game))?;
        column::<Int32Type>(group, &int(&|r| r.first_ply))?;
        column::<Int32Type>(group, &int(&|r| r.best_rating.into()))?;
        column::<Int64Type>(group, &key(&|r| r.best_game))?;
        column::<Int32Type>(group, &int(&|r| r.latest_date))?;
        column::<Int64Type>(group, &key(&|r| r.latest_game))
    })
}

/// The Parquet files of a path: itself, or those in a folder by name.
pub fn files_of(path: &Path, extension: &str) -> Result<Vec<PathBuf>, ScaleError> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let fail = file_error(path);
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(|e| fail(&e))? {
        let file = entry.map_err(|e| fail(&e))?.path();
        if file.extension().is_some_and(|end| end == extension) {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() { Err(fail(&format!("there is no .{extension} file in it"))) } else { Ok(files) }
}

/// How many rows files have.
pub fn count_rows(files: &[PathBuf]) -> Result<u64, ScaleError> {
    let mut rows = 0;
    for path in files {
        rows += open(path)?.metadata().file_metadata().num_rows().max(0) as u64;
    }
    Ok(rows)
}

fn open(path: &Path) -> Result<SerializedFileReader<File>, ScaleError> {
    let fail = file_error(path);
    let file = File::open(path).map_err(|e| fail(&e))?;
    guarded(path, || SerializedFileReader::new(file).map_err(|e| fail(&e)))
}

/// Files come from elsewhere, and the library panics at some that are damaged: that is an error of the file.
fn guarded<T>(path: &Path, read: impl FnOnce() -> Result<T, ScaleError>) -> Result<T, ScaleError> {
    catch_unwind(AssertUnwindSafe(read)).unwrap_or_else(|_| Err(file_error(path)(&"damaged")))
}

/// Files one after another, a group of rows in memory at a time. After an error there is nothing more.
pub(crate) struct Groups<T> {
    files: std::vec::IntoIter<PathBuf>,
    open: Option<(PathBuf, SerializedFileReader<File>, usize)>,
    rows: std::vec::IntoIter<T>,
    read: fn(&Columns<'_>) -> Result<Vec<T>, ScaleError>,
}

impl<T> Groups<T> {
    pub(crate) fn new(files: Vec<PathBuf>, read: fn(&Columns<'_>) -> Result<Vec<T>, ScaleError>) -> Groups<T> {
        Groups { files: files.into_iter(), open: None, rows: Vec::new().into_iter(), read }
    }

    fn next_group(&mut self) -> Result<bool, ScaleError> {
        loop {
            if let Some((path, reader, group)) = &mut self.open {
                if *group < reader.num_row_groups() {
                    let read = || (self.read)(&Columns::of(path, reader, *group)?);
                    self.rows = guarded(path, read)?.into_iter();
                    *group += 1;
                    return Ok(true);
                }
                self.open = None;
            }
            let Some(path) = self.files.next() else { return Ok(false) };
            let reader = open(&path)?;
            self.open = Some((path, reader, 0));
        }
    }
}

impl<T> Iterator for Groups<T> {
    type Item = Result<T, ScaleError>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(row) = self.rows.next() {
                return Some(Ok(row));
            }
            match self.next_group() {
                Ok(true) => {}
                Ok(false) => return None,
                Err(error) => {
                    (self.open, self.files) = (None, Vec::new().into_iter());
                    return Some(Err(error));
                }
            }
        }
    }
}

/// The rows of files, one after another, a group in memory at a time.
pub struct RowReader(Groups<Row>);

impl RowReader {
    /// Reads these files in their order.
    pub fn new(files: Vec<PathBuf>) -> RowReader {
        RowReader(Groups::new(files, read_group))
    }
}

impl Iterator for RowReader {
    type Item = Result<Row, DbError>;

    fn next(&mut self) -> Option<Self::Item> {
        let row = self.0.next()?;
        Some(row.map_err(|error| match error {
            ScaleError::File { path, problem } => DbError::Damaged { path, problem },
            ScaleError::Missing(path) => DbError::Damaged { path, problem: "it is not there".to_owned() },
            ScaleError::Database(error) => error,
            // Not of a reader.
            ScaleError::Output(source) => DbError::Io { path: PathBuf::new(), source },
        }))
    }
}

/// The columns of a group of rows. They are found by name: another program may have ordered them otherwise, and made them
/// nullable.
pub(crate) struct Columns<'a> {
    path: &'a Path,
    group: Box<dyn RowGroupReader + 'a>,
    /// How many rows there are.
    pub(crate) rows: usize,
}

impl<'a> Columns<'a> {
    fn of(path: &'a Path, reader: &'a SerializedFileReader<File>, group: usize) -> Result<Self, ScaleError> {
        let group = reader.get_row_group(group).map_err(|e| file_error(path)(&e))?;
        let rows = usize::try_from(group.metadata().num_rows()).unwrap_or(0);
        Ok(Columns { path, group, rows })
    }

    fn fail(&self, problem: &dyn std::fmt::Display) -> ScaleError {
        file_error(self.path)(problem)
    }

    fn column(&self, name: &str) -> Result<ColumnReader, ScaleError> {
        let columns = self.group.metadata().schema_descr();
        let at = columns.columns().iter().position(|known| known.name() == name);
        let at = at.ok_or_else(|| self.fail(&format!("no column `{name}`")))?;
        self.group.get_column_reader(at).map_err(|e| self.fail(&e))
    }

    fn whole<T>(&self, name: &str, values: Vec<T>) -> Result<Vec<T>, ScaleError> {
        if values.len() == self.rows { Ok(values) } else { Err(self.fail(&format!("column `{name}` has holes"))) }
    }

    pub(crate) fn longs(&self, name: &str) -> Result<Vec<i64>, ScaleError> {
        let (rows, mut values) = (self.rows, Vec::with_capacity(self.rows));
        match self.column(name)? {
            ColumnReader::Int64ColumnReader(mut reader) => {
                reader.read_records(rows, Some(&mut Vec::new()), None, &mut values).map_err(|e| self.fail(&e))?;
            }
            ColumnReader::Int32ColumnReader(mut reader) => {
                let mut small = Vec::with_capacity(rows);
                reader.read_records(rows, Some(&mut Vec::new()), None, &mut small).map_err(|e| self.fail(&e))?;
                values.extend(small.into_iter().map(i64::from));
            }
            _ => return Err(self.fail(&format!("column `{name}` holds no numbers"))),
        }
        self.whole(name, values)
    }

    pub(crate) fn strings(&self, name: &str) -> Result<Vec<String>, ScaleError> {
        let mut values: Vec<ByteArray> = Vec::with_capacity(self.rows);
        match self.column(name)? {
            ColumnReader::ByteArrayColumnReader(mut reader) => {
                reader.read_records(self.rows, Some(&mut Vec::new()), None, &mut values).map_err(|e| self.fail(&e))?;
            }
            _ => return Err(self.fail(&format!("column `{name}` holds no text"))),
        }
        let texts = values.iter().map(|value| String::from_utf8_lossy(value.data()).into_owned()).collect();
        self.whole(name, texts)
    }
}

fn read_group(columns: &Columns<'_>) -> Result<Vec<Row>, ScaleError> {
    let (longs, rows) = (|name| columns.longs(name), columns.rows);
    let (keys, positions, ucis) = (longs("key")?, columns.strings("position")?, columns.strings("uci")?);
    let figures: [Vec<i64>; 8] = [
        longs("games")?,
        longs("white")?,
        longs("draws")?,
        longs("black")?,
        longs("rated")?,
        longs("rating_sum")?,
        longs("first_year")?,
        longs("last_year")?,
    ];
    let (first_games, first_plies) = (longs("first_game")?, longs("first_ply")?);
    let (best_ratings, best_games) = (longs("best_rating")?, longs("best_game")?);
    let (latest_dates, latest_games) = (longs("latest_date")?, longs("latest_game")?);
    let count = |value: i64| value.max(0) as u64;
    Ok((0..rows)
        .map(|i| Row {
            key: unsigned(keys[i]),
            position: positions[i].clone(),
            uci: ucis[i].clone(),
            figures: Figures {
                games: count(figures[0][i]),
                white: count(figures[1][i]),
                draws: count(figures[2][i]),
                black: count(figures[3][i]),
                rated: count(figures[4][i]),
                rating_sum: count(figures[5][i]),
                first_year: figures[6][i].clamp(0, 4095) as u16,
                last_year: figures[7][i].clamp(0, 4095) as u16,
            },
            first_game: unsigned(first_games[i]),
            first_ply: first_plies[i].clamp(0, u16::MAX.into()) as u32,
            best_rating: best_ratings[i].clamp(0, u16::MAX.into()) as u16,
            best_game: unsigned(best_games[i]),
            latest_date: latest_dates[i].clamp(0, u32::MAX.into()) as u32,
            latest_game: unsigned(latest_games[i]),
        })
        .collect())
}
