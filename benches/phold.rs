//! Question: what does an event cost, all in, on one thread?
//!
//! PHOLD (one token per actor, half of them remote, lookahead 0.1 s, mean 1 s), window ring and binary
//! heap, at sizes that fit the second-level cache and that do not. Building the world is not timed.
//! For speed-up over threads, memory and digests: `myriad bench phold`.

use std::time::Duration;

use actors::phold;
use criterion::{BatchSize, BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use kernel::SimTime;
use myriad::bench::job::phold_time;
use myriad::coordinator::{Plan, QueueRule, run};

fn events_cost(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("phold");
    group
        .sample_size(10)
        .measurement_time(Duration::from_secs(3));
    for actors in [1_000, 30_000] {
        let parameters = phold::Parameters {
            actors,
            events_per_actor: 1,
            remote: 0.5,
            lookahead_s: 0.1,
            mean_s: 1.0,
        };
        let end = SimTime::START + phold_time(&parameters, 300_000.0, 5.0);
        for (name, queue) in [
            ("window_ring", QueueRule::WindowRing),
            ("binary_heap", QueueRule::BinaryHeap),
        ] {
            let plan = Plan {
                queue,
                partitions: Some(1),
                ..Plan::default()
            };
            let go = |world| {
                run(world, &plan, end, (), &())
                    .expect("it runs")
                    .engine
                    .events
            };
            group.throughput(Throughput::Elements(go(parameters.build(1))));
            group.bench_function(BenchmarkId::new(name, actors), |bencher| {
                bencher.iter_batched(|| parameters.build(1), go, BatchSize::PerIteration);
            });
        }
    }
    group.finish();
}

criterion_group!(benches, events_cost);
criterion_main!(benches);
