//! What is the right result?
//!
//! The oracle: one ordered map and one loop. Slow on purpose and obviously right. It shares nothing
//! with partitions, queues, horizons and mail, so that a mistake there cannot hide here as well.

use std::collections::BTreeMap;

use crate::actor::{Actor, ActorId};
use crate::context::{Context, Desk, Outbox};
use crate::envelope::{Envelope, EventKey};
use crate::observer::Observer;
use crate::time::SimTime;
use crate::world::World;

/// Runs `world` up to, and not including, the instant `end`, one event after another in the order
/// of their keys. Returns the observer and the number of events.
pub fn run_sequentially<A: Actor, O: Observer<A>>(
    world: World<A>,
    end: SimTime,
    mut observer: O,
) -> (O, u64) {
    let World {
        seed,
        mut actors,
        promises,
    } = world;
    let mut desks: Vec<Desk> = (0..actors.len() as u32)
        .map(|id| Desk::new(seed, ActorId(id)))
        .collect();
    let mut future: BTreeMap<EventKey, (ActorId, A::Message)> = BTreeMap::new();
    let mut outbox = Outbox::<A>::default();
    let mut events = 0;

    // A closure cannot borrow all of this at once; a macro would hide it. So: post what was said.
    fn post<A: Actor, O: Observer<A>>(
        cause: Option<EventKey>,
        actor: ActorId,
        outbox: &mut Outbox<A>,
        future: &mut BTreeMap<EventKey, (ActorId, A::Message)>,
        observer: &mut O,
    ) {
        let time = cause.map_or(SimTime::START, |key| key.time);
        for fact in outbox.facts.drain(..) {
            observer.on_fact(time, actor, &fact);
        }
        for letter in outbox.letters.drain(..) {
            observer.on_send(time, cause, &letter);
            let doubled = future.insert(letter.key, (letter.target, letter.message));
            assert!(doubled.is_none(), "no two events share a key");
        }
    }

    for id in (0..actors.len() as u32).map(ActorId) {
        let group = promises.group_of(id);
        let mut ctx = Context {
            now: SimTime::START,
            me: id,
            group,
            desk: &mut desks[id.0 as usize],
            promises: &promises,
            promised: promises.row(group),
            outbox: &mut outbox,
        };
        actors[id.0 as usize].start(&mut ctx);
        post(None, id, &mut outbox, &mut future, &mut observer);
    }

    while let Some((key, (target, message))) = future.pop_first() {
        if key.time >= end {
            break;
        }
        let group = promises.group_of(target);
        let desk = &mut desks[target.0 as usize];
        let envelope = Envelope {
            key,
            target,
            message,
        };
        desk.expect(&envelope, group, &promises);
        observer.on_event(key, target, &envelope.message);
        let mut ctx = Context {
            now: key.time,
            me: target,
            group,
            desk,
            promises: &promises,
            promised: promises.row(group),
            outbox: &mut outbox,
        };
        actors[target.0 as usize].receive(envelope.message, &mut ctx);
        events += 1;
        post(Some(key), target, &mut outbox, &mut future, &mut observer);
    }
    (observer, events)
}
