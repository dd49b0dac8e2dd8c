//! Reads histories from tables of operations.

use std::fs::File;
use std::io::{Cursor, Read, Seek, SeekFrom};
use std::path::Path;

use history::{
    Annotation, DependencyKind, Frame, History, Kind, Location, Provenance, Restorer, Row,
    dependency_from_text,
};
use host::inputs;
use polars_arrow::array::{BooleanArray, StaticArray, Utf8ViewArray};
use polars_arrow::record_batch::RecordBatch;

use crate::columns::{Columns, Numbers};
use crate::decode::Wanted;
use crate::guard::probed;
use crate::metadata::{About, Metadata};
use crate::operations::{FINAL, INITIAL};
use crate::{MAGIC, TableError};

/// Reads a table of operations that [`crate::write_histories`] wrote, or another program with the same columns.
///
/// # Errors
/// Returns an error if the file cannot be read, is damaged, lacks columns, or has rows that are no history.
pub fn read_histories(path: &Path) -> Result<Vec<History>, TableError> {
    let mut file = inputs::open(path).map_err(TableError::io(path))?;
    check_ends(path, &mut file)?;
    probed(path, None)?;
    read(path, &mut file)
}

/// Reads histories from the bytes of a file; `name` is what messages call it.
///
/// # Errors
/// As [`read_histories`].
pub fn read_bytes(name: &Path, bytes: &[u8]) -> Result<Vec<History>, TableError> {
    check_ends(name, &mut Cursor::new(bytes))?;
    probed(name, Some(bytes))?;
    read(name, &mut Cursor::new(bytes))
}

/// Decodes a file and discards the result, as a [probe](crate::set_probe) does.
///
/// # Errors
/// Returns an error if the file cannot be read or is damaged.
pub fn decode(path: &Path) -> Result<(), TableError> {
    let mut file = File::open(path).map_err(TableError::io(path))?;
    discard(path, &mut file)
}

/// Decodes the bytes of a file, as [`decode`] does.
///
/// # Errors
/// As [`decode`].
pub fn decode_bytes(name: &Path, bytes: &[u8]) -> Result<(), TableError> {
    discard(name, &mut Cursor::new(bytes))
}

fn discard(path: &Path, source: &mut (impl Read + Seek)) -> Result<(), TableError> {
    Wanted::of(path, source, None)?.try_all(path, source)
}

/// Checks that a file begins and ends as Parquet does, so that a truncated one is refused before it is decoded.
fn check_ends(path: &Path, file: &mut (impl Read + Seek)) -> Result<(), TableError> {
    let mut magic = [0; 4];
    let mut end = |from| {
        file.seek(from)?;
        file.read_exact(&mut magic)?;
        Ok::<bool, std::io::Error>(magic == MAGIC)
    };
    match (end(SeekFrom::Start(0)), end(SeekFrom::End(-4))) {
        (Ok(true), Ok(true)) => Ok(()),
        (Ok(true), _) => Err(TableError::damaged(path, "its end is missing")),
        (Ok(false), _) => Err(TableError::damaged(path, "it does not begin with `PAR1`")),
        (Err(_), _) => Err(TableError::damaged(path, "it is too short")),
    }
}

fn read(path: &Path, source: &mut (impl Read + Seek)) -> Result<Vec<History>, TableError> {
    let wanted = Wanted::of(path, source, Some(COLUMNS))?;
    let metadata = Metadata::from_parquet(path, &wanted.metadata)?;
    let mut histories = Histories::new(path, metadata);
    wanted.visit(path, source, |batch| histories.add(batch))?;
    histories.finish()
}

/// The histories whose rows have been read, and the one whose rows are being read.
struct Histories<'a> {
    path: &'a Path,
    /// The metadata; `None` if another program wrote the file.
    about: Option<Vec<About>>,
    done: Vec<History>,
    rows: Restorer,
    frame: Frame,
}

