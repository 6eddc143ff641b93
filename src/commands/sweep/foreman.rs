//! Which run is next, and what became of the others?

use std::collections::VecDeque;
use std::path::PathBuf;

use super::Failure;
use super::announcer::Announcer;
use crate::report::numbers;
use crate::report::progress::brief;
use crate::study::StudyPlan;
use crate::study::directory::{StudyDirectory, StudyRecord, combination_folder, is_done};
use crate::study::ledger::{Entry, Ledger, Outcome};
use crate::study::plan::PlannedRun;
use crate::study::workers::{Ended, Foreman, Task};

/// Hands out the runs of a study and keeps its ledger.
pub(super) struct SweepForeman<'a> {
    plan: &'a StudyPlan,
    record: &'a StudyRecord,
    directory: &'a StudyDirectory,
    ledger: Ledger,
    program: PathBuf,
    queue: VecDeque<PlannedRun>,
    announcer: Announcer,
    /// How many were done before.
    done_before: usize,
    /// How many have been done now.
    done: usize,
    /// Those that failed, and what they said.
    pub(super) failed: Vec<(String, String)>,
}

impl<'a> SweepForeman<'a> {
    pub(super) fn new(
        plan: &'a StudyPlan,
        record: &'a StudyRecord,
        directory: &'a StudyDirectory,
        announcer: Announcer,
    ) -> Result<Self, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::Run(format!("this program cannot find itself: {error}")))?;
        Ok(SweepForeman {
            plan,
            record,
            directory,
            ledger: Ledger::of(directory.path()),
            program,
            queue: VecDeque::new(),
            announcer,
            done_before: 0,
            done: 0,
            failed: Vec::new(),
        })
    }

    /// More runs, of which those that are done are passed over.
    pub(super) fn add(&mut self, runs: impl IntoIterator<Item = PlannedRun>) {
        for run in runs {
            let path = self.directory.path().join(self.record.place(&run));
            if is_done(&path, run.seed) {
                self.done_before += 1;
                continue;
            }
            self.announcer.more_work(self.work(&run));
            self.queue.push_back(run);
        }
    }

    /// Says what is to be done.
    pub(super) fn begin(&self, at_a_time: usize) {
        let before = match self.done_before {
            0 => String::new(),
            count => format!(", {count} done before"),
        };
        self.announcer.begin(&format!(
            "{}: {} runs of {} combinations to do{before}, {at_a_time} at a time",
            crate::scenario::error::printable(&self.plan.name),
            numbers::count(self.queue.len() as u64),
            numbers::count(self.plan.combinations.len() as u64),
        ));
    }

    pub(super) fn finish(&self) {
        self.announcer.finish();
    }

    /// What became of it all, in a few lines.
    pub(super) fn summary(&self) -> String {
        let mut lines = vec![format!(
            "{} runs done now, {} before, {} failed, in {}",
            numbers::count(self.done as u64),
            numbers::count(self.done_before as u64),
            numbers::count(self.failed.len() as u64),
            brief(self.announcer.elapsed_s()),
        )];
        let place = self.directory.path().display();
        lines.push(format!("study    {place}"));
        lines.push(format!("table    myriad collect {place} -o table.csv"));
        lines.push(String::new());
        lines.join("\n")
    }

    fn work(&self, run: &PlannedRun) -> f64 {
        self.plan.combinations[run.combination - 1].events.max(1.0)
    }
}

impl Foreman for SweepForeman<'_> {
    fn next(&mut self) -> Option<Task> {
        let run = self.queue.pop_front()?;
        let place = self.record.place(&run);
        let name = place.display().to_string();
        // If what an earlier attempt left cannot be cleared away, the run itself will say so.
        let _ = self.directory.clear(&place);
        let folder = combination_folder(self.plan.combinations.len(), run.combination);
        let scenario = self.directory.path().join(folder).join("scenario.toml");
        let seed = run.seed.to_string();
        let mut arguments = vec!["run".into(), scenario.into_os_string(), "-o".into()];
        arguments.push(self.directory.path().join(place).into_os_string());
        for word in ["--seed", &seed, "--threads", "1", "--progress", "json"] {
            arguments.push(word.into());
        }
        Some(Task {
            name,
            program: self.program.clone(),
            arguments,
            work: self.work(&run),
        })
    }

    fn ended(&mut self, task: &Task, ended: &Ended) -> Result<(), String> {
        let entry = Entry {
            run: task.name.clone(),
            outcome: ended.outcome,
            wall_s: ended.wall.as_secs_f64(),
            said: ended.said.clone(),
        };
        self.ledger
            .add(&entry)
            .map_err(|error| format!("the ledger of the study cannot be written: {error}"))?;
        self.announcer.work_done(task.work);
        match ended.outcome {
            Outcome::Completed => self.done += 1,
            Outcome::Interrupted => {}
            Outcome::Failed => {
                let said = crate::scenario::error::printable(&ended.said);
                self.announcer.say(&format!("{} failed: {said}", task.name));
                self.failed.push((task.name.clone(), ended.said.clone()));
            }
        }
        Ok(())
    }

    fn tick(&mut self, at_work: usize, work_under_way: f64) {
        let done = self.done + self.failed.len();
        let all = done + at_work + self.queue.len();
        self.announcer
            .tick(done, all, self.failed.len(), work_under_way);
    }
}
