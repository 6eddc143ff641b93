//! The series of a run as a Parquet file.
//!
//! One row per value: `time` in seconds since the start, `metric`, `value`, `unit`. Units and titles
//! are also in the file's key-value metadata, as `unit:<metric>` and `title:<metric>`.

use std::io::Write;
use std::sync::Arc;

use actors::shared::results::{Results, Series};
use parquet::basic::{Compression, Encoding, ZstdLevel};
use parquet::column::reader::get_typed_column_reader;
use parquet::data_type::{ByteArray, ByteArrayType, DataType, DoubleType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use parquet::file::reader::{ChunkReader, FileReader, RowGroupReader, SerializedFileReader};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;

const SCHEMA: &str = "
    message metrics {
        required double time;
        required binary metric (UTF8);
        required double value;
        required binary unit (UTF8);
    }
";

/// Writes every series of `results`.
pub fn write_metrics(out: impl Write + Send, results: &Results) -> Result<(), ParquetError> {
    let schema = Arc::new(parse_message_type(SCHEMA)?);
    let described = results.series.iter().flat_map(|series| {
        [
            KeyValue::new(format!("unit:{}", series.name), series.unit.clone()),
            KeyValue::new(format!("title:{}", series.name), series.title.clone()),
        ]
    });
    let properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(3)?))
        // Figures seldom repeat, so a dictionary of them would only cost room; names always do.
        .set_column_dictionary_enabled("value".into(), false)
        .set_column_encoding("value".into(), Encoding::BYTE_STREAM_SPLIT)
        .set_created_by(format!("myriad version {}", env!("CARGO_PKG_VERSION")))
        .set_key_value_metadata(Some(described.collect()))
        .build();
    let mut file = SerializedFileWriter::new(out, schema, Arc::new(properties))?;
    if !results.series.is_empty() {
        write_rows(&mut file, &results.series)?;
    }
    file.close()?;
    Ok(())
}

fn write_rows<W: Write + Send>(
    file: &mut SerializedFileWriter<W>,
    series: &[Series],
) -> Result<(), ParquetError> {
    let numbers = |of: fn(&Series) -> &Vec<f64>| -> Vec<f64> {
        series
            .iter()
            .flat_map(|series| of(series).iter().copied())
            .collect()
    };
    let words = |of: fn(&Series) -> &str| -> Vec<ByteArray> {
        let repeated = series.iter().flat_map(|series| {
            std::iter::repeat_n(ByteArray::from(of(series)), series.values.len())
        });
        repeated.collect()
    };
    let mut rows = file.next_row_group()?;
    for column in 0.. {
        let Some(mut writer) = rows.next_column()? else {
            break;
        };
        match column {
            0 => writer.typed::<DoubleType>().write_batch(
                &numbers(|series| &series.times_s),
                None,
                None,
            )?,
            1 => writer.typed::<ByteArrayType>().write_batch(
                &words(|series| &series.name),
                None,
                None,
            )?,
            2 => writer.typed::<DoubleType>().write_batch(
                &numbers(|series| &series.values),
                None,
                None,
            )?,
            _ => writer.typed::<ByteArrayType>().write_batch(
                &words(|series| &series.unit),
                None,
                None,
            )?,
        };
        writer.close()?;
    }
    rows.close()?;
    Ok(())
}

