//! The trace for other tools: `messages.parquet` and `states.parquet`.
//!
//! pandas, polars and DuckDB open them as they are. The columns are documented in `docs/messages.md`,
//! and what each means is in the files' key-value metadata, too.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bytes::Bytes;
use kernel::ActorId;
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{WriterProperties, WriterPropertiesBuilder};
use parquet::file::writer::{SerializedFileWriter, SerializedRowGroupWriter};
use parquet::schema::parser::parse_message_type;

use super::TraceError;
use super::archive::Heading;
use super::chunk::{Chunk, NONE, NONE_32, range};
use super::message::{Fate, Interval};

/// The name of the file of messages in a run directory.
pub const MESSAGES: &str = "messages.parquet";
/// The name of the file of what actors did.
pub const STATES: &str = "states.parquet";

const MESSAGE_SCHEMA: &str = "
    message messages {
        required int64 message_id;
        optional int64 cause_id;
        required double sent_s;
        required double received_s;
        required int64 sent_ns;
        required int64 received_ns;
        required binary from (UTF8);
        required binary to (UTF8);
        required int32 from_id;
        required int32 to_id;
        required binary kind (UTF8);
        optional int64 job;
        optional int32 instance;
        optional group instances (LIST) {
            repeated group list {
                required binary element (UTF8);
            }
        }
        optional int64 file;
        optional int64 bytes;
        required binary fate (UTF8);
        required binary text (UTF8);
    }
";

/// What each column means, in the order of the schema.
const MESSAGE_COLUMNS: [(&str, &str); 18] = [
    (
        "message_id",
        "the sender's number times 2^32 plus how many messages it had sent before",
    ),
    (
        "cause_id",
        "the message that the sender was handling when it sent this; null at the start",
    ),
    ("sent_s", "when it was sent, in seconds of simulated time"),
    (
        "received_s",
        "when it was or would have been received, in seconds of simulated time",
    ),
    ("sent_ns", "when it was sent, in nanoseconds"),
    (
        "received_ns",
        "when it was or would have been received, in nanoseconds; the file is in this order",
    ),
    ("from", "the sender's name"),
    ("to", "the target's name; the sender's own for a timer"),
    ("from_id", "the sender's number"),
    ("to_id", "the target's number"),
    ("kind", "what kind of message it is"),
    ("job", "the job it concerns, if it is one"),
    (
        "instance",
        "which instance of the job it concerns, if it is one",
    ),
    (
        "instances",
        "all job instances it concerns, as job_instance; null if none",
    ),
    ("file", "the file it concerns, or that the job analyses"),
    (
        "bytes",
        "how many bytes it carries; null where the model gives it no size",
    ),
    (
        "fate",
        "delivered, expired (no longer needed), gone (the target had left), in_flight (the run ended before)",
    ),
    (
        "text",
        "what it says: a sentence whose subject is the sender",
    ),
];

const STATE_SCHEMA: &str = "
    message states {
        required binary actor (UTF8);
        required int32 actor_id;
        required binary state (UTF8);
        required double start_s;
        required double end_s;
        required int64 start_ns;
        required int64 end_ns;
    }
";

const STATE_COLUMNS: [(&str, &str); 7] = [
    ("actor", "who"),
    ("actor_id", "its number"),
    ("state", "what it was doing"),
    ("start_s", "since when, in seconds of simulated time"),
    (
        "end_s",
        "until when, in seconds of simulated time; the file is in this order",
    ),
    ("start_ns", "since when, in nanoseconds"),
    ("end_ns", "until when, in nanoseconds"),
];

/// How many rows are written at a time.
const ROW_GROUP: usize = 131_072;

/// A Parquet file in the making.
struct Table {
    path: PathBuf,
    file: SerializedFileWriter<File>,
}

impl Table {
    fn create(
        path: &Path,
        schema: &str,
        columns: &[(&str, &str)],
        heading: &Heading,
        adapt: impl FnOnce(WriterPropertiesBuilder) -> WriterPropertiesBuilder,
    ) -> Result<Self, TraceError> {
        let file = File::create(path).map_err(|source| TraceError::Refused {
            doing: "create",
            path: path.to_owned(),
            source,
        })?;
        let open = || -> Result<_, ParquetError> {
            let described = columns.iter().map(|(name, meaning)| {
                KeyValue::new(format!("meaning:{name}"), (*meaning).to_owned())
            });
            let origin = [
                KeyValue::new("scenario".to_owned(), heading.name.clone()),
                KeyValue::new("seed".to_owned(), heading.seed.to_string()),
                KeyValue::new("filter".to_owned(), heading.filter.clone()),
            ];
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
                .set_created_by(format!("myriad version {}", env!("CARGO_PKG_VERSION")))
                .set_key_value_metadata(Some(described.chain(origin).collect()));
            let schema = Arc::new(parse_message_type(schema)?);
            SerializedFileWriter::new(file, schema, Arc::new(adapt(properties).build()))
        };
        match open() {
            Ok(file) => Ok(Table {
                path: path.to_owned(),
                file,
            }),
            Err(source) => Err(TraceError::Parquet {
                path: path.to_owned(),
                source,
            }),
        }
    }

