//! How does a BOINC project's table of processor models become a population?
//!
//! Projects publish their hosts by processor model as `cpu_list`: the model, how many hosts have it,
//! their cores on average, and the speed of a core and of a host in GFLOPS. Models that differ in
//! name only are merged; their names are not kept.
//!
//! Every line is read on its own, so that a quotation mark which is opened and never closed spoils
//! one line and not the rest of the file. The model is never decoded: it may be in any encoding.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;

use actors::shared::population::{HostRow, HostTable, PopulationError};
use csv::{ByteRecord, ReaderBuilder};

use super::lines::{LONGEST_LINE, Line, LineError, Lines};

/// What became of a table.
#[derive(Debug)]
pub struct Import {
    /// The population.
    pub table: HostTable,
    /// The lines that are not in it.
    pub skipped: Skips,
}

/// A line that could not be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Skipped {
    /// Its number in the file, from one.
    pub line: u64,
    /// Which kind of mistake it is.
    pub reason: Reason,
    /// What is wrong with it, by column, and what would be right.
    pub why: String,
}

/// What can be wrong with a line.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Reason {
    /// More columns than the header, or fewer.
    Columns,
    /// The figure in this column is none, or none that can be.
    Figure(&'static str),
    /// Each figure could be, but not all of them together.
    Impossible,
    /// The line is too long to be one of such a table.
    TooLong,
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Reason::Columns => f.write_str("other columns than the header"),
            Reason::Figure(column) => write!(f, "an unusable `{column}`"),
            Reason::Impossible => f.write_str("figures that no host can have"),
            Reason::TooLong => write!(f, "more than {} KiB", LONGEST_LINE >> 10),
        }
    }
}

/// The lines of a table that could not be used: the first of them, and how many of each kind.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Skips {
    /// The first [`Skips::MOST_NAMED`].
    pub first: Vec<Skipped>,
    /// How many there are of each kind.
    pub counts: BTreeMap<Reason, u64>,
}

impl Skips {
    /// More lines are counted only: a table of nothing but mistakes is not worth its memory twice.
    pub const MOST_NAMED: usize = 20;

    /// How many lines were skipped in all.
    pub fn total(&self) -> u64 {
        self.counts.values().sum()
    }

    fn add(&mut self, line: u64, (reason, why): (Reason, String)) {
        *self.counts.entry(reason).or_default() += 1;
        if self.first.len() < Self::MOST_NAMED {
            self.first.push(Skipped { line, reason, why });
        }
    }
}

