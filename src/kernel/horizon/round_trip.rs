//! Windows as long as a round trip: a host that has asked nothing can be told nothing.
//!
//! Where thousands of hosts talk to a few servers, the smallest promise is a network latency, and a
//! plain window holds two events. But a host that was given a job does not come back before it has
//! computed, and hears nothing it has not asked for. So what bounds a window is not an edge of the
//! conversation but a *cycle* of it.
//!
//! The protocol works on groups; every partition must hold members of one group only. For each
//! conversation from group `h` to group `g` it finds the earliest possible arrival of something not
//! yet said:
//!
//! ```text
//! arrival(h, g) = promise(h, g) + min( speaks(h, g),
//!                                      min over s of min(mailed(s, h), arrival(s, h))
//!                                                    + reaction(h: s, g) )
//! ```
//!
//! that is: on account of something that members of `h` have already (`speaks`, as their partitions
//! say), of a letter that is on its way to them (`mailed`), or of something that they have yet to
//! hear. These are shortest-path equations over positive lengths, solved by relaxation. Then
//!
//! * a group that can be told things unasked may run until the earliest arrival at it;
//! * a group that hears only answers may run further: a member that waits for nothing up to a bound
//!   that merely keeps it from running away, one that waits until the earliest arrival at its group
//!   or the earliest possible answer to its own question ([`Safe::answers`]).
//!
//! No deadlock: let `e` be the earliest unhandled event. Every arrival is later than `e`, since all
//! promises are positive; so a group that holds an event at `e` may handle it, and a waiting member
//! with an event at `e` may, too.

use super::Horizon;
use crate::actor::Group;
use crate::directory::Directory;
use crate::partition::{Safe, Standing, Times, groups_within};
use crate::promise::{MOST_GROUPS, Promises};
use crate::time::{SimDuration, SimTime};

/// Windows from cycles of conversation between groups.
#[derive(Debug)]
pub struct RoundTrip {
    /// Each partition's group.
    group_of: Vec<Group>,
    conversations: Vec<Conversation>,
    /// The earliest arrival in each conversation: a buffer.
    arrival: Vec<SimTime>,
    only_answers: Vec<bool>,
    /// How far ahead of the earliest event the groups that hear only answers may run.
    reach: SimDuration,
}

/// What one group says to another.
#[derive(Debug)]
struct Conversation {
    from: usize,
    to: usize,
    promise: SimDuration,
    /// Conversations that end at `from`, each with the least time from hearing to telling `to`.
    causes: Vec<(usize, SimDuration)>,
    /// The same, by the group that is heard.
    reactions: Vec<(usize, SimDuration)>,
}

/// What is due in a group: see [`Standing`].
#[derive(Clone, Copy, Debug)]
struct Due {
    speaks: Times,
    mailed: Times,
}

impl RoundTrip {
    /// The protocol for a world with these promises, divided like this.
    ///
    /// # Panics
    /// If a partition holds members of several groups.
    pub fn new(promises: &Promises, directory: &Directory) -> Self {
        let group_of: Vec<Group> = (0..directory.partitions())
            .map(|partition| {
                let groups = groups_within(promises, directory.members(partition));
                assert_eq!(groups.len(), 1, "round trips need one group per partition");
                groups[0].1
            })
            .collect();
        let mut conversations: Vec<Conversation> = Vec::new();
        for from in promises.groups() {
            for to in promises.groups() {
                if let Some(promise) = promises.between(from, to) {
                    conversations.push(Conversation {
                        from: usize::from(from.0),
                        to: usize::from(to.0),
                        promise,
                        causes: Vec::new(),
                        reactions: Vec::new(),
                    });
                }
            }
        }
        let ends: Vec<(usize, usize)> = conversations.iter().map(|c| (c.from, c.to)).collect();
        for conversation in &mut conversations {
            let via = Group(conversation.from as u8);
            let told = Group(conversation.to as u8);
            for (cause, &(heard, to)) in ends.iter().enumerate() {
                if to == conversation.from {
                    let least = promises.reaction(via, Group(heard as u8), told);
                    conversation.causes.push((cause, least));
                    conversation.reactions.push((heard, least));
                }
            }
        }
        let only_answers = promises
            .groups()
            .map(|group| promises.hears_only_answers(group))
            .collect();
        let mut protocol = RoundTrip {
            group_of,
            arrival: Vec::with_capacity(conversations.len()),
            conversations,
            only_answers,
            reach: SimDuration::FOREVER,
        };
        // Far enough that the servers' windows are full, near enough that those who wait for answers
        // are not overtaken by much: what they must hold back is looked at again in every round.
        protocol.reach = protocol.window() * 2;
        protocol
    }

