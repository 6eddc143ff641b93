//! A run from its world to its directory: what `run` and `resume` have in common.

use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::{Instant, SystemTime};

use kernel::{Fingerprint, SimDuration, SimTime, World};
use serde_json::json;

use super::live::Showing;
use super::run::print;
use super::{Failure, interrupt};
use crate::checkpoint::{
    Checkpointer, Every, Folder, Identity, Ledger, Limits, Reason, Requests, Unsaved,
};
use crate::cli::ProgressStyle;
use crate::cli::serve::LiveArguments;
use crate::coordinator::{self, Attendant, Outcome, Plan, RunError, Watcher};
use crate::report::machine::Usage;
use crate::report::progress::{Progress, say};
use crate::report::record::{self, LAYOUT};
use crate::report::run_directory::{RunDirectory, RunDirectoryError};
use crate::report::unfinished::{Hold, Unfinished};
use crate::report::{Engine, Manifest, RunRecord, metrics_file, numbers, page, table};
use crate::scenario::domain::{Domain, Forecast, Frame, Loaded};
use crate::scenario::error::printable;
use crate::trace::recording::Subject;
use crate::trace::{Filter, Recorder, Recording, TraceError};

/// The scenario in a run directory.
pub(super) const SCENARIO: &str = "scenario.toml";

/// What whoever stops a run from its page is told.
const STOPPING: &str =
    "A checkpoint is written, if checkpoints are, and a report of the part done.";

/// Who watches a run.
pub(super) type Observed<D> = (Fingerprint, <D as Domain>::Metrics);

/// They, and who records messages if they are recorded.
pub(super) type Watched<D> = (Observed<D>, Unsaved<Option<RecorderOf<D>>>);

type RecorderOf<D> = Recorder<<D as Domain>::Actor, <D as Domain>::Narrator>;
type RecordingOf<D> = Recording<<D as Domain>::Actor, <D as Domain>::Narrator>;

/// Observers that have seen nothing.
pub(super) fn observers<D: Domain>(scenario: &D::Scenario) -> Watched<D> {
    let observed = (Fingerprint::default(), D::metrics(scenario));
    (observed, Unsaved(None))
}

/// How a run is executed and taken care of. Nothing here changes what it finds.
pub(super) struct Care {
    pub(super) plan: Plan,
    pub(super) every: Option<Every>,
    pub(super) limits: Limits,
    pub(super) progress: ProgressStyle,
    /// Which messages are recorded, if the command line says so.
    pub(super) trace: Option<Filter>,
    /// How it is shown while it goes on, if it is.
    pub(super) live: Option<LiveArguments>,
}

impl Care {
    /// Whether people are told what is going on.
    fn talks(&self) -> bool {
        !matches!(self.progress, ProgressStyle::None | ProgressStyle::Json)
    }
}

/// Where a run begins.
pub(super) enum Begun {
    /// At its start.
    Now,
    /// In an earlier process: it goes on from its last checkpoint.
    Before {
        unfinished: Unfinished,
        /// Keeps others away.
        hold: Hold,
    },
}

/// Refuses a run that would need more memory than there is, or than it may have.
pub(super) fn refuse_what_does_not_fit<D: Domain>(
    loaded: &Loaded<D>,
    limits: Limits,
) -> Result<(), Failure> {
    let forecast = D::forecast(&loaded.scenario, &loaded.inputs);
    super::describe::refuse_what_does_not_fit(&forecast, limits.memory_bytes)
}