/// Why a file is not a table of processor models.
#[derive(Debug, thiserror::Error)]
pub enum ImportError {
    /// It cannot be read, or not to its end.
    #[error(transparent)]
    Lines(#[from] LineError),
    /// There is nothing in it.
    #[error("the file is empty: its first line should be `{HEADER}`")]
    Empty,
    /// The first line does not name a column that is needed.
    #[error("line 1 names no column `{missing}`: it is `{found}` and should be `{HEADER}`")]
    MissingColumn {
        /// The column.
        missing: &'static str,
        /// The first line, as far as it can be shown.
        found: String,
    },
    /// No line below the header could be used.
    #[error("no line below the header could be used{}", first_of(.0))]
    NothingUsable(Skips),
    /// The lines are right one by one, but not together.
    #[error(transparent)]
    Population(#[from] PopulationError),
}

/// The first line of a table.
const HEADER: &str = "cpu_model,n_hosts,avg_cores,gflops_per_core,gflops_per_host";

fn first_of(skipped: &Skips) -> String {
    match skipped.first.first() {
        Some(first) => format!(": line {}: {}", first.line, first.why),
        None => ": there is none".to_owned(),
    }
}

/// Reads a BOINC `cpu_list` table and calls the population `name`.
///
/// Lines with impossible or unreadable figures are left out and counted.
pub fn read_cpu_list(reader: impl Read, name: &str) -> Result<Import, ImportError> {
    let mut lines = Lines::new(reader);
    let header = match lines.next() {
        None => return Err(ImportError::Empty),
        Some(line) => match line?.1 {
            Line::Bytes(bytes) => bytes,
            Line::TooLong(_) => {
                return Err(ImportError::MissingColumn {
                    missing: "n_hosts",
                    found: format!("a line of more than {} KiB", LONGEST_LINE >> 10),
                });
            }
        },
    };
    let columns = Columns::from_header(header.trim_ascii())?;
    let mut rows = Vec::new();
    let mut skipped = Skips::default();
    while let Some(line) = lines.next() {
        let (number, line) = line?;
        let row = match &line {
            Line::Bytes(bytes) => match bytes.trim_ascii() {
                // Spreadsheets leave empty lines at the end.
                b"" => continue,
                text => columns.row(text),
            },
            Line::TooLong(bytes) => {
                let why = format!("it has {bytes} bytes, and at most {LONGEST_LINE} are read");
                Err((Reason::TooLong, why))
            }
        };
        match row {
            Ok(row) => rows.push(row),
            Err(wrong) => skipped.add(number, wrong),
        }
    }
    if rows.is_empty() {
        return Err(ImportError::NothingUsable(skipped));
    }
    let table = HostTable::new(name, rows)?;
    Ok(Import { table, skipped })
}

/// Where the figures stand in a line.
#[derive(Debug)]
struct Columns {
    count: usize,
    hosts: usize,
    cores: usize,
    gflops_per_core: usize,
    gflops_per_host: usize,
}

impl Columns {
    fn from_header(line: &[u8]) -> Result<Self, ImportError> {
        if line.is_empty() {
            return Err(ImportError::Empty);
        }
        let header = fields(line);
        let position = |missing: &'static str| {
            let named = |field: &[u8]| field.trim_ascii().eq_ignore_ascii_case(missing.as_bytes());
            header
                .iter()
                .position(named)
                .ok_or_else(|| ImportError::MissingColumn {
                    missing,
                    found: shown(line),
                })
        };
        Ok(Columns {
            count: header.len(),
            hosts: position("n_hosts")?,
            cores: position("avg_cores")?,
            gflops_per_core: position("gflops_per_core")?,
            gflops_per_host: position("gflops_per_host")?,
        })
    }

    fn row(&self, line: &[u8]) -> Result<HostRow, (Reason, String)> {
        let record = fields(line);
        if record.len() != self.count {
            let why = format!(
                "the line has {} columns and the header {}: a model's name that holds commas or quotation marks is \
                 put between quotation marks, and those in it are doubled",
                record.len(),
                self.count
            );
            return Err((Reason::Columns, why));
        }
        let row = HostRow {
            hosts: whole(&record, self.hosts, "n_hosts")?,
            cores: number(&record, self.cores, "avg_cores")?,
            gflops_per_core: number(&record, self.gflops_per_core, "gflops_per_core")?,
            gflops_per_host: number(&record, self.gflops_per_host, "gflops_per_host")?,
        };
        row.check().map_err(|why| (Reason::Impossible, why))?;
        Ok(row)
    }
}

fn whole(record: &ByteRecord, index: usize, column: &'static str) -> Result<u32, (Reason, String)> {
    let text = shown(&record[index]);
    match text.parse::<u32>() {
        Ok(0) | Err(_) => Err(wrong(
            column,
            index,
            &text,
            "a whole number from 1 to 4294967295",
        )),
        Ok(count) => Ok(count),
    }
}

fn number(
    record: &ByteRecord,
    index: usize,
    column: &'static str,
) -> Result<f64, (Reason, String)> {
    let text = shown(&record[index]);
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() && value > 0.0 => Ok(value),
        _ => Err(wrong(
            column,
            index,
            &text,
            "a number above zero such as 3.98",
        )),
    }
}

fn wrong(column: &'static str, index: usize, found: &str, right: &str) -> (Reason, String) {
    let why = format!(
        "`{column}` (column {}) is `{found}`: it should be {right}",
        index + 1
    );
    (Reason::Figure(column), why)
}

/// The fields of one line.
fn fields(line: &[u8]) -> ByteRecord {
    let mut record = ByteRecord::new();
    let read = ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .buffer_capacity(line.len().max(1))
        .from_reader(line)
        .read_byte_record(&mut record);
    read.expect("bytes in memory can be read, and any bytes are fields");
    record
}

