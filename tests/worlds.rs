//! Random small worlds in which everything that could go wrong shows.
//!
//! Up to six groups: servers that may be told anything, and clients that hear only answers. Who speaks
//! to whom, how soon, what follows hearing how late, how many there are: all drawn from a seed.
//! Everybody keeps a state that every message changes, in an order-sensitive way, and everything said
//! carries the speaker's state: one message too early, too late or out of order changes all that
//! follows. Whatever a world promises it often does exactly, never more.

use std::sync::Arc;

use kernel::{
    Actor, ActorId, Address, Context, Group, Inbox, Linked, OtherKind, Purpose, RandomStream,
    Saved, SimDuration, World, WorldBuilder,
};
use serde::{Deserialize, Serialize};

/// More groups than any shipped world has.
const MOST_KINDS: usize = 6;

/// A member of the group numbered `N`.
pub struct Kind<const N: u8>;

impl<const N: u8> Inbox for Kind<N> {
    type Message = Said;
    const GROUP: Group = Group(N);
}

/// What anybody says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub enum Said {
    /// Somebody of group `kind` asks, and will not be surprised by an answer sooner than `patience`.
    Question {
        from: ActorId,
        kind: u8,
        patience: u32,
        state: u64,
    },
    /// A member of group `kind` says something; to those who hear only answers, an answer.
    Word { kind: u8, state: u64 },
    /// To oneself: it is time to answer; `thought` is how long that took.
    Answer {
        to: ActorId,
        kind: u8,
        patience: u32,
        thought: u32,
    },
    /// To oneself: tell a member of this group something, if that is allowed by now.
    Tell { kind: u8 },
    /// To oneself: do something.
    Wake,
}

/// Who there is in a world, and what they promise. Times are in nanoseconds.
#[derive(Debug, Default)]
struct Rules {
    groups: Vec<GroupRules>,
    /// Most pauses and most of what delays exceed promises by is less than this.
    extra: u64,
}

#[derive(Clone, Debug, Default)]
struct GroupRules {
    first: u32,
    members: u32,
    only_answers: bool,
    /// The least delay of what is said to each group; zero: never anything.
    speaks: [u64; MOST_KINDS],
    /// `reactions[heard][told]`.
    reactions: [[u64; MOST_KINDS]; MOST_KINDS],
}

/// A member of the cast.
#[derive(Debug, Serialize, Deserialize)]
pub struct Player {
    state: u64,
    kind: u8,
    rules: Linked<Rules>,
    /// When each group may next be told something on account of what was heard.
    quiet_until: [u64; MOST_KINDS],
}

impl Player {
    fn hear(&mut self, value: u64, now: u64) {
        self.state = (self.state ^ value ^ now.rotate_left(17))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(23);
    }

    fn group(&self) -> &GroupRules {
        &self.rules.groups[usize::from(self.kind)]
    }

    /// Often nothing at all, so that ties in time are common; seldom beyond the end of every run.
    fn extra(&self, ctx: &mut Context<'_, Self>) -> u64 {
        let random = ctx.random();
        if random.chance(0.3) {
            0
        } else if random.chance(0.01) {
            1 << (20 + random.below(44))
        } else {
            random.below(self.rules.extra)
        }
    }

    /// Says something to somebody of `told`, as soon as was promised or later; asks, if only answers
    /// are heard here.
    fn speak(&mut self, told: u8, ctx: &mut Context<'_, Self>) {
        let rules = self.rules.clone();
        let listeners = &rules.groups[usize::from(told)];
        let promise = self.group().speaks[usize::from(told)];
        if promise == 0 || listeners.members == 0 || listeners.only_answers {
            return;
        }
        if ctx.now().nanos() < self.quiet_until[usize::from(told)] {
            return;
        }
        let to = ActorId(listeners.first + ctx.random().below(u64::from(listeners.members)) as u32);
        let delay = nanos(promise.saturating_add(self.extra(ctx)));
        if self.group().only_answers {
            let patience = match ctx.random().below(3) {
                0 => 0,
                1 => ctx.random().below(50) as u32,
                _ => ctx.random().below(self.rules.extra) as u32,
            };
            let question = Said::Question {
                from: ctx.me::<()>().id(),
                kind: self.kind,
                patience,
                state: self.state,
            };
            // Nobody answers who never arrives.
            if delay < SimDuration::from_days(1) {
                ask(told, to, question, delay, nanos(u64::from(patience)), ctx);
            }
        } else {
            let word = Said::Word {
                kind: self.kind,
                state: self.state,
            };
            send(told, to, word, delay, ctx);
        }
    }

    fn speak_to_anybody(&mut self, ctx: &mut Context<'_, Self>) {
        let told = ctx.random().below(self.rules.groups.len() as u64) as u8;
        self.speak(told, ctx);
    }

