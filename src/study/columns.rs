//! The collected runs as one table, in CSV or Parquet.
//!
//! Columns: `run`, `combination`, `repetition`, `seed`, then one per axis, then one per figure. A figure
//! that a run does not have is empty. An axis that is called like one of the other columns gets `key.` in
//! front. In Parquet, units and meanings are in the file's metadata as `unit:<column>` and
//! `meaning:<column>`.

use std::io::{self, Write};
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{ByteArray, ByteArrayType, DoubleType, Int64Type};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::types::Type;

use super::collection::{Collection, Row};

/// The columns that say which run a row is.
const WHICH: [&str; 4] = ["run", "combination", "repetition", "seed"];

/// The names of all columns.
pub fn names(collection: &Collection) -> Vec<String> {
    let axes = collection.record.axes.iter().map(|axis| {
        if WHICH.contains(&axis.as_str()) || collection.figures.contains_key(axis) {
            format!("key.{axis}")
        } else {
            axis.clone()
        }
    });
    let which = WHICH.map(str::to_owned).into_iter();
    which
        .chain(axes)
        .chain(collection.figures.keys().cloned())
        .collect()
}

fn which(row: &Row) -> [u64; 4] {
    let run = row.run;
    [
        run.number as u64,
        run.combination as u64,
        u64::from(run.repetition),
        run.seed,
    ]
}

fn labels<'a>(collection: &'a Collection, row: &Row) -> &'a [String] {
    &collection.record.combinations[row.run.combination - 1].labels
}

/// Writes the table as CSV.
pub fn write_csv(out: impl Write, collection: &Collection) -> io::Result<()> {
    let mut csv = csv::Writer::from_writer(out);
    csv.write_record(names(collection))?;
    for row in &collection.rows {
        let figures = collection
            .figures
            .keys()
            .map(|name| match row.figures.get(name) {
                Some(value) => value.to_string(),
                None => String::new(),
            });
        let which = which(row).map(|number| number.to_string()).into_iter();
        let labels = labels(collection, row).iter().cloned();
        csv.write_record(which.chain(labels).chain(figures))?;
    }
    csv.flush()
}

