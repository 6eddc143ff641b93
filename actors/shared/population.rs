//! Which machines take part?
//!
//! A [`HostTable`] is an empirical joint histogram of cores and speed, as volunteer projects publish
//! it: so many hosts of a processor model, with so many cores on average, so fast. Draws have exactly
//! the observed frequencies, and a world with as many hosts as the table holds every one of them
//! exactly once.
//!
//! Published core counts are averages over a model's hosts, such as 3.4, but a machine has whole
//! cores. A row of `n` hosts with `c` cores on average therefore becomes hosts with `floor(c)` and
//! hosts with `floor(c) + 1` cores, as many of each as keep the sum; what rounding leaves over goes
//! to the next row. So the number of cores of the whole table stays right to within one. The speed
//! of a core, which decides how long a job takes, is kept; the speed of a host follows from both.

use kernel::RandomStream;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The most cores that we believe a host to have.
pub const MOST_CORES: u16 = 4_096;

/// The greatest speed of a core that we believe, in GFLOPS.
pub const MOST_GFLOPS_PER_CORE: f64 = 1e6;

/// Observed hosts by cores and speed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
#[serde(try_from = "Written", into = "Written")]
pub struct HostTable {
    /// What the table is called.
    pub name: String,
    /// Where its figures come from.
    pub origin: String,
    /// When they were observed, as 2016-03-29.
    pub date: String,
    rows: Vec<HostRow>,
    /// The same hosts with whole cores.
    machines: Vec<Machine>,
    /// For each machine, how many hosts are of it or of one before it.
    up_to: Vec<u32>,
}

/// Hosts of the same processor: how many there are, and what they are like.
#[derive(Clone, Copy, PartialEq, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(from = "(u32, f64, f64, f64)", into = "(u32, f64, f64, f64)")]
pub struct HostRow {
    /// How many hosts.
    pub hosts: u32,
    /// How many cores each has, on average.
    pub cores: f64,
    /// The speed of one core, in GFLOPS.
    pub gflops_per_core: f64,
    /// The speed of a whole host as published, in GFLOPS: cores times speed, before rounding.
    pub gflops_per_host: f64,
}

/// A machine that takes part.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    /// How many cores it has.
    pub cores: u16,
    /// The speed of each, in GFLOPS.
    pub gflops_per_core: f64,
}

impl Machine {
    /// The speed of all cores together, in GFLOPS.
    pub fn gflops(&self) -> f64 {
        f64::from(self.cores) * self.gflops_per_core
    }
}

/// Why rows are not a table of hosts.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
pub enum PopulationError {
    /// No rows.
    #[error("the histogram is empty: a population needs at least one row of hosts")]
    Empty,
    /// A figure that no host can have.
    #[error("row {row} of the histogram: {why}")]
    Row {
        /// Which row, counted from one.
        row: usize,
        /// What is wrong, and what would be right.
        why: String,
    },
    /// More hosts than can be numbered.
    #[error("the histogram holds {0} hosts, and a population has fewer than 4294967296 (2^32)")]
    TooMany(u64),
    /// The total that a file states is not that of its rows.
    #[error("`hosts` is {stated}, but the rows of the histogram add up to {counted}")]
    OtherTotal {
        /// What the file states.
        stated: u32,
        /// What its rows add up to.
        counted: u32,
    },
}

impl HostTable {
    /// A table of these rows. Equal rows are merged, and the order does not matter.
    pub fn new(name: &str, rows: Vec<HostRow>) -> Result<Self, PopulationError> {
        for (index, row) in rows.iter().enumerate() {
            row.check().map_err(|why| PopulationError::Row {
                row: index + 1,
                why,
            })?;
        }
        let rows = merged(rows)?;
        let (machines, up_to) = with_whole_cores(&rows);
        Ok(HostTable {
            name: name.to_owned(),
            origin: String::new(),
            date: String::new(),
            rows,
            machines,
            up_to,
        })
    }

    /// The same table with a note of where (and when) its figures were observed.
    pub fn with_origin(mut self, origin: &str, date: &str) -> Self {
        self.origin = origin.to_owned();
        self.date = date.to_owned();
        self
    }

    /// How many hosts there are.
    pub fn hosts(&self) -> u32 {
        *self.up_to.last().expect("a table holds at least one host")
    }

