//! How far is a study, and how long will it take?
//!
//! Runs differ in size, so time is estimated by events, of which each run has a forecast, and not by runs.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use serde_json::json;

use crate::cli::ProgressStyle;
use crate::report::progress::{brief, later, say};

/// Says how far a study is, on standard error.
pub(super) struct Announcer {
    began: Instant,
    face: Face,
    work: f64,
    work_done: f64,
}

enum Face {
    Bar(ProgressBar),
    Lines { next: Duration },
    Json { next: Duration },
    Nothing,
}

const STEPS: u64 = 1_000;

impl Announcer {
    pub(super) fn new(style: ProgressStyle) -> Self {
        let first = Duration::from_secs(1);
        let face = match style {
            ProgressStyle::Auto if std::io::stderr().is_terminal() => {
                let target = ProgressDrawTarget::stderr_with_hz(4);
                let bar = ProgressBar::with_draw_target(Some(STEPS), target);
                let style = BarStyle::with_template("{bar:12} {wide_msg}");
                bar.set_style(
                    style
                        .expect("the template is a constant")
                        .progress_chars("=> "),
                );
                Face::Bar(bar)
            }
            ProgressStyle::Auto | ProgressStyle::Plain => Face::Lines { next: first },
            ProgressStyle::Json => Face::Json { next: first },
            ProgressStyle::None => Face::Nothing,
        };
        Announcer {
            began: Instant::now(),
            face,
            work: 0.0,
            work_done: 0.0,
        }
    }

    pub(super) fn elapsed_s(&self) -> f64 {
        self.began.elapsed().as_secs_f64()
    }

    pub(super) fn more_work(&mut self, work: f64) {
        self.work += work;
    }

    pub(super) fn work_done(&mut self, work: f64) {
        self.work_done += work;
    }

    pub(super) fn begin(&self, line: &str) {
        if matches!(self.face, Face::Bar(_) | Face::Lines { .. }) {
            self.say(line);
        }
    }

    /// Says something beside the progress.
    pub(super) fn say(&self, line: &str) {
        match &self.face {
            Face::Bar(bar) => bar.suspend(|| say(line)),
            _ => say(line),
        }
    }

    pub(super) fn tick(&mut self, done: usize, all: usize, failed: usize, under_way: f64) {
        let elapsed = self.began.elapsed();
        let fraction = ((self.work_done + under_way) / self.work.max(1e-9)).min(1.0);
        let wall_s = elapsed.as_secs_f64();
        let left_s = (fraction > 0.0).then(|| wall_s * (1.0 - fraction) / fraction);
        let words = || {
            let left = left_s.map_or_else(String::new, |left| format!(", {} left", brief(left)));
            let failed = match failed {
                0 => String::new(),
                count => format!(", {count} failed"),
            };
            format!(
                "{:3.0} %  {done} of {all} runs{failed}, {} elapsed{left}",
                fraction * 100.0,
                brief(wall_s)
            )
        };
        match &mut self.face {
            Face::Bar(bar) => {
                bar.set_position((fraction * STEPS as f64) as u64);
                bar.set_message(words());
            }
            Face::Lines { next } if elapsed >= *next => {
                *next = later(elapsed);
                say(&words());
            }
            Face::Json { next } if elapsed >= *next => {
                *next = elapsed + Duration::from_secs(1);
                let line = json!({
                    "runs_done": done,
                    "runs": all,
                    "failed": failed,
                    "fraction": fraction,
                    "wall_s": wall_s,
                    "left_s": left_s,
                });
                say(&line.to_string());
            }
            _ => {}
        }
    }

    pub(super) fn finish(&self) {
        if let Face::Bar(bar) = &self.face {
            bar.finish_and_clear();
        }
    }
}