    fn group(
        &mut self,
        fill: impl FnOnce(&mut Rows<'_>) -> Result<(), ParquetError>,
    ) -> Result<(), TraceError> {
        let written = self.file.next_row_group().and_then(|group| {
            let mut rows = Rows { group };
            fill(&mut rows)?;
            rows.group.close()
        });
        written.map(|_| ()).map_err(|source| TraceError::Parquet {
            path: self.path.clone(),
            source,
        })
    }

    fn finish(self) -> Result<(), TraceError> {
        let path = self.path;
        let file = self
            .file
            .into_inner()
            .map_err(|source| TraceError::Parquet {
                path: path.clone(),
                source,
            })?;
        file.sync_all().map_err(|source| TraceError::Refused {
            doing: "write",
            path,
            source,
        })
    }
}

/// The columns of a row group, one after another.
struct Rows<'a> {
    group: SerializedRowGroupWriter<'a, File>,
}

impl Rows<'_> {
    fn column<T: DataType>(
        &mut self,
        values: &[T::T],
        definitions: Option<&[i16]>,
        repetitions: Option<&[i16]>,
    ) -> Result<(), ParquetError> {
        let column = self.group.next_column()?;
        let mut column = column.expect("the schema has as many columns as are written");
        let typed = column.typed::<T>();
        typed.write_batch(values, definitions, repetitions)?;
        column.close()
    }

    /// A column in which values may be missing.
    fn optional<T: DataType>(
        &mut self,
        values: impl Iterator<Item = Option<T::T>>,
    ) -> Result<(), ParquetError> {
        let mut present = Vec::new();
        let mut definitions = Vec::new();
        for value in values {
            definitions.push(i16::from(value.is_some()));
            present.extend(value);
        }
        self.column::<T>(&present, Some(&definitions), None)
    }
}

/// Writes `messages.parquet`.
pub(super) struct MessageTable {
    table: Table,
    names: ActorNames,
    kinds: Vec<ByteArray>,
    waiting: Vec<Chunk>,
    rows: usize,
}

impl MessageTable {
    pub(super) fn create(path: &Path, heading: &Heading) -> Result<Self, TraceError> {
        // Times and identifiers come nearly in order: their differences are small.
        const IN_ORDER: [&str; 4] = ["message_id", "cause_id", "sent_ns", "received_ns"];
        let adapt = |mut properties: WriterPropertiesBuilder| {
            for column in IN_ORDER {
                properties = properties
                    .set_column_dictionary_enabled(column.into(), false)
                    .set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
            }
            for column in ["sent_s", "received_s"] {
                properties = properties
                    .set_column_dictionary_enabled(column.into(), false)
                    .set_column_encoding(column.into(), Encoding::BYTE_STREAM_SPLIT);
            }
            properties.set_column_dictionary_enabled("text".into(), false)
        };
        Ok(MessageTable {
            table: Table::create(path, MESSAGE_SCHEMA, &MESSAGE_COLUMNS, heading, adapt)?,
            names: ActorNames::new(heading),
            kinds: words(heading.kinds.iter().map(String::as_str)),
            waiting: Vec::new(),
            rows: 0,
        })
    }