impl<'a> Histories<'a> {
    fn new(path: &'a Path, metadata: Option<Metadata>) -> Histories<'a> {
        Histories {
            path,
            about: metadata.map(|metadata| metadata.histories),
            done: Vec::new(),
            rows: Restorer::default(),
            frame: Frame::of(Provenance::made()),
        }
    }

    fn add(&mut self, batch: &RecordBatch) -> Result<(), TableError> {
        let piece = Piece::of(&Columns { path: self.path, batch })?;
        for at in 0..batch.height() {
            let number = piece.history.get(at).unwrap_or(0);
            self.move_to(number)?;
            if let Some(name) = piece.name.get(at) {
                self.frame.name.get_or_insert_with(|| name.to_owned());
            }
            self.add_row(&piece, at)?;
        }
        Ok(())
    }

    /// Finishes histories until history `number` is the one being read.
    fn move_to(&mut self, number: u64) -> Result<(), TableError> {
        let expected = self.about.as_ref().map_or(u64::from(u32::MAX), |about| about.len() as u64);
        let current = self.done.len() as u64;
        if number < current || number >= expected || (self.about.is_none() && number > current + 1)
        {
            let what = format!("history {number} follows history {current}; they are not in order");
            return Err(TableError::schema(self.path, what));
        }
        while (self.done.len() as u64) < number {
            self.finish_one()?;
        }
        Ok(())
    }

    fn add_row(&mut self, piece: &Piece, at: usize) -> Result<(), TableError> {
        let wrong = |what: &str| {
            let number = self.done.len();
            TableError::schema(self.path, format!("row {at} of history {number}: {what}"))
        };
        let location = piece.location(at).map_err(wrong)?;
        let kind = piece.kind.get(at).unwrap_or("");
        if kind == INITIAL || kind == FINAL {
            let location = location.ok_or_else(|| wrong("no address"))?;
            if kind == INITIAL {
                self.frame.initial.push((location, piece.written.get(at)));
            } else {
                let value = piece.read.get(at).ok_or_else(|| wrong("no final value"))?;
                let line = get(&piece.line, at);
                self.frame.finals.push((location, value, line));
            }
            return Ok(());
        }
        let kind = Kind::from_name(kind).ok_or_else(|| wrong(&format!("unknown kind `{kind}`")))?;
        let row = piece.row(at, kind, location).map_err(wrong)?;
        self.rows.push(&row).map_err(|error| TableError::History {
            path: self.path.to_owned(),
            number: self.done.len() as u32,
            error,
        })
    }

    fn finish_one(&mut self) -> Result<(), TableError> {
        let number = self.done.len();
        let mut frame = std::mem::replace(&mut self.frame, Frame::of(Provenance::made()));
        let mut digest = None;
        if let Some(about) = self.about.as_ref().and_then(|about| about.get(number)).cloned() {
            frame.name = about.name;
            frame.provenance = about.provenance;
            digest = about.digest;
        }
        let rows = std::mem::take(&mut self.rows);
        let history = rows.finish(frame, None).map_err(|error| TableError::History {
            path: self.path.to_owned(),
            number: number as u32,
            error,
        })?;
        if digest.is_some_and(|digest| digest != history.digest()) {
            let what = format!("history {number} is not what was written");
            return Err(TableError::damaged(self.path, what));
        }
        self.done.push(history);
        Ok(())
    }

    fn finish(mut self) -> Result<Vec<History>, TableError> {
        let count = match &self.about {
            Some(about) => about.len(),
            // Also counts the history whose rows were being read, if there was any row.
            None => {
                self.done.len()
                    + usize::from(
                        !self.rows.is_empty() || self.frame != Frame::of(Provenance::made()),
                    )
            }
        };
        while self.done.len() < count {
            self.finish_one()?;
        }
        if self.done.is_empty() {
            return Err(TableError::schema(self.path, "there is no history in it"));
        }
        Ok(self.done)
    }
}

/// The names of the columns of a table of operations.
const COLUMNS: &[&str] = &[
    "history",
    "name",
    "thread",
    "index",
    "kind",
    "address",
    "size",
    "read",
    "written",
    "issued",
    "completed",
    "line",
    "order",
    "continues",
    "annotation",
    "depends",
    "source_thread",
    "source_index",
];

/// The columns of one piece of the table.
struct Piece {
    history: Numbers,
    name: Utf8ViewArray,
    thread: Numbers,
    index: Numbers,
    kind: Utf8ViewArray,
    address: Numbers,
    size: Numbers,
    read: Numbers,
    written: Numbers,
    issued: Option<Numbers>,
    completed: Option<Numbers>,
    line: Option<Numbers>,
    order: Option<Numbers>,
    continues: Option<BooleanArray>,
    annotation: Option<Utf8ViewArray>,
    depends: Option<Utf8ViewArray>,
    source_thread: Option<Numbers>,
    source_index: Option<Numbers>,
}

impl Piece {
    fn of(columns: &Columns<'_>) -> Result<Piece, TableError> {
        Ok(Piece {
            history: columns.numbers("history")?,
            name: columns.text("name")?,
            thread: columns.numbers("thread")?,
            index: columns.numbers("index")?,
            kind: columns.text("kind")?,
            address: columns.numbers("address")?,
            size: columns.numbers("size")?,
            read: columns.numbers("read")?,
            written: columns.numbers("written")?,
            issued: columns.optional_numbers("issued")?,
            completed: columns.optional_numbers("completed")?,
            line: columns.optional_numbers("line")?,
            order: columns.optional_numbers("order")?,
            continues: columns.optional_flags("continues")?,
            annotation: columns.optional_text("annotation")?,
            depends: columns.optional_text("depends")?,
            source_thread: columns.optional_numbers("source_thread")?,
            source_index: columns.optional_numbers("source_index")?,
        })
    }

