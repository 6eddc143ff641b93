//! What does a partition's observer keep for the trace?
//!
//! A letter when it is sent: sender, target and both times are known then. What becomes of it, its
//! target's partition finds out: a message that its target did not need, or that found nobody, is noted
//! as an exception, and the writer brings both together. What watched actors do is followed from what
//! they are seen doing.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use actors::shared::narration::{Narrator, Seen};
use crossbeam_channel::Sender;
use kernel::{Actor, ActorId, Envelope, EventKey, Observer, SimTime};

use super::filter::Selection;
use super::message::{Fate, Interval, MessageId};

/// A letter as it was sent.
pub(super) struct Letter<M> {
    pub envelope: Envelope<M>,
    pub sent: SimTime,
    pub cause: Option<MessageId>,
}

/// What recorders hand to the writer.
pub(super) enum Parcel<M> {
    /// What one of them has seen.
    Batch(Batch<M>),
    /// Everything before this instant has happened, and has been handed over.
    Mark(SimTime),
    /// The run has ended, and everything has been handed over.
    End(SimTime),
}

/// What one recorder has seen, in no order.
pub(super) struct Batch<M> {
    pub letters: Vec<Letter<M>>,
    /// Messages that were not simply delivered, and when they were received.
    pub exceptions: Vec<(EventKey, Fate)>,
    pub intervals: Vec<Interval>,
}

impl<M> Default for Batch<M> {
    fn default() -> Self {
        Batch {
            letters: Vec::new(),
            exceptions: Vec::new(),
            intervals: Vec::new(),
        }
    }
}

/// A batch of so many letters is handed over, in whatever state the run is.
const BATCH: usize = 4_096;

/// What all recorders of a run share.
pub(super) struct Shared<A: Actor, N: Narrator<A>> {
    pub narrator: N,
    pub selection: Selection,
    /// By kind: whether a message without effect was not needed.
    pub moot: Vec<bool>,
    pub writer: Sender<Parcel<A::Message>>,
    desks: Mutex<Vec<SharedDesk<A, N>>>,
}

/// An observer that records messages and what actors do.
pub struct Recorder<A: Actor, N: Narrator<A>> {
    shared: Arc<Shared<A, N>>,
    /// Shared with the recording, which empties it between windows. Nobody ever waits for the other.
    desk: SharedDesk<A, N>,
}

type SharedDesk<A, N> = Arc<Mutex<Desk<A, N>>>;

/// What a recorder has in hand.
pub(super) struct Desk<A: Actor, N: Narrator<A>> {
    batch: Batch<A::Message>,
    /// The event being handled.
    current: Option<Current>,
    doings: HashMap<u32, Doing<N::Activity>>,
    /// Bits of actors that take no notice of anything any more.
    departed: Vec<u64>,
}

struct Current {
    key: EventKey,
    target: ActorId,
    moot_without_effect: bool,
    had_effect: bool,
}

/// What a watched actor does.
#[derive(Default)]
struct Doing<T> {
    activity: T,
    /// What it was said to do when it was last looked at, and since when.
    told: Option<(u8, SimTime)>,
}

impl<A: Actor, N: Narrator<A>> Shared<A, N> {
    pub(super) fn new(
        narrator: N,
        selection: Selection,
        writer: Sender<Parcel<A::Message>>,
    ) -> Arc<Self> {
        let kinds = narrator.kinds().iter();
        Arc::new(Shared {
            moot: kinds.map(|kind| kind.moot_without_effect).collect(),
            narrator,
            selection,
            writer,
            desks: Mutex::default(),
        })
    }

    /// Takes over all that recorders have in hand; everything before `reached` has happened.
    pub(super) fn collect(&self, reached: SimTime) {
        for desk in lock(&self.desks).iter() {
            let mut desk = lock(desk);
            desk.settle(self);
            self.hand_over(&mut desk);
        }
        let _ = self.writer.send(Parcel::Mark(reached));
    }

    /// Ends what actors are doing when the run ends at `reached`, and takes over everything.
    pub(super) fn conclude(&self, reached: SimTime) {
        for desk in lock(&self.desks).iter() {
            let mut desk = lock(desk);
            desk.settle(self);
            let told = desk
                .doings
                .drain()
                .filter_map(|(actor, doing)| Some((actor, doing.told?)));
            let open: Vec<_> = told.collect();
            for (actor, (activity, start)) in open {
                desk.tell(self, ActorId(actor), activity, start, reached);
            }
            self.hand_over(&mut desk);
        }
    }

    /// Blocks while the writer is behind. If it has given up, what it would write is dropped: the
    /// recording says why.
    fn hand_over(&self, desk: &mut Desk<A, N>) {
        let batch = std::mem::take(&mut desk.batch);
        if !(batch.letters.is_empty() && batch.exceptions.is_empty() && batch.intervals.is_empty())
        {
            let _ = self.writer.send(Parcel::Batch(batch));
        }
    }
}

