//! Who looks into a run between two windows?
//!
//! A watcher hears how far a run has got; an attendant sees what it is made of. Between two windows
//! nothing moves: that is when checkpoints are written, when observers are looked at from outside,
//! and where a run can be held. There is one such moment for all of these.

use kernel::{Actor, SimTime, Standstill};

/// Looks into a run between two windows.
pub trait Attendant<A: Actor, O>: Send + 'static {
    /// Looks. The run waits for as long as this takes.
    ///
    /// Called at the start of the run, then when it reaches the instant that the last call returned
    /// (exactly: no window goes beyond it), and some ten times a second by the clock on the wall. An
    /// instant that is not later than what the run has reached stands for none.
    fn attend(&mut self, run: &dyn Standstill<A, O>) -> SimTime;

    /// Looks for the last time: the run was asked to end before its end.
    fn leave(&mut self, _run: &dyn Standstill<A, O>) {}
}

/// Nobody looks.
impl<A: Actor, O> Attendant<A, O> for () {
    fn attend(&mut self, _run: &dyn Standstill<A, O>) -> SimTime {
        SimTime::NEVER
    }
}

/// Several look, one after another.
impl<A: Actor, O: 'static> Attendant<A, O> for Vec<Box<dyn Attendant<A, O>>> {
    fn attend(&mut self, run: &dyn Standstill<A, O>) -> SimTime {
        let next = self.iter_mut().map(|attendant| attendant.attend(run));
        // Each is asked, and those are left out that have nothing ahead of them.
        let ahead = next.filter(|&instant| instant > run.reached());
        ahead.fold(SimTime::NEVER, SimTime::min)
    }

    fn leave(&mut self, run: &dyn Standstill<A, O>) {
        for attendant in self {
            attendant.leave(run);
        }
    }
}