    /// The rows as observed, ascending by cores and speed; no two are equal.
    pub fn rows(&self) -> &[HostRow] {
        &self.rows
    }

    /// Draws a host: each of the table is as likely as any other.
    pub fn sample(&self, random: &mut RandomStream) -> Machine {
        let host = random.below(u64::from(self.hosts())) as u32;
        self.machines[self.up_to.partition_point(|&up_to| up_to <= host)]
    }

    /// The machines of a world with that many hosts, in the order in which hosts are numbered.
    ///
    /// With exactly as many hosts as there are in the table, each host of the table appears once, in
    /// an order shuffled by `random`; with any other number, each is drawn.
    pub fn populate(&self, hosts: usize, random: &mut RandomStream) -> Vec<Machine> {
        if hosts as u64 != u64::from(self.hosts()) {
            return (0..hosts).map(|_| self.sample(random)).collect();
        }
        let mut all = Vec::with_capacity(hosts);
        for (machine, &up_to) in self.machines.iter().zip(&self.up_to) {
            all.resize(up_to as usize, *machine);
        }
        // Fisher and Yates, from the end.
        for last in (1..all.len()).rev() {
            all.swap(last, random.below(last as u64 + 1) as usize);
        }
        all
    }

    /// Mean cores of a host.
    pub fn mean_cores(&self) -> f64 {
        self.mean_of(|row| row.cores)
    }

    /// Mean speed of a host as published, in GFLOPS.
    pub fn mean_gflops(&self) -> f64 {
        self.mean_of(|row| row.gflops_per_host)
    }

    /// Standard deviation of the speed of hosts as published, in GFLOPS.
    pub fn standard_deviation_gflops(&self) -> f64 {
        let mean = self.mean_gflops();
        let variance = self.mean_of(|row| {
            let deviation = row.gflops_per_host - mean;
            deviation * deviation
        });
        variance.sqrt()
    }

    /// The published speed, in GFLOPS, which a fraction `p` of the hosts does not exceed.
    pub fn quantile_gflops(&self, p: f64) -> f64 {
        let mut by_speed: Vec<&HostRow> = self.rows.iter().collect();
        by_speed.sort_by(|a, b| a.gflops_per_host.total_cmp(&b.gflops_per_host));
        let rank = p.clamp(0.0, 1.0) * f64::from(self.hosts());
        let mut below = 0.0;
        for row in &by_speed {
            below += f64::from(row.hosts);
            if below >= rank {
                return row.gflops_per_host;
            }
        }
        by_speed.last().expect("a table has rows").gflops_per_host
    }

    /// The fraction of hosts whose average number of cores is nearest to `cores`.
    pub fn share_with_cores(&self, cores: u16) -> f64 {
        self.mean_of(|row| f64::from(u8::from(row.cores.round() == f64::from(cores))))
    }

    fn mean_of(&self, figure: impl Fn(&HostRow) -> f64) -> f64 {
        let weighted = |row: &HostRow| f64::from(row.hosts) * figure(row);
        self.rows.iter().map(weighted).sum::<f64>() / f64::from(self.hosts())
    }
}

impl HostRow {
    /// What is wrong with the row, and what would be right.
    pub fn check(&self) -> Result<(), String> {
        if self.hosts == 0 {
            return Err("0 hosts: write a count of 1 or more, or leave the row out".to_owned());
        }
        if !(1.0..=f64::from(MOST_CORES)).contains(&self.cores) {
            return Err(format!(
                "{} cores: write a number from 1 to {MOST_CORES}",
                self.cores
            ));
        }
        for (what, gflops, most) in [
            ("core", self.gflops_per_core, MOST_GFLOPS_PER_CORE),
            (
                "host",
                self.gflops_per_host,
                MOST_GFLOPS_PER_CORE * f64::from(MOST_CORES),
            ),
        ] {
            if !(gflops > 0.0 && gflops <= most) {
                return Err(format!(
                    "{gflops} GFLOPS per {what}: write a number above 0, at most {most}"
                ));
            }
        }
        let product = self.cores * self.gflops_per_core;
        if self.gflops_per_host > 2.0 * product || product > 2.0 * self.gflops_per_host {
            return Err(format!(
                "{} GFLOPS per host, but {} cores of {} GFLOPS make {product:.2}: one of the three \
                 is wrong",
                self.gflops_per_host, self.cores, self.gflops_per_core
            ));
        }
        Ok(())
    }
}

