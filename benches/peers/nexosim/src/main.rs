//! PHOLD on NeXosim: models that pass tokens on through the simulation's scheduler.
//!
//! Usage: `phold-nexosim ACTORS UNTIL_S REMOTE LOOKAHEAD_S MEAN_S SEED`. Prints one line: events,
//! seconds for starting and running, processor seconds for the same, peak resident bytes.
//!
//! A model can only schedule its own inputs, and ports deliver at once; what reaches another model
//! after a delay goes through the global scheduler, with one event source per model. That is also the
//! fastest way we know: an output port per model, with a timer of one's own for each token in
//! flight, costs more. One thread, since more are slower: NeXosim runs in parallel only what happens
//! at the same instant.

use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};

use nexosim::model::Model;
use nexosim::ports::EventSource;
use nexosim::simulation::{EventId, Mailbox, Scheduler, SimInit};
use nexosim::time::MonotonicTime;
use serde::{Deserialize, Serialize};

/// What all models know, once the bench stands.
struct Network {
    scheduler: Scheduler,
    inputs: Vec<EventId<()>>,
    remote: f64,
    lookahead_s: f64,
    mean_s: f64,
}

type SharedNetwork = Arc<OnceLock<Network>>;

#[derive(Serialize, Deserialize)]
struct Node {
    number: usize,
    random: u64,
    handled: u64,
    #[serde(skip)]
    network: SharedNetwork,
}

#[Model]
impl Node {
    fn token(&mut self) {
        self.handled += 1;
        HANDLED.with(|count| count.set(count.get() + 1));
        self.pass_on();
    }
}

std::thread_local! {
    /// All models run on one thread.
    static HANDLED: std::cell::Cell<u64> = const { std::cell::Cell::new(0) };
}

impl Node {
    fn pass_on(&mut self) {
        let network = self.network.get().expect("the bench stands");
        let target = if uniform(&mut self.random) < network.remote {
            (next(&mut self.random) % network.inputs.len() as u64) as usize
        } else {
            self.number
        };
        let beyond = -(1.0 - uniform(&mut self.random)).ln() * network.mean_s;
        let delay = Duration::from_nanos(((network.lookahead_s + beyond) * 1e9) as u64);
        let passed = network
            .scheduler
            .schedule_event(delay, &network.inputs[target], ());
        passed.expect("delays are positive");
    }
}

/// xorshift64*, as cheap as random numbers get.
fn next(state: &mut u64) -> u64 {
    *state ^= *state >> 12;
    *state ^= *state << 25;
    *state ^= *state >> 27;
    state.wrapping_mul(0x2545_f491_4f6c_dd1d)
}

fn uniform(state: &mut u64) -> f64 {
    (next(state) >> 11) as f64 / (1u64 << 53) as f64
}

fn main() {
    let arguments: Vec<f64> = std::env::args()
        .skip(1)
        .map(|word| word.parse().expect("arguments are numbers"))
        .collect();
    let [actors, until_s, remote, lookahead_s, mean_s, seed] = arguments[..] else {
        eprintln!("usage: phold-nexosim ACTORS UNTIL_S REMOTE LOOKAHEAD_S MEAN_S SEED");
        std::process::exit(2);
    };
    let actors = actors as usize;

    let network = SharedNetwork::default();
    let mut bench = SimInit::with_num_threads(1);
    let mut inputs = Vec::with_capacity(actors);
    for number in 0..actors {
        let mailbox = Mailbox::new();
        inputs.push(
            EventSource::new()
                .connect(Node::token, &mailbox)
                .register(&mut bench),
        );
        let node = Node {
            number,
            random: (number as u64 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ seed as u64,
            handled: 0,
            network: network.clone(),
        };
        bench = bench.add_model(node, mailbox, "node");
    }
    let mut simulation = bench.init(MonotonicTime::EPOCH).expect("the bench stands");
    let scheduler = simulation.scheduler();
    let stands = network.set(Network {
        scheduler: scheduler.clone(),
        inputs,
        remote,
        lookahead_s,
        mean_s,
    });
    assert!(stands.is_ok(), "the bench is set up once");

    let (began, cpu_before_s) = (Instant::now(), cpu_s());
    let inputs = &network.get().expect("just set").inputs;
    let mut random = seed as u64 | 1;
    for input in inputs {
        let beyond = -(1.0 - uniform(&mut random)).ln() * mean_s;
        let delay = Duration::from_nanos(((lookahead_s + beyond) * 1e9) as u64);
        scheduler
            .schedule_event(delay, input, ())
            .expect("delays are positive");
    }
    simulation
        .step_until(Duration::from_secs_f64(until_s))
        .expect("the run goes to its end");
    let wall_s = began.elapsed().as_secs_f64();
    let used_s = cpu_s() - cpu_before_s;
    let events = HANDLED.with(std::cell::Cell::get);
    println!("{events} {wall_s:.6} {used_s:.6} {}", peak_bytes());
}

/// Seconds of a processor that this thread, which runs all models, has used, where the system tells.
fn cpu_s() -> f64 {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next();
    nanoseconds.and_then(|text| text.parse::<f64>().ok()).unwrap_or(0.0) / 1e9
}

/// The most memory this process has held, where the system tells.
fn peak_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    let kibibytes = line.and_then(|line| line.trim().strip_suffix(" kB"));
    1024 * kibibytes.and_then(|text| text.trim().parse::<u64>().ok()).unwrap_or(0)
}
