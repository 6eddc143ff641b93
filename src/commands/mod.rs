//! The verbs, one file each.

pub mod bench;
pub mod check;
pub mod collect;
pub mod compare;
pub mod describe;
pub mod difference;
pub mod explain;
pub mod export;
pub mod failure;
pub mod fit;
pub mod interrupt;
mod live;
pub mod plan;
pub mod population;
pub mod report;
pub mod resume;
pub mod run;
pub mod schema;
mod session;
pub mod sweep;
pub mod trace;
pub mod validate;
pub mod view;

use std::path::{Path, PathBuf};

use crate::cli::{ScenarioArguments, Verb};
use crate::scenario::domain::{Domain, Loaded};
use crate::scenario::volunteer::Volunteer;
use crate::scenario::{Override, ScenarioError, ScenarioText};

pub use failure::Failure;

/// What `--serve` answers in a program that was built without a server.
#[cfg(not(feature = "serve"))]
const NO_SERVER: &str = "this program was built without its server: build it with `--features serve`, as in \
                         `cargo run --release --features serve -- ...`";

/// Does what the command line asks for.
pub fn execute(verb: Verb) -> Result<(), Failure> {
    match verb {
        Verb::Run(arguments) => run::run(&arguments),
        Verb::Resume(arguments) => resume::resume(&arguments),
        Verb::Check(arguments) => check::check(&arguments),
        Verb::Describe(arguments) => describe::describe(&arguments),
        Verb::Plan(arguments) => plan::plan(&arguments),
        Verb::Sweep(arguments) => sweep::sweep(&arguments),
        Verb::Collect(arguments) => collect::collect(&arguments),
        Verb::Compare(arguments) => compare::compare(&arguments),
        Verb::Report(arguments) => report::report(&arguments),
        Verb::Fit(arguments) => fit::fit(&arguments),
        Verb::Validate(arguments) => validate::validate(&arguments),
        Verb::Population(arguments) => population::population(&arguments),
        Verb::Schema(arguments) => schema::schema(&arguments),
        Verb::Trace(arguments) => trace::trace(&arguments),
        Verb::Explain(arguments) => explain::explain(&arguments),
        Verb::Export(arguments) => export::export(&arguments),
        Verb::View(arguments) => view::view(&arguments),
        Verb::Bench(subject) => bench::bench(&subject),
        Verb::BenchOne { job } => bench::bench_one(&job),
    }
}

/// A scenario as the command line asks for it, before it is known which domain it is of.
struct Asked {
    text: ScenarioText,
    folder: PathBuf,
}

impl Asked {
    fn read(arguments: &ScenarioArguments) -> Result<Self, ScenarioError> {
        let mut overrides = Vec::new();
        for set in &arguments.set {
            overrides.push(Override::parse(set)?);
        }
        if let Some(seed) = arguments.seed {
            overrides.push(Override::by_option("--seed", "seed", &seed.to_string()));
        }
        if let Some(until) = &arguments.until {
            overrides.push(Override::by_option("--until", "until", until));
        }
        let folder = arguments.file.parent().unwrap_or(Path::new("")).to_owned();
        let text = ScenarioText::read(&arguments.file, overrides)?;
        Ok(Asked { text, folder })
    }

    /// The scenario, if it is of the only domain there is.
    fn load(&self) -> Result<Loaded<Volunteer>, ScenarioError> {
        self.text.require_domain(&[Volunteer::NAME])?;
        Loaded::from_text(&self.text, &self.folder)
    }
}
