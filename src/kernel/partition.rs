//! A logical process: some actors, their future, and their mail to others.
//!
//! A partition belongs to one thread at a time and knows of no thread. It is told how far it may
//! run ([`Safe`]), takes window after window from its queue, and goes through each window actor by
//! actor. What its actors say to residents goes to its own queue, the rest into the mail.
//!
//! Why actor by actor: inside a window nothing that one resident does can reach another, so only
//! each actor's own order matters, and an actor's state is fetched from memory once per window.

use std::ops::Range;
use std::sync::Arc;

use crate::actor::{Actor, ActorId, Group};
use crate::context::{Context, Desk, Outbox};
use crate::directory::Directory;
use crate::envelope::{Envelope, EventKey};
use crate::observer::Observer;
use crate::promise::{MOST_GROUPS, Promises, Row};
use crate::queue::EventQueue;
use crate::standstill::Member;
use crate::time::{SimDuration, SimTime};
use crate::world::World;

/// How far a partition may run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Safe {
    /// It may handle events earlier than this.
    pub until: SimTime,
    /// A resident that waits for answers may handle events earlier than this, or earlier than the
    /// first possible answer to its own questions, whichever is later.
    pub answers: SimTime,
}

impl Safe {
    /// As far as `until`, whoever waits for what.
    pub const fn until(until: SimTime) -> Self {
        Safe {
            until,
            answers: until,
        }
    }
}

/// What a partition says of itself between windows, undelivered mail to it included.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Standing {
    /// The earliest event it has not handled.
    pub next: SimTime,
    /// For each listening group: before this time its residents say nothing to it on account of
    /// events that they have.
    pub speaks: Times,
    /// For each speaking group: the earliest of its letters that are on their way to residents.
    pub mailed: Times,
}

/// A time for each group, by its number.
pub type Times = [SimTime; MOST_GROUPS];

impl Standing {
    /// Of its next event nothing more is known than that it happens at `next`: it may make a
    /// resident say anything to anybody.
    pub const fn at(next: SimTime) -> Self {
        Standing {
            next,
            speaks: [next; MOST_GROUPS],
            mailed: [SimTime::NEVER; MOST_GROUPS],
        }
    }
}

/// The residents of one group.
struct Neighbourhood {
    /// One past the number of the last.
    end: u32,
    group: Group,
    promised: Row,
}

/// An actor and its desk, on cache lines of their own: a window touches few residents, each once.
#[repr(align(64))]
struct Resident<A> {
    desk: Desk,
    actor: A,
}

/// Some actors with consecutive numbers, their pending events and their mail.
pub struct Partition<A: Actor, O, Q> {
    number: usize,
    /// The number of the first resident.
    first: u32,
    residents: Vec<Resident<A>>,
    promises: Arc<Promises>,
    directory: Arc<Directory>,
    /// The residents' groups, ascending.
    groups: Vec<Neighbourhood>,
    /// The groups to which any resident speaks.
    listeners: Vec<Group>,
    /// Whether any resident hears only answers: then what reaches it is checked.
    checks_answers: bool,
    /// The least delay of anything that one resident says to another.
    lookahead: SimDuration,
    /// Whether the residents hear only answers: then each has a horizon of its own.
    only_answers: bool,
    queue: Q,
    /// What it says of itself, since it last ran.
    standing: Standing,
    observer: O,
    outbox: Outbox<A>,
    /// Mail to other partitions, by their numbers.
    outgoing: Vec<Vec<Envelope<A::Message>>>,
    /// The partitions that `outgoing` holds mail for.
    mailed: Vec<u32>,
    events: u64,
    /// The number of the present run: see [`Desk::held_in`].
    run: u32,
    /// What is under way to residents when they do not start but go on.
    midst: Option<Vec<Envelope<A::Message>>>,
    /// The event being handled, should its target panic.
    current: Option<(EventKey, ActorId)>,
    buffers: WindowBuffers<A::Message>,
}

