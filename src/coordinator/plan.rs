//! How is a run to be executed? Partitions, workers, runtime, horizon, queue: by name.
//!
//! Nothing in a plan can change what a run finds.

use clap::ValueEnum;
use kernel::horizon::{self, Horizon};
use kernel::{Directory, Promises, SimDuration};
use serde::{Deserialize, Serialize};

use super::leader::Protocol;
use super::null_messages::NullMessages;
use crate::placement::Placement;

/// How a run is to be executed. What a file leaves out is as in the default plan.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Plan {
    /// How many threads run partitions; [`Plan::AUTO`]: see [`Plan::suited_to`].
    pub threads: usize,
    /// Into how many partitions the actors are divided (each group, if the placement is by groups);
    /// `None`: as many as suit the number of threads.
    pub partitions: Option<usize>,
    /// Who runs the workers.
    pub runtime: Runtime,
    /// How far partitions may run at a time.
    pub horizon: HorizonRule,
    /// The pending-event set of each partition.
    pub queue: QueueRule,
    /// Which actors share a partition; `None`: what suits the horizon, groups for round trips and
    /// blocks for the others.
    pub placement: Option<Placement>,
}

impl Default for Plan {
    fn default() -> Self {
        Plan {
            threads: 1,
            partitions: None,
            runtime: Runtime::Threads,
            horizon: HorizonRule::Auto,
            queue: QueueRule::WindowRing,
            placement: None,
        }
    }
}

/// Who runs the workers.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum Runtime {
    /// All partitions, one after another, on the calling thread.
    Inline,
    /// One thread per worker.
    #[default]
    Threads,
    /// Workers and coordinator as actix actors, each on an arbiter's thread.
    Arbiters,
    /// No partitions at all: the sequential oracle.
    Sequential,
}

/// The synchronisation protocols by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum HorizonRule {
    /// Round trips where some group hears only answers and there are several workers, else the
    /// global window.
    #[default]
    Auto,
    /// One window for everybody, as long as the smallest promise.
    GlobalWindow,
    /// A window for each partition, from the distances between partitions.
    PairwiseWindow,
    /// Windows from cycles of conversation between groups.
    RoundTrip,
    /// No windows: partitions announce to each other how long they will be silent.
    NullMessages,
}

/// The pending-event sets by name.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "snake_case")]
#[value(rename_all = "snake_case")]
pub enum QueueRule {
    /// Rings of buckets that hand out whole windows.
    #[default]
    WindowRing,
    /// The standard library's binary heap.
    BinaryHeap,
    /// Brown's calendar queue.
    Calendar,
}

/// A plan with every choice made for a particular world.
pub(crate) struct Division {
    pub placement: Placement,
    pub directory: Directory,
    pub(super) protocol: Protocol,
    /// About how long windows will be: queues choose the width of their buckets by it.
    pub window: SimDuration,
    /// How wide the buckets of a queue should be: windows that do not begin and end together are
    /// many buckets long, so that few are split.
    pub bucket: SimDuration,
}

/// Below so many events per window and thread, several threads are no faster than one.
const WORTH_THREADS: f64 = 60.0;

impl Plan {
    /// So many threads as the world can use.
    pub const AUTO: usize = 0;
    /// More partitions are not made where each is paired with each: of a thousand there are a million
    /// pairs, and a thousand times as many ways from one to another by way of a third.
    pub const MOST_PAIRED: usize = 1_024;

    /// The plan with the number of threads chosen, if it was left open: all that the machine has,
    /// or one where that is as fast. `events_per_s` is about how many events a second of simulated
    /// time has.
    ///
    /// One is as fast where windows are small.
    pub fn suited_to(mut self, promises: &Promises, events_per_s: f64) -> Plan {
        if self.threads != Self::AUTO {
            return self;
        }
        self.threads = std::thread::available_parallelism().map_or(1, usize::from);
        if self.threads > 1 {
            let mut window = self.divide(promises).window.as_secs_f64();
            if self.horizon_for(promises) == HorizonRule::RoundTrip {
                // A round trip takes two windows: there, and back.
                window /= 2.0;
            }
            if events_per_s * window < WORTH_THREADS * self.threads as f64 {
                self.threads = 1;
            }
        }
        self
    }

    /// The protocol that [`HorizonRule::Auto`] stands for in a world with these promises.
    pub fn horizon_for(&self, promises: &Promises) -> HorizonRule {
        match self.horizon {
            HorizonRule::Auto => {
                let conversation = promises
                    .groups()
                    .any(|group| promises.hears_only_answers(group));
                if conversation && (self.threads > 1 || self.partitions.is_some_and(|p| p > 1)) {
                    HorizonRule::RoundTrip
                } else {
                    HorizonRule::GlobalWindow
                }
            }
            named => named,
        }
    }

    /// Divides a world with these promises.
    pub(crate) fn divide(&self, promises: &Promises) -> Division {
        let rule = self.horizon_for(promises);
        let partitions = self.partitions.unwrap_or(match self.threads {
            0 | 1 => 1,
            // Several per worker, so that work can be shared out evenly.
            threads => threads * 4,
        });
        let partitions = match rule {
            HorizonRule::PairwiseWindow | HorizonRule::NullMessages => {
                partitions.min(Self::MOST_PAIRED)
            }
            _ => partitions,
        };
        let by_group = rule == HorizonRule::RoundTrip;
        let placement = self.placement.unwrap_or(match by_group {
            true => Placement::Groups,
            false => Placement::Blocks,
        });
        let directory = match by_group {
            true => placement.divide_within_groups(promises, partitions),
            false => placement.divide(promises, partitions),
        };
        let smallest = promises.smallest();
        let rounds = |horizon: Box<dyn Horizon>| Protocol::Rounds(horizon);
        let (protocol, window) = match rule {
            HorizonRule::RoundTrip => {
                let mut horizon = horizon::RoundTrip::new(promises, &directory);
                let window = horizon.window();
                (rounds(Box::new(horizon)), window)
            }
            HorizonRule::PairwiseWindow => {
                let horizon = horizon::PairwiseWindow::new(promises, &directory);
                (rounds(Box::new(horizon)), smallest)
            }
            HorizonRule::NullMessages => {
                let channels = NullMessages::new(promises, &directory);
                (Protocol::NullMessages(channels), smallest)
            }
            HorizonRule::GlobalWindow | HorizonRule::Auto => {
                let horizon = horizon::GlobalWindow::new(promises);
                (rounds(Box::new(horizon)), smallest)
            }
        };
        let bucket = match rule {
            HorizonRule::RoundTrip => window / 8,
            _ => window,
        };
        Division {
            placement,
            directory,
            protocol,
            window,
            bucket,
        }
    }
}