impl From<(u32, f64, f64, f64)> for HostRow {
    fn from((hosts, cores, gflops_per_core, gflops_per_host): (u32, f64, f64, f64)) -> Self {
        HostRow {
            hosts,
            cores,
            gflops_per_core,
            gflops_per_host,
        }
    }
}

impl From<HostRow> for (u32, f64, f64, f64) {
    fn from(row: HostRow) -> Self {
        (
            row.hosts,
            row.cores,
            row.gflops_per_core,
            row.gflops_per_host,
        )
    }
}

/// The rows in ascending order, equal ones merged.
fn merged(mut rows: Vec<HostRow>) -> Result<Vec<HostRow>, PopulationError> {
    let total: u64 = rows.iter().map(|row| u64::from(row.hosts)).sum();
    if total == 0 {
        return Err(PopulationError::Empty);
    }
    if total > u64::from(u32::MAX) {
        return Err(PopulationError::TooMany(total));
    }
    rows.sort_by(|a, b| {
        a.cores
            .total_cmp(&b.cores)
            .then(a.gflops_per_core.total_cmp(&b.gflops_per_core))
            .then(a.gflops_per_host.total_cmp(&b.gflops_per_host))
    });
    rows.dedup_by(|next, kept| {
        let equal = HostRow {
            hosts: kept.hosts,
            ..*next
        } == *kept;
        if equal {
            kept.hosts += next.hosts;
        }
        equal
    });
    Ok(rows)
}

/// The hosts of the rows with whole cores, and how many there are of each machine or one before it.
fn with_whole_cores(rows: &[HostRow]) -> (Vec<Machine>, Vec<u32>) {
    let (mut machines, mut up_to) = (Vec::new(), Vec::new());
    let mut total = 0;
    let mut owed = 0.0;
    for row in rows {
        let fewer = row.cores.floor();
        let part = row.cores - fewer;
        let mut with_more = 0.0;
        // Where a model's hosts all have the same cores, there is nothing to make up for.
        if part > 0.0 {
            let exact = f64::from(row.hosts) * part + owed;
            with_more = exact.round().clamp(0.0, f64::from(row.hosts));
            owed = exact - with_more;
        }
        let with_more = with_more as u32;
        let fewer = fewer as u16;
        for (hosts, cores) in [(row.hosts - with_more, fewer), (with_more, fewer + 1)] {
            if hosts > 0 {
                total += hosts;
                up_to.push(total);
                machines.push(Machine {
                    cores,
                    gflops_per_core: row.gflops_per_core,
                });
            }
        }
    }
    (machines, up_to)
}

/// A table as it stands in a file.
#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
struct Written {
    /// What the table is called.
    name: String,
    /// Where its figures come from.
    #[serde(default)]
    origin: String,
    /// When they were observed, as 2016-03-29.
    #[serde(default)]
    date: String,
    /// How many hosts the rows add up to.
    hosts: u32,
    /// Rows of hosts, cores, GFLOPS per core, GFLOPS per host.
    histogram: Vec<HostRow>,
}

impl TryFrom<Written> for HostTable {
    type Error = PopulationError;
    fn try_from(written: Written) -> Result<Self, PopulationError> {
        let table = HostTable::new(&written.name, written.histogram)?;
        if table.hosts() != written.hosts {
            return Err(PopulationError::OtherTotal {
                stated: written.hosts,
                counted: table.hosts(),
            });
        }
        Ok(table.with_origin(&written.origin, &written.date))
    }
}

impl From<HostTable> for Written {
    fn from(table: HostTable) -> Self {
        Written {
            hosts: table.hosts(),
            name: table.name,
            origin: table.origin,
            date: table.date,
            histogram: table.rows,
        }
    }
}

impl JsonSchema for HostTable {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "HostTable".into()
    }
    fn json_schema(generator: &mut schemars::SchemaGenerator) -> schemars::Schema {
        Written::json_schema(generator)
    }
}

#[cfg(test)]
mod tests;
