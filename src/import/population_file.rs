//! How does a population stand in a file?
//!
//! As TOML with one row of figures per line, so that two versions can be compared by eye and by
//! tools.

use std::fmt::Write;

use actors::shared::population::HostTable;

/// Reads a population file; the error points at the place.
pub fn read_population(text: &str) -> Result<HostTable, toml::de::Error> {
    toml::from_str(text)
}

/// Writes a population file. It reads back as the very same table.
pub fn write_population(table: &HostTable) -> String {
    let mut text = String::new();
    let quoted = |value: &str| toml::Value::from(value).to_string();
    let head = [
        "# A population of hosts: how many there are with so many cores, so fast.",
        "# Core counts are averages over a processor model; speeds are in GFLOPS (Whetstone).",
    ];
    for line in head {
        text.push_str(line);
        text.push('\n');
    }
    let figures = [
        ("name", quoted(&table.name)),
        ("origin", quoted(&table.origin)),
        ("date", quoted(&table.date)),
        ("hosts", table.hosts().to_string()),
    ];
    text.push('\n');
    for (key, value) in figures {
        writeln!(text, "{key} = {value}").expect(WRITING_IS_FREE);
    }
    text.push_str("\n# hosts, cores, GFLOPS per core, GFLOPS per host\nhistogram = [\n");
    for row in table.rows() {
        writeln!(
            text,
            "  [{}, {}, {}, {}],",
            row.hosts, row.cores, row.gflops_per_core, row.gflops_per_host
        )
        .expect(WRITING_IS_FREE);
    }
    text.push_str("]\n");
    text
}

const WRITING_IS_FREE: &str = "a string takes whatever is written to it";

#[cfg(test)]
mod tests {
    use super::*;
    use actors::shared::population::HostRow;

    #[test]
    fn a_table_reads_back_as_itself() {
        let rows = vec![
            HostRow::from((3, 1.01, 0.07, 0.07)),
            HostRow::from((u32::MAX - 3, 4096.0, 1e6, 4.096e9)),
        ];
        let table = HostTable::new("\"quoted\" \\ and\nbroken", rows)
            .expect("a valid table")
            .with_origin("nowhere = \"really\"", "2016-03-29");
        let text = write_population(&table);
        assert_eq!(read_population(&text).expect("what was written"), table);
    }

    #[test]
    fn a_total_that_does_not_match_is_refused() {
        let error = read_population("name = \"x\"\nhosts = 4\nhistogram = [[3, 1, 1, 1]]\n");
        let message = error.expect_err("3 is not 4").to_string();
        assert!(message.contains("`hosts` is 4"), "{message}");
        let error = read_population("name = \"x\"\nhost = 3\nhistogram = [[3, 1, 1, 1]]\n");
        let message = error.expect_err("an unknown key").to_string();
        assert!(message.contains("host"), "{message}");
    }

    /// What was published about a table, to the digits given.
    struct Published {
        hosts: u32,
        mean_gflops: f64,
        standard_deviation_gflops: f64,
        quantiles_gflops: [(f64, f64); 5],
        mean_cores: f64,
        percent_with_cores: [(u16, f64); 4],
    }

    fn check(text: &str, published: &Published) {
        let table = read_population(text).expect("a shipped population");
        let near = |what: &str, ours: f64, theirs: f64, rounding: f64| {
            let close = (ours - theirs).abs() <= rounding;
            assert!(close, "{}: {what} is {ours}, not {theirs}", table.name);
        };
        assert_eq!(table.hosts(), published.hosts);
        near("mean", table.mean_gflops(), published.mean_gflops, 0.005);
        let deviation = table.standard_deviation_gflops();
        near(
            "deviation",
            deviation,
            published.standard_deviation_gflops,
            0.005,
        );
        for (p, gflops) in published.quantiles_gflops {
            near("quantile", table.quantile_gflops(p), gflops, 0.005);
        }
        near("cores", table.mean_cores(), published.mean_cores, 0.005);
        for (cores, percent) in published.percent_with_cores {
            near("share", 100.0 * table.share_with_cores(cores), percent, 0.5);
        }

        // The machines of a whole world have whole cores, and no fewer of them in all.
        let mut random = kernel::RandomStream::new(1, kernel::ActorId(0), kernel::Purpose(1));
        let machines = table.populate(table.hosts() as usize, &mut random);
        let hosts = f64::from(published.hosts);
        let cores: u64 = machines
            .iter()
            .map(|machine| u64::from(machine.cores))
            .sum();
        near("whole cores", cores as f64, table.mean_cores() * hosts, 1.0);
        let gflops: f64 = machines.iter().map(|machine| machine.gflops()).sum();
        near("their speed", gflops / hosts, published.mean_gflops, 0.006);
        // The file is what the import would write again.
        assert_eq!(write_population(&table), text);
    }

    #[test]
    fn einstein_2016_has_its_published_moments() {
        let published = Published {
            hosts: 62_813,
            mean_gflops: 15.32,
            standard_deviation_gflops: 15.04,
            quantiles_gflops: [
                (0.05, 1.74),
                (0.25, 6.35),
                (0.5, 11.57),
                (0.75, 16.99),
                (0.95, 39.33),
            ],
            mean_cores: 4.67,
            percent_with_cores: [(1, 8.0), (2, 22.0), (4, 39.0), (8, 13.0)],
        };
        check(
            include_str!("../../configs/populations/einstein-2016.toml"),
            &published,
        );
    }

    #[test]
    fn seti_2016_has_its_published_moments() {
        let published = Published {
            hosts: 3_502_444,
            mean_gflops: 5.92,
            standard_deviation_gflops: 7.37,
            quantiles_gflops: [
                (0.05, 0.85),
                (0.25, 1.73),
                (0.5, 3.36),
                (0.75, 6.19),
                (0.95, 21.71),
            ],
            mean_cores: 2.587,
            percent_with_cores: [(1, 31.0), (2, 42.0), (4, 16.0), (8, 6.0)],
        };
        check(
            include_str!("../../configs/populations/seti-2016.toml"),
            &published,
        );
    }
}
