//! How many messages of each kind are there, how long are they under way, and who talks to whom?

use std::collections::BTreeMap;

use hdrhistogram::Histogram;
use kernel::SimTime;

use super::TraceError;
use super::archive::{Archive, Heading};
use super::filter::Selection;
use super::message::{Fate, Message};

/// Statistics of the messages of a trace.
#[derive(Debug)]
pub struct Statistics {
    /// By kind, in the order of the archive's kinds; kinds without messages are left out.
    pub kinds: Vec<KindStatistics>,
    /// How many messages went from one group of actors to another, by their places among the groups.
    pub matrix: BTreeMap<(usize, usize), u64>,
    /// How many messages there are.
    pub messages: u64,
    /// The first and the last time that one of them was received; `None` if none was.
    pub span: Option<(SimTime, SimTime)>,
}

/// What is known of the messages of one kind.
#[derive(Debug)]
pub struct KindStatistics {
    /// Its number.
    pub kind: u8,
    /// How many there are.
    pub count: u64,
    /// What became of them, in the order of [`Fate::ALL`].
    pub fates: [u64; Fate::ALL.len()],
    /// How many bytes they carried, of those that have a size.
    pub bytes: u64,
    /// How long they were under way, in nanoseconds: of those that arrived.
    delays: Histogram<u64>,
}

/// Delays are kept to three significant digits.
const DIGITS: u8 = 3;

impl KindStatistics {
    fn new(kind: u8) -> Self {
        KindStatistics {
            kind,
            count: 0,
            fates: [0; Fate::ALL.len()],
            bytes: 0,
            delays: Histogram::new(DIGITS).expect("three digits are possible"),
        }
    }

    fn count(&mut self, message: &Message<'_>) {
        self.count += 1;
        self.fates[message.fate as usize] += 1;
        self.bytes += message.bytes.unwrap_or(0);
        if message.fate != Fate::InFlight {
            let delay = message.received.saturating_since(message.sent);
            let recorded = self.delays.record(delay.nanos());
            recorded.expect("this histogram grows with what it records");
        }
    }

    /// The delay, in seconds, that this part of the messages did not exceed, to three digits; `None`
    /// if none has arrived.
    pub fn delay_s(&self, part: f64) -> Option<f64> {
        (!self.delays.is_empty()).then(|| self.delays.value_at_quantile(part) as f64 / 1e9)
    }

    /// How many there are in an hour of the time that the statistics cover.
    pub fn per_hour(&self, span: Option<(SimTime, SimTime)>) -> f64 {
        let hours = span.map_or(0.0, |(first, last)| {
            last.saturating_since(first).as_hours_f64()
        });
        if hours > 0.0 {
            self.count as f64 / hours
        } else {
            0.0
        }
    }
}

impl Statistics {
    /// Of all messages of an archive that pass a selection.
    ///
    /// # Errors
    /// If the archive is damaged.
    pub fn of(archive: &mut Archive, selection: &Selection) -> Result<Self, TraceError> {
        let groups = Groups::of(archive.heading());
        let mut kinds: BTreeMap<u8, KindStatistics> = BTreeMap::new();
        let mut statistics = Statistics {
            kinds: Vec::new(),
            matrix: BTreeMap::new(),
            messages: 0,
            span: None,
        };
        archive.scan(&selection.span(), |message| {
            if selection.wants_message(message) {
                statistics.messages += 1;
                if message.fate != Fate::InFlight {
                    let first = statistics.span.map_or(message.received, |(first, _)| first);
                    statistics.span = Some((first, message.received));
                }
                let kind = message.kind;
                let entry = kinds
                    .entry(kind)
                    .or_insert_with(|| KindStatistics::new(kind));
                entry.count(message);
                let ends = (
                    groups.of_actor(message.from.0),
                    groups.of_actor(message.to.0),
                );
                *statistics.matrix.entry(ends).or_default() += 1;
            }
            true
        })?;
        statistics.kinds = kinds.into_values().collect();
        Ok(statistics)
    }
}

/// The ends of the groups' numbers, ascending.
struct Groups(Vec<u32>);

impl Groups {
    fn of(heading: &Heading) -> Self {
        Groups(
            heading
                .groups
                .iter()
                .map(|(_, members)| members.end)
                .collect(),
        )
    }

    fn of_actor(&self, actor: u32) -> usize {
        self.0.partition_point(|&end| end <= actor)
    }
}
