//! Who watches, and what do they learn?
//!
//! Observers stand outside the world: they hear every event, every letter sent and every noted fact,
//! and nobody inside hears them. Each partition has one of its own; at the end they are merged. Inside a window a
//! partition goes actor by actor, so an observer may rely on the order of one actor's events and
//! facts, and on nothing between actors.

use crate::actor::{Actor, ActorId};
use crate::envelope::{Envelope, EventKey};
use crate::time::SimTime;

/// Watches a run from outside. Law: the order of merging does not matter.
///
/// A sum of floating-point numbers breaks that law; count in integers.
pub trait Observer<A: Actor>: Clone + Send + 'static {
    /// `target` is about to handle `message`.
    #[inline]
    fn on_event(&mut self, _key: EventKey, _target: ActorId, _message: &A::Message) {}

    /// `letter` was sent at `sent`, by its key's source; `cause` is the event whose handling sent it,
    /// `None` at the start of the run.
    ///
    /// Called once for every letter, after the event that caused it and that event's facts, and before
    /// the sender's next event; the letters of one event come in no particular order. A letter that
    /// would arrive after the end of the run is shown, too.
    #[inline]
    fn on_send(
        &mut self,
        _sent: SimTime,
        _cause: Option<EventKey>,
        _letter: &Envelope<A::Message>,
    ) {
    }

    /// `actor` noted `fact` while it handled a message at `time`.
    #[inline]
    fn on_fact(&mut self, _time: SimTime, _actor: ActorId, _fact: &A::Fact) {}

    /// Takes over all that another observer of the same run has seen.
    fn merge(&mut self, other: Self);
}

/// Nobody watches; it costs nothing.
impl<A: Actor> Observer<A> for () {
    fn merge(&mut self, (): ()) {}
}

/// Both watch.
impl<A: Actor, X: Observer<A>, Y: Observer<A>> Observer<A> for (X, Y) {
    #[inline]
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &A::Message) {
        self.0.on_event(key, target, message);
        self.1.on_event(key, target, message);
    }

    #[inline]
    fn on_send(&mut self, sent: SimTime, cause: Option<EventKey>, letter: &Envelope<A::Message>) {
        self.0.on_send(sent, cause, letter);
        self.1.on_send(sent, cause, letter);
    }

    #[inline]
    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &A::Fact) {
        self.0.on_fact(time, actor, fact);
        self.1.on_fact(time, actor, fact);
    }

    fn merge(&mut self, other: Self) {
        self.0.merge(other.0);
        self.1.merge(other.1);
    }
}

