//! The figures of merit of every rule of assignment (the document, section 5.2), for people.

use kernel::SimDuration;

use super::{run_with, scalar, shipped};
use crate::shared::quantity::Duration;
use crate::volunteer::assignment::Rule;

const RULES: [&str; 12] = [
    "first_come",
    "random",
    "locality_2004",
    "locality_2004_as_shipped",
    "locality_2005_january",
    "locality_2005_february",
    "locality_today",
    "locality_lite",
    "locality_lite_as_shipped",
    "convoys",
    "convoys\"\nlead = 10\nahead = \"extra_file",
    "convoys\"\nlead = 10\nahead = \"more_hosts",
];

#[test]
#[ignore = "prints a table for people: HOSTS=1000 DAYS=60 RULE=random;convoys"]
fn figures_of_merit_of_every_rule() {
    let number = |name: &str| std::env::var(name).ok().and_then(|n| n.parse::<u64>().ok());
    let (mut scenario, inputs) = shipped("assignment");
    scenario.hosts = number("HOSTS").unwrap_or(1_000) as u32;
    scenario.until = Duration::new(SimDuration::from_days(number("DAYS").unwrap_or(60)));
    let only = std::env::var("RULE").ok();
    println!(
        "{:38} {:>9} {:>8} {:>8} {:>8} {:>9} {:>9} {:>7} {:>7} {:>6} {:>6}",
        "rule",
        "jobs",
        "MB/job",
        "lag",
        "lag90",
        "lag99",
        "canonical",
        "files",
        "opened",
        "failed",
        "idle"
    );
    let all = || RULES.iter().map(|&rule| rule.to_owned()).collect();
    let chosen: Vec<String> =
        only.map_or_else(all, |rules| rules.split(';').map(str::to_owned).collect());
    for rule in chosen {
        let text = format!("rule = \"{}\"", rule.replace("\\n", "\n"));
        scenario.scheduler.assignment = toml::from_str::<Rule>(&text).expect("a rule");
        let (results, _) = run_with(&scenario, &inputs);
        let files = results.series.iter().find(|s| s.name == "files_on_hosts");
        let files = &files.expect("a series").values;
        let settled = &files[files.len() / 2..];
        let files = settled.iter().sum::<f64>() / settled.len() as f64;
        let lag = |p: f64| {
            let mut all = results.distributions.iter();
            let lag = all.find(|distribution| distribution.name == "credit_lag");
            let lag = lag.expect("a distribution");
            let quantile = lag.quantiles.iter().find(|q| (q.0 - p).abs() < 1e-9);
            quantile.map_or(f64::NAN, |quantile| quantile.1 / 3_600.0)
        };
        println!(
            "{:38} {:>9} {:>8.3} {:>8.2} {:>8.2} {:>9.2} {:>9.2} {:>7.3} {:>7} {:>6.3} {:>6}",
            rule.replace('\n', " "),
            scalar(&results, "jobs_valid"),
            scalar(&results, "bytes_down_per_job") / 1e6,
            lag(0.5),
            lag(0.9),
            lag(0.99),
            scalar(&results, "time_to_canonical_mean") / 3_600.0,
            files / f64::from(scenario.hosts),
            scalar(&results, "files_opened"),
            scalar(&results, "failed_fraction"),
            scalar(&results, "requests_starved"),
        );
    }
}