/// Buffers of the window at hand, kept for their capacity.
struct WindowBuffers<M> {
    window: Vec<Envelope<M>>,
    /// Large windows are first dealt out to blocks of residents, so that a block's state is cached.
    blocks: Vec<Vec<Envelope<M>>>,
    /// Events of residents that have several in the window.
    crowded: Vec<Envelope<M>>,
    /// One actor's own events still to come in this window, latest first.
    own: Vec<Envelope<M>>,
    /// Events of residents that must wait for an answer first.
    held: Vec<Envelope<M>>,
    /// The number of the present stretch, doubled: see [`Partition::handle_marked`].
    stretch: u32,
}

/// Windows of more events than this are dealt out to blocks first: what they touch would not stay in
/// the second-level cache from the first pass to the second.
const LARGE_WINDOW: usize = 8_192;
/// Residents per block: few enough pages that their addresses stay in the translation buffer.
const BLOCK_BITS: u32 = 12;
/// A window this small is sorted; marking would cost more.
const SMALL_WINDOW: usize = 12;

impl<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>> Partition<A, O, Q> {
    fn new(
        number: usize,
        residents: Vec<Resident<A>>,
        (promises, directory): (Arc<Promises>, Arc<Directory>),
        window: SimDuration,
        observer: O,
    ) -> Self {
        let members = directory.members(number);
        let first = members.start;
        let groups = groups_within(&promises, members);
        let lookahead = least_delay_within(&promises, &groups);
        let listeners = promises.groups().filter(|&to| {
            let mut speakers = groups.iter();
            speakers.any(|&(_, from)| promises.between(from, to).is_some())
        });
        let listeners = listeners.collect();
        let checks_answers = groups.iter().any(|&(_, g)| promises.hears_only_answers(g));
        let only_answers = groups.len() == 1 && checks_answers;
        let groups = groups
            .into_iter()
            .map(|(end, group)| Neighbourhood {
                end,
                group,
                promised: *promises.sends(group),
            })
            .collect();
        let blocks = if residents.len() >> BLOCK_BITS > 1 {
            (residents.len() >> BLOCK_BITS) + 1
        } else {
            0
        };
        Partition {
            number,
            first,
            buffers: WindowBuffers {
                window: Vec::new(),
                blocks: (0..blocks).map(|_| Vec::new()).collect(),
                crowded: Vec::new(),
                own: Vec::new(),
                held: Vec::new(),
                stretch: 0,
            },
            residents,
            outgoing: (0..directory.partitions()).map(|_| Vec::new()).collect(),
            mailed: Vec::new(),
            promises,
            directory,
            groups,
            listeners,
            checks_answers,
            lookahead,
            only_answers,
            queue: Q::for_windows_of(window.min(lookahead)),
            standing: Standing::at(SimTime::NEVER),
            observer,
            outbox: Outbox::default(),
            events: 0,
            run: 0,
            midst: None,
            current: None,
        }
    }

    /// Lets every resident start, or go on from where the world was restored.
    pub fn start(&mut self) {
        if let Some(letters) = self.midst.take() {
            self.accept(letters.into_iter());
            return;
        }
        for slot in 0..self.residents.len() {
            let id = ActorId(self.first + slot as u32);
            let Neighbourhood {
                group, promised, ..
            } = neighbourhood(&self.groups, id);
            let Resident { desk, actor } = &mut self.residents[slot];
            let mut ctx = Context {
                now: SimTime::START,
                me: id,
                group: *group,
                desk,
                promises: &self.promises,
                promised,
                outbox: &mut self.outbox,
            };
            actor.start(&mut ctx);
            self.post(None, id, SimTime::START);
        }
        self.standing = Standing::at(self.queue.next_time());
    }

