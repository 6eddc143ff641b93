//! What did a run find, in a form that any table, file or chart can be made from?
//!
//! A domain's metrics end as [`Results`]; reports know nothing else of the domain. Everything in
//! here is repeatable: it depends on scenario and seed, never on how the run was executed.

use serde::{Deserialize, Serialize};

/// All that a run found.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Results {
    /// Single figures, in the order in which people want to read them.
    pub scalars: Vec<Scalar>,
    /// Figures over simulated time.
    pub series: Vec<Series>,
    /// How a quantity is distributed.
    pub distributions: Vec<Distribution>,
    /// Tables, such as one row per class of hosts.
    pub tables: Vec<Table>,
    /// Which series are drawn together, and in which order: the charts of the report.
    pub charts: Vec<Chart>,
}

/// A single figure.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Scalar {
    /// Its name in files: `snake_case`, never changed within a major version.
    pub name: String,
    /// The figure.
    pub value: f64,
    /// Its unit, as "s", "bytes", "hosts", "1" (a pure number or a fraction).
    pub unit: String,
    /// What it is, in one sentence.
    pub meaning: String,
    /// Whether it belongs in the short summary on the terminal.
    pub headline: bool,
}

/// A figure over simulated time.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Series {
    /// Its name in files.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The unit of its values.
    pub unit: String,
    /// Simulated time of each value, in seconds since the start.
    pub times_s: Vec<f64>,
    /// The values; as many as there are times.
    pub values: Vec<f64>,
}

/// How a quantity is distributed: bins and quantiles.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Distribution {
    /// Its name in files.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// The unit of the quantity.
    pub unit: String,
    /// How many values there were.
    pub count: u64,
    /// Their mean.
    pub mean: f64,
    /// The largest value.
    pub max: f64,
    /// Bins from `low` (included) to `high` (excluded) with their counts, ascending.
    pub bins: Vec<Bin>,
    /// Quantiles as (probability, value), ascending.
    pub quantiles: Vec<(f64, f64)>,
}

/// One bar of a histogram.
#[derive(Clone, Copy, Debug, Serialize, Deserialize)]
pub struct Bin {
    /// Lower edge, included.
    pub low: f64,
    /// Upper edge, excluded.
    pub high: f64,
    /// How many values fell in between.
    pub count: u64,
}

/// A table of figures.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Table {
    /// Its name in files.
    pub name: String,
    /// Its name for people.
    pub title: String,
    /// Its columns.
    pub columns: Vec<Column>,
    /// Its rows; each has as many cells as there are columns.
    pub rows: Vec<Vec<Cell>>,
}

/// The head of a column.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Column {
    /// What stands in it.
    pub title: String,
    /// The unit of its numbers; empty for text.
    pub unit: String,
}

/// A cell of a table.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Cell {
    /// Words.
    Text(String),
    /// A figure.
    Number(f64),
}

/// A chart of the report: some series or one distribution, drawn together.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Chart {
    /// The question the chart answers, as its heading.
    pub title: String,
    /// How it is drawn.
    pub kind: ChartKind,
    /// The names of the series or of the distribution in it.
    pub of: Vec<String>,
}

/// How a chart is drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// Lines over simulated time.
    Lines,
    /// Areas on top of each other, over simulated time: parts of a whole.
    Stacked,
    /// Bars of a histogram, on a linear axis.
    Histogram,
    /// Bars of a histogram whose bins are even on a logarithmic axis.
    LogHistogram,
}