    /// Takes over a chunk; its times are instants.
    pub(super) fn messages(&mut self, chunk: Chunk) -> Result<(), TraceError> {
        self.rows += chunk.len();
        self.waiting.push(chunk);
        if self.rows >= ROW_GROUP {
            self.flush()?;
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        if self.rows == 0 {
            return Ok(());
        }
        self.rows = 0;
        let chunks = std::mem::take(&mut self.waiting);
        let (names, kinds) = (&mut self.names, &self.kinds);
        self.table
            .group(|rows| write_messages(rows, &chunks, names, kinds))
    }

    pub(super) fn finish(mut self) -> Result<(), TraceError> {
        self.flush()?;
        self.table.finish()
    }
}

fn write_messages(
    rows: &mut Rows<'_>,
    chunks: &[Chunk],
    names: &mut ActorNames,
    kinds: &[ByteArray],
) -> Result<(), ParquetError> {
    let signed = |column: fn(&Chunk) -> &Vec<u64>| -> Vec<i64> {
        chunks
            .iter()
            .flat_map(|chunk| column(chunk).iter().map(|&n| n as i64))
            .collect()
    };
    let seconds = |nanos: &[i64]| -> Vec<f64> {
        nanos
            .iter()
            .map(|&nanos| nanos as u64 as f64 / 1e9)
            .collect()
    };
    let senders: Vec<i32> = chunks
        .iter()
        .flat_map(|chunk| chunk.ids.iter().map(|&id| (id >> 32) as i32))
        .collect();
    let targets: Vec<i32> = chunks
        .iter()
        .flat_map(|chunk| chunk.to.iter().map(|&id| id as i32))
        .collect();
    let (sent, received) = (signed(|chunk| &chunk.sent), signed(|chunk| &chunk.received));

    rows.column::<Int64Type>(&signed(|chunk| &chunk.ids), None, None)?;
    let causes = chunks.iter().flat_map(|chunk| &chunk.causes);
    rows.optional::<Int64Type>(causes.map(|&cause| (cause != NONE).then_some(cause as i64)))?;
    rows.column::<DoubleType>(&seconds(&sent), None, None)?;
    rows.column::<DoubleType>(&seconds(&received), None, None)?;
    rows.column::<Int64Type>(&sent, None, None)?;
    rows.column::<Int64Type>(&received, None, None)?;
    rows.column::<ByteArrayType>(&names.all(&senders), None, None)?;
    rows.column::<ByteArrayType>(&names.all(&targets), None, None)?;
    rows.column::<Int32Type>(&senders, None, None)?;
    rows.column::<Int32Type>(&targets, None, None)?;
    let numbers = chunks.iter().flat_map(|chunk| &chunk.kinds);
    let kinds: Vec<_> = numbers
        .map(|&kind| kinds[usize::from(kind)].clone())
        .collect();
    rows.column::<ByteArrayType>(&kinds, None, None)?;
    let some = |number: u32| (number != NONE_32).then_some(i64::from(number));
    let jobs = chunks.iter().flat_map(|chunk| &chunk.jobs);
    rows.optional::<Int64Type>(jobs.map(|&job| some(job)))?;
    rows.optional::<Int32Type>(chunks.iter().flat_map(|chunk| {
        (0..chunk.len()).map(
            |place| match chunk.instances[range(&chunk.instance_ends, place)] {
                [only] => Some(i32::from(only.number)),
                _ => None,
            },
        )
    }))?;
    write_instances(rows, chunks)?;
    let files = chunks.iter().flat_map(|chunk| &chunk.files);
    rows.optional::<Int64Type>(files.map(|&file| some(file)))?;
    let sizes = chunks.iter().flat_map(|chunk| &chunk.bytes);
    rows.optional::<Int64Type>(sizes.map(|&bytes| (bytes != NONE).then_some(bytes as i64)))?;
    let fates = words(Fate::ALL.iter().map(|fate| fate.name()));
    let numbers = chunks.iter().flat_map(|chunk| &chunk.fates);
    let fates: Vec<_> = numbers
        .map(|&fate| fates[usize::from(fate)].clone())
        .collect();
    rows.column::<ByteArrayType>(&fates, None, None)?;
    let mut texts = Vec::new();
    for chunk in chunks {
        // All words of a chunk lie in one piece of memory, and each value is a part of it.
        let all = Bytes::copy_from_slice(chunk.text.as_bytes());
        let parts = (0..chunk.len()).map(|place| all.slice(range(&chunk.text_ends, place)));
        texts.extend(parts.map(ByteArray::from));
    }
    rows.column::<ByteArrayType>(&texts, None, None)
}

/// A list for each message: definition 0 is no list, 2 an element; repetition 0 begins a row.
fn write_instances(rows: &mut Rows<'_>, chunks: &[Chunk]) -> Result<(), ParquetError> {
    let mut values = Vec::new();
    let mut definitions = Vec::new();
    let mut repetitions = Vec::new();
    for chunk in chunks {
        for place in 0..chunk.len() {
            let instances = &chunk.instances[range(&chunk.instance_ends, place)];
            if instances.is_empty() {
                definitions.push(0);
                repetitions.push(0);
            }
            for (which, instance) in instances.iter().enumerate() {
                values.push(ByteArray::from(instance.to_string().into_bytes()));
                definitions.push(2);
                repetitions.push(i16::from(which > 0));
            }
        }
    }
    rows.column::<ByteArrayType>(&values, Some(&definitions), Some(&repetitions))
}

/// Writes `states.parquet`.
pub(super) struct StateTable {
    table: Table,
    names: ActorNames,
    states: Vec<ByteArray>,
    waiting: Vec<Interval>,
}

impl StateTable {
    pub(super) fn create(path: &Path, heading: &Heading) -> Result<Self, TraceError> {
        let adapt = |mut properties: WriterPropertiesBuilder| {
            for column in ["start_ns", "end_ns"] {
                properties = properties
                    .set_column_dictionary_enabled(column.into(), false)
                    .set_column_encoding(column.into(), Encoding::DELTA_BINARY_PACKED);
            }
            for column in ["start_s", "end_s"] {
                properties = properties
                    .set_column_dictionary_enabled(column.into(), false)
                    .set_column_encoding(column.into(), Encoding::BYTE_STREAM_SPLIT);
            }
            properties
        };
        Ok(StateTable {
            table: Table::create(path, STATE_SCHEMA, &STATE_COLUMNS, heading, adapt)?,
            names: ActorNames::new(heading),
            states: words(heading.activities.iter().map(String::as_str)),
            waiting: Vec::new(),
        })
    }