    /// Handles events as far as it is safe and until `budget` events are handled.
    pub fn run(&mut self, safe: Safe, budget: u64) {
        self.run = self.run.wrapping_add(1);
        let stop = self.events.saturating_add(budget);
        let mut window = std::mem::take(&mut self.buffers.window);
        while self.events < stop {
            let next = self.queue.next_time();
            if next >= safe.until {
                break;
            }
            let limit = safe.until.min(next + self.lookahead);
            let end = self.queue.take_window(limit, &mut window);
            self.handle_window(&mut window, end, safe);
        }
        self.buffers.window = window;
        if !self.buffers.held.is_empty() {
            self.try_what_was_held(safe);
        }
        self.put_back_what_was_held();
    }

    /// Looks once more at what had to wait for an answer: that may have turned up since, in a later
    /// window.
    fn try_what_was_held(&mut self, safe: Safe) {
        // All that its owner has before this instant is held, since windows come in order of time.
        let end = safe.until.min(self.queue.next_time());
        self.run = self.run.wrapping_add(1);
        let mut held = std::mem::take(&mut self.buffers.held);
        self.handle_crowd(&mut held, end, safe);
        // Emptied; what must still wait is in the other buffer.
        if self.buffers.held.is_empty() {
            self.buffers.held = held;
        }
    }

    /// What had to wait for answers goes back to the queue.
    ///
    /// Of these events more is known than of the rest. A reply that is held back makes its listener
    /// react only as its group has promised; and whoever takes turns with a group will not ask it
    /// before its turn, whatever it hears meanwhile.
    fn put_back_what_was_held(&mut self) {
        self.standing = Standing::at(self.queue.next_time());
        if self.buffers.held.is_empty() {
            return;
        }
        let [Neighbourhood { group, .. }] = *self.groups else {
            unreachable!("only partitions of one group hold events back")
        };
        let Standing { next, speaks, .. } = &mut self.standing;
        let turns = self.promises.turns(group);
        let listeners = &*self.listeners;
        for envelope in self.buffers.held.drain(..) {
            let EventKey { time, source, .. } = envelope.key;
            *next = time.min(*next);
            let heard = (source != envelope.target).then(|| self.promises.group_of(source));
            let desk = &self.residents[(envelope.target.0 - self.first) as usize].desk;
            for &to in listeners {
                let mut earliest = time;
                if let Some(heard) = heard {
                    earliest += self.promises.reaction(group, heard, to);
                }
                if turns.is_some_and(|turns| turns.with == to) {
                    earliest = earliest.max(desk.next_turn);
                }
                let due = &mut speaks[usize::from(to.0)];
                *due = earliest.min(*due);
            }
            self.queue.push(envelope);
        }
    }

    /// Takes in mail from other partitions.
    pub fn accept(&mut self, mail: impl Iterator<Item = Envelope<A::Message>>) {
        let mut next = self.standing.next;
        for envelope in mail {
            next = next.min(envelope.key.time);
            self.queue.push(envelope);
        }
        self.standing = Standing::at(next);
    }

    /// Hands over the mail to other partitions: calls `deliver` with each one's number, the
    /// earliest time in the batch, and the batch, to be left empty.
    pub fn hand_over(
        &mut self,
        mut deliver: impl FnMut(usize, SimTime, &mut Vec<Envelope<A::Message>>),
    ) {
        for target in self.mailed.drain(..) {
            let batch = &mut self.outgoing[target as usize];
            let times = batch.iter().map(|envelope| envelope.key.time);
            let earliest = times.min().expect("a partition mailed to has mail");
            deliver(target as usize, earliest, batch);
            batch.clear();
        }
    }

    /// What it says of itself: mail that it has not taken in is left out.
    pub fn standing(&self) -> Standing {
        self.standing
    }

    /// The group that all residents are in, if they are in one.
    pub fn sole_group(&self) -> Option<Group> {
        match &*self.groups {
            [only] => Some(only.group),
            _ => None,
        }
    }

    /// How many events it has handled.
    pub fn events(&self) -> u64 {
        self.events
    }