    /// For each group that takes part in one: the shortest cycle of conversation back to it.
    pub fn cycles(&mut self) -> Vec<(Group, SimDuration)> {
        (0..self.only_answers.len())
            .filter_map(|group| {
                let mut due = [Due::NOTHING; MOST_GROUPS];
                due[group].speaks = [SimTime::START; MOST_GROUPS];
                let back = self.arrivals(&due)[group];
                (back != SimTime::NEVER).then(|| (Group(group as u8), back - SimTime::START))
            })
            .collect()
    }

    /// How long a window is, roughly: the shortest cycle of conversation back to a group that can be
    /// told things unasked.
    pub fn window(&mut self) -> SimDuration {
        let mut cycles = self.cycles();
        cycles.retain(|&(group, _)| !self.only_answers[usize::from(group.0)]);
        let shortest = cycles.into_iter().map(|(_, cycle)| cycle).min();
        shortest.unwrap_or(SimDuration::FOREVER)
    }

    /// For each group: the earliest arrival of something not yet said, if this is what is due.
    fn arrivals(&mut self, due: &[Due]) -> [SimTime; MOST_GROUPS] {
        let arrival = &mut self.arrival;
        arrival.clear();
        for conversation in &self.conversations {
            let due = &due[conversation.from];
            let reactions = conversation.reactions.iter();
            let on_account = reactions.map(|&(heard, least)| due.mailed[heard] + least);
            let first = on_account.fold(due.speaks[conversation.to], SimTime::min);
            arrival.push(first + conversation.promise);
        }
        // Shortest paths: no more rounds than conversations, usually three.
        for _ in 0..self.conversations.len() {
            let mut settled = true;
            for (index, conversation) in self.conversations.iter().enumerate() {
                for &(cause, least) in &conversation.causes {
                    let on_account = arrival[cause] + least + conversation.promise;
                    if on_account < arrival[index] {
                        arrival[index] = on_account;
                        settled = false;
                    }
                }
            }
            if settled {
                break;
            }
        }
        let mut at_group = [SimTime::NEVER; MOST_GROUPS];
        for (conversation, &time) in self.conversations.iter().zip(&*arrival) {
            at_group[conversation.to] = at_group[conversation.to].min(time);
        }
        at_group
    }
}

impl Due {
    const NOTHING: Due = Due {
        speaks: [SimTime::NEVER; MOST_GROUPS],
        mailed: [SimTime::NEVER; MOST_GROUPS],
    };

    /// Takes in what one partition says.
    fn add(&mut self, partition: &Standing, groups: usize) {
        let Standing { speaks, mailed, .. } = partition;
        for group in 0..groups {
            self.speaks[group] = self.speaks[group].min(speaks[group]);
            self.mailed[group] = self.mailed[group].min(mailed[group]);
        }
    }
}

