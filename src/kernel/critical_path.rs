//! How long is the longest chain of events that must follow each other?
//!
//! An event must follow the one in which its letter was sent, and the one that its target handled
//! before. However many workers there are, and whatever the protocol, a run takes at least as many
//! steps as its longest chain has events: the number of all events over that is the most that
//! parallel execution could ever gain, if every event cost the same. (O. Berry and D. Jefferson,
//! *Critical path analysis of distributed simulation*, 1985.)

use std::collections::BTreeMap;

use crate::actor::{Actor, ActorId};
use crate::envelope::{Envelope, EventKey};
use crate::observer::Observer;
use crate::time::SimTime;

/// Finds the longest chain of events. It must see all of a run: it is for the
/// [oracle](crate::run_sequentially), or for a run in one partition.
#[derive(Clone, Debug, Default)]
pub struct CriticalPath {
    /// The length of the longest chain that ends with the last event of each actor.
    by_actor: Vec<u64>,
    /// The same for the event in which each letter under way was sent.
    by_letter: BTreeMap<EventKey, u64>,
    /// The same for the present event.
    present: u64,
    longest: u64,
    events: u64,
}

impl CriticalPath {
    /// How many events the longest chain has.
    pub fn length(&self) -> u64 {
        self.longest
    }

    /// How many events there were in all.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The most that any number of workers could gain, if every event cost the same.
    pub fn parallelism(&self) -> f64 {
        self.events as f64 / self.longest.max(1) as f64
    }
}

impl<A: Actor> Observer<A> for CriticalPath {
    fn on_event(&mut self, key: EventKey, target: ActorId, _message: &A::Message) {
        let target = target.0 as usize;
        if self.by_actor.len() <= target {
            self.by_actor.resize(target + 1, 0);
        }
        let cause = self.by_letter.remove(&key).unwrap_or(0);
        self.present = cause.max(self.by_actor[target]) + 1;
        self.by_actor[target] = self.present;
        self.longest = self.longest.max(self.present);
        self.events += 1;
    }

    fn on_send(
        &mut self,
        _sent: SimTime,
        cause: Option<EventKey>,
        envelope: &Envelope<A::Message>,
    ) {
        // What is said at the start of a run follows nothing.
        let length = if cause.is_some() { self.present } else { 0 };
        self.by_letter.insert(envelope.key, length);
    }

    /// Chains across two observers are not seen.
    fn merge(&mut self, other: Self) {
        self.longest = self.longest.max(other.longest);
        self.events += other.events;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::{Address, Group, Inbox};
    use crate::context::Context;
    use crate::sequential::run_sequentially;
    use crate::time::SimDuration;
    use crate::world::WorldBuilder;

    /// Clients ask a server, each at its own time; the server answers.
    enum Cast {
        Server,
        Client(u64),
    }
    struct Server;
    struct Client;

    #[derive(Clone, Copy, Hash, Debug)]
    enum Said {
        Time,
        Question(ActorId),
        Answer,
    }

    impl Inbox for Server {
        type Message = Said;
        const GROUP: Group = Group(0);
    }
    impl Inbox for Client {
        type Message = Said;
        const GROUP: Group = Group(1);
    }

    const DELAY: SimDuration = SimDuration::from_nanos(10);

    impl Actor for Cast {
        type Message = Said;
        type Fact = ();

        fn start(&mut self, ctx: &mut Context<'_, Self>) {
            if let Cast::Client(at) = self {
                ctx.schedule(Said::Time, SimDuration::from_nanos(*at));
            }
        }

        fn receive(&mut self, said: Said, ctx: &mut Context<'_, Self>) {
            match said {
                Said::Time => {
                    let me = ctx.me::<Client>().id();
                    let server = Address::<Server>::new(ActorId(0));
                    ctx.send(server, Said::Question(me), DELAY);
                }
                Said::Question(from) => ctx.send(Address::<Client>::new(from), Said::Answer, DELAY),
                Said::Answer => {}
            }
        }
    }

    #[test]
    fn questions_to_one_server_follow_each_other() {
        let mut world = WorldBuilder::<Cast>::new(1);
        world.group::<Server>("server");
        world.group::<Client>("client");
        world.edge::<Client, Server>(DELAY);
        world.edge::<Server, Client>(DELAY);
        world.add::<Server>(Cast::Server);
        for at in [100, 200, 300] {
            world.add::<Client>(Cast::Client(at));
        }
        let end = SimTime::from_nanos(1_000);
        let (path, events) = run_sequentially(world.build(), end, CriticalPath::default());
        // Three times, three questions, three answers. The longest chain: the first client's time, the
        // server's three questions, the third client's answer.
        assert_eq!((events, path.events(), path.length()), (9, 9, 5));
        assert!((path.parallelism() - 1.8).abs() < 1e-12);
    }
}