/// Carries a run out and reports on it.
pub(super) fn carry_out<D: Domain>(
    mut loaded: Loaded<D>,
    directory: RunDirectory,
    begun: Begun,
    care: &Care,
) -> Result<(), Failure> {
    let forecast = D::forecast(&loaded.scenario, &loaded.inputs);
    let directory = Arc::new(directory);
    let requests = Requests::default();
    interrupt::listen(Arc::downgrade(&directory), requests.clone())
        .map_err(|error| Failure::Run(format!("cannot listen for signals: {error}")))?;
    announce(&loaded.frame, &forecast, care);
    let beginning = prepare(&mut loaded, &directory, begun, care)?;

    let end = SimTime::START + loaded.frame.until;
    let rate = forecast.events / loaded.frame.until.as_secs_f64();
    let plan = care.plan.clone();
    let plan = plan.suited_to(beginning.world.promises(), rate);
    let progress = Progress::new(care.progress, end, requests.stop.clone());
    let showing = match &care.live {
        Some(live) => Showing::begin::<D>(live, &loaded, requests.stop.clone(), STOPPING)?,
        None => None,
    };
    let when = (care.every, care.limits);
    let mut checkpointer = Checkpointer::new(beginning.identity, directory.clone(), when, requests);
    let ledger = checkpointer.ledger();
    let mut observer = observers::<D>(&loaded.scenario);
    let recording = beginning.recording;
    if let Some(recording) = &recording {
        // A recording is one process's work: there is no going on with it in another.
        checkpointer = checkpointer.without_writing();
        observer.1 = Unsaved(Some(recording.recorder()));
    }
    let watching = recording.as_ref().map(|it| it.watching(&progress));
    let watcher: &dyn Watcher = match &watching {
        Some(watching) => watching,
        None => &progress,
    };
    let seen_live = showing.as_ref().map(|it| it.watcher(watcher));
    let mut attendants: Vec<Box<dyn Attendant<D::Actor, Watched<D>>>> =
        vec![Box::new(checkpointer)];
    if let Some(showing) = &showing {
        attendants.push(showing.attendant::<D, _>(|((_, metrics), _)| metrics));
    }
    let (began, before) = (Instant::now(), Usage::now());
    let outcome = coordinator::Run {
        world: beginning.world,
        plan: &plan,
        end,
        observer,
        seen: beginning.seen,
        watcher: seen_live.as_ref().map_or(watcher, |it| it),
        attendant: Box::new(attendants),
    }
    .go();
    let ledger = ledger.lock().unwrap_or_else(PoisonError::into_inner);
    let outcome = outcome.map_err(|error| {
        progress.abandon();
        failed(&error, &ledger, &directory)
    })?;
    let recorded = recording.map(|recording| recording.finish(outcome.reached));
    let cost = (began.elapsed().as_secs_f64(), Usage::now().since(before));
    progress.finish(outcome.reached, outcome.engine.events);
    recorded.transpose()?;

    let completed = outcome.completed;
    if let Some(showing) = showing {
        showing.finish(completed);
    }
    let mut record = record_of(&loaded, outcome, beginning.unfinished, cost);
    record.scenario = beginning.scenario;
    note_checkpoints(&mut record.engine, &ledger);
    let place = write_report(&record, &directory, &ledger)?;
    print(&format!("{}\n", table::summary(&record, &place)))?;
    if completed {
        return Ok(());
    }
    Err(ended_early(&ledger, care.limits, &place))
}

/// What a run begins with.
struct Beginning<D: Domain> {
    world: World<D::Actor>,
    /// What was seen in earlier processes.
    seen: Option<Watched<D>>,
    identity: Identity,
    unfinished: Unfinished,
    /// The scenario as it is written down.
    scenario: String,
    recording: Option<RecordingOf<D>>,
    /// Keeps others away while the run goes on.
    _hold: Hold,
}

