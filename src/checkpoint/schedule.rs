//! When is a checkpoint due, and when must a run stop?

use std::fmt;
use std::str::FromStr;
use std::time::Duration;

use actors::shared::quantity;
use kernel::{SimDuration, SimTime};

/// How often a checkpoint is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Every {
    /// At every multiple of this simulated time.
    Simulated(SimDuration),
    /// Whenever so much time has passed on the wall clock.
    Wall(Duration),
}

/// From this on, a time without a word beside it is simulated: nobody wants a checkpoint once a day
/// by the clock, or once in some simulated minutes.
const SIMULATED_FROM: SimDuration = SimDuration::from_days(1);

impl FromStr for Every {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let text = text.trim();
        let (time, word) = ["simulated", "wall"]
            .into_iter()
            .find_map(|word| Some((text.strip_suffix(word)?, Some(word))))
            .unwrap_or((text, None));
        let time: quantity::Duration = time
            .trim()
            .parse()
            .map_err(|error| format!("{error}; as in '30 d simulated' or '10 min wall'"))?;
        let span = time.span();
        if span == SimDuration::ZERO {
            return Err("a checkpoint at every moment leaves no time for the run".to_owned());
        }
        let simulated = match word {
            Some(word) => word == "simulated",
            None => span >= SIMULATED_FROM,
        };
        Ok(if simulated {
            Every::Simulated(span)
        } else {
            Every::Wall(Duration::from_nanos(span.nanos()))
        })
    }
}

impl fmt::Display for Every {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Every::Simulated(span) => write!(f, "every {span} of simulated time"),
            Every::Wall(span) => {
                let span = SimDuration::from_secs_f64(span.as_secs_f64());
                write!(f, "every {span} by the clock on the wall")
            }
        }
    }
}

impl Every {
    /// The first simulated instant after `reached` at which a checkpoint is due.
    pub fn next_after(self, reached: SimTime) -> SimTime {
        match self {
            Every::Simulated(span) => {
                let passed = reached.nanos() / span.nanos();
                let next = (passed + 1).checked_mul(span.nanos());
                next.map_or(SimTime::NEVER, SimTime::from_nanos)
            }
            Every::Wall(_) => SimTime::NEVER,
        }
    }
}

/// What a run may use before it is stopped in good order.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Time on the wall clock.
    pub wall: Option<Duration>,
    /// Memory of this process, in bytes.
    pub memory_bytes: Option<u64>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_word_says_by_which_clock_and_the_length_does_if_there_is_none() {
        let read = |text: &str| text.parse::<Every>().unwrap();
        let days = SimDuration::from_days;
        assert_eq!(read("30 d"), Every::Simulated(days(30)));
        assert_eq!(read("10 min"), Every::Wall(Duration::from_secs(600)));
        assert_eq!(
            read("10 min simulated"),
            Every::Simulated(SimDuration::from_secs(600))
        );
        assert_eq!(read("2d wall"), Every::Wall(Duration::from_secs(172_800)));
        assert_eq!(read("30 d").to_string(), "every 30 d of simulated time");
        for wrong in ["", "soon", "0 s", "-1 d", "30", "simulated", "1 d model"] {
            assert!(wrong.parse::<Every>().is_err(), "{wrong}");
        }
    }

    #[test]
    fn due_at_multiples_and_never_at_the_moment_that_was_reached() {
        let every = Every::Simulated(SimDuration::from_nanos(10));
        let next = |reached| every.next_after(SimTime::from_nanos(reached)).nanos();
        assert_eq!((next(0), next(9), next(10)), (10, 10, 20));
        assert_eq!(
            Every::Wall(Duration::from_secs(1)).next_after(SimTime::START),
            SimTime::NEVER
        );
    }
}
