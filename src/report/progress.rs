//! How far is it, and how long will it take?
//!
//! A bar on a terminal; elsewhere plain lines at growing intervals of wall time, so that a long run
//! does not fill a log; or one JSON object a second for programs. All of it goes to standard error.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle as BarStyle};
use kernel::SimTime;
use serde_json::json;

use super::numbers;
use crate::cli::ProgressStyle;
use crate::coordinator::Watcher;

/// Shows the progress of one run, and hears whether it should end early.
#[derive(Debug)]
pub struct Progress {
    began: Instant,
    end: SimTime,
    stop: Arc<AtomicBool>,
    face: Mutex<Face>,
}

/// How it is shown.
#[derive(Debug)]
enum Face {
    Bar(ProgressBar),
    Lines { next: Duration },
    Json { next: Duration },
    Nothing,
}

/// How far a run had come at some moment.
#[derive(Clone, Copy, Debug, Default)]
struct Sighting {
    now: SimTime,
    end: SimTime,
    events: u64,
    wall: Duration,
}

/// The steps of the bar: finer than a terminal is wide.
const STEPS: u64 = 1_000;

impl Progress {
    /// Progress towards `end`, in this style; the run is asked to stop once `stop` is set.
    pub fn new(style: ProgressStyle, end: SimTime, stop: Arc<AtomicBool>) -> Self {
        let face = match style {
            ProgressStyle::Auto if std::io::stderr().is_terminal() => Face::Bar(bar()),
            ProgressStyle::Auto | ProgressStyle::Plain => Face::Lines {
                next: Duration::from_secs(1),
            },
            ProgressStyle::Json => Face::Json {
                next: Duration::from_secs(1),
            },
            ProgressStyle::None => Face::Nothing,
        };
        Progress {
            began: Instant::now(),
            end,
            stop,
            face: Mutex::new(face),
        }
    }

    /// Shows the last state: where the run ended.
    pub fn finish(&self, reached: SimTime, events: u64) {
        let sighting = self.sighting(reached, events);
        match &*self.face() {
            Face::Bar(bar) => bar.finish_and_clear(),
            Face::Lines { .. } => say(&sighting.in_words()),
            Face::Json { .. } => say(&sighting.as_json(true)),
            Face::Nothing => {}
        }
    }

    /// Takes the display away: the run went wrong, and its message comes next.
    pub fn abandon(&self) {
        if let Face::Bar(bar) = &*self.face() {
            bar.finish_and_clear();
        }
    }

    fn face(&self) -> MutexGuard<'_, Face> {
        self.face.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn sighting(&self, now: SimTime, events: u64) -> Sighting {
        Sighting {
            now: now.min(self.end),
            end: self.end,
            events,
            wall: self.began.elapsed(),
        }
    }
}

impl Watcher for Progress {
    fn progress(&self, now: SimTime, events: u64) {
        let sighting = self.sighting(now, events);
        match &mut *self.face() {
            Face::Bar(bar) => {
                bar.set_position((sighting.fraction() * STEPS as f64) as u64);
                bar.set_message(sighting.in_brief());
            }
            Face::Lines { next } if sighting.wall >= *next => {
                *next = later(sighting.wall);
                say(&sighting.in_words());
            }
            Face::Json { next } if sighting.wall >= *next => {
                *next = sighting.wall + Duration::from_secs(1);
                say(&sighting.as_json(false));
            }
            _ => {}
        }
    }

    fn should_stop(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }
}

fn bar() -> ProgressBar {
    let style = BarStyle::with_template("{bar:12} {wide_msg}").expect("the template is a constant");
    let bar = ProgressBar::with_draw_target(Some(STEPS), ProgressDrawTarget::stderr_with_hz(8));
    bar.set_style(style.progress_chars("=> "));
    bar
}

/// Writes a line to standard error. If nobody can read it any more, the run goes on all the same.
pub fn say(line: &str) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}

/// The next time for a line: 1, 2, 5, 10, 20, 50, ... seconds.
pub fn later(wall: Duration) -> Duration {
    let mut decade = 1;
    loop {
        for step in [1, 2, 5] {
            let next = Duration::from_secs(step * decade);
            if next > wall {
                return next;
            }
        }
        decade *= 10;
    }
}

impl Sighting {
    fn fraction(&self) -> f64 {
        let end = self.end.as_secs_f64();
        if end > 0.0 {
            self.now.as_secs_f64() / end
        } else {
            1.0
        }
    }

