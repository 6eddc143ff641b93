//! What is said about how hosts are modelled, and which hosts fail how often in the document's model?

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::Scenario;
use crate::shared::distribution::Distribution;
use crate::shared::quantity::{Fraction, Quantity};
use crate::volunteer::quota;

/// How the doings of a host are modelled.
#[derive(Clone, PartialEq, Debug, Default, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "model", rename_all = "snake_case", deny_unknown_fields)]
pub enum Behaviour {
    /// In detail: machines that are switched on and off, transfers, queues, and a client that
    /// decides when to fetch and to report.
    #[default]
    Detailed,
    /// As the document does in its section 4.2: instances are dispatched to a host in a Poisson
    /// process, take X / rate, and are reported on the host's connection grid. `availability` plays
    /// no part, nor do the keys of `client` but `connect_interval`, nor the intervals that a
    /// scheduler asks for.
    Document {
        /// How many instances a host processes in a day, one value per host. If it is not given,
        /// what the machine of the host computes in the part of the time that machines are on.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        rate_per_day: Option<Distribution<f64>>,
        /// The same for hosts of class D that go on asking. If it is not given, they ask as often
        /// as others.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        failing_rate_per_day: Option<Distribution<f64>>,
    },
}

impl Behaviour {
    /// Whether hosts are those of the document's model.
    pub fn is_document(&self) -> bool {
        matches!(self, Behaviour::Document { .. })
    }
}

/// In so many steps distributions are gone through where there is no closed form.
const STEPS: u32 = 64;
const FEW_STEPS: u32 = 16;

const DAY_S: f64 = 86_400.0;

impl Scenario {
    /// The scenario in which nothing is left to be found out: with the classes A and B, which keep
    /// their sum, divided so that the instances fail that `errors.failed_instances` asks for.
    ///
    /// The failed fraction follows from the model: over a lifetime L, a host of rate T is sent
    /// 1 + T L instances, as far as its quota lets it; those on their way when it leaves are lost,
    /// E\[X\] + T I / 2 of them with a connection interval I (Little's law); some are reported too
    /// late. Numbers of instances of all classes are linear in the share of class B, so the share
    /// follows from one division.
    pub fn settled(&self) -> Scenario {
        let mut settled = self.clone();
        let wanted = self.errors.failed_instances.value();
        if wanted == 0.0 {
            return settled;
        }
        let Behaviour::Document {
            rate_per_day: Some(rate),
            failing_rate_per_day,
        } = &self.behaviour
        else {
            return settled;
        };
        let errors = &self.errors;
        let perfect = self.sent_in_a_lifetime(rate, 0.0);
        let mut erring = Sent::default();
        for error_rate in steps(&errors.b_error_rate, FEW_STEPS) {
            erring.add(self.sent_in_a_lifetime(rate, error_rate), FEW_STEPS);
        }
        let always = self.sent_in_a_lifetime(failing_rate_per_day.as_ref().unwrap_or(rate), 1.0);
        let always = errors.d_many_contacts.value() * always.all
            + errors.d_few_contacts.value() * f64::from(errors.few_contacts)
            + errors.f_one_contact.value();
        let both = errors.a_perfect.value() + errors.b_erring.value();
        // wanted = failed / all, both linear in the share of B.
        let failed_without_b = always + both * perfect.failed;
        let all_without_b = always + both * perfect.all;
        let failed_more = erring.failed - perfect.failed;
        let all_more = erring.all - perfect.all;
        let share = (wanted * all_without_b - failed_without_b)
            / (failed_more - wanted * all_more).max(f64::MIN_POSITIVE);
        let share = share.clamp(0.0, both);
        let fraction = |value| Fraction::new(value).expect("a part of two fractions");
        settled.errors.b_erring = fraction(share);
        settled.errors.a_perfect = fraction(both - share);
        settled
    }

    /// The mean numbers of instances that are sent to a host while it takes part, and that fail, if
    /// it has this error rate.
    fn sent_in_a_lifetime(&self, rate: &Distribution<f64>, error_rate: f64) -> Sent {
        let lifetime = self.churn.lifetime.mean() / DAY_S;
        let interval = self.client.connect_interval.mean() / DAY_S;
        let factor = self.jobs.time_factor.mean();
        let limits = Limits::of(&self.scheduler.quota, error_rate);
        let mut sent = Sent::default();
        for rate in steps(rate, STEPS) {
            let allowed = limits.per_day(rate);
            let all = 1.0 + allowed * lifetime;
            let lost = (factor * allowed / rate + allowed * interval / 2.0).min(all);
            let sound = 1.0 - error_rate;
            let unreturned = lost + (all - lost) * self.late(rate);
            sent.add(
                Sent {
                    all,
                    failed: all * error_rate + unreturned * sound,
                },
                STEPS,
            );
        }
        sent
    }