    fn wake(&mut self, ctx: &mut Context<'_, Self>) {
        match ctx.random().below(4) {
            // Once more at this very instant, which must not overtake anything.
            0 => {
                ctx.schedule(Said::Wake, SimDuration::ZERO);
                return;
            }
            // Two at once: of two answers it waits for, the earlier one bounds how far it may go.
            1 => {
                self.speak_to_anybody(ctx);
                self.speak_to_anybody(ctx);
            }
            _ => self.speak_to_anybody(ctx),
        }
        let pause = self.extra(ctx).saturating_add(self.rules.extra / 4 + 1);
        ctx.schedule(Said::Wake, nanos(pause));
    }

    /// Having heard from `heard`, is quiet for as long as was promised, and then may do what it
    /// promised not to do before.
    fn react(&mut self, heard: u8, ctx: &mut Context<'_, Self>) {
        self.be_quiet_after(heard, ctx.now().nanos());
        if ctx.random().chance(0.4) {
            let kind = ctx.random().below(self.rules.groups.len() as u64) as u8;
            let wait = self.group().reactions[usize::from(heard)][usize::from(kind)];
            if wait == 0 {
                self.speak(kind, ctx);
            } else {
                ctx.schedule(Said::Tell { kind }, nanos(wait));
            }
        }
    }

    /// Nothing is said on account of what was heard sooner than was promised.
    fn be_quiet_after(&mut self, heard: u8, now: u64) {
        let reactions = self.group().reactions[usize::from(heard)];
        for (quiet, reaction) in self.quiet_until.iter_mut().zip(reactions) {
            *quiet = (*quiet).max(now.saturating_add(reaction));
        }
    }

    /// Thinks about a question for as long as an answer must wait, or a little longer.
    fn think(&mut self, (to, kind, patience): (ActorId, u8, u32), ctx: &mut Context<'_, Self>) {
        self.be_quiet_after(kind, ctx.now().nanos());
        let least = self.group().reactions[usize::from(kind)][usize::from(kind)];
        let more = match ctx.random().chance(0.5) {
            true => 0,
            false => ctx.random().below(self.rules.extra),
        };
        let thought = (least + more) as u32;
        let answer = Said::Answer {
            to,
            kind,
            patience,
            thought,
        };
        ctx.schedule(answer, nanos(u64::from(thought)));
        if ctx.random().chance(0.1) {
            self.speak_to_anybody(ctx);
        }
    }

    /// Answers as soon as the promise and the asker's patience allow, or a little later.
    fn answer(
        &mut self,
        (to, kind): (ActorId, u8),
        (patience, thought): (u32, u32),
        ctx: &mut Context<'_, Self>,
    ) {
        let word = Said::Word {
            kind: self.kind,
            state: self.state,
        };
        let promise = self.group().speaks[usize::from(kind)];
        let least = promise.max(u64::from(patience.saturating_sub(thought)));
        let extra = match ctx.random().below(2) {
            0 => 0,
            _ => ctx.random().below(self.rules.extra),
        };
        send(kind, to, word, nanos(least + extra), ctx);
    }
}

impl Actor for Player {
    type Message = Said;
    type Fact = u64;

    fn start(&mut self, ctx: &mut Context<'_, Self>) {
        let first = self.extra(ctx);
        ctx.schedule(Said::Wake, nanos(first));
    }

    fn receive(&mut self, said: Said, ctx: &mut Context<'_, Self>) {
        let heard = match said {
            Said::Question { state, .. } | Said::Word { state, .. } => state,
            Said::Answer { to, .. } => u64::from(to.0),
            Said::Tell { kind } => u64::from(kind) + 2,
            Said::Wake => 1,
        };
        self.hear(heard, ctx.now().nanos());
        ctx.note(self.state);
        match said {
            Said::Question {
                from,
                kind,
                patience,
                ..
            } => self.think((from, kind, patience), ctx),
            Said::Word { kind, .. } => self.react(kind, ctx),
            Said::Answer {
                to,
                kind,
                patience,
                thought,
            } => self.answer((to, kind), (patience, thought), ctx),
            Said::Tell { kind } => self.speak(kind, ctx),
            Said::Wake => self.wake(ctx),
        }
    }
}

impl Saved for Player {
    fn relink(&mut self, fresh: &Self) -> Result<(), OtherKind> {
        self.rules.relink(&fresh.rules);
        match self.kind == fresh.kind {
            true => Ok(()),
            false => Err(OtherKind),
        }
    }
}

/// Calls `$call` with the group that is numbered `$kind` as a type.
macro_rules! with_kind {
    ($kind:expr, $name:ident => $call:expr) => {
        match $kind {
            0 => {
                type $name = Kind<0>;
                $call
            }
            1 => {
                type $name = Kind<1>;
                $call
            }
            2 => {
                type $name = Kind<2>;
                $call
            }
            3 => {
                type $name = Kind<3>;
                $call
            }
            4 => {
                type $name = Kind<4>;
                $call
            }
            5 => {
                type $name = Kind<5>;
                $call
            }
            other => unreachable!("there are {MOST_KINDS} kinds, and no number {other}"),
        }
    };
}

