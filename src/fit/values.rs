//! Which values stand in a column of a CSV file?
//!
//! A column is named by its head or its number from 1. What is no number, is negative or missing is skipped
//! and counted: published tables have such lines.

use std::path::Path;

use crate::import::table_file::open_table;

/// The values of a column.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Column {
    /// The values, ascending.
    pub values: Vec<f64>,
    /// The head of the column, if the file has heads.
    pub head: String,
    /// The numbers of the first lines that were skipped.
    pub skipped: Vec<u64>,
    /// How many were skipped in all.
    pub skipped_count: usize,
}

/// More values than this fill the memory for no gain.
const MOST_VALUES: usize = 50_000_000;
/// So many skipped lines are named.
const NAMED: usize = 5;

/// Reads a column of the file at `path`.
pub fn read_column(path: &Path, wanted: &str) -> Result<Column, String> {
    let name = path.display();
    let (mut reader, heads) = open_table(path)?;
    let by_name = heads.iter().position(|head| head == wanted);
    let by_number = wanted.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let by_number = by_number.filter(|&position| position < heads.len());
    let Some(position) = by_name.or(by_number) else {
        let known: Vec<&str> = heads.iter().collect();
        return Err(format!(
            "{name} has no column `{wanted}`; it has {}",
            known.join(", ")
        ));
    };
    let mut column = Column {
        head: heads[position].to_owned(),
        ..Column::default()
    };
    // A first line that is a number is no head: the file has none.
    if let Some(value) = usable(&heads[position]) {
        column.head = format!("column {}", position + 1);
        column.values.push(value);
    }
    let mut record = csv::StringRecord::new();
    loop {
        match reader.read_record(&mut record) {
            Ok(false) => break,
            Ok(true) => match record.get(position).and_then(usable) {
                Some(value) => column.values.push(value),
                None => column.skip(record.position()),
            },
            Err(error) if error.is_io_error() => return Err(format!("{name}: {error}")),
            Err(error) => column.skip(error.position()),
        }
        if column.values.len() > MOST_VALUES {
            return Err(format!(
                "{name} has more than {MOST_VALUES} values in this column"
            ));
        }
    }
    column.values.sort_by(f64::total_cmp);
    Ok(column)
}

impl Column {
    fn skip(&mut self, at: Option<&csv::Position>) {
        self.skipped_count += 1;
        if self.skipped.len() < NAMED {
            self.skipped.extend(at.map(csv::Position::line));
        }
    }
}

fn usable(text: &str) -> Option<f64> {
    let value: f64 = text.trim().parse().ok()?;
    (value.is_finite() && value >= 0.0).then_some(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, wanted: &str) -> Result<Column, String> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("data.csv");
        std::fs::write(&path, text).unwrap();
        read_column(&path, wanted)
    }

    #[test]
    fn a_column_is_found_by_its_name_or_number_and_bad_lines_are_counted() {
        let text = "id,hours\n1,5.5\n2,none\n3\n4, 1e2 \n5,-1\n6,nan\n";
        for wanted in ["hours", "2"] {
            let column = read(text, wanted).unwrap();
            assert_eq!(column.values, [5.5, 100.0]);
            assert_eq!(
                (column.skipped, column.skipped_count),
                (vec![3, 4, 6, 7], 4)
            );
            assert_eq!(column.head, "hours");
        }
        assert!(read(text, "days").unwrap_err().contains("it has id, hours"));
        assert!(read(text, "3").is_err() && read(text, "0").is_err());
    }

    #[test]
    fn a_file_without_heads_is_read_from_its_first_line() {
        let column = read("3\n1\n2\n", "1").unwrap();
        assert_eq!(column.values, [1.0, 2.0, 3.0]);
        assert_eq!(column.head, "column 1");
        assert!(read("", "1").is_err());
        assert!(read("\"a\n\"b,\"\n\0\n", "1").is_ok_and(|column| column.values.is_empty()));
    }
}
