//! Who takes part in a run, and what is each host like?
//!
//! All hosts that will ever join during the run are drawn here, each from streams of its own, so that
//! one more host or another policy does not change the others. At an equilibrium start a host is met
//! in the middle of its life: its remaining lifetime is the residual life of the stationary renewal
//! process, and hosts of the classes that leave at once are not there, for in a snapshot their share
//! is their share of all lifetimes, which is practically zero. They join later like all others.

use kernel::{ActorId, Purpose, RandomStream, SimDuration, SimTime};

use super::host::{Class, Traits};
use super::scenario::{Behaviour, Pattern, Scenario, Start};
use crate::shared::population::{HostTable, Machine};
use crate::shared::quantity::{Bandwidth, Fraction};

mod arrivals;

use arrivals::arrivals;
pub(super) use arrivals::expected_arrivals;

/// What random numbers are for, besides an actor's general stream.
mod purpose {
    use super::Purpose;
    pub(super) const CLASS: Purpose = Purpose(1);
    pub(super) const TRAITS: Purpose = Purpose(2);
    pub(super) const LIFETIME: Purpose = Purpose(3);
    pub(crate) const SWITCHING: Purpose = Purpose(4);
    pub(super) const MACHINES: Purpose = Purpose(5);
    pub(super) const ARRIVALS: Purpose = Purpose(6);
    pub(super) const USERS: Purpose = Purpose(7);
    pub(super) const PEAKS: Purpose = Purpose(8);
    pub(super) const RATES: Purpose = Purpose(9);
    pub(super) const OTHER_PROJECTS: Purpose = Purpose(50);
    pub(crate) const PLATFORM: Purpose = Purpose(51);
    /// The first of as many as a host gets instances.
    pub(super) const FATES: u32 = 1 << 31;
    /// The first of as many again.
    pub(super) const LENGTHS_OF_FAILURES: u32 = FATES + (1 << 30);
}

pub(super) use purpose::{PLATFORM, SWITCHING};

/// What will become of the instance that a host gets after so many others.
pub(super) fn fate(earlier: u32) -> Purpose {
    Purpose(purpose::FATES + earlier % (1 << 30))
}

/// How long an instance that fails takes, where failing takes as long as succeeding.
pub(super) fn length_of_failure(earlier: u32) -> Purpose {
    Purpose(purpose::LENGTHS_OF_FAILURES + earlier % (1 << 30))
}

/// Nobody's number: the world's own streams.
const THE_WORLD: ActorId = ActorId(u32::MAX);

/// A host that will take part.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Participant {
    pub(super) traits: Traits,
    pub(super) joins_at: SimTime,
    pub(super) leaves_at: SimTime,
}

/// How many hosts are there at the start.
pub(super) fn hosts_at_start(scenario: &Scenario) -> u32 {
    match (scenario.churn.pattern, scenario.churn.start) {
        (Pattern::Steady, Start::Empty) => 0,
        _ => scenario.hosts,
    }
}

/// Everybody who will take part in the run, in the order of their numbers from `first` on.
pub(super) fn participants(scenario: &Scenario, table: &HostTable, first: u32) -> Vec<Participant> {
    let at_start = hosts_at_start(scenario) as usize;
    let arrivals = arrivals(scenario);
    let mut random = RandomStream::new(scenario.seed, THE_WORLD, purpose::MACHINES);
    let mut machines = table.populate(at_start, &mut random);
    machines.extend(arrivals.iter().map(|_| table.sample(&mut random)));
    if scenario.population.one_core {
        for machine in &mut machines {
            *machine = Machine {
                cores: 1,
                gflops_per_core: machine.gflops(),
            };
        }
    }
    let users = users(scenario, machines.len());
    let join_times = std::iter::repeat_n(SimTime::START, at_start).chain(arrivals);
    (first..)
        .map(ActorId)
        .zip(join_times)
        .zip(machines)
        .zip(users)
        .map(|(((id, joins_at), machine), user)| {
            let at_start = joins_at == SimTime::START;
            let class = class(scenario, id, at_start);
            let mut traits = traits(scenario, id, class, machine, user);
            if !at_start {
                // The grid of a host's connections begins when the host is created.
                traits.first_connection = joins_at;
            }
            Participant {
                traits,
                joins_at,
                leaves_at: joins_at + lifetime(scenario, id, at_start),
            }
        })
        .collect()
}

/// The class of the host with this number, if it is there at the start or not.
pub(super) fn class(scenario: &Scenario, id: ActorId, at_start: bool) -> Class {
    let in_equilibrium = at_start && scenario.churn.pattern == Pattern::Steady;
    let errors = &scenario.errors;
    let everybody = [
        (Class::Perfect, errors.a_perfect.value()),
        (Class::Erring, errors.b_erring.value()),
        (Class::ManyContacts, errors.d_many_contacts.value()),
        (Class::FewContacts, errors.d_few_contacts.value()),
        (Class::OneContact, errors.f_one_contact.value()),
        (Class::Colluding, errors.e_colluding.value()),
    ];
    let staying = classes_that_stay(scenario);
    let classes = if in_equilibrium {
        &staying[..]
    } else {
        &everybody[..]
    };
    let all: f64 = classes.iter().map(|class| class.1).sum();
    let mut random = RandomStream::new(scenario.seed, id, purpose::CLASS);
    let mut drawn = random.between(0.0, all);
    for &(class, share) in classes {
        if drawn < share {
            return class;
        }
        drawn -= share;
    }
    // Rounding may leave a hair.
    let last = classes.iter().rfind(|class| class.1 > 0.0);
    last.map_or(Class::Perfect, |class| class.0)
}