    /// The resident that has said most, how much that is, and how much all have said: in messages, as
    /// a measure of their work.
    pub fn busiest(&self) -> (ActorId, u64, u64) {
        let said = |resident: &Resident<A>| u64::from(resident.desk.number);
        let all = self.residents.iter().map(said).sum();
        let busiest = (self.residents.iter().zip(self.first..))
            .max_by_key(|&(resident, id)| (said(resident), std::cmp::Reverse(id)));
        busiest.map_or((ActorId(self.first), 0, all), |(resident, id)| {
            (ActorId(id), said(resident), all)
        })
    }

    /// How many actors live here.
    pub fn len(&self) -> usize {
        self.residents.len()
    }

    /// Whether nobody lives here.
    pub fn is_empty(&self) -> bool {
        self.residents.is_empty()
    }

    /// Every resident, in the order of their numbers.
    pub fn members(&self) -> impl Iterator<Item = Member<'_, A>> {
        self.residents
            .iter()
            .map(|Resident { desk, actor }| Member { desk, actor })
    }

    /// Shows every letter to a resident that it has taken in and nobody has handled.
    pub fn visit_letters<'a>(&'a self, see: &mut dyn FnMut(&'a Envelope<A::Message>)) {
        self.queue.visit(see);
        self.midst.iter().flatten().for_each(see);
    }

    /// What its observer has seen so far.
    pub fn observer(&self) -> &O {
        &self.observer
    }

    /// Its observer, to tell it what was seen before this run.
    pub fn observer_mut(&mut self) -> &mut O {
        &mut self.observer
    }

    /// The observer, when the run is over.
    pub fn into_observer(self) -> O {
        self.observer
    }

    /// What was being handled when a resident panicked, in words.
    pub fn scene(&self) -> Option<String> {
        self.current
            .map(|(key, target)| self.promises.scene(key, target))
    }

    /// Goes through one window, actor by actor. Leaves `window` empty.
    fn handle_window(&mut self, window: &mut Vec<Envelope<A::Message>>, end: SimTime, safe: Safe) {
        if window.len() <= LARGE_WINDOW || self.buffers.blocks.is_empty() {
            self.handle_stretch(window, end, safe);
            return;
        }
        let mut blocks = std::mem::take(&mut self.buffers.blocks);
        for envelope in window.drain(..) {
            let slot = envelope.target.0 - self.first;
            blocks[(slot >> BLOCK_BITS) as usize].push(envelope);
        }
        for block in &mut blocks {
            self.handle_stretch(block, end, safe);
        }
        self.buffers.blocks = blocks;
    }

    /// Handles some events of a window: all of some residents' and none of the others'.
    fn handle_stretch(&mut self, events: &mut Vec<Envelope<A::Message>>, end: SimTime, safe: Safe) {
        if events.len() == 1 {
            let envelope = events.pop().expect("there is one");
            self.handle_one(envelope, end, safe);
        } else if events.len() <= SMALL_WINDOW {
            self.handle_crowd(events, end, safe);
        } else {
            self.handle_marked(events, end, safe);
        }
    }

    /// Handles events of which most are their actor's only one.
    ///
    /// A first pass marks each resident; those that turn up again are crowded, and their events are
    /// set apart and sorted. All others are handled as they lie. The first pass does the work of a
    /// prefetch, too: its visits do not depend on each other, so the processor fetches many
    /// residents from memory at once, and the second pass finds them in the cache.
    fn handle_marked(&mut self, events: &mut Vec<Envelope<A::Message>>, end: SimTime, safe: Safe) {
        self.buffers.stretch += 2;
        if self.buffers.stretch == u32::MAX - 1 {
            for resident in &mut self.residents {
                resident.desk.mark = 0;
            }
            self.buffers.stretch = 2;
        }
        let (once, again) = (self.buffers.stretch, self.buffers.stretch + 1);
        let mut crowded_residents = 0u32;
        for envelope in events.iter() {
            let mark = &mut self.residents[(envelope.target.0 - self.first) as usize]
                .desk
                .mark;
            // Without a branch: which residents turn up again cannot be predicted.
            let seen = u32::from(*mark >= once);
            *mark = once + seen;
            crowded_residents |= seen;
        }
        if crowded_residents == 0 {
            for envelope in events.drain(..) {
                self.handle_one(envelope, end, safe);
            }
            return;
        }
        let mut crowded = std::mem::take(&mut self.buffers.crowded);
        for envelope in events.drain(..) {
            let slot = (envelope.target.0 - self.first) as usize;
            if self.residents[slot].desk.mark == again {
                crowded.push(envelope);
            } else {
                self.handle_one(envelope, end, safe);
            }
        }
        self.handle_crowd(&mut crowded, end, safe);
        self.buffers.crowded = crowded;
    }

    /// Handles events of residents that may have several each: sorts them by actor and key.
    fn handle_crowd(&mut self, events: &mut Vec<Envelope<A::Message>>, end: SimTime, safe: Safe) {
        // Descending, so that the next event is popped from the end.
        events.sort_unstable_by_key(|envelope| std::cmp::Reverse((envelope.target, envelope.key)));
        while let Some(envelope) = events.pop() {
            let actor = envelope.target;
            while let Some(next) = events.pop_if(|next| next.target == actor) {
                self.buffers.own.push(next);
            }
            self.buffers.own.reverse();
            self.handle_one(envelope, end, safe);
        }
    }

    /// Handles an actor's first event in this window, then the others: those that lie in
    /// `buffers.own`, latest first, with those it schedules for itself meanwhile.
    #[inline]
    fn handle_one(&mut self, first: Envelope<A::Message>, end: SimTime, safe: Safe) {
        let actor = first.target;
        let mut next = Some(first);
        while let Some(envelope) = next {
            if self.only_answers && envelope.key.time >= self.horizon_of(&envelope, safe) {
                // Whatever else comes for it in this run comes later, and must wait as well.
                let slot = (actor.0 - self.first) as usize;
                self.residents[slot].desk.held_in = self.run;
                self.buffers.held.push(envelope);
                self.buffers.held.append(&mut self.buffers.own);
                return;
            }
            self.deliver(envelope, end);
            next = self.buffers.own.pop();
        }
    }

    /// Before which instant nothing unknown can still reach the target of this event, whose later
    /// events of this window lie in `buffers.own`.
    #[inline]
    fn horizon_of(&self, next: &Envelope<A::Message>, safe: Safe) -> SimTime {
        let desk = &self.residents[(next.target.0 - self.first) as usize].desk;
        if desk.awaiting == 0 {
            return SimTime::NEVER;
        }
        if desk.held_in == self.run {
            return SimTime::START;
        }
        // Answers that are here already are known: when all are, nothing else can come before them.
        let is_answer = |event: &Envelope<A::Message>| event.key.source != event.target;
        let later = self.buffers.own.iter().filter(|event| is_answer(event));
        let known = later.count() + usize::from(is_answer(next));
        if known >= desk.awaiting as usize {
            SimTime::NEVER
        } else {
            safe.answers.max(desk.earliest_answer)
        }
    }

    /// Lets the target handle an event and sends out what it says.
    #[inline]
    fn deliver(&mut self, envelope: Envelope<A::Message>, end: SimTime) {
        let key = envelope.key;
        let slot = (envelope.target.0 - self.first) as usize;
        let Neighbourhood {
            group, promised, ..
        } = neighbourhood(&self.groups, envelope.target);
        let Resident { desk, actor } = &mut self.residents[slot];
        if self.checks_answers {
            desk.expect(&envelope, *group, &self.promises);
        }
        self.observer
            .on_event(key, envelope.target, &envelope.message);
        self.current = Some((key, envelope.target));
        let mut ctx = Context {
            now: key.time,
            me: envelope.target,
            group: *group,
            desk,
            promises: &self.promises,
            promised,
            outbox: &mut self.outbox,
        };
        actor.receive(envelope.message, &mut ctx);
        self.events += 1;
        self.post(Some(key), envelope.target, end);
    }

    /// Sends out what the outbox holds after the actor has handled `cause`, or has started. What it
    /// scheduled for itself before `end` joins its own run.
    #[inline]
    fn post(&mut self, cause: Option<EventKey>, actor: ActorId, end: SimTime) {
        let now = cause.map_or(SimTime::START, |key| key.time);
        if !self.outbox.facts.is_empty() {
            for fact in self.outbox.facts.drain(..) {
                self.observer.on_fact(now, actor, &fact);
            }
        }
        while let Some(letter) = self.outbox.letters.pop() {
            self.observer.on_send(now, cause, &letter);
            if letter.key.time < end && letter.target == actor {
                let own = &mut self.buffers.own;
                let place = own.partition_point(|later| later.key > letter.key);
                own.insert(place, letter);
            } else {
                self.route(letter);
            }
        }
    }

    #[inline]
    fn route(&mut self, letter: Envelope<A::Message>) {
        let slot = letter.target.0.wrapping_sub(self.first);
        if (slot as usize) < self.residents.len() {
            self.queue.push(letter);
            return;
        }
        let target = self.directory.partition_of(letter.target);
        debug_assert_ne!(target, self.number);
        let batch = &mut self.outgoing[target];
        if batch.is_empty() {
            self.mailed.push(target as u32);
        }
        batch.push(letter);
    }
}