/// Makes the world, and writes down what would be needed to go on with it.
fn prepare<D: Domain>(
    loaded: &mut Loaded<D>,
    directory: &RunDirectory,
    begun: Begun,
    care: &Care,
) -> Result<Beginning<D>, Failure> {
    let enclosed = D::enclose(&mut loaded.scenario, &loaded.inputs);
    let files = Files {
        scenario: scenario_text(loaded)?,
        enclosed,
    };
    let identity = Identity::new::<D::Actor, Watched<D>>(D::NAME, files.hash());
    let (world, seen, unfinished, hold, recording) = match begun {
        Begun::Now => {
            let unfinished = Unfinished::begun_now(&loaded.frame, D::NAME);
            files.write(directory)?;
            unfinished.write(directory)?;
            let hold = Hold::take(&directory.path());
            let hold = hold.map_err(|error| Failure::Asked(error.to_string()))?;
            let world = D::build(&loaded.scenario, &loaded.inputs);
            let folder = directory.path();
            let recording = begin_recording(loaded, care, &world, &folder)?;
            (world, None, unfinished, hold, recording)
        }
        Begun::Before {
            mut unfinished,
            hold,
        } => {
            let restored = super::resume::restore(&directory.path(), &identity, loaded)?;
            let whole = loaded.frame.until;
            let reached = restored.reached.min(SimTime::START + whole);
            if care.talks() {
                let name = printable(&loaded.frame.name);
                say(&format!("{name}: goes on at {reached} of {whole}"));
            }
            unfinished.resumed_s.push(reached.as_secs_f64());
            unfinished.write(directory)?;
            let seen = Some(restored.observer);
            (restored.world, seen, unfinished, hold, None)
        }
    };
    Ok(Beginning {
        world,
        seen,
        identity,
        unfinished,
        scenario: files.scenario,
        recording,
        _hold: hold,
    })
}

/// Begins to record what the command line wants recorded or, if it says nothing, the scenario.
fn begin_recording<D: Domain>(
    loaded: &Loaded<D>,
    care: &Care,
    world: &World<D::Actor>,
    folder: &Path,
) -> Result<Option<RecordingOf<D>>, Failure> {
    let filter = match (&care.trace, D::trace(&loaded.scenario)) {
        (Some(filter), _) => filter.clone(),
        (None, "") => return Ok(None),
        (None, text) => text.parse().map_err(TraceError::from)?,
    };
    if care.every.is_some() {
        return Err(Failure::Asked(
            "messages are recorded in one go: leave out either --checkpoint-every or the trace"
                .to_owned(),
        ));
    }
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

/// Says what is going to be done, unless nobody wants to know.
fn announce(frame: &Frame, forecast: &Forecast, care: &Care) {
    if !care.talks() {
        return;
    }
    let name = printable(&frame.name);
    say(&format!(
        "{name}: {} simulated, about {} actors and {} events",
        frame.until,
        numbers::roughly(forecast.actors),
        numbers::roughly(forecast.events),
    ));
    if let Some(every) = care.every {
        say(&format!("{name}: a checkpoint {every}"));
    }
}

/// What is known about the run once it is over, but for the text of its scenario.
fn record_of<D: Domain>(
    loaded: &Loaded<D>,
    outcome: Outcome<Watched<D>>,
    unfinished: Unfinished,
    (wall_s, usage): (f64, Usage),
) -> RunRecord {
    let Outcome {
        observer: ((fingerprint, metrics), _),
        engine,
        reached,
        completed,
    } = outcome;
    let end = SimTime::START + loaded.frame.until;
    let reached_s = reached.min(end).as_secs_f64();
    let results = D::results(metrics, &loaded.scenario);
    let digest = record::digest(fingerprint.events(), &fingerprint.to_string(), &results);
    RunRecord {
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
            arguments: unfinished.arguments,
            started: unfinished.started,
            resumed_s: unfinished.resumed_s,
            host: record::host(),
        },
        results,
        engine: Engine::new(&engine, wall_s, usage, reached_s),
        scenario: String::new(),
    }
}

/// The scenario with all its defaults and overrides written out, and the files that it names.
struct Files {
    scenario: String,
    enclosed: Vec<(String, String)>,
}

impl Files {
    fn all(&self) -> impl Iterator<Item = (&str, &str)> {
        let enclosed = self.enclosed.iter();
        std::iter::once((SCENARIO, self.scenario.as_str()))
            .chain(enclosed.map(|(name, text)| (name.as_str(), text.as_str())))
    }

    fn write(&self, directory: &RunDirectory) -> Result<(), RunDirectoryError> {
        for (name, text) in self.all() {
            directory.write(name, |out| out.write_all(text.as_bytes()))?;
        }
        Ok(())
    }

