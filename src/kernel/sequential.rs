//! What is the right result?
//!
//! The oracle: one ordered map and one loop. Slow on purpose and obviously right. It shares nothing
//! with partitions, queues, horizons and mail, so that a mistake there cannot hide here as well.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::actor::{Actor, ActorId};
use crate::context::{Context, Desk, Outbox};
use crate::envelope::{Envelope, EventKey};
use crate::observer::Observer;
use crate::promise::Promises;
use crate::standstill::{Member, Standstill};
use crate::time::SimTime;
use crate::world::World;

/// Runs `world` up to, and not including, the instant `end`, one event after another in the order
/// of their keys. Returns the observer and the number of events.
pub fn run_sequentially<A: Actor, O: Observer<A>>(
    world: World<A>,
    end: SimTime,
    observer: O,
) -> (O, u64) {
    let mut run = Sequential::new(world, observer);
    run.start();
    run.run_until(end, u64::MAX);
    (run.observer, run.events)
}

/// A run of the oracle, to be stopped and looked at on the way.
pub struct Sequential<A: Actor, O> {
    actors: Vec<A>,
    desks: Vec<Desk>,
    promises: Arc<Promises>,
    future: BTreeMap<EventKey, Envelope<A::Message>>,
    outbox: Outbox<A>,
    observer: O,
    events: u64,
    /// Whether everybody has started.
    started: bool,
    /// The event being handled, should its target panic.
    current: Option<(EventKey, ActorId)>,
}

impl<A: Actor, O: Observer<A>> Sequential<A, O> {
    /// A run of `world` in which nothing has happened yet, or which goes on from where the world was
    /// restored.
    pub fn new(world: World<A>, observer: O) -> Self {
        let World {
            seed,
            actors,
            promises,
            midst,
        } = world;
        let started = midst.is_some();
        let (desks, letters, events) = match midst {
            Some(midst) => (midst.desks, midst.letters, midst.events),
            None => {
                let ids = (0..actors.len() as u32).map(ActorId);
                let desks = ids.map(|id| Desk::new(seed, id)).collect();
                (desks, Vec::new(), 0)
            }
        };
        Sequential {
            actors,
            desks,
            promises,
            future: letters.into_iter().map(|it| (it.key, it)).collect(),
            outbox: Outbox::default(),
            observer,
            events,
            started,
            current: None,
        }
    }

    /// Lets everybody start who has not.
    pub fn start(&mut self) {
        if std::mem::replace(&mut self.started, true) {
            return;
        }
        for id in (0..self.actors.len() as u32).map(ActorId) {
            self.act(SimTime::START, id, |actor, ctx| actor.start(ctx));
            self.post(None, id);
        }
    }

    /// Handles events earlier than `end`, and at most so many.
    pub fn run_until(&mut self, end: SimTime, budget: u64) {
        for _ in 0..budget {
            if self.reached() >= end {
                break;
            }
            let (key, envelope) = self.future.pop_first().expect("its time was just seen");
            let target = envelope.target;
            self.current = Some((key, target));
            let group = self.promises.group_of(target);
            self.desks[target.0 as usize].expect(&envelope, group, &self.promises);
            self.observer.on_event(key, target, &envelope.message);
            self.act(key.time, target, |actor, ctx| {
                actor.receive(envelope.message, ctx);
            });
            self.events += 1;
            self.post(Some(key), target);
        }
    }

    fn act(&mut self, now: SimTime, id: ActorId, act: impl FnOnce(&mut A, &mut Context<'_, A>)) {
        let group = self.promises.group_of(id);
        let mut ctx = Context {
            now,
            me: id,
            group,
            desk: &mut self.desks[id.0 as usize],
            promises: &self.promises,
            promised: self.promises.sends(group),
            outbox: &mut self.outbox,
        };
        act(&mut self.actors[id.0 as usize], &mut ctx);
    }

    fn post(&mut self, cause: Option<EventKey>, actor: ActorId) {
        let time = cause.map_or(SimTime::START, |key| key.time);
        for fact in self.outbox.facts.drain(..) {
            self.observer.on_fact(time, actor, &fact);
        }
        for letter in self.outbox.letters.drain(..) {
            self.observer.on_send(time, cause, &letter);
            let doubled = self.future.insert(letter.key, letter);
            assert!(doubled.is_none(), "no two events share a key");
        }
    }

    /// What was being handled when somebody panicked, in words.
    pub fn scene(&self) -> Option<String> {
        self.current
            .map(|(key, target)| self.promises.scene(key, target))
    }

    /// The observer, when the run is over.
    pub fn into_observer(self) -> O {
        self.observer
    }
}

impl<A: Actor, O: Observer<A>> Standstill<A, O> for Sequential<A, O> {
    fn reached(&self) -> SimTime {
        let first = self.future.first_key_value();
        first.map_or(SimTime::NEVER, |(key, _)| key.time)
    }

    fn events(&self) -> u64 {
        self.events
    }

    fn members(&self) -> Vec<Member<'_, A>> {
        let members = self.desks.iter().zip(&self.actors);
        members
            .map(|(desk, actor)| Member { desk, actor })
            .collect()
    }

    fn under_way(&self) -> Vec<&Envelope<A::Message>> {
        self.future.values().collect()
    }

    fn observer(&self) -> O {
        self.observer.clone()
    }
}