/// Reads the series that [`write_metrics`] has written, in their order.
pub fn read_metrics(file: impl ChunkReader + 'static) -> Result<Vec<Series>, ParquetError> {
    let reader = SerializedFileReader::new(file)?;
    let metadata = reader.metadata().file_metadata();
    let described = metadata.key_value_metadata().cloned().unwrap_or_default();
    let title_of = |name: &str| {
        let key = format!("title:{name}");
        let pair = described.iter().find(|pair| pair.key == key);
        pair.and_then(|pair| pair.value.clone())
            .unwrap_or_else(|| name.to_owned())
    };
    let mut found: Vec<Series> = Vec::new();
    for group in 0..reader.num_row_groups() {
        let rows = reader.get_row_group(group)?;
        let count = rows.metadata().num_rows().max(0) as usize;
        let times = read_column::<DoubleType>(&*rows, 0, count)?;
        let names = read_column::<ByteArrayType>(&*rows, 1, count)?;
        let values = read_column::<DoubleType>(&*rows, 2, count)?;
        let units = read_column::<ByteArrayType>(&*rows, 3, count)?;
        for (((time, name), value), unit) in times.into_iter().zip(names).zip(values).zip(units) {
            // The rows of a series stand together.
            if found
                .last()
                .is_none_or(|series| series.name.as_bytes() != name.data())
            {
                let name = name.as_utf8()?.to_owned();
                found.push(Series {
                    title: title_of(&name),
                    name,
                    unit: unit.as_utf8()?.to_owned(),
                    times_s: Vec::new(),
                    values: Vec::new(),
                });
            }
            let series = found.last_mut().expect("it has just been made");
            series.times_s.push(time);
            series.values.push(value);
        }
    }
    Ok(found)
}

fn read_column<T: DataType>(
    rows: &dyn RowGroupReader,
    column: usize,
    count: usize,
) -> Result<Vec<T::T>, ParquetError> {
    let mut reader = get_typed_column_reader::<T>(rows.get_column_reader(column)?);
    let mut values = Vec::with_capacity(count);
    while values.len() < count {
        let (_, read, _) = reader.read_records(count - values.len(), None, None, &mut values)?;
        if read == 0 {
            return Err(ParquetError::General(
                "a column is shorter than the file says".to_owned(),
            ));
        }
    }
    Ok(values)
}

#[cfg(test)]
mod tests {
    use super::*;
    use parquet::record::RowAccessor;

    fn series(name: &str, unit: &str, values: &[f64]) -> Series {
        Series {
            name: name.to_owned(),
            title: format!("The {name}"),
            unit: unit.to_owned(),
            times_s: (0..values.len()).map(|i| i as f64 * 3600.0).collect(),
            values: values.to_vec(),
        }
    }

    #[test]
    fn what_is_written_reads_back() {
        let results = Results {
            series: vec![
                series("hosts_active", "hosts", &[1.0, 2.5, -3.0]),
                series("bytes_served", "bytes", &[1e15]),
            ],
            ..Results::default()
        };
        let mut file = Vec::new();
        write_metrics(&mut file, &results).unwrap();

        let read = read_metrics(bytes::Bytes::from(file.clone())).unwrap();
        assert_eq!(format!("{read:?}"), format!("{:?}", results.series));
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        let rows: Vec<_> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| {
                let row = row.unwrap();
                (
                    row.get_double(0).unwrap(),
                    row.get_string(1).unwrap().clone(),
                    row.get_double(2).unwrap(),
                    row.get_string(3).unwrap().clone(),
                )
            })
            .collect();
        let row =
            |time, name: &str, value, unit: &str| (time, name.to_owned(), value, unit.to_owned());
        assert_eq!(
            rows,
            [
                row(0.0, "hosts_active", 1.0, "hosts"),
                row(3600.0, "hosts_active", 2.5, "hosts"),
                row(7200.0, "hosts_active", -3.0, "hosts"),
                row(0.0, "bytes_served", 1e15, "bytes"),
            ]
        );
        let metadata = reader
            .metadata()
            .file_metadata()
            .key_value_metadata()
            .unwrap();
        let unit = metadata.iter().find(|pair| pair.key == "unit:bytes_served");
        assert_eq!(unit.unwrap().value.as_deref(), Some("bytes"));
    }

    #[test]
    fn a_run_without_series_is_a_file_without_rows() {
        let mut file = Vec::new();
        write_metrics(&mut file, &Results::default()).unwrap();
        let reader = SerializedFileReader::new(bytes::Bytes::from(file)).unwrap();
        assert_eq!(reader.metadata().file_metadata().num_rows(), 0);
    }
}