/// Where a resident is at home.
#[inline]
fn neighbourhood(groups: &[Neighbourhood], id: ActorId) -> &Neighbourhood {
    // The last group is usually the largest, and often the only one.
    let found = match groups {
        [] => None,
        [only] => Some(only),
        [.., before, last] if id.0 >= before.end => Some(last),
        several => several.iter().find(|home| id.0 < home.end),
    };
    found.expect("every resident is in a group")
}

/// Divides a world into the partitions of a directory, each with a clone of `observer`.
///
/// `window` is about how long their windows will be.
pub fn divide<A: Actor, O: Observer<A>, Q: EventQueue<A::Message>>(
    world: World<A>,
    directory: Directory,
    window: SimDuration,
    observer: &O,
) -> Vec<Partition<A, O, Q>> {
    let World {
        seed,
        actors,
        promises,
        midst,
    } = world;
    let directory = Arc::new(directory);
    let mut actors = actors.into_iter();
    let (desks, mut letters) = match midst {
        Some(midst) => (midst.desks, Some(sorted(midst.letters, &directory))),
        None => (Vec::new(), None),
    };
    let mut desks = desks.into_iter();
    (0..directory.partitions())
        .map(|number| {
            let members = directory.members(number);
            let residents = actors.by_ref().take(members.len()).zip(members.clone());
            let residents: Vec<_> = residents
                .map(|(actor, id)| Resident {
                    // Restored worlds have everybody's.
                    desk: desks.next().unwrap_or_else(|| Desk::new(seed, ActorId(id))),
                    actor,
                })
                .collect();
            let shared = (Arc::clone(&promises), Arc::clone(&directory));
            let mut partition = Partition::new(number, residents, shared, window, observer.clone());
            partition.midst = letters
                .as_mut()
                .map(|letters| std::mem::take(&mut letters[number]));
            partition
        })
        .collect()
}