impl Horizon for RoundTrip {
    fn advance(&mut self, standing: &[Standing], safe: &mut [Safe]) {
        let mut due = [Due::NOTHING; MOST_GROUPS];
        let groups = self.only_answers.len();
        let mut earliest = SimTime::NEVER;
        for (partition, group) in standing.iter().zip(&self.group_of) {
            earliest = earliest.min(partition.next);
            due[usize::from(group.0)].add(partition, groups);
        }
        let arrivals = self.arrivals(&due);
        for (bound, group) in safe.iter_mut().zip(&self.group_of) {
            let group = usize::from(group.0);
            *bound = if self.only_answers[group] {
                Safe {
                    until: earliest + self.reach,
                    answers: arrivals[group],
                }
            } else {
                Safe::until(arrivals[group])
            };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::{ActorId, Inbox};
    use crate::world::WorldBuilder;

    struct Desk;
    struct Store;
    struct Client;
    impl Inbox for Desk {
        type Message = ();
        const GROUP: Group = Group(0);
    }
    impl Inbox for Store {
        type Message = ();
        const GROUP: Group = Group(1);
    }
    impl Inbox for Client {
        type Message = ();
        const GROUP: Group = Group(2);
    }

    struct Nobody;
    impl crate::Actor for Nobody {
        type Message = ();
        type Fact = ();
        fn receive(&mut self, (): (), _: &mut crate::Context<'_, Self>) {}
    }

    /// Clients ask a desk (5 there, 5 back) and a store (7 and 7); after hearing from the desk they
    /// may turn to the store at once, to the desk after 1,000; from the store to the desk after 300.
    fn protocol() -> RoundTrip {
        let nanos = SimDuration::from_nanos;
        let mut world = WorldBuilder::<Nobody>::new(0);
        world.group::<Desk>("desk");
        world.group::<Store>("store");
        world.group::<Client>("client");
        world.edge::<Client, Desk>(nanos(5));
        world.edge::<Desk, Client>(nanos(5));
        world.edge::<Client, Store>(nanos(7));
        world.edge::<Store, Client>(nanos(7));
        world.hears_only_answers::<Client>();
        world.reaction::<Client, Desk, Desk>(nanos(1_000));
        world.reaction::<Client, Store, Desk>(nanos(300));
        world.reaction::<Client, Store, Store>(nanos(300));
        world.add::<Desk>(Nobody);
        world.add::<Store>(Nobody);
        let last = world.add::<Client>(Nobody);
        assert_eq!(last.id(), ActorId(2));
        let world = world.build();
        RoundTrip::new(world.promises(), &Directory::new(vec![1, 2, 3]))
    }

    #[test]
    fn a_cycle_is_a_conversation_back_to_where_it_began() {
        let cycles: Vec<u64> = protocol().cycles().iter().map(|c| c.1.nanos()).collect();
        // Desk: 5 back, at once to the store 7, 7 back, 300, 5 there. Store: 7 back, 300, 7 there.
        // Client: 5 and 5.
        assert_eq!(cycles, [5 + 7 + 7 + 300 + 5, 7 + 300 + 7, 10]);
    }

    #[test]
    fn servers_are_bounded_by_what_clients_have_due_and_by_their_reactions() {
        let mut protocol = protocol();
        let at = |next: u64| Standing::at(SimTime::from_nanos(next));
        let never = Standing::at(SimTime::NEVER);
        let mut safe = [Safe::until(SimTime::START); 3];

        // A question is due at the desk at 100; no client has anything of its own before 10,000.
        protocol.advance(&[at(100), never, at(10_000)], &mut safe);
        let until = |safe: &[Safe; 3]| safe.map(|safe| safe.until.nanos());
        let [desk, store, _] = until(&safe);
        // The desk's answer arrives at 105: the store may hear of it at 112, the desk itself only by
        // way of the store: 112 + 7 + 300 + 5.
        assert_eq!((desk, store), (424, 112));
        assert_eq!(safe[2].answers.nanos(), 105);

        // A client has something due at 200: that may reach desk and store sooner.
        protocol.advance(&[at(100), never, at(200)], &mut safe);
        assert_eq!(until(&safe)[..2], [205, 112]);

        // What is on its way, for 200, is a reply of the desk: it makes the client ask the store at once, which
        // leads back to the desk at 207 + 7 + 300 + 5, but the desk itself only after 1,000.
        let mut waiting = at(10_000);
        waiting.next = SimTime::from_nanos(200);
        waiting.mailed[0] = SimTime::from_nanos(200);
        protocol.advance(&[at(300), never, waiting], &mut safe);
        assert_eq!(until(&safe)[..2], [200 + 7 + 7 + 300 + 5, 207]);
    }
}