    pub(super) fn intervals(&mut self, intervals: &[Interval]) -> Result<(), TraceError> {
        for &interval in intervals {
            self.waiting.push(interval);
            if self.waiting.len() == ROW_GROUP {
                self.flush()?;
            }
        }
        Ok(())
    }

    fn flush(&mut self) -> Result<(), TraceError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        let intervals = std::mem::take(&mut self.waiting);
        let (names, states) = (&mut self.names, &self.states);
        self.table.group(|rows| {
            let actors: Vec<_> = intervals.iter().map(|one| one.actor.0 as i32).collect();
            let states = intervals
                .iter()
                .map(|one| states[usize::from(one.activity)].clone());
            let start: Vec<_> = intervals
                .iter()
                .map(|one| one.start.as_secs_f64())
                .collect();
            let end: Vec<_> = intervals.iter().map(|one| one.end.as_secs_f64()).collect();
            let start_ns: Vec<_> = intervals
                .iter()
                .map(|one| one.start.nanos() as i64)
                .collect();
            let end_ns: Vec<_> = intervals.iter().map(|one| one.end.nanos() as i64).collect();
            rows.column::<ByteArrayType>(&names.all(&actors), None, None)?;
            rows.column::<Int32Type>(&actors, None, None)?;
            rows.column::<ByteArrayType>(&states.collect::<Vec<_>>(), None, None)?;
            rows.column::<DoubleType>(&start, None, None)?;
            rows.column::<DoubleType>(&end, None, None)?;
            rows.column::<Int64Type>(&start_ns, None, None)?;
            rows.column::<Int64Type>(&end_ns, None, None)
        })
    }

    pub(super) fn finish(mut self) -> Result<(), TraceError> {
        self.flush()?;
        self.table.finish()
    }
}

/// Names of actors, each made once as long as there are not too many.
struct ActorNames {
    heading: Heading,
    known: Vec<Option<ByteArray>>,
}

/// Names beyond this many actors are made anew each time, so that they take bounded memory.
const NAMES_KEPT: u32 = 1 << 20;

impl ActorNames {
    fn new(heading: &Heading) -> Self {
        let all = heading.groups.iter().map(|(_, members)| members.end).max();
        ActorNames {
            heading: heading.clone(),
            known: vec![None; all.unwrap_or(0).min(NAMES_KEPT) as usize],
        }
    }

    fn all(&mut self, actors: &[i32]) -> Vec<ByteArray> {
        actors
            .iter()
            .map(|&actor| self.name(actor as u32))
            .collect()
    }

    fn name(&mut self, actor: u32) -> ByteArray {
        let make =
            |heading: &Heading| ByteArray::from(heading.actor_name(ActorId(actor)).into_bytes());
        match self.known.get_mut(actor as usize) {
            Some(known) => known.get_or_insert_with(|| make(&self.heading)).clone(),
            None => make(&self.heading),
        }
    }
}

fn words<'a>(names: impl Iterator<Item = &'a str>) -> Vec<ByteArray> {
    names
        .map(|name| ByteArray::from(name.as_bytes().to_vec()))
        .collect()
}