    fn location(&self, at: usize) -> Result<Option<Location>, &'static str> {
        let Some(address) = self.address.get(at) else {
            return Ok(None);
        };
        let size = match self.size.get(at) {
            None => None,
            Some(size) => Some(u8::try_from(size).map_err(|_| "a size of more than 8 bytes")?),
        };
        Ok(Some(Location { address, size }))
    }

    /// The annotation of a row: none where the column is null or missing.
    fn annotation(&self, at: usize) -> Result<Annotation, &'static str> {
        let name = self.annotation.as_ref().and_then(|column| column.get(at));
        name.map_or(Ok(Annotation::None), |name| {
            Annotation::from_name(name).ok_or("an unknown annotation")
        })
    }

    /// The dependencies of a row: none where the column is null or missing.
    fn dependencies(&self, at: usize) -> Result<Vec<(DependencyKind, u32)>, &'static str> {
        let text = self.depends.as_ref().and_then(|column| column.get(at)).unwrap_or("");
        let words = text.split_ascii_whitespace().map(dependency_from_text);
        words.collect::<Option<Vec<_>>>().ok_or("`depends` is not of the form `address:3 data:4`")
    }

    fn row(&self, at: usize, kind: Kind, location: Option<Location>) -> Result<Row, &'static str> {
        let small = |number: Option<u64>| match number.map(u32::try_from) {
            None => Ok(None),
            Some(Ok(number)) => Ok(Some(number)),
            Some(Err(_)) => Err("a thread, index or order of more than 32 bits"),
        };
        let source_thread = small(get(&self.source_thread, at))?;
        Ok(Row {
            thread: small(self.thread.get(at))?.ok_or("no thread")?,
            index: small(self.index.get(at))?.ok_or("no index")?,
            kind,
            annotation: self.annotation(at)?,
            location,
            read: self.read.get(at),
            written: self.written.get(at),
            issued: get(&self.issued, at),
            completed: get(&self.completed, at),
            line: get(&self.line, at),
            order: small(get(&self.order, at))?,
            continues: self.continues.as_ref().and_then(|flags| flags.get(at)).unwrap_or(false),
            source: source_thread.zip(small(get(&self.source_index, at))?),
            dependencies: self.dependencies(at)?,
        })
    }
}

fn get(column: &Option<Numbers>, at: usize) -> Option<u64> {
    column.as_ref().and_then(|column| column.get(at))
}