impl<A: Actor, N: Narrator<A>> Recorder<A, N> {
    pub(super) fn new(shared: Arc<Shared<A, N>>) -> Self {
        let desk = Arc::new(Mutex::new(Desk {
            batch: Batch::default(),
            current: None,
            doings: HashMap::new(),
            departed: Vec::new(),
        }));
        lock(&shared.desks).push(Arc::clone(&desk));
        Recorder { shared, desk }
    }
}

/// A clone is a recorder for another partition: it has seen nothing.
impl<A: Actor, N: Narrator<A>> Clone for Recorder<A, N> {
    fn clone(&self) -> Self {
        Recorder::new(Arc::clone(&self.shared))
    }
}

impl<A: Actor, N: Narrator<A>> Desk<A, N> {
    /// Finishes the event at hand: nothing more comes of it.
    fn settle(&mut self, shared: &Shared<A, N>) {
        let Some(current) = self.current.take() else {
            return;
        };
        if current.moot_without_effect && !current.had_effect {
            self.batch.exceptions.push((current.key, Fate::Expired));
        }
        self.look_at(shared, current.target, current.key.time);
    }

    /// Notes what a watched actor does now, if it is something else than before.
    fn look_at(&mut self, shared: &Shared<A, N>, actor: ActorId, now: SimTime) {
        let Some(doing) = self.doings.get_mut(&actor.0) else {
            return;
        };
        let does = shared.narrator.doing(&doing.activity);
        let before = doing.told;
        if before.map(|(activity, _)| activity) == does {
            return;
        }
        doing.told = does.map(|activity| (activity, now));
        if let Some((activity, start)) = before {
            self.tell(shared, actor, activity, start, now);
        }
    }

    fn tell(
        &mut self,
        shared: &Shared<A, N>,
        actor: ActorId,
        activity: u8,
        start: SimTime,
        end: SimTime,
    ) {
        // What lasted no time at all was not done.
        if start < end && shared.selection.overlaps(start, end) {
            self.batch.intervals.push(Interval {
                actor,
                activity,
                start,
                end,
            });
        }
    }

    fn see(&mut self, shared: &Shared<A, N>, actor: ActorId, seen: Seen<'_, A>) {
        if shared.narrator.is_watched(actor) && shared.selection.watches(actor) {
            let doing = self.doings.entry(actor.0).or_default();
            shared.narrator.watch(&mut doing.activity, seen);
        }
    }

    fn has_departed(&self, actor: ActorId) -> bool {
        let word = self.departed.get(actor.0 as usize / 64);
        word.is_some_and(|word| word & (1 << (actor.0 % 64)) != 0)
    }

    fn departs(&mut self, actor: ActorId) {
        let word = actor.0 as usize / 64;
        if self.departed.len() <= word {
            self.departed.resize(word + 1, 0);
        }
        self.departed[word] |= 1 << (actor.0 % 64);
    }
}

impl<A: Actor, N: Narrator<A>> Observer<A> for Recorder<A, N> {
    fn on_event(&mut self, key: EventKey, target: ActorId, message: &A::Message) {
        let shared = &*self.shared;
        if !shared.selection.regards(target) {
            return;
        }
        let mut desk = lock(&self.desk);
        desk.settle(shared);
        let gone = desk.has_departed(target);
        if gone {
            desk.batch.exceptions.push((key, Fate::Gone));
        }
        let kind = shared.narrator.describe(message).kind;
        desk.current = Some(Current {
            key,
            target,
            moot_without_effect: !gone && shared.moot[usize::from(kind)],
            had_effect: false,
        });
        desk.see(shared, target, Seen::Handled(message));
        if desk.batch.letters.len() >= BATCH {
            shared.hand_over(&mut desk);
        }
    }

    fn on_send(&mut self, sent: SimTime, cause: Option<EventKey>, letter: &Envelope<A::Message>) {
        let shared = &*self.shared;
        let (from, to) = (letter.key.source, letter.target);
        if !shared.selection.regards(from) {
            return;
        }
        let mut desk = lock(&self.desk);
        if let Some(current) = &mut desk.current {
            current.had_effect = true;
        }
        desk.see(shared, from, Seen::Sent(&letter.message));
        if cause.is_none() {
            desk.look_at(shared, from, sent);
        }
        let wanted = shared.selection.wants(sent, letter.key.time, from, to)
            && (!shared.selection.is_particular()
                || shared
                    .selection
                    .wants_description(&shared.narrator.describe(&letter.message)));
        if wanted {
            desk.batch.letters.push(Letter {
                envelope: letter.clone(),
                sent,
                cause: cause.map(MessageId::of),
            });
        }
    }

    fn on_fact(&mut self, time: SimTime, actor: ActorId, fact: &A::Fact) {
        let shared = &*self.shared;
        if !shared.selection.regards(actor) {
            return;
        }
        let mut desk = lock(&self.desk);
        if shared.narrator.is_departure(fact) {
            desk.departs(actor);
        }
        desk.see(shared, actor, Seen::Noted(fact));
        match &mut desk.current {
            Some(current) => current.had_effect = true,
            None => desk.look_at(shared, actor, time),
        }
    }

    /// Whatever one has seen, the recording has or will take over.
    fn merge(&mut self, _other: Self) {}
}

/// A lock that does not care whether somebody panicked while holding it: the run is over then.
pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
