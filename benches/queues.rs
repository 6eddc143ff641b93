//! Question: what does a pending-event set cost by itself, per event, as more are pending?
//!
//! The hold model (Jones, CACM 29(4), 1986): the set keeps its size; whatever is taken out goes in again
//! 0.1 s + Exp(1 s) later. Windows are 0.1 s long, as in PHOLD, so queues that can hand out whole
//! windows may.

use std::hint::black_box;
use std::time::Duration;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kernel::queue::{BinaryHeapQueue, CalendarQueue, EventQueue, WindowRing};
use kernel::{ActorId, Envelope, EventKey, Purpose, RandomStream, SimDuration, SimTime};

const WINDOW: SimDuration = SimDuration::from_millis(100);
/// How many events are taken and put back per measurement.
const HOLDS: u64 = 50_000;

/// A set with its events, and where their times come from.
struct Hold<Q> {
    queue: Q,
    random: RandomStream,
    number: u32,
    window: Vec<Envelope<()>>,
}

impl<Q: EventQueue<()>> Hold<Q> {
    fn of(pending: u32) -> Self {
        let mut hold = Hold {
            queue: Q::for_windows_of(WINDOW),
            random: RandomStream::new(1, ActorId(0), Purpose::GENERAL),
            number: 0,
            window: Vec::new(),
        };
        for _ in 0..pending {
            hold.put(SimTime::START);
        }
        // Every event is held five times, so that the set is in its steady state.
        hold.take_and_put(5 * u64::from(pending));
        hold
    }

    fn put(&mut self, now: SimTime) {
        let beyond = SimDuration::from_nanos((self.random.exponential() * 1e9) as u64);
        self.number = self.number.wrapping_add(1);
        self.queue.push(Envelope {
            key: EventKey {
                time: now + WINDOW + beyond,
                source: ActorId(self.number),
                number: self.number,
            },
            target: ActorId(self.number % 1_000),
            message: (),
        });
    }

    /// Holds at least `events` events; returns how many.
    fn take_and_put(&mut self, events: u64) -> u64 {
        let mut held = 0;
        let mut window = std::mem::take(&mut self.window);
        while held < events {
            let limit = self.queue.next_time() + WINDOW;
            self.queue.take_window(limit, &mut window);
            held += window.len() as u64;
            for envelope in window.drain(..) {
                self.put(envelope.key.time);
            }
        }
        self.window = window;
        held
    }
}

fn compare<Q: EventQueue<()>>(criterion: &mut Criterion, name: &str) {
    let mut group = criterion.benchmark_group("hold");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(1));
    for pending in [100, 1_000, 30_000, 300_000] {
        let mut hold = Hold::<Q>::of(pending);
        group.throughput(Throughput::Elements(HOLDS));
        group.bench_function(BenchmarkId::new(name, pending), |bencher| {
            // A window is not cut short, so the time is scaled to exactly `HOLDS` events.
            bencher.iter_custom(|iterations| {
                let began = std::time::Instant::now();
                let held = black_box(hold.take_and_put(iterations * HOLDS));
                began
                    .elapsed()
                    .mul_f64((iterations * HOLDS) as f64 / held as f64)
            });
        });
    }
    group.finish();
}

fn queues(criterion: &mut Criterion) {
    compare::<WindowRing<()>>(criterion, "window_ring");
    compare::<CalendarQueue<()>>(criterion, "calendar");
    compare::<BinaryHeapQueue<()>>(criterion, "binary_heap");
}

criterion_group!(benches, queues);
criterion_main!(benches);
