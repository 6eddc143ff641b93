//! How do many runs share the processors, and none of them harm another?
//!
//! Each run is a process of its own. At most so many are at work at a time; what they say on standard
//! error is listened to, for their progress and for what went wrong. When asked to stop, no more are
//! started, and those at work, which a terminal's interrupt has reached as well, get some time to end.

use std::collections::VecDeque;
use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read};
use std::path::PathBuf;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use super::ledger::Outcome;

/// A process to be run.
#[derive(Clone, Debug)]
pub struct Task {
    /// What it is called.
    pub name: String,
    /// The program.
    pub program: PathBuf,
    /// What it is asked to do.
    pub arguments: Vec<OsString>,
    /// How much work it is, in any unit.
    pub work: f64,
}

/// How a task ended.
#[derive(Clone, Debug)]
pub struct Ended {
    /// How.
    pub outcome: Outcome,
    /// How long it took.
    pub wall: Duration,
    /// The last words of one that did not do well.
    pub said: String,
}

/// Who is told what happens.
pub trait Foreman {
    /// The next task, if there is one.
    fn next(&mut self) -> Option<Task>;
    /// A task has ended. An error ends everything.
    fn ended(&mut self, task: &Task, ended: &Ended) -> Result<(), String>;
    /// Time goes by; so much work is done in the tasks that are under way.
    fn tick(&mut self, at_work: usize, work_under_way: f64);
}

/// How often is looked who is done.
const TICK: Duration = Duration::from_millis(10);
/// What tasks get to end by themselves after an interrupt, before they are ended.
pub const GRACE: Duration = Duration::from_secs(5);
/// So many lines are kept of what a task says.
const KEPT_LINES: usize = 12;
/// Longer lines are cut.
const LONGEST_LINE: u64 = 4_096;
/// The exit code of a run that was interrupted.
const INTERRUPTED: i32 = crate::commands::interrupt::INTERRUPTED as i32;

/// Runs what the foreman gives, so many at a time, until there is no more or `stop` is set; then those at
/// work have `grace` to end. Returns whether it was stopped.
pub fn work(
    foreman: &mut dyn Foreman,
    at_a_time: usize,
    stop: &AtomicBool,
    grace: Duration,
) -> Result<bool, String> {
    let mut team = Team(Vec::new());
    let mut stopped_at: Option<Instant> = None;
    loop {
        if stop.load(Ordering::Relaxed) {
            let since = *stopped_at.get_or_insert_with(Instant::now);
            if since.elapsed() > grace {
                team.end();
            }
        }
        while stopped_at.is_none() && team.0.len() < at_a_time {
            let Some(task) = foreman.next() else { break };
            team.0.push(Worker::start(task)?);
        }
        if team.0.is_empty() {
            return Ok(stopped_at.is_some());
        }
        let mut position = 0;
        while position < team.0.len() {
            match team.0[position].is_over(stopped_at.is_some())? {
                Some(ended) => {
                    let worker = team.0.swap_remove(position);
                    foreman.ended(&worker.task, &ended)?;
                }
                None => position += 1,
            }
        }
        let under_way = team.0.iter().map(Worker::work_done).sum();
        foreman.tick(team.0.len(), under_way);
        std::thread::sleep(TICK);
    }
}

/// Those at work. Nobody is left behind, whatever happens here.
struct Team(Vec<Worker>);

impl Team {
    fn end(&mut self) {
        for worker in &mut self.0 {
            // It may have ended by itself in the meantime.
            let _ = worker.child.kill();
        }
    }
}

impl Drop for Team {
    fn drop(&mut self) {
        self.end();
        for worker in &mut self.0 {
            let _ = worker.child.wait();
        }
    }
}

struct Worker {
    task: Task,
    child: Child,
    began: Instant,
    heard: Arc<Mutex<Heard>>,
    listener: Option<JoinHandle<()>>,
}

/// What a task has said so far.
#[derive(Default)]
struct Heard {
    /// How much of it is done, from 0 to 1.
    fraction: f64,
    /// The last lines that were not about progress.
    lines: VecDeque<String>,
}

impl Worker {
    fn start(task: Task) -> Result<Self, String> {
        let mut child = Command::new(&task.program)
            .args(&task.arguments)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| format!("a process for {} cannot be started: {error}", task.name))?;
        let heard = Arc::new(Mutex::new(Heard::default()));
        let errors = child.stderr.take().expect("standard error is a pipe");
        let ear = Arc::clone(&heard);
        let listener = std::thread::spawn(move || listen(errors, &ear));
        Ok(Worker {
            task,
            child,
            began: Instant::now(),
            heard,
            listener: Some(listener),
        })
    }

    fn work_done(&self) -> f64 {
        lock(&self.heard).fraction * self.task.work
    }

    /// How it ended, if it has. When all are being stopped, one that does not end well was interrupted.
    fn is_over(&mut self, stopping: bool) -> Result<Option<Ended>, String> {
        let status = self
            .child
            .try_wait()
            .map_err(|error| format!("{} cannot be waited for: {error}", self.task.name))?;
        let Some(status) = status else {
            return Ok(None);
        };
        if let Some(listener) = self.listener.take() {
            // Its pipe is closed, so it ends; if it panicked, there is nothing more to hear.
            let _ = listener.join();
        }
        let outcome = match status.code() {
            Some(0) => Outcome::Completed,
            Some(INTERRUPTED) => Outcome::Interrupted,
            _ if stopping => Outcome::Interrupted,
            _ => Outcome::Failed,
        };
        Ok(Some(Ended {
            outcome,
            wall: self.began.elapsed(),
            said: match outcome {
                Outcome::Completed => String::new(),
                _ => last_words(&lock(&self.heard), status),
            },
        }))
    }
}

