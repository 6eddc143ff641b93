//! `myriad run`: a scenario from its file to its run directory.

use std::io::{self, Write};
use std::path::Path;
use std::time::{Instant, SystemTime};

use kernel::{Fingerprint, SimTime, World};

use super::live::Showing;
use super::{Asked, Failure, interrupt};
use crate::cli::{ProgressStyle, RunArguments};
use crate::coordinator::{self, Outcome, Watcher};
use crate::report::machine::Usage;
use crate::report::progress::{Progress, say};
use crate::report::record::{self, LAYOUT};
use crate::report::run_directory::{RUNS, RunDirectory, RunDirectoryError};
use crate::report::{Engine, Manifest, RunRecord, metrics_file, numbers, page, table};
use crate::scenario::domain::{Domain, Loaded};
use crate::trace::recording::Subject;
use crate::trace::{Filter, Recording, TraceError};

/// Runs a scenario and reports on it.
pub fn run(arguments: &RunArguments) -> Result<(), Failure> {
    let loaded = Asked::read(&arguments.scenario)?.load()?;
    run_loaded(loaded, arguments)
}

fn run_loaded<D: Domain>(mut loaded: Loaded<D>, arguments: &RunArguments) -> Result<(), Failure> {
    let started = SystemTime::now();
    let forecast = D::forecast(&loaded.scenario, &loaded.inputs);
    super::describe::refuse_what_does_not_fit(&forecast)?;
    // Reserved before the run, so that an hour's work is not lost to a full or forbidden disk.
    let directory = match &arguments.output {
        Some(target) => RunDirectory::at(target)?,
        None => RunDirectory::numbered(Path::new(RUNS), &loaded.frame.name)?,
    };
    let stop = interrupt::listen(directory.partial().to_owned())
        .map_err(|error| Failure::Run(format!("cannot listen for signals: {error}")))?;

    if arguments.progress != ProgressStyle::None && arguments.progress != ProgressStyle::Json {
        say(&format!(
            "{}: {} simulated, about {} actors and {} events",
            crate::scenario::error::printable(&loaded.frame.name),
            loaded.frame.until,
            numbers::roughly(forecast.actors),
            numbers::roughly(forecast.events),
        ));
    }
    let world = D::build(&loaded.scenario, &loaded.inputs);
    let rate = forecast.events / loaded.frame.until.as_secs_f64();
    let plan = arguments.plan.plan().suited_to(world.promises(), rate);
    let end = SimTime::START + loaded.frame.until;
    let recording = begin_recording(
        &loaded,
        arguments.trace.as_ref(),
        &world,
        directory.partial(),
    )?;
    let observers = (
        (Fingerprint::default(), D::metrics(&loaded.scenario)),
        recording.as_ref().map(Recording::recorder),
    );
    let stopping = "Its results are of the time it has reached then.";
    let showing = Showing::begin::<D>(&arguments.live, &loaded, stop.clone(), stopping)?;
    let progress = Progress::new(arguments.progress, end, stop);
    let (began, before) = (Instant::now(), Usage::now());
    let watching = recording.as_ref().map(|it| it.watching(&progress));
    let watcher = watching.as_ref().map_or(&progress as &dyn Watcher, |it| it);
    let seen_live = showing.as_ref().map(|it| it.watcher(watcher));
    let outcome = coordinator::Run {
        world,
        plan: &plan,
        end,
        observer: observers,
        seen: None,
        watcher: seen_live.as_ref().map_or(watcher, |it| it),
        attendant: match &showing {
            None => Box::new(()),
            Some(it) => it.attendant::<D, _>(|((_, metrics), _)| metrics),
        },
    }
    .go();
    let outcome = outcome.inspect_err(|_| progress.abandon())?;
    let Outcome {
        observer: ((fingerprint, metrics), _),
        engine,
        reached,
        completed,
    } = outcome;
    let recorded = recording.map(|recording| recording.finish(reached));
    let (wall_s, usage) = (began.elapsed().as_secs_f64(), Usage::now().since(before));
    progress.finish(reached, engine.events);
    recorded.transpose()?;
    if let Some(showing) = showing {
        showing.finish(completed);
    }

    let results = D::results(metrics, &loaded.scenario);
    let digest = record::digest(fingerprint.events(), &fingerprint.to_string(), &results);
    let reached_s = reached.min(end).as_secs_f64();
    let enclosed = D::enclose(&mut loaded.scenario, &loaded.inputs);
    let record = RunRecord {
        manifest: Manifest {
            myriad: env!("CARGO_PKG_VERSION").to_owned(),
            layout: LAYOUT,
            name: loaded.frame.name.clone(),
            domain: D::NAME.to_owned(),
            seed: loaded.frame.seed,
            until_s: loaded.frame.until.as_secs_f64(),
            reached_s,
            completed,
            digest,
            arguments: std::env::args_os()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            started: record::timestamp(started),
            host: record::host(),
        },
        results,
        engine: Engine::new(&engine, wall_s, usage, reached_s),
        scenario: scenario_text::<D>(&loaded)?,
    };
    let published = write(&record, enclosed, directory)?;
    print(&format!("{}\n", table::summary(&record, &published)))?;
    if completed {
        Ok(())
    } else {
        Err(Failure::Interrupted)
    }
}