/// Writes the table as Parquet.
pub fn write_parquet(out: impl Write + Send, collection: &Collection) -> Result<(), ParquetError> {
    let names = names(collection);
    let axes = collection.record.axes.len();
    let mut fields = Vec::new();
    for (position, name) in names.iter().enumerate() {
        let field = if position < WHICH.len() {
            Type::primitive_type_builder(name, Physical::INT64)
                .with_repetition(Repetition::REQUIRED)
                .build()?
        } else if position < WHICH.len() + axes {
            Type::primitive_type_builder(name, Physical::BYTE_ARRAY)
                .with_repetition(Repetition::REQUIRED)
                .with_logical_type(Some(LogicalType::String))
                .build()?
        } else {
            Type::primitive_type_builder(name, Physical::DOUBLE)
                .with_repetition(Repetition::OPTIONAL)
                .build()?
        };
        fields.push(Arc::new(field));
    }
    let schema = Type::group_type_builder("runs")
        .with_fields(fields)
        .build()?;
    let described = collection.figures.iter().flat_map(|(name, figure)| {
        [
            KeyValue::new(format!("unit:{name}"), figure.unit.clone()),
            KeyValue::new(format!("meaning:{name}"), figure.meaning.clone()),
        ]
    });
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        .set_created_by(format!("myriad version {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(described.collect()))
        .build();
    let mut file = SerializedFileWriter::new(out, Arc::new(schema), Arc::new(properties))?;
    if !collection.rows.is_empty() {
        write_rows(&mut file, collection, &names)?;
    }
    file.close()?;
    Ok(())
}

fn write_rows<W: Write + Send>(
    file: &mut SerializedFileWriter<W>,
    collection: &Collection,
    names: &[String],
) -> Result<(), ParquetError> {
    let axes = collection.record.axes.len();
    let mut group = file.next_row_group()?;
    for (position, name) in names.iter().enumerate() {
        let mut writer = group
            .next_column()?
            .expect("the schema has a column for each name");
        if position < WHICH.len() {
            let numbers = collection
                .rows
                .iter()
                .map(|row| which(row)[position] as i64);
            let numbers: Vec<i64> = numbers.collect();
            writer
                .typed::<Int64Type>()
                .write_batch(&numbers, None, None)?;
        } else if position < WHICH.len() + axes {
            let axis = position - WHICH.len();
            let words = collection.rows.iter();
            let words = words.map(|row| ByteArray::from(labels(collection, row)[axis].as_str()));
            let words: Vec<ByteArray> = words.collect();
            writer
                .typed::<ByteArrayType>()
                .write_batch(&words, None, None)?;
        } else {
            let values = || {
                collection
                    .rows
                    .iter()
                    .map(|row| row.figures.get(name).copied())
            };
            let there: Vec<i16> = values().map(|value| i16::from(value.is_some())).collect();
            let figures: Vec<f64> = values().flatten().collect();
            writer
                .typed::<DoubleType>()
                .write_batch(&figures, Some(&there), None)?;
        }
        writer.close()?;
    }
    group.close()?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use parquet::file::reader::{FileReader, SerializedFileReader};
    use parquet::record::Field;
    use serde_json::Map;

    use super::*;
    use crate::study::collection::Figure;
    use crate::study::directory::{CombinationRecord, LAYOUT, StudyRecord};
    use crate::study::plan::PlannedRun;
    use crate::study::warm_up::WarmUp;

    fn collection() -> Collection {
        let combination = |number: usize, labels: [&str; 2]| CombinationRecord {
            number,
            labels: labels.map(str::to_owned).to_vec(),
            set: Map::new(),
            digest: String::new(),
        };
        let row = |number, combination, figures: &[(&str, f64)]| Row {
            run: PlannedRun {
                number,
                combination,
                repetition: 1,
                seed: 7,
            },
            path: "x".into(),
            digest: String::new(),
            figures: figures
                .iter()
                .map(|&(name, value)| (name.to_owned(), value))
                .collect(),
        };
        let figure = |name: &str, unit: &str| {
            let (unit, meaning) = (unit.to_owned(), String::new());
            (name.to_owned(), Figure { unit, meaning })
        };
        Collection {
            record: StudyRecord {
                myriad: "0".to_owned(),
                layout: LAYOUT,
                name: "s".to_owned(),
                arguments: Vec::new(),
                seed: 7,
                warm_up: WarmUp::None,
                figures: Vec::new(),
                axes: ["rule", "hosts"].map(str::to_owned).to_vec(),
                combinations: vec![combination(1, ["a, b", "5"]), combination(2, ["c", "6"])],
            },
            rows: vec![
                row(1, 1, &[("hosts", 5.0), ("jobs", 0.1)]),
                row(2, 2, &[("hosts", 1e300)]),
            ],
            figures: BTreeMap::from([figure("hosts", "hosts"), figure("jobs", "jobs")]),
            unsettled: BTreeMap::new(),
        }
    }

    #[test]
    fn the_table_has_a_row_per_run_and_nothing_where_there_is_nothing() {
        let mut out = Vec::new();
        write_csv(&mut out, &collection()).unwrap();
        let text = String::from_utf8(out).unwrap();
        let expected = "run,combination,repetition,seed,rule,key.hosts,hosts,jobs\n\
                        1,1,1,7,\"a, b\",5,5,0.1\n\
                        2,2,1,7,c,6,1";
        assert!(text.starts_with(expected), "{text}");
        assert!(text.ends_with("0,\n"), "{text}");
    }

    #[test]
    fn both_formats_hold_the_same() {
        let mut out = Vec::new();
        write_parquet(&mut out, &collection()).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(out)).unwrap();
        let rows: Vec<Vec<(String, Field)>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| {
                let row = row.unwrap();
                row.get_column_iter()
                    .map(|(n, f)| (n.clone(), f.clone()))
                    .collect()
            })
            .collect();
        let header: Vec<&str> = rows[0].iter().map(|(name, _)| name.as_str()).collect();
        assert_eq!(header, names(&collection()));
        assert_eq!(rows[0][4].1, Field::Str("a, b".to_owned()));
        assert_eq!(rows[1][3].1, Field::Long(7));
        assert_eq!(rows[0][7].1, Field::Double(0.1));
        assert_eq!(rows[1][7].1, Field::Null);
    }
}
