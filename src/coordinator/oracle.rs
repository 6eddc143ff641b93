//! The runtime without partitions: the kernel's oracle, in steps, so that it can be watched.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

use kernel::{Actor, Observer, Sequential, SimTime, Standstill};

use super::ledger::EngineLedger;
use super::stage::panic_text;
use super::{Outcome, Run, RunError};

/// How many events are handled between two looks at the clock.
const STEP: u64 = 1 << 12;
/// How often the watcher and the attendant are called, in wall-clock time.
const LOOK_EVERY: Duration = Duration::from_millis(100);

pub(super) fn run<A: Actor, O: Observer<A>>(task: Run<'_, A, O>) -> Result<Outcome<O>, RunError> {
    let began = Instant::now();
    let Run {
        world,
        end,
        mut observer,
        seen,
        watcher,
        mut attendant,
        ..
    } = task;
    if let Some(seen) = seen {
        observer.merge(seen);
    }
    let events_before = world.events();
    let mut run = Sequential::new(world, observer);
    let led = catch_unwind(AssertUnwindSafe(|| {
        run.start();
        let mut attend_at = attendant.attend(&run);
        let mut looked = Instant::now();
        while run.reached() < end {
            if attend_at <= run.reached() {
                attend_at = SimTime::NEVER;
            }
            run.run_until(end.min(attend_at), STEP);
            if run.reached() >= attend_at || looked.elapsed() >= LOOK_EVERY {
                looked = Instant::now();
                watcher.progress(run.reached().min(end), run.events() - events_before);
                attend_at = attendant.attend(&run);
                if watcher.should_stop() && run.reached() < end {
                    attendant.leave(&run);
                    return;
                }
            }
        }
        watcher.progress(end, run.events() - events_before);
    }));
    if let Err(panic) = led {
        let said = panic_text(&*panic);
        return Err(RunError::Panicked(match run.scene() {
            Some(scene) => format!("{scene}: {said}"),
            None => said,
        }));
    }
    let reached = run.reached().min(end);
    Ok(Outcome {
        engine: EngineLedger {
            events: run.events() - events_before,
            threads: 1,
            partitions: 1,
            horizon: "none".to_owned(),
            queue: "ordered_map".to_owned(),
            runtime: "sequential".to_owned(),
            wall_s: began.elapsed().as_secs_f64(),
            ..EngineLedger::default()
        },
        observer: run.into_observer(),
        reached,
        completed: reached >= end,
    })
}
