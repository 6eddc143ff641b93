use super::*;
use kernel::{ActorId, Purpose};
use std::collections::BTreeMap;

fn stream(seed: u64) -> RandomStream {
    RandomStream::new(seed, ActorId(0), Purpose(1))
}

fn table(rows: &[(u32, f64, f64)]) -> HostTable {
    let row = |&(hosts, cores, speed): &(u32, f64, f64)| {
        HostRow::from((hosts, cores, speed, cores * speed))
    };
    HostTable::new("a test", rows.iter().map(row).collect()).expect("a valid table")
}

fn count(machines: &[Machine]) -> BTreeMap<(u16, u64), u32> {
    let mut counts = BTreeMap::new();
    for machine in machines {
        let key = (machine.cores, machine.gflops_per_core.to_bits());
        *counts.entry(key).or_insert(0) += 1;
    }
    counts
}

#[test]
fn average_cores_become_whole_ones_without_changing_the_sum() {
    // 10 hosts of 3.4 cores are 34 cores: six hosts with 3 and four with 4.
    let machines = table(&[(10, 3.4, 1.0)]).populate(10, &mut stream(1));
    assert_eq!(
        count(&machines),
        BTreeMap::from([((3, 1f64.to_bits()), 6), ((4, 1f64.to_bits()), 4)])
    );
    // Single hosts of 1.3 cores: the remainder is carried on, so ten of them have 13 cores.
    let rows: Vec<_> = (1..=10).map(|i| (1, 1.3, f64::from(i))).collect();
    let machines = table(&rows).populate(10, &mut stream(1));
    assert_eq!(machines.iter().map(|m| m.cores).sum::<u16>(), 13);
}

#[test]
fn a_world_of_the_tables_size_holds_each_host_once_in_an_order_of_its_own() {
    let table = table(&[(50, 4.0, 2.5), (30, 2.0, 1.5), (20, 8.0, 3.0)]);
    let (one, other) = (
        table.populate(100, &mut stream(1)),
        table.populate(100, &mut stream(2)),
    );
    let expected = BTreeMap::from([
        ((2, 1.5f64.to_bits()), 30),
        ((4, 2.5f64.to_bits()), 50),
        ((8, 3.0f64.to_bits()), 20),
    ]);
    assert_eq!(count(&one), expected);
    assert_eq!(count(&other), expected);
    assert_ne!(one, other);
    assert_eq!(one, table.populate(100, &mut stream(1)));
}

#[test]
fn a_world_of_another_size_is_drawn_with_the_observed_frequencies() {
    let table = table(&[(50, 4.0, 2.5), (30, 2.0, 1.5), (20, 8.0, 3.0)]);
    let draws = 100_000;
    let counts = count(&table.populate(draws, &mut stream(3)));
    let chi2: f64 = [(2, 1.5f64, 0.3), (4, 2.5, 0.5), (8, 3.0, 0.2)]
        .iter()
        .map(|&(cores, speed, share)| {
            let expected = share * draws as f64;
            let deviation = f64::from(counts[&(cores, speed.to_bits())]) - expected;
            deviation * deviation / expected
        })
        .sum();
    assert!(
        chi2 < 13.8,
        "99.9 % quantile with 2 degrees of freedom: {chi2}"
    );
}

#[test]
fn moments_and_quantiles_count_hosts_not_rows() {
    let table = table(&[(3, 1.0, 1.0), (1, 1.0, 5.0)]);
    assert_eq!(table.mean_gflops(), 2.0);
    assert_eq!(table.standard_deviation_gflops(), 3f64.sqrt());
    assert_eq!(table.quantile_gflops(0.75), 1.0);
    assert_eq!(table.quantile_gflops(0.76), 5.0);
    assert_eq!(table.share_with_cores(1), 1.0);
}

#[test]
fn equal_rows_are_merged_and_a_table_reads_back_as_itself() {
    let table = table(&[(3, 2.0, 1.25), (4, 1.0, 5.0), (2, 2.0, 1.25)]).with_origin("here", "now");
    assert_eq!(table.rows().len(), 2);
    assert_eq!(table.hosts(), 9);
    let written = serde_json::to_string(&table).expect("a table can be written");
    let read: HostTable = serde_json::from_str(&written).expect("what was written");
    assert_eq!(read, table);
}

#[test]
fn impossible_figures_are_refused_with_their_row() {
    let refused = |row: (u32, f64, f64, f64)| {
        let good = HostRow::from((1, 1.0, 1.0, 1.0));
        let error = HostTable::new("a test", vec![good, row.into()]).expect_err("impossible");
        error.to_string()
    };
    for (row, why) in [
        ((0, 1.0, 1.0, 1.0), "0 hosts"),
        ((1, 0.5, 1.0, 0.5), "0.5 cores"),
        ((1, 5_000.0, 1.0, 5_000.0), "5000 cores"),
        ((1, f64::NAN, 1.0, 1.0), "NaN cores"),
        ((1, 1.0, -1.0, 1.0), "-1 GFLOPS per core"),
        ((1, 1.0, 1.0, f64::INFINITY), "inf GFLOPS per host"),
        ((1, 4.0, 2.0, 2.0), "one of the three is wrong"),
    ] {
        let error = refused(row);
        assert!(error.starts_with("row 2") && error.contains(why), "{error}");
    }
    assert_eq!(
        HostTable::new("a test", vec![]),
        Err(PopulationError::Empty)
    );
    let many = vec![HostRow::from((u32::MAX, 1.0, 1.0, 1.0)); 2];
    let too_many = PopulationError::TooMany(2 * u64::from(u32::MAX));
    assert_eq!(HostTable::new("a test", many), Err(too_many));
}
