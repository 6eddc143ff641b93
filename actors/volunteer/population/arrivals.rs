//! When do hosts join?
//!
//! A Poisson process whose rate keeps as many hosts active as the scenario says, by Little's law
//! (the document, section 4.1: "our model uses a host arrival rate such that the mean active hosts
//! is the observed value"); and besides it the peaks of a launch, each a Poisson process that
//! decays.

use kernel::{RandomStream, SimDuration, SimTime};

use super::{THE_WORLD, classes_that_stay, purpose};
use crate::volunteer::scenario::{Pattern, Peak, Scenario};

/// How many hosts join per second: as many as leave when `hosts` hosts take part. Only those that
/// stay for their whole lifetime count; the others are gone as soon as they have come.
fn arrivals_per_s(scenario: &Scenario) -> f64 {
    match scenario.churn.pattern {
        Pattern::None => 0.0,
        Pattern::Steady => {
            let staying: f64 = classes_that_stay(scenario).iter().map(|c| c.1).sum();
            f64::from(scenario.hosts) / (scenario.churn.lifetime.mean() * staying)
        }
    }
}

/// How many hosts will have joined during the run, on average.
pub(in crate::volunteer) fn expected_arrivals(scenario: &Scenario) -> f64 {
    let run = scenario.until.span();
    let steadily = run.saturating_sub(scenario.churn.steady_from.span());
    let in_peak = |peak: &Peak| {
        let rest = run.saturating_sub(peak.at.span()).as_secs_f64();
        let part = -libm::expm1(-rest / peak.decay.span().as_secs_f64());
        f64::from(peak.hosts) * part
    };
    let in_peaks: f64 = scenario.churn.peaks.iter().map(in_peak).sum();
    arrivals_per_s(scenario) * steadily.as_secs_f64() + in_peaks
}

/// The times at which hosts join, after those that are there at the start.
pub(super) fn arrivals(scenario: &Scenario) -> Vec<SimTime> {
    let end = SimTime::START + scenario.until.span();
    let mut random = RandomStream::new(scenario.seed, THE_WORLD, purpose::ARRIVALS);
    let mut times = steady(scenario, end, &mut random);
    if !scenario.churn.peaks.is_empty() {
        let mut random = RandomStream::new(scenario.seed, THE_WORLD, purpose::PEAKS);
        for peak in &scenario.churn.peaks {
            add_peak(*peak, end, &mut random, &mut times);
        }
        times.sort_unstable();
    }
    times
}

fn steady(scenario: &Scenario, end: SimTime, random: &mut RandomStream) -> Vec<SimTime> {
    let rate = arrivals_per_s(scenario);
    let mut times = Vec::new();
    if rate <= 0.0 {
        return times;
    }
    let mut now = SimTime::START + scenario.churn.steady_from.span();
    loop {
        let gap = SimDuration::from_secs_f64(random.exponential() / rate);
        now += gap.max(SimDuration::NANOSECOND);
        if now >= end {
            return times;
        }
        times.push(now);
    }
}

/// The n-th arrival of a peak is when its expected number of arrivals reaches the n-th point of a
/// Poisson process of rate one; so there are `hosts` of them on average.
fn add_peak(peak: Peak, end: SimTime, random: &mut RandomStream, times: &mut Vec<SimTime>) {
    let all = f64::from(peak.hosts);
    let mut expected = random.exponential();
    while expected < all {
        let decays = -libm::log1p(-expected / all);
        let after = SimDuration::from_secs_f64(decays * peak.decay.span().as_secs_f64());
        let at = SimTime::START + peak.at.span() + after.max(SimDuration::NANOSECOND);
        if at >= end {
            return;
        }
        times.push(at);
        expected += random.exponential();
    }
}