/// Bytes of unknown encoding for people, no more than a line of them.
fn shown(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes.trim_ascii());
    let mut shown: String = text.chars().take(80).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    fn import(text: &[u8]) -> Import {
        read_cpu_list(text, "a test").expect("a readable table")
    }

    fn with_header(lines: &str) -> Vec<u8> {
        format!("{HEADER}\n{lines}").into_bytes()
    }

    fn error(text: &[u8]) -> String {
        read_cpu_list(text, "a test")
            .expect_err("no table")
            .to_string()
    }

    #[test]
    fn names_with_commas_quotes_and_brackets_are_read_and_forgotten() {
        let text = with_header(
            "\"AMD A4-3400, APU [Family 18 Model 1]\",40,2.0,1.5,3.0\n\
             \"Intel Pentium III (\"\"GenuineIntel\"\" 686-class)\",17,1.06,0.39,0.41\n\
             Some Other Name [of the same figures],60,2.0,1.5,3.0\n",
        );
        let import = import(&text);
        assert_eq!(import.skipped, Skips::default());
        let rows: Vec<(u32, f64, f64, f64)> =
            import.table.rows().iter().map(|&row| row.into()).collect();
        assert_eq!(rows, [(17, 1.06, 0.39, 0.41), (100, 2.0, 1.5, 3.0)]);
    }

    #[test]
    fn marks_of_spreadsheets_and_bytes_of_any_encoding_do_no_harm() {
        let mut text = b"\xef\xbb\xbf".to_vec();
        text.extend_from_slice(HEADER.to_uppercase().as_bytes());
        text.extend_from_slice(b"\r\nIntel\xae Core\x99 \x00 i7,12,4.0,2.0,8.0\r\n\r\n");
        let import = import(&text);
        assert_eq!(import.skipped, Skips::default());
        assert_eq!(import.table.hosts(), 12);
        assert_eq!(import.table.rows()[0].gflops_per_host, 8.0);
    }

    #[test]
    fn a_broken_line_is_skipped_by_number_and_the_rest_is_loaded() {
        let text = with_header(
            "good,10,4.0,2.0,8.0\n\
             zero,0,4.0,2.0,8.0\n\
             million,3.5e6,4.0,2.0,8.0\n\
             negative,-3,4.0,2.0,8.0\n\
             absurd,99999999999,4.0,2.0,8.0\n\
             nan,10,NaN,2.0,8.0\n\
             slow,10,4.0,-2.0,8.0\n\
             endless,10,4.0,2.0,inf\n\
             empty,10,,2.0,8.0\n\
             many,10,5000,2.0,10000\n\
             odd,10,4.0,2.0,80.0\n\
             a, comma,10,4.0,2.0,8.0\n\
             short,10,4.0\n\
             \"never closed,10,4.0,2.0,8.0\n\
             good,5,2.0,2.0,4.0",
        );
        let import = import(&text);
        assert_eq!(import.table.hosts(), 15, "the last line counts, too");
        let lines: Vec<u64> = import
            .skipped
            .first
            .iter()
            .map(|skipped| skipped.line)
            .collect();
        assert_eq!(lines, (3..=15).collect::<Vec<u64>>());
        let expected = [
            "`n_hosts` (column 2) is `0`",
            "`n_hosts` (column 2) is `3.5e6`",
            "`n_hosts` (column 2) is `-3`",
            "`n_hosts` (column 2) is `99999999999`",
            "`avg_cores` (column 3) is `NaN`",
            "`gflops_per_core` (column 4) is `-2.0`",
            "`gflops_per_host` (column 5) is `inf`",
            "`avg_cores` (column 3) is ``",
            "5000 cores",
            "one of the three is wrong",
            "6 columns and the header 5",
            "3 columns and the header 5",
            "1 columns and the header 5",
        ];
        for (skipped, expected) in import.skipped.first.iter().zip(expected) {
            assert!(
                skipped.why.contains(expected),
                "{skipped:?} without {expected}"
            );
        }
        let counts: Vec<(String, u64)> = import
            .skipped
            .counts
            .iter()
            .map(|(reason, &count)| (reason.to_string(), count))
            .collect();
        let counts: Vec<(&str, u64)> = counts.iter().map(|(r, c)| (r.as_str(), *c)).collect();
        assert_eq!(
            counts,
            [
                ("other columns than the header", 3),
                ("an unusable `avg_cores`", 2),
                ("an unusable `gflops_per_core`", 1),
                ("an unusable `gflops_per_host`", 1),
                ("an unusable `n_hosts`", 4),
                ("figures that no host can have", 2),
            ]
        );
    }

    #[test]
    fn an_endless_line_is_one_mistake_and_thousands_are_counted() {
        let endless = "9".repeat(LONGEST_LINE + 1);
        let mut text = with_header(&format!(
            "good,10,4.0,2.0,8.0\nlong,{endless},4.0,2.0,8.0\n"
        ));
        text.extend(b"?\n".repeat(1_000));
        text.extend(b"good,1,4.0,2.0,8.0\n");
        let import = import(&text);
        assert_eq!(import.table.hosts(), 11);
        assert_eq!(import.skipped.total(), 1_001);
        assert_eq!(import.skipped.first.len(), Skips::MOST_NAMED);
        assert_eq!(import.skipped.first[0].reason, Reason::TooLong);
        assert!(error(endless.as_bytes()).contains("line 1 names no column"));
    }

    #[test]
    fn files_that_are_no_tables_are_refused_with_what_would_be_right() {
        assert!(error(b"").contains("cpu_model,n_hosts"));
        assert!(error(b"\r\n\r\n").contains("empty"));
        let other = error(b"model,hosts\nx,1\n");
        assert!(
            other.contains("`n_hosts`") && other.contains("`model,hosts`"),
            "{other}"
        );
        let renamed = error(b"cpu_model,n_hosts,avg_cores,gflops_per_core\nx,1,1,1\n");
        assert!(renamed.contains("`gflops_per_host`"), "{renamed}");
        assert!(error(&with_header("")).contains("there is none"));
        let all_broken = error(&with_header("x,0,1,1,1\ny,0,1,1,1\n"));
        assert!(all_broken.contains("line 2") && all_broken.contains("`n_hosts`"));
        let too_many = with_header("x,4294967295,1,1,1\ny,4294967295,1,1,1\n");
        assert!(error(&too_many).contains("8589934590 hosts"));
        assert!(error(&[0xff, 0xfe, b'c', 0, b'p', 0]).contains("names no column"));
    }

    #[test]
    fn columns_are_found_by_name() {
        let text = b"gflops_per_host,n_hosts,os,avg_cores,gflops_per_core\n8.0,3,Linux,4.0,2.0\n";
        assert_eq!(
            import(text).table.rows()[0],
            HostRow::from((3, 4.0, 2.0, 8.0))
        );
    }
}