    fn hash(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for (name, text) in self.all() {
            hasher.update(format!("{name} {}\n", text.len()).as_bytes());
            hasher.update(text.as_bytes());
        }
        *hasher.finalize().as_bytes()
    }
}

impl Unfinished {
    /// A run that this command line begins at this moment.
    fn begun_now(frame: &Frame, domain: &str) -> Self {
        Unfinished {
            myriad: env!("CARGO_PKG_VERSION").to_owned(),
            name: frame.name.clone(),
            domain: domain.to_owned(),
            seed: frame.seed,
            until_s: frame.until.as_secs_f64(),
            arguments: std::env::args_os()
                .map(|word| word.to_string_lossy().into_owned())
                .collect(),
            started: record::timestamp(SystemTime::now()),
            resumed_s: Vec::new(),
        }
    }
}

/// A run that has gone wrong, with a word on what is left of it.
fn failed(error: &RunError, ledger: &Ledger, directory: &RunDirectory) -> Failure {
    match &ledger.last {
        None => Failure::Run(error.to_string()),
        Some(last) => Failure::Run(format!(
            "{error}\nthe last checkpoint is kept ({}): `myriad resume {}` goes on from there",
            last.display(),
            directory.path().display()
        )),
    }
}

/// A run that was asked to end, or has come to a limit.
fn ended_early(ledger: &Ledger, limits: Limits, place: &Path) -> Failure {
    let after = match &ledger.last {
        Some(_) => format!("`myriad resume {}` goes on", place.display()),
        None => "it cannot be resumed, since there is no checkpoint".to_owned(),
    };
    let text =
        |what: String| format!("{what}: the results are of the time that was reached; {after}");
    match ledger.reason {
        None => Failure::Interrupted(text("interrupted".to_owned())),
        Some(Reason::Wall) => {
            let limit = SimDuration::from_secs_f64(limits.wall.unwrap_or_default().as_secs_f64());
            Failure::Limit(text(format!("stopped after {limit} on the wall clock")))
        }
        Some(Reason::Memory) => {
            let limit = limits.memory_bytes.unwrap_or_default() as f64;
            let limit = numbers::with_unit(limit, "bytes");
            Failure::Limit(text(format!("stopped with more than {limit} of memory")))
        }
    }
}

/// What checkpoints have cost, if there were any.
fn note_checkpoints(engine: &mut Engine, ledger: &Ledger) {
    if ledger.written + ledger.failed > 0 {
        let cost = json!({
            "written": ledger.written,
            "failed": ledger.failed,
            "bytes_each": ledger.bytes,
            "stood_still_s": ledger.stood_still.as_secs_f64(),
        });
        engine.more.insert("checkpoints".to_owned(), cost);
    }
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

/// Writes what is reported into the run directory and lets it appear. Returns where it is.
fn write_report(
    record: &RunRecord,
    directory: &RunDirectory,
    ledger: &Ledger,
) -> Result<PathBuf, RunDirectoryError> {
    let text = |name: &str, text: &str| directory.write(name, |out| out.write_all(text.as_bytes()));
    text("manifest.json", &pretty(&record.manifest))?;
    text("summary.json", &pretty(&record::summary(record)))?;
    text("engine.json", &pretty(&record.engine))?;
    directory.write("metrics.parquet", |out| {
        metrics_file::write_metrics(out, &record.results).map_err(io::Error::other)
    })?;
    text("report.html", &page::page(record))?;
    // With the mark on it the run can be resumed; without, it is at its end, and its checkpoints are
    // of no use any more. One that was interrupted and has no checkpoint is at its end, too.
    let resumable = !record.manifest.completed && ledger.last.is_some();
    if !resumable {
        Unfinished::remove(&directory.path())?;
        let _ = std::fs::remove_dir_all(Folder::of(&directory.path()).path());
    }
    directory.publish()
}

fn pretty(value: &impl serde::Serialize) -> String {
    let mut text = serde_json::to_string_pretty(value).expect("reports are plain data");
    text.push('\n');
    text
}
