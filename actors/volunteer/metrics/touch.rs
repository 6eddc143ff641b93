//! Which hosts are in touch with the project, and since when?
//!
//! As the document's figures have it (section 4.1), and as a project's tables show it: from requests
//! and credit, not from what hosts know about themselves. Everything is arithmetic on the times that
//! the schedulers report, so no host is remembered here.

use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use crate::shared::tally::{CountSeries, LevelSeries, MovingHistogram};
use crate::volunteer::facts::Fact;

/// Hosts by their contacts with the project.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Touch {
    /// Hosts that have been granted credit, by the day of their first request.
    pub(super) new_hosts: CountSeries,
    /// Hosts with credit that have made a request within a week.
    pub(super) in_touch: Window,
    /// Hosts that have been granted credit within ten days.
    pub(super) credited: Window,
    /// From the first to the last request of hosts with credit, by the day of the last one.
    ages: Vec<MovingHistogram>,
    /// Successful results a day of hosts with credit, in millionths: up to the last request of
    /// those that had been there for a day by then.
    pub(super) throughput: MovingHistogram,
}

/// "RPC time in last week".
const IN_TOUCH: SimDuration = SimDuration::from_days(7);
/// "Granted credit within the last 10 days".
const CREDITED: SimDuration = SimDuration::from_days(10);
/// "Last RPC time older than 20 days": then the host has left.
const LEFT_FOR: SimDuration = SimDuration::from_days(20);
const DAY: SimDuration = SimDuration::from_days(1);

impl Touch {
    pub(super) fn new(interval: SimDuration) -> Self {
        Touch {
            new_hosts: CountSeries::new(DAY),
            in_touch: Window::new(interval, IN_TOUCH),
            credited: Window::new(interval, CREDITED),
            ages: Vec::new(),
            throughput: MovingHistogram::default(),
        }
    }

    #[inline]
    pub(super) fn on_fact(&mut self, time: SimTime, fact: &Fact) {
        match *fact {
            Fact::HostHeard {
                first,
                before: Some(before),
                credited: true,
                successes,
            } => {
                self.in_touch.seen(time, Some(before));
                self.age(before).take_back((before - first).nanos());
                self.age(time).add((time - first).nanos());
                if let Some(rate) = results_a_day(successes.0, before - first) {
                    self.throughput.take_back(rate);
                }
                if let Some(rate) = results_a_day(successes.1, time - first) {
                    self.throughput.add(rate);
                }
            }
            Fact::HostCredited {
                first,
                last,
                before,
                successes,
            } => {
                self.credited.seen(time, before);
                if before.is_none() {
                    self.new_hosts.add(first, 1);
                    self.in_touch.seen_until(time, last);
                    self.age(last).add((last - first).nanos());
                    if let Some(rate) = results_a_day(successes, last - first) {
                        self.throughput.add(rate);
                    }
                }
            }
            _ => {}
        }
    }

    pub(super) fn merge(&mut self, other: &Self) {
        self.new_hosts.merge(&other.new_hosts);
        self.in_touch.merge(&other.in_touch);
        self.credited.merge(&other.credited);
        self.throughput.merge(&other.throughput);
        for (day, ages) in other.ages.iter().enumerate() {
            self.ages_of(day).merge(ages);
        }
    }

    /// From the first to the last request of every host with credit.
    pub(super) fn ages(&self) -> MovingHistogram {
        sum(&self.ages)
    }

    /// The same of those that have been silent for twenty days at `end`.
    pub(super) fn lifetimes(&self, end: SimTime) -> MovingHistogram {
        let left = day_of(SimTime::START + end.saturating_since(SimTime::START + LEFT_FOR));
        sum(&self.ages[..left.min(self.ages.len())])
    }

    fn age(&mut self, last: SimTime) -> &mut MovingHistogram {
        self.ages_of(day_of(last))
    }

    fn ages_of(&mut self, day: usize) -> &mut MovingHistogram {
        if day >= self.ages.len() {
            self.ages.resize_with(day + 1, MovingHistogram::default);
        }
        &mut self.ages[day]
    }
}

fn day_of(time: SimTime) -> usize {
    (time.nanos() / DAY.nanos()) as usize
}

fn sum(of: &[MovingHistogram]) -> MovingHistogram {
    let mut all = MovingHistogram::default();
    for part in of {
        all.merge(part);
    }
    all
}

/// Millionths of a result a day; `None` of a time too short to tell.
fn results_a_day(successes: u32, during: SimDuration) -> Option<u64> {
    let millionths = u128::from(successes) * u128::from(DAY.nanos()) * 1_000_000;
    (during >= DAY).then(|| (millionths / u128::from(during.nanos())) as u64)
}