/// Letters by the partitions of their targets.
fn sorted<M>(letters: Vec<Envelope<M>>, directory: &Directory) -> Vec<Vec<Envelope<M>>> {
    let mut mail: Vec<_> = (0..directory.partitions()).map(|_| Vec::new()).collect();
    for letter in letters {
        mail[directory.partition_of(letter.target)].push(letter);
    }
    mail
}

/// The groups of the actors in `range`, each with where it ends.
pub(crate) fn groups_within(promises: &Promises, range: Range<u32>) -> Vec<(u32, Group)> {
    let mut groups: Vec<(u32, Group)> = promises
        .groups()
        .filter_map(|group| {
            let members = promises.members(group);
            let start = members.start.max(range.start);
            let end = members.end.min(range.end);
            (start < end).then_some((end, group))
        })
        .collect();
    groups.sort_unstable();
    groups
}

fn least_delay_within(promises: &Promises, groups: &[(u32, Group)]) -> SimDuration {
    let pairs = groups
        .iter()
        .flat_map(|&(_, from)| groups.iter().map(move |&(_, to)| (from, to)));
    pairs
        .filter_map(|(from, to)| promises.between(from, to))
        .min()
        .unwrap_or(SimDuration::FOREVER)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::actor::{Address, Inbox};
    use crate::queue::WindowRing;
    use crate::world::WorldBuilder;

    /// A server that exists, and a client that writes down when it heard what.
    enum Cast {
        Server,
        Client { asks_at: Vec<u64>, heard: Vec<u64> },
    }
    struct Server;
    struct Client;

    #[derive(Clone, Copy, Hash, Debug)]
    enum Said {
        Ask,
        Own,
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

    impl Actor for Cast {
        type Message = Said;
        type Fact = ();

        fn start(&mut self, ctx: &mut Context<'_, Self>) {
            if let Cast::Client { asks_at, .. } = self {
                for &at in &*asks_at {
                    ctx.schedule(Said::Ask, SimDuration::from_nanos(at));
                }
                // Something of its own in the middle of waiting.
                ctx.schedule(Said::Own, SimDuration::from_nanos(500));
            }
        }

        fn receive(&mut self, said: Said, ctx: &mut Context<'_, Self>) {
            if let Cast::Client { heard, .. } = self {
                heard.push(ctx.now().nanos());
                if matches!(said, Said::Ask) {
                    let server = Address::<Server>::new(ActorId(0));
                    ctx.ask(server, Said::Ask, SimDuration::from_nanos(10));
                }
            }
        }
    }

    type Clients = Partition<Cast, (), WindowRing<Said>>;

    /// The partition of a client that asks at these times.
    fn clients(asks_at: &[u64]) -> Clients {
        clients_who(asks_at, |world| {
            world.reaction::<Client, Server, Server>(SimDuration::from_nanos(1_000));
        })
    }

    /// The same, of one that takes turns.
    fn polite_clients(asks_at: &[u64]) -> Clients {
        clients_who(asks_at, |world| {
            world.takes_turns::<Client, Server>(SimDuration::from_nanos(1_000));
        })
    }

    fn clients_who(asks_at: &[u64], promise: impl FnOnce(&mut WorldBuilder<Cast>)) -> Clients {
        let mut world = WorldBuilder::<Cast>::new(1);
        world.group::<Server>("server");
        world.group::<Client>("client");
        world.edge::<Client, Server>(SimDuration::from_nanos(10));
        world.edge::<Server, Client>(SimDuration::from_nanos(10));
        world.hears_only_answers::<Client>();
        promise(&mut world);
        world.add::<Server>(Cast::Server);
        world.add::<Client>(Cast::Client {
            asks_at: asks_at.to_vec(),
            heard: Vec::new(),
        });
        let window = SimDuration::from_nanos(64);
        let directory = Directory::new(vec![1, 2]);
        let mut partitions = divide(world.build(), directory, window, &());
        let mut clients = partitions.pop().expect("there are two");
        clients.start();
        clients
    }

    fn answer(clients: &mut Clients, at: u64, number: u32) {
        let key = EventKey {
            time: SimTime::from_nanos(at),
            source: ActorId(0),
            number,
        };
        let envelope = Envelope {
            key,
            target: ActorId(1),
            message: Said::Answer,
        };
        clients.accept(std::iter::once(envelope));
    }

    fn heard(clients: &Clients) -> &[u64] {
        match &clients.residents[0].actor {
            Cast::Client { heard, .. } => heard,
            Cast::Server => unreachable!("the second partition is the client's"),
        }
    }

    fn safe(answers: u64) -> Safe {
        Safe {
            until: SimTime::from_nanos(2_000),
            answers: SimTime::from_nanos(answers),
        }
    }

    #[test]
    fn who_waits_for_an_answer_stops_where_it_could_arrive() {
        let mut clients = clients(&[100]);
        clients.run(safe(0), u64::MAX);
        assert_eq!(heard(&clients), [100], "its own event at 500 must wait");
        assert_eq!(clients.standing().next, SimTime::from_nanos(500));
        assert!(clients.residents[0].desk.awaiting > 0);
        clients.run(safe(501), u64::MAX);
        assert_eq!(heard(&clients), [100, 500], "no answer can come before 501");
    }

    #[test]
    fn an_answer_that_is_here_does_not_overtake_what_had_to_wait() {
        let mut clients = clients(&[100]);
        clients.run(safe(0), u64::MAX);
        assert_eq!(heard(&clients), [100]);
        // In a later window than the event at 500, which is held back before it is looked at.
        answer(&mut clients, 900, 0);
        clients.run(safe(0), u64::MAX);
        assert_eq!(heard(&clients), [100, 500, 900]);
        assert_eq!(clients.residents[0].desk.awaiting, 0);
    }

    #[test]
    fn with_two_questions_open_one_answer_is_not_enough() {
        let mut clients = clients(&[100, 101]);
        clients.run(safe(0), u64::MAX);
        assert_eq!(
            heard(&clients),
            [100, 101],
            "the first answer cannot be here before 120"
        );
        answer(&mut clients, 300, 0);
        clients.run(safe(0), u64::MAX);
        assert_eq!(heard(&clients), [100, 101], "another may come before 300");
        answer(&mut clients, 310, 1);
        clients.run(safe(0), u64::MAX);
        assert_eq!(heard(&clients), [100, 101, 300, 310, 500]);
    }

    #[test]
    fn two_answers_that_lie_far_apart_are_both_here() {
        // Further apart than a window of the queue, so that the first is looked at without the second.
        let mut clients = clients(&[100, 101]);
        clients.run(safe(0), u64::MAX);
        answer(&mut clients, 300, 0);
        answer(&mut clients, 1_900, 1);
        clients.run(safe(0), u64::MAX);
        assert_eq!(heard(&clients), [100, 101, 300, 500, 1_900]);
    }

    #[test]
    fn a_partition_knows_what_its_held_events_can_lead_to() {
        let mut clients = clients(&[100, 101]);
        clients.run(safe(0), u64::MAX);
        answer(&mut clients, 300, 0);
        clients.run(safe(0), u64::MAX);
        let standing = clients.standing();
        assert_eq!(standing.next, SimTime::from_nanos(300));
        // The reply is of the server, which hears nothing on account of it for 1,000; the client's
        // own event at 500 may make it ask at once, if it is its turn.
        assert_eq!(standing.speaks[0], SimTime::from_nanos(500));

        let mut polite = polite_clients(&[100]);
        polite.run(safe(0), u64::MAX);
        // The answer to the question of 100 cannot be here before 120, and 1,000 later is the next.
        assert_eq!(polite.standing().next, SimTime::from_nanos(500));
        assert_eq!(polite.standing().speaks[0], SimTime::from_nanos(1_120));
    }

    #[test]
    #[should_panic(expected = "client asked a server, but promised not to before")]
    fn who_asks_out_of_turn_stops_the_run() {
        let mut clients = polite_clients(&[100, 101]);
        clients.run(safe(0), u64::MAX);
    }

    #[test]
    #[should_panic(expected = "hears only answers")]
    fn what_was_not_asked_for_stops_the_run() {
        let mut clients = clients(&[]);
        answer(&mut clients, 50, 0);
        clients.run(safe(2_000), u64::MAX);
    }
}