    fn per_second(&self, amount: f64) -> f64 {
        amount / self.wall.as_secs_f64().max(1e-9)
    }

    fn events_per_s(&self) -> f64 {
        self.per_second(self.events as f64)
    }

    fn simulated_days_per_s(&self) -> f64 {
        self.per_second(self.now.as_secs_f64() / 86_400.0)
    }

    /// Wall time until the end at the pace so far, in seconds; `None` before there is a pace.
    fn left_s(&self) -> Option<f64> {
        let fraction = self.fraction();
        (fraction > 0.0).then(|| self.wall.as_secs_f64() * (1.0 - fraction) / fraction)
    }

    fn in_words(&self) -> String {
        let left = match self.left_s() {
            Some(left) => format!(", {} left", brief(left)),
            None => String::new(),
        };
        format!(
            "{:3.0} %  {} of {}  {} events, {} events/s, {} simulated days/s, {} elapsed{left}",
            self.fraction() * 100.0,
            self.now,
            self.end,
            numbers::count(self.events),
            numbers::number(self.events_per_s().round()),
            numbers::number(round_to_three(self.simulated_days_per_s())),
            brief(self.wall.as_secs_f64()),
        )
    }

    /// Short enough for a line of 80 characters, with what matters most in front.
    fn in_brief(&self) -> String {
        let left = self
            .left_s()
            .map_or_else(String::new, |left| format!("  {} left", brief(left)));
        let end_s = self.end.as_secs_f64();
        let (size, unit) = match numbers::scale_for("s", end_s) {
            Some(scale) => (scale.size, scale.unit),
            None => (1.0, "s"),
        };
        format!(
            "{:3.0} %{left}  {:.1} of {:.1} {unit}  {:.2} M events/s  {:.3} days/s",
            self.fraction() * 100.0,
            self.now.as_secs_f64() / size,
            end_s / size,
            self.events_per_s() / 1e6,
            self.simulated_days_per_s(),
        )
    }

    fn as_json(&self, finished: bool) -> String {
        json!({
            "simulated_s": self.now.as_secs_f64(),
            "until_s": self.end.as_secs_f64(),
            "events": self.events,
            "wall_s": self.wall.as_secs_f64(),
            "events_per_s": self.events_per_s(),
            "simulated_days_per_s": self.simulated_days_per_s(),
            "left_s": self.left_s(),
            "finished": finished,
        })
        .to_string()
    }
}

fn round_to_three(value: f64) -> f64 {
    (value * 1e3).round() / 1e3
}

/// A wall time as people wait for it: "8 s", "3 min 20 s", "2 h 5 min".
pub fn brief(seconds: f64) -> String {
    let whole = seconds.max(0.0).round().min(1e15) as u64;
    match whole {
        0..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3_600, whole % 3_600 / 60),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_come_at_growing_intervals() {
        let mut wall = Duration::ZERO;
        let mut times = Vec::new();
        for _ in 0..8 {
            wall = later(wall);
            times.push(wall.as_secs());
        }
        assert_eq!(times, [1, 2, 5, 10, 20, 50, 100, 200]);
        assert_eq!(later(Duration::from_millis(7_300)).as_secs(), 10);
    }

    #[test]
    fn a_sighting_tells_pace_and_time_left() {
        let sighting = Sighting {
            now: SimTime::from_nanos(7 * 86_400 * 1_000_000_000),
            end: SimTime::from_nanos(14 * 86_400 * 1_000_000_000),
            events: 30_000_000,
            wall: Duration::from_secs(10),
        };
        let words = sighting.in_words();
        for part in [
            "50 %",
            "7 d of 14 d",
            "3,000,000 events/s",
            "0.7000 simulated",
            "10 s left",
        ] {
            assert!(words.contains(part), "`{part}` is missing in {words}");
        }
        assert_eq!(
            sighting.in_brief(),
            " 50 %  10 s left  7.0 of 14.0 d  3.00 M events/s  0.700 days/s"
        );
        let json: serde_json::Value = serde_json::from_str(&sighting.as_json(true)).unwrap();
        assert_eq!(json["left_s"], 10.0);
        assert_eq!(json["finished"], true);
    }

    #[test]
    fn before_the_first_event_nothing_is_foretold() {
        let nothing = Sighting {
            end: SimTime::from_nanos(1),
            ..Sighting::default()
        };
        assert_eq!(nothing.left_s(), None);
        let _ = nothing.in_words();
        assert_eq!(brief(7_500.0), "2 h 5 min");
        assert_eq!(brief(f64::NAN), "0 s");
    }
}