    /// Which part of the instances of a host with this rate is reported after the deadline. The wait
    /// for the grid is uniform in one interval.
    fn late(&self, rate: f64) -> f64 {
        let bound = self.jobs.delay_bound.span().as_secs_f64() / DAY_S;
        mean(&self.client.connect_interval, FEW_STEPS, |interval| {
            let interval = interval / DAY_S;
            mean(&self.jobs.time_factor, FEW_STEPS, |factor| {
                let takes = factor / rate;
                if takes > bound {
                    1.0
                } else if takes + interval <= bound {
                    0.0
                } else {
                    (takes + interval - bound) / interval
                }
            })
        })
    }
}

/// The mean numbers of instances sent to a host in its lifetime, and of those that fail.
#[derive(Clone, Copy, Debug, Default)]
struct Sent {
    all: f64,
    failed: f64,
}

impl Sent {
    /// Adds one of `count` equal parts.
    fn add(&mut self, part: Sent, count: u32) {
        self.all += part.all / f64::from(count);
        self.failed += part.failed / f64::from(count);
    }
}

/// No host's rate is such that a higher limit would matter.
const HIGHEST_LIMIT: usize = 64;

/// How often a host of some error rate has which daily limit: a walk that goes one down with each
/// failure and doubles with each success. It is the same for all rates, as it counts instances, not
/// days.
struct Limits(Option<[f64; HIGHEST_LIMIT]>);

impl Limits {
    fn of(quota: &quota::Rule, error_rate: f64) -> Self {
        let highest = match *quota {
            quota::Rule::Unlimited => return Limits(None),
            quota::Rule::Document { .. } => HIGHEST_LIMIT,
            quota::Rule::Boinc2005 { daily_result_quota }
            | quota::Rule::BoincNow { daily_result_quota } => {
                (daily_result_quota as usize).clamp(1, HIGHEST_LIMIT)
            }
        };
        let mut part = [0.0; HIGHEST_LIMIT];
        part[highest - 1] = 1.0;
        // Long enough to forget where it began.
        for _ in 0..1_000 {
            let mut next = [0.0; HIGHEST_LIMIT];
            for limit in 1..=highest {
                let here = part[limit - 1];
                next[limit.max(2) - 2] += error_rate * here;
                next[(2 * limit).min(highest) - 1] += (1.0 - error_rate) * here;
            }
            part = next;
        }
        Limits(Some(part))
    }

    /// How many instances a host that asks at this rate gets in a day: the inverse of the mean time
    /// from one to the next. With a limit of n it gets the smaller of n and a Poisson number.
    fn per_day(&self, rate: f64) -> f64 {
        let Some(part) = self.0 else {
            return rate;
        };
        let mut time = 0.0;
        // P(Poisson = n), P(Poisson <= n) and E[min(Poisson, n)] from one n to the next.
        let mut exactly = libm::exp(-rate);
        let mut at_most = exactly;
        let mut allowed = 0.0;
        for (limit, part) in (1u32..).zip(part) {
            allowed += 1.0 - at_most;
            time += part / allowed.max(f64::MIN_POSITIVE);
            exactly *= rate / f64::from(limit);
            at_most = (at_most + exactly).min(1.0);
        }
        1.0 / time
    }
}

/// The distribution's quantiles in the middle of `count` steps, in base units.
fn steps<Q: Quantity>(
    distribution: &Distribution<Q>,
    count: u32,
) -> impl Iterator<Item = f64> + '_ {
    (0..count).map(move |step| {
        let p = (f64::from(step) + 0.5) / f64::from(count);
        distribution.quantile(p).to_base()
    })
}

fn mean<Q: Quantity>(
    distribution: &Distribution<Q>,
    count: u32,
    value: impl Fn(f64) -> f64,
) -> f64 {
    let sum: f64 = steps(distribution, count).map(value).sum();
    sum / f64::from(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_host_that_always_fails_gets_one_instance_a_day_and_a_perfect_one_all_it_asks_for() {
        let document = quota::Rule::Document { per_cpu: 8 };
        for rate in [0.2, 1.0, 5.0] {
            let failing = Limits::of(&document, 1.0).per_day(rate);
            // The chance that it asks at all on a day.
            assert!((failing + libm::expm1(-rate)).abs() < 1e-9, "{failing}");
            let perfect = Limits::of(&document, 0.0).per_day(rate);
            assert!((perfect - rate).abs() < 1e-6, "{perfect}");
            let unlimited = Limits::of(&quota::Rule::Unlimited, 1.0).per_day(rate);
            assert!((unlimited - rate).abs() < 1e-12);
        }
        // Worked by hand: a limit of one or two, each half of the time. Poisson of mean 1: E[min(., 1)]
        // is 1 - 1 / e, E[min(., 2)] is 2 - 3 / e.
        let two = quota::Rule::Boinc2005 {
            daily_result_quota: 2,
        };
        let e = libm::exp(1.0);
        let expected = 2.0 / (1.0 / (1.0 - 1.0 / e) + 1.0 / (2.0 - 3.0 / e));
        let found = Limits::of(&two, 0.5).per_day(1.0);
        assert!((found - expected).abs() < 1e-9, "{found}");
    }
}
