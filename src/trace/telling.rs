//! How is a trace shown to people?

use std::fmt::Write;

use kernel::SimTime;

use super::archive::Heading;
use super::message::{Fate, Message};
use super::story::Told;

/// An instant for people: days, hours, minutes, seconds and milliseconds since the start.
pub fn clock(at: SimTime) -> String {
    let millis = at.nanos() / 1_000_000;
    let (seconds, millis) = (millis / 1_000, millis % 1_000);
    let (minutes, seconds) = (seconds / 60, seconds % 60);
    let (hours, minutes) = (minutes / 60, minutes % 60);
    let (days, hours) = (hours / 24, hours % 24);
    format!("{days} d {hours:02}:{minutes:02}:{seconds:02}.{millis:03}")
}

/// Who says it to whom: `host[3] → scheduler`, or `host[3]` alone for a timer.
pub fn ends(heading: &Heading, message: &Message<'_>) -> String {
    let from = heading.actor_name(message.from);
    if message.is_timer() {
        from
    } else {
        format!("{from} → {}", heading.actor_name(message.to))
    }
}

/// A message in one sentence, without when it was received.
pub fn told_in_words(heading: &Heading, told: &Told) -> String {
    let mut words = heading.actor_name(told.from());
    if told.is_timer() {
        let _ = write!(words, ": {}", told.text);
    } else {
        let to = heading.actor_name(told.to);
        let _ = write!(words, " → {to}: {}", told.text);
    }
    words.push_str(match told.fate {
        Fate::Delivered => "",
        Fate::Expired => " (no longer needed)",
        Fate::Gone => " (but the target had left)",
        Fate::InFlight => " (the run ended before)",
    });
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_counts_days_hours_minutes_and_milliseconds() {
        assert_eq!(clock(SimTime::START), "0 d 00:00:00.000");
        let nanos = (((2 * 24 + 3) * 60 + 4) * 60 + 5) * 1_000_000_000 + 6_789_000;
        assert_eq!(clock(SimTime::from_nanos(nanos)), "2 d 03:04:05.006");
    }
}