/// Watches if it is there. When it is not, each call costs one foreseeable branch: that is cheaper
/// than compiling every run twice.
impl<A: Actor, X: Observer<A>> Observer<A> for Option<X> {
    #[inline]
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &A::Message) {
        if let Some(observer) = self {
            observer.on_event(key, target, message);
        }
    }

    #[inline]
    fn on_send(&mut self, sent: SimTime, cause: Option<EventKey>, letter: &Envelope<A::Message>) {
        if let Some(observer) = self {
            observer.on_send(sent, cause, letter);
        }
    }

    #[inline]
    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &A::Fact) {
        if let Some(observer) = self {
            observer.on_fact(time, actor, fact);
        }
    }

    fn merge(&mut self, other: Self) {
        match (self, other) {
            (Some(mine), Some(its)) => mine.merge(its),
            (mine @ None, its) => *mine = its,
            (Some(_), None) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use crate::actor::{Address, Group, Inbox};
    use crate::context::Context;
    use crate::directory::Directory;
    use crate::partition::{Partition, Safe, divide};
    use crate::queue::WindowRing;
    use crate::sequential::run_sequentially;
    use crate::time::SimDuration;
    use crate::world::{World, WorldBuilder};

    /// One of three who pass a ball around and mutter to themselves.
    struct Player;

    #[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
    enum Heard {
        Ball(u32),
        Muttering,
    }

    impl Inbox for Player {
        type Message = Heard;
        const GROUP: Group = Group(0);
    }

    impl Actor for Player {
        type Message = Heard;
        type Fact = u32;

        fn start(&mut self, ctx: &mut Context<'_, Self>) {
            ctx.schedule(Heard::Ball(0), SimDuration::from_nanos(5));
        }

        fn receive(&mut self, heard: Heard, ctx: &mut Context<'_, Self>) {
            if let Heard::Ball(passes) = heard {
                ctx.note(passes);
                let next = Address::<Player>::new(ActorId((ctx.me::<Player>().id().0 + 1) % 3));
                ctx.schedule(Heard::Muttering, SimDuration::ZERO);
                ctx.send(next, Heard::Ball(passes + 1), SimDuration::from_nanos(10));
            }
        }
    }

    type Sent = (SimTime, Option<EventKey>, ActorId, Heard);

    /// Writes down what was sent, and checks what an observer may rely on.
    #[derive(Clone, Default)]
    struct Letters {
        sent: BTreeMap<EventKey, Sent>,
        handled: BTreeMap<EventKey, (ActorId, Heard)>,
        /// The event at hand.
        current: Option<(EventKey, ActorId)>,
    }

    impl Observer<Player> for Letters {
        fn on_event(&mut self, key: EventKey, target: ActorId, message: &Heard) {
            self.current = Some((key, target));
            self.handled.insert(key, (target, *message));
        }

        fn on_send(&mut self, sent: SimTime, cause: Option<EventKey>, letter: &Envelope<Heard>) {
            if let Some(cause) = cause {
                let (key, actor) = self.current.expect("an event is at hand");
                assert_eq!((cause, sent), (key, key.time));
                assert_eq!(actor, letter.key.source, "who handles an event sends");
            }
            let new = (sent, cause, letter.target, letter.message);
            let doubled = self.sent.insert(letter.key, new);
            assert_eq!(doubled, None, "a letter is sent once");
        }

        fn merge(&mut self, other: Self) {
            self.sent.extend(other.sent);
            self.handled.extend(other.handled);
        }
    }

    fn world() -> World<Player> {
        let mut world = WorldBuilder::new(1);
        world.group::<Player>("player");
        world.edge::<Player, Player>(SimDuration::from_nanos(10));
        for _ in 0..3 {
            world.add::<Player>(Player);
        }
        world.build()
    }

    #[test]
    fn every_letter_is_shown_once_with_its_cause_by_partition_and_oracle_alike() {
        let end = SimTime::from_nanos(100);
        let (expected, events) = run_sequentially(world(), end, Letters::default());
        // Three players at 5, 15, .. 95 ns, each with a muttering.
        assert_eq!((events, expected.handled.len()), (60, 60));
        // Those three balls that would arrive at 105 ns were sent as well.
        assert_eq!(expected.sent.len(), 63);
        for (key, (target, message)) in &expected.handled {
            let &(sent, cause, to, said) = &expected.sent[key];
            assert_eq!((to, said), (*target, *message));
            assert_eq!(cause.is_none(), *message == Heard::Ball(0));
            assert_eq!(sent, cause.map_or(SimTime::START, |cause| cause.time));
        }

        let directory = Directory::new(vec![3]);
        let window = SimDuration::from_nanos(10);
        let observer = Some(Letters::default());
        let mut partitions: Vec<Partition<_, _, WindowRing<_>>> =
            divide(world(), directory, window, &observer);
        let mut partition = partitions.pop().expect("there is one");
        partition.start();
        partition.run(Safe::until(end), u64::MAX);
        let found = partition.into_observer().expect("it watched");
        assert_eq!(found.sent, expected.sent);
        assert_eq!(found.handled, expected.handled);
    }

    #[test]
    fn one_that_is_not_there_merges_with_one_that_is() {
        let seen = || {
            let mut letters = Letters::default();
            let key = EventKey {
                time: SimTime::START,
                source: ActorId(0),
                number: 0,
            };
            letters.on_event(key, ActorId(1), &Heard::Muttering);
            Some(letters)
        };
        let mut nobody: Option<Letters> = None;
        Observer::<Player>::merge(&mut nobody, seen());
        Observer::<Player>::merge(&mut nobody, None);
        assert_eq!(nobody.expect("it was taken over").handled.len(), 1);
    }
}