/// The classes whose hosts take part for their whole lifetime, with their shares of the arrivals.
fn classes_that_stay(scenario: &Scenario) -> [(Class, f64); 4] {
    let errors = &scenario.errors;
    [
        (Class::Perfect, errors.a_perfect.value()),
        (Class::Erring, errors.b_erring.value()),
        (Class::ManyContacts, errors.d_many_contacts.value()),
        (Class::Colluding, errors.e_colluding.value()),
    ]
}

fn lifetime(scenario: &Scenario, id: ActorId, at_start: bool) -> SimDuration {
    let mut random = RandomStream::new(scenario.seed, id, purpose::LIFETIME);
    match scenario.churn.pattern {
        Pattern::None => SimDuration::FOREVER,
        Pattern::Steady if at_start => scenario.churn.lifetime.sample_residual(&mut random).span(),
        Pattern::Steady => scenario.churn.lifetime.sample(&mut random).span(),
    }
}

fn traits(scenario: &Scenario, id: ActorId, class: Class, machine: Machine, user: u32) -> Traits {
    let mut random = RandomStream::new(scenario.seed, id, purpose::TRAITS);
    let population = &scenario.population;
    let network = &scenario.network;
    let latency = network.latency.sample(&mut random).span();
    let latency = latency.max(network.least_latency.span());
    let cores = u64::from(machine.cores);
    let error_rate = scenario.errors.b_error_rate.sample(&mut random);
    let memory_per_core = population.memory_per_core.sample(&mut random);
    let connect_interval = scenario.client.connect_interval.sample(&mut random).span();
    let phase = SimDuration::from_secs_f64(connect_interval.as_secs_f64() * random.uniform());
    let (cores_in_use, speed_flop_per_s) = pace(scenario, id, class, machine);
    let fails_always = matches!(class, Class::FewContacts | Class::ManyContacts);
    Traits {
        user,
        cores: cores_in_use,
        class,
        error_rate,
        speed_flop_per_s,
        nameless: fails_always && random.chance(scenario.errors.new_identity.value()),
        memory_bytes: memory_per_core.bytes().saturating_mul(cores),
        disk_free_bytes: population.disk_free.sample(&mut random).bytes(),
        latency_us: u32::try_from(latency.nanos().div_ceil(1_000)).unwrap_or(u32::MAX),
        download_kb_per_s: kilobytes_per_s(network.download.sample(&mut random)),
        upload_kb_per_s: kilobytes_per_s(network.upload.sample(&mut random)),
        connect_interval,
        first_connection: SimTime::START + phase,
    }
}

/// How many processors a host uses, and the speed of each in flop/s. In the document's model it has
/// one, whose speed is the host's rate.
fn pace(scenario: &Scenario, id: ActorId, class: Class, machine: Machine) -> (u16, f64) {
    let Behaviour::Document {
        rate_per_day,
        failing_rate_per_day,
    } = &scenario.behaviour
    else {
        return (machine.cores, machine.gflops_per_core * 1e9);
    };
    let failing = failing_rate_per_day
        .as_ref()
        .filter(|_| class == Class::ManyContacts);
    let speed = match failing.or(rate_per_day.as_ref()) {
        Some(rate) => {
            let mut random = RandomStream::new(scenario.seed, id, purpose::RATES);
            // A host that never does anything would never be heard of.
            let per_day = rate.sample(&mut random).max(1e-6);
            per_day / 86_400.0 * scenario.jobs.flops.flop()
        }
        None => machine.gflops() * 1e9 * scenario.availability.fraction_on(),
    };
    (1, speed)
}

/// What part of the host is for this project, if it has others.
pub(super) fn share(scenario: &Scenario, id: ActorId) -> Option<f64> {
    let others = &scenario.other_projects;
    if others.attached == Fraction::ZERO {
        return None;
    }
    let mut random = RandomStream::new(scenario.seed, id, purpose::OTHER_PROJECTS);
    let attached = random.chance(others.attached.value());
    attached.then(|| others.share.sample(&mut random))
}

fn kilobytes_per_s(line: Bandwidth) -> u32 {
    // The cast saturates.
    ((line.bytes_per_s() / 1e3) as u32).max(1)
}

/// Whose each host is: volunteers have a geometric number of hosts, one after another.
fn users(scenario: &Scenario, hosts: usize) -> Vec<u32> {
    let mut random = RandomStream::new(scenario.seed, THE_WORLD, purpose::USERS);
    let another = 1.0 - 1.0 / scenario.population.hosts_per_user;
    let mut user = 0;
    (0..hosts)
        .map(|host| {
            if host > 0 && !random.chance(another) {
                user += 1;
            }
            user
        })
        .collect()
}