/// How many hosts something has happened to within a certain time.
///
/// The times during which a host counts are a union of windows that begin with its events; each
/// event adds what it has in addition to the one before.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct Window {
    length: SimDuration,
    level: LevelSeries,
}

impl Window {
    fn new(interval: SimDuration, length: SimDuration) -> Self {
        Window {
            length,
            level: LevelSeries::new(interval),
        }
    }

    /// It happens to a host to which it happened `before`.
    fn seen(&mut self, now: SimTime, before: Option<SimTime>) {
        let counted_until = before.map_or(SimTime::START, |before| before + self.length);
        self.count(now.max(counted_until), now + self.length);
    }

    /// A host to which it happened at `then` counts only from `now` on.
    fn seen_until(&mut self, now: SimTime, then: SimTime) {
        self.count(now, then + self.length);
    }

    fn count(&mut self, from: SimTime, to: SimTime) {
        if from < to {
            self.level.step(from, 1);
            self.level.step(to, -1);
        }
    }

    fn merge(&mut self, other: &Self) {
        self.level.merge(&other.level);
    }

    pub(super) fn level(&self) -> &LevelSeries {
        &self.level
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn day(day: u64) -> SimTime {
        SimTime::START + DAY * day
    }

    /// One host: requests on these days, credit (learnt before the request of the day) on those.
    fn watched(requests: &[u64], credits: &[u64]) -> Touch {
        let mut touch = Touch::new(DAY);
        let (first, mut last, mut credited) = (day(requests[0]), None, None);
        let all = requests.iter().chain(credits);
        let end = *all.max().expect("a request");
        let mut successes = 0;
        for now in 0..=end {
            if credits.contains(&now) {
                touch.on_fact(
                    day(now),
                    &Fact::HostCredited {
                        first,
                        last: last.expect("credit comes after a request"),
                        before: credited,
                        successes,
                    },
                );
                credited = Some(day(now));
            }
            if requests.contains(&now) {
                let news = u32::from(last.is_some());
                touch.on_fact(
                    day(now),
                    &Fact::HostHeard {
                        first,
                        before: last,
                        credited: credited.is_some(),
                        successes: (successes, successes + news),
                    },
                );
                successes += news;
                last = Some(day(now));
            }
        }
        touch
    }

    fn days_of(window: &Window, end: u64) -> Vec<u64> {
        let samples = window.level().samples(day(end), "", "", "");
        let counted = (0..).zip(&samples.values).filter(|(_, v)| **v > 0.0);
        assert!(samples.values.iter().all(|&v| v == 0.0 || v == 1.0));
        counted.map(|(day, _)| day).collect()
    }

    #[test]
    fn a_host_is_active_for_a_week_after_each_request_once_it_has_credit() {
        let touch = watched(&[0, 1, 4, 20], &[2]);
        // Credit on day 2; requests until day 4 last to day 11 (excluded); then again from 20 on.
        let expected: Vec<u64> = (2..11).chain(20..27).collect();
        assert_eq!(days_of(&touch.in_touch, 40), expected);
        assert_eq!(days_of(&touch.credited, 40), (2..12).collect::<Vec<_>>());
        assert!(days_of(&watched(&[0, 1, 4], &[]).in_touch, 40).is_empty());
    }

    #[test]
    fn credit_that_comes_late_counts_from_then_on() {
        assert_eq!(days_of(&watched(&[0], &[3]).in_touch, 40), [3, 4, 5, 6]);
        assert!(days_of(&watched(&[0], &[9]).in_touch, 40).is_empty());
    }

    #[test]
    fn ages_end_with_the_last_request_and_lifetimes_are_those_of_the_silent() {
        let touch = watched(&[2, 3, 12], &[5]);
        assert_eq!(touch.ages().count(), 1);
        assert_eq!(touch.ages().mean(), (DAY * 10).nanos() as f64);
        assert_eq!(touch.lifetimes(day(32)).count(), 0, "heard of on day 12");
        assert_eq!(touch.lifetimes(day(33)).count(), 1);
        assert_eq!(touch.new_hosts.total_before(day(2)), 0);
        assert_eq!(touch.new_hosts.total_before(day(3)), 1);
        // Two results in ten days.
        assert_eq!(touch.throughput.mean(), 200_000.0);
    }

    #[test]
    fn hosts_without_credit_have_no_age() {
        let touch = watched(&[2, 3, 12], &[]);
        assert_eq!(touch.ages().count() + touch.new_hosts.total(), 0);
    }
}
