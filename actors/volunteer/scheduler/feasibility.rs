//! Can this host do another instance, and does it want one?
//!
//! The checks of BOINC's `sched_check`: memory, disk and deadline. All jobs are of one size, so what
//! is checked is the host, not the job.

use kernel::SimDuration;

use crate::shared::quantity::Bytes;
use crate::volunteer::messages::Request;
use crate::volunteer::scenario::Jobs;

/// What is assumed of a host that does not know its memory.
const MEMORY_IF_UNKNOWN: u64 = 64 << 20;

/// What a host can take and wants, as instances are put into a reply.
#[derive(Clone, Debug)]
pub(super) struct Feasibility {
    memory_suffices: bool,
    /// What an instance takes by the wall clock, with the host being off at times.
    takes: SimDuration,
    delay_bound: SimDuration,
    /// How long the host is busy before it can begin another.
    queue_delay: SimDuration,
    cores: u64,
    disk_left: u64,
    disk_per_instance: u64,
    disk_per_file: u64,
    work_wanted: SimDuration,
    idle_cores: u32,
}

impl Feasibility {
    /// What the host that makes this request can take.
    pub(super) fn of(request: &Request, jobs: &Jobs) -> Self {
        let memory = match request.memory_bytes {
            0 => MEMORY_IF_UNKNOWN,
            known => known,
        };
        let speed = request.speed_flop_per_s.max(1) as f64;
        let on_fraction = (f64::from(request.on_fraction_millionths) / 1e6).clamp(0.1, 1.0);
        Feasibility {
            memory_suffices: jobs.memory.bytes() <= memory,
            takes: SimDuration::from_secs_f64(jobs.flops.flop() / speed / on_fraction),
            delay_bound: jobs.delay_bound.span(),
            queue_delay: request.queue_delay,
            cores: u64::from(request.cores.max(1)),
            disk_left: disk_left(request),
            disk_per_instance: jobs.disk.bytes() + jobs.output_file.bytes(),
            disk_per_file: jobs.input_file.bytes(),
            work_wanted: request.work_wanted,
            idle_cores: request.idle_cores,
        }
    }

    /// Whether the request is not satisfied yet.
    pub(super) fn wants_another(&self) -> bool {
        self.idle_cores > 0 || self.work_wanted > SimDuration::ZERO
    }

    /// Whether memory and deadline allow another instance. A host that has nothing to do gets one
    /// instance, however slow it is.
    pub(super) fn allows_another(&self) -> bool {
        let in_time = self.queue_delay == SimDuration::ZERO
            || self.queue_delay + self.takes <= self.delay_bound;
        self.memory_suffices && in_time
    }

    /// Whether there is disk space for another instance, and its file unless that is `present`.
    pub(super) fn has_disk_for(&self, present: bool) -> bool {
        self.disk_for(present) <= self.disk_left
    }

    /// Another instance goes to the host.
    pub(super) fn count(&mut self, present: bool) {
        self.disk_left -= self.disk_for(present);
        self.queue_delay += self.takes / self.cores;
        self.work_wanted = self.work_wanted.saturating_sub(self.takes);
        self.idle_cores = self.idle_cores.saturating_sub(1);
    }

    fn disk_for(&self, present: bool) -> u64 {
        self.disk_per_instance + if present { 0 } else { self.disk_per_file }
    }
}

/// What the volunteer leaves to the project: a limit of zero is no limit.
fn disk_left(request: &Request) -> u64 {
    let allowed = match Bytes::new(request.disk_limit_bytes).bytes() {
        0 => u64::MAX,
        limit => limit.saturating_sub(request.disk_used_bytes),
    };
    request.disk_free_bytes.min(allowed)
}

#[cfg(test)]
mod tests {
    use kernel::{ActorId, Address};

    use super::*;

    fn request() -> Request {
        Request {
            host: Address::new(ActorId(100)),
            record: None,
            user: 0,
            platform: None,
            cores: 2,
            speed_flop_per_s: 3_000_000_000,
            memory_bytes: 4 << 30,
            disk_free_bytes: 300_000_000_000,
            disk_limit_bytes: 0,
            disk_used_bytes: 0,
            on_fraction_millionths: 1_000_000,
            line_kb_per_s: 1_250,
            queue_delay: SimDuration::ZERO,
            work_wanted: SimDuration::from_hours(100),
            idle_cores: 0,
            reports: Default::default(),
            files: Default::default(),
            way_back: SimDuration::from_millis(50),
            after_web_interaction: false,
        }
    }

    #[test]
    fn a_disk_limit_of_zero_is_no_limit() {
        // Field case 6 (BOINC issue 4643): 300 GB free, a job of 1 GB.
        let jobs = Jobs {
            disk: Bytes::new(1_000_000_000),
            ..Jobs::default()
        };
        assert!(Feasibility::of(&request(), &jobs).has_disk_for(false));
        let limited = Request {
            disk_limit_bytes: 1_000_000_000,
            ..request()
        };
        assert!(!Feasibility::of(&limited, &jobs).has_disk_for(false));
    }

    #[test]
    fn a_host_that_does_not_know_its_memory_has_64_mebibytes() {
        let unknown = Request {
            memory_bytes: 0,
            ..request()
        };
        let jobs = |memory| Jobs {
            memory: Bytes::new(memory),
            ..Jobs::default()
        };
        assert!(Feasibility::of(&unknown, &jobs(64 << 20)).allows_another());
        assert!(!Feasibility::of(&unknown, &jobs((64 << 20) + 1)).allows_another());
    }

    #[test]
    fn an_impossible_on_fraction_is_taken_as_the_nearest_possible_one() {
        let takes = |millionths| {
            let host = Request {
                on_fraction_millionths: millionths,
                ..request()
            };
            Feasibility::of(&host, &Jobs::default()).takes
        };
        assert_eq!(takes(0), takes(100_000));
        assert_eq!(takes(7_000_000), takes(1_000_000));
        // 1.05e14 flop at 3 Gflop/s are 35,000 s.
        assert_eq!(takes(1_000_000), SimDuration::from_secs(35_000));
        assert_eq!(takes(0), SimDuration::from_secs(350_000));
    }

    #[test]
    fn an_idle_host_gets_one_instance_however_slow_it_is() {
        let slow = Request {
            speed_flop_per_s: 1_000_000,
            ..request()
        };
        let mut feasibility = Feasibility::of(&slow, &Jobs::default());
        assert!(feasibility.allows_another());
        feasibility.count(false);
        assert!(!feasibility.allows_another());
    }
}
