//! A run that is not there is looked at and held.

use std::sync::atomic::AtomicU64;
use std::thread;

use actors::phold::Node;
use kernel::{Envelope, Member, Standstill};

use super::*;
use crate::coordinator::Attendant;

/// A run whose observer is how many hours have passed.
struct Still(AtomicU64);

impl Standstill<Node, u64> for Still {
    fn reached(&self) -> SimTime {
        SimTime::START + SimDuration::from_hours(self.observer())
    }

    fn events(&self) -> u64 {
        10 * self.observer()
    }

    fn members(&self) -> Vec<Member<'_, Node>> {
        Vec::new()
    }

    fn under_way(&self) -> Vec<&Envelope<<Node as kernel::Actor>::Message>> {
        Vec::new()
    }

    fn observer(&self) -> u64 {
        self.0.load(Ordering::SeqCst)
    }
}

fn live(held: bool) -> Arc<Live> {
    let about = About {
        name: "a run".to_owned(),
        seed: 1,
        until_s: 86_400.0,
        stopping: "results".to_owned(),
    };
    Arc::new(Live::new(about, Arc::default(), held))
}

fn sighting(number: u64) -> Sighting {
    Sighting {
        number,
        now_ns: number,
        now_s: 0.0,
        wall_s: 0.0,
        events: 0,
        held: false,
        outcome: None,
        gauges: Vec::new(),
        workers: Vec::new(),
    }
}

/// Waits until the run is seen to be held at so many hours.
fn held_at(live: &Live, hours: u64) -> Sighting {
    let began = Instant::now();
    loop {
        if let Some(last) = live
            .last()
            .filter(|last| last.held && last.now_s == 3_600.0 * hours as f64)
        {
            return last;
        }
        assert!(
            began.elapsed() < Duration::from_secs(20),
            "the run is not held: {:?}",
            live.last()
        );
        thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_held_run_goes_on_by_steps_then_to_its_end() {
    let live = live(true);
    let run = Arc::new(Still(AtomicU64::new(0)));
    let (of_run, its) = (Arc::clone(&run), Arc::clone(&live));
    let goes = thread::spawn(move || {
        let mut attendant = LiveAttendant::new(its, |hours: &u64| vec![*hours as f64]);
        // As the leader does it: to the instant that the attendant names, and no further.
        let mut instants = Vec::new();
        loop {
            let until = Attendant::<Node, u64>::attend(&mut attendant, &*of_run);
            instants.push(until);
            if until == SimTime::NEVER {
                return instants;
            }
            of_run.0.store(
                (until - SimTime::START).nanos() / STEP.nanos(),
                Ordering::SeqCst,
            );
        }
    });
    assert_eq!(held_at(&live, 0).gauges, [0.0]);
    live.step();
    assert_eq!(held_at(&live, 1).gauges, [1.0]);
    live.step();
    assert_eq!(held_at(&live, 2).events, 20);
    live.resume();
    let hour = |number| SimTime::START + SimDuration::from_hours(number);
    assert_eq!(goes.join().unwrap(), [hour(1), hour(2), SimTime::NEVER]);
    live.finish("it is over");
    assert_eq!(live.last().unwrap().outcome.as_deref(), Some("it is over"));
}

#[test]
fn a_held_run_can_be_stopped() {
    let live = live(true);
    let its = Arc::clone(&live);
    let goes = thread::spawn(move || {
        let mut attendant = LiveAttendant::new(its, |_: &u64| Vec::new());
        Attendant::<Node, u64>::attend(&mut attendant, &Still(AtomicU64::new(3)))
    });
    held_at(&live, 3);
    live.stop();
    assert_eq!(goes.join().unwrap(), SimTime::NEVER);
}

#[test]
fn a_long_history_is_thinned_and_keeps_its_end_and_its_order() {
    let mut history = History::default();
    for number in 0..50_000 {
        history.add(sighting(number));
    }
    let kept = history.since(0, usize::MAX);
    assert!((1_000..=2_000).contains(&kept.len()), "{}", kept.len());
    assert!(kept.is_sorted_by_key(|it| it.number));
    assert_eq!(kept.last().unwrap().number, 49_999);
    // Numbers are given once and never change, so that whoever asks from a number on misses nothing.
    assert!(kept.iter().all(|it| it.number == it.now_ns));
    assert_eq!(history.since(49_990, 4).len(), 4);
    assert!(history.since(50_000, 4).is_empty());
}