fn last_words(heard: &Heard, status: ExitStatus) -> String {
    let said: Vec<&str> = heard.lines.iter().map(String::as_str).collect();
    // A program that was killed says nothing; the system says by what.
    match said.join("\n").trim() {
        "" => format!("it ended with {status}"),
        said if status.code().is_none() => format!("{said}\nit ended with {status}"),
        said => said.to_owned(),
    }
}

fn listen(errors: impl Read, heard: &Mutex<Heard>) {
    let mut errors = BufReader::new(errors);
    loop {
        let mut line = Vec::new();
        match (&mut errors)
            .take(LONGEST_LINE)
            .read_until(b'\n', &mut line)
        {
            Ok(0) | Err(_) => return,
            Ok(_) => {}
        }
        let line = String::from_utf8_lossy(&line);
        let line = line.trim_end();
        let mut heard = lock(heard);
        if let Some(fraction) = fraction(line) {
            heard.fraction = fraction;
        } else {
            if heard.lines.len() == KEPT_LINES {
                heard.lines.pop_front();
            }
            heard.lines.push_back(line.to_owned());
        }
    }
}

/// How much is done, of a line of progress as `--progress json` writes it.
fn fraction(line: &str) -> Option<f64> {
    let progress: serde_json::Value = serde_json::from_str(line).ok()?;
    let (now, end) = (progress.get("simulated_s")?, progress.get("until_s")?);
    let fraction = now.as_f64()? / end.as_f64()?;
    Some(if fraction.is_finite() {
        fraction.clamp(0.0, 1.0)
    } else {
        0.0
    })
}

fn lock(heard: &Mutex<Heard>) -> MutexGuard<'_, Heard> {
    heard.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;

    struct Shell {
        scripts: Vec<&'static str>,
        ended: Vec<(String, Outcome, String)>,
        most: usize,
        stop: Arc<AtomicBool>,
        stop_at_tick: bool,
    }

    impl Foreman for Shell {
        fn next(&mut self) -> Option<Task> {
            let script = self.scripts.pop()?;
            Some(Task {
                name: script.to_owned(),
                program: "sh".into(),
                arguments: ["-c", script].map(OsString::from).to_vec(),
                work: 1.0,
            })
        }
        fn ended(&mut self, task: &Task, ended: &Ended) -> Result<(), String> {
            self.ended
                .push((task.name.clone(), ended.outcome, ended.said.clone()));
            Ok(())
        }
        fn tick(&mut self, at_work: usize, _: f64) {
            self.most = self.most.max(at_work);
            self.stop.store(self.stop_at_tick, Ordering::Relaxed);
        }
    }

    fn run(scripts: &[&'static str], stop_at_tick: bool) -> (Shell, bool) {
        let mut shell = Shell {
            scripts: scripts.to_vec(),
            ended: Vec::new(),
            most: 0,
            stop: Arc::default(),
            stop_at_tick,
        };
        let stop = Arc::clone(&shell.stop);
        let stopped = work(&mut shell, 2, &stop, Duration::from_millis(100)).unwrap();
        shell.ended.sort_by(|a, b| a.0.cmp(&b.0));
        (shell, stopped)
    }

    #[test]
    fn a_crash_harms_nobody_else_and_its_last_words_are_kept() {
        let (shell, stopped) = run(
            &[
                "echo oh no >&2; exit 1",
                "kill -9 $$",
                "sleep 0.05",
                "true",
                "exit 130",
            ],
            false,
        );
        assert!(!stopped);
        assert!(shell.most <= 2, "{} at a time", shell.most);
        let found: Vec<_> = shell.ended.iter().map(|(_, outcome, _)| *outcome).collect();
        use Outcome::{Completed, Failed, Interrupted};
        assert_eq!(found, [Failed, Interrupted, Failed, Completed, Completed]);
        assert_eq!(shell.ended[0].2, "oh no");
        assert!(
            shell.ended[2].2.contains("signal: 9"),
            "{}",
            shell.ended[2].2
        );
    }

    #[test]
    fn when_it_is_time_to_stop_nothing_more_is_started_and_nobody_is_left() {
        // Those at work hear of no interrupt here, and are ended when their time is over.
        let began = Instant::now();
        let (shell, stopped) = run(&["true", "exec sleep 60", "exec sleep 60"], true);
        assert!(stopped && shell.scripts.len() == 1);
        assert!(
            shell
                .ended
                .iter()
                .all(|(_, outcome, _)| *outcome == Outcome::Interrupted)
        );
        assert!(began.elapsed() < Duration::from_secs(30));
    }

    #[test]
    fn progress_is_told_from_words() {
        assert_eq!(
            fraction(r#"{"simulated_s":5.0,"until_s":20.0}"#),
            Some(0.25)
        );
        assert_eq!(fraction(r#"{"simulated_s":5.0,"until_s":0.0}"#), Some(0.0));
        assert_eq!(fraction("myriad: oh no"), None);
        assert_eq!(fraction("{}"), None);
    }
}