/// The recording of a run of this domain.
type RecordingOf<D> = Recording<<D as Domain>::Actor, <D as Domain>::Narrator>;

/// Begins to record what the command line wants recorded or, if it says nothing, the scenario.
fn begin_recording<D: Domain>(
    loaded: &Loaded<D>,
    asked: Option<&Filter>,
    world: &World<D::Actor>,
    folder: &Path,
) -> Result<Option<RecordingOf<D>>, Failure> {
    let filter = match (asked, D::trace(&loaded.scenario)) {
        (Some(filter), _) => filter.clone(),
        (None, "") => return Ok(None),
        (None, text) => text.parse().map_err(TraceError::from)?,
    };
    let subject = Subject {
        domain: D::NAME,
        name: &loaded.frame.name,
        seed: loaded.frame.seed,
        end: SimTime::START + loaded.frame.until,
    };
    let narrator = D::narrator(&loaded.scenario);
    let recording = Recording::begin(folder, &subject, &filter, world.promises(), narrator)?;
    Ok(Some(recording))
}

/// The scenario with all its defaults and overrides written out.
pub(super) fn scenario_text<D: Domain>(loaded: &Loaded<D>) -> Result<String, Failure> {
    let text = toml::to_string_pretty(&loaded.scenario)
        .map_err(|error| Failure::Run(format!("cannot write the scenario down: {error}")))?;
    Ok(format!(
        "# What was run, with all defaults and overrides written out. Run it again with:\n\
         #   myriad run scenario.toml\n\n{text}"
    ))
}

/// Writes every file of the run directory and lets it appear.
fn write(
    record: &RunRecord,
    enclosed: Vec<(String, String)>,
    directory: RunDirectory,
) -> Result<std::path::PathBuf, RunDirectoryError> {
    let text = |name: &str, text: &str| directory.write(name, |out| out.write_all(text.as_bytes()));
    text("scenario.toml", &record.scenario)?;
    for (name, contents) in &enclosed {
        text(name, contents)?;
    }
    text("manifest.json", &pretty(&record.manifest))?;
    text("summary.json", &pretty(&record::summary(record)))?;
    text("engine.json", &pretty(&record.engine))?;
    directory.write("metrics.parquet", |out| {
        metrics_file::write_metrics(out, &record.results).map_err(io::Error::other)
    })?;
    text("report.html", &page::page(record))?;
    directory.publish()
}

fn pretty(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("reports are plain data");
    text.push('\n');
    text
}

/// Writes to standard output. Whoever closed it, as `head` does, has seen enough.
pub(super) fn print(text: &str) -> Result<(), Failure> {
    let mut out = io::stdout().lock();
    match out.write_all(text.as_bytes()).and_then(|()| out.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Failure::NobodyListens),
        Err(error) => Err(Failure::Run(format!(
            "cannot write to standard output: {error}"
        ))),
    }
}