fn send(kind: u8, to: ActorId, said: Said, delay: SimDuration, ctx: &mut Context<'_, Player>) {
    if delay == SimDuration::FOREVER {
        return;
    }
    with_kind!(kind, K => ctx.send(Address::<K>::new(to), said, delay));
}

fn ask(
    kind: u8,
    to: ActorId,
    said: Said,
    delay: SimDuration,
    patience: SimDuration,
    ctx: &mut Context<'_, Player>,
) {
    with_kind!(kind, K => ctx.ask_patiently(Address::<K>::new(to), said, delay, patience));
}

const fn nanos(count: u64) -> SimDuration {
    SimDuration::from_nanos(count)
}

/// How large a random world may be.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Size {
    /// Some tens of actors.
    Small,
    /// Usually small, sometimes hundreds of actors, seldom tens of thousands.
    Any,
}

/// The small world of a seed.
pub fn random_world(seed: u64) -> World<Player> {
    random_world_of(seed, Size::Small).0
}

/// The world of a seed, and about how long it must run to mean something.
pub fn random_world_of(seed: u64, size: Size) -> (World<Player>, SimDuration) {
    let mut draw = RandomStream::new(seed, ActorId(u32::MAX), Purpose(99));
    let (most, length) = match (size, draw.below(200)) {
        (Size::Any, 0) => (20_000, 2),
        (Size::Any, 1..20) => (400, 8),
        _ => (24, 40),
    };
    let rules = Arc::new(random_rules(&mut draw, most));
    let mut builder = WorldBuilder::new(seed);
    for kind in 0..rules.groups.len() as u8 {
        with_kind!(kind, K => builder.group::<K>(&format!("kind-{kind}")));
    }
    for (kind, group) in (0_u8..).zip(&rules.groups) {
        with_kind!(kind, K => declare::<K>(&mut builder, group));
    }
    for (kind, group) in (0_u8..).zip(&rules.groups) {
        for _ in 0..group.members {
            let player = Player {
                state: seed,
                kind,
                rules: Arc::clone(&rules).into(),
                quiet_until: [0; MOST_KINDS],
            };
            with_kind!(kind, K => { builder.add::<K>(player); });
        }
    }
    (builder.build(), nanos(rules.extra) * length)
}

fn declare<K: Inbox>(builder: &mut WorldBuilder<Player>, group: &GroupRules) {
    if group.only_answers {
        builder.hears_only_answers::<K>();
    }
    for (told, &promise) in (0_u8..).zip(&group.speaks) {
        if promise > 0 {
            with_kind!(told, T => builder.edge::<K, T>(nanos(promise)));
        }
    }
    for (heard, reactions) in (0_u8..).zip(&group.reactions) {
        for (told, &least) in (0_u8..).zip(reactions) {
            if least > 0 {
                with_kind!(heard, H => with_kind!(told, T => {
                    builder.reaction::<K, H, T>(nanos(least));
                }));
            }
        }
    }
}

fn random_rules(draw: &mut RandomStream, most: u64) -> Rules {
    let kinds = 1 + draw.below(MOST_KINDS as u64) as usize;
    let extra = 200 + draw.below(3_000);
    let mut groups = vec![GroupRules::default(); kinds];
    let mut next = 0;
    for (kind, group) in groups.iter_mut().enumerate() {
        group.only_answers = kind > 0 && draw.chance(0.5);
        // A group that nobody is in is one that nobody can be told anything of.
        group.members = match draw.below(8) {
            0 if kind > 0 => 0,
            1..3 => 1,
            3 | 4 => 2 + draw.below(4) as u32,
            _ => 1 + draw.below(most) as u32,
        };
        group.first = next;
        next += group.members;
    }
    for from in 0..kinds {
        for to in 0..kinds {
            // Who hears only answers is told something by those only whom it can ask: such edges
            // come in pairs, made when the asking side is looked at.
            if groups[to].only_answers || draw.chance(0.35) {
                continue;
            }
            groups[from].speaks[to] = random_span(draw, extra);
            if groups[from].only_answers {
                groups[to].speaks[from] = random_span(draw, extra);
            }
        }
    }
    for group in &mut groups {
        for heard in 0..kinds {
            for told in 0..kinds {
                if draw.chance(0.5) {
                    group.reactions[heard][told] = random_span(draw, extra);
                }
            }
        }
    }
    Rules { groups, extra }
}

/// A promise: very short, short, or long.
fn random_span(draw: &mut RandomStream, extra: u64) -> u64 {
    match draw.below(4) {
        0 => 1,
        1 | 2 => 1 + draw.below(50),
        _ => 1 + draw.below(extra * 2),
    }
}
