//! Random small worlds in which everything that could go wrong shows.
//!
//! Servers of two kinds and clients that hear only answers. Everybody keeps a state that every
//! message changes, in an order-sensitive way, and everything said carries the speaker's state: one
//! message too early, too late or out of order changes all that follows. Delays, promises, reactions
//! and sizes are drawn from a seed.

use kernel::{
    Actor, ActorId, Address, Context, Group, Inbox, Purpose, RandomStream, SimDuration, World,
    WorldBuilder,
};

/// A server of kind `N`.
pub struct Server<const N: u8>;
/// A client; hears only answers.
pub struct Client;

impl<const N: u8> Inbox for Server<N> {
    type Message = Said;
    const GROUP: Group = Group(N);
}

impl Inbox for Client {
    type Message = Said;
    const GROUP: Group = Group(2);
}

/// What anybody says.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Said {
    /// A client asks.
    Question { from: ActorId, state: u64 },
    /// A server answers a client, or tells another server something.
    Word { state: u64 },
    /// To oneself: it is time to answer this client.
    Answer { to: ActorId },
    /// To oneself: do something.
    Wake,
}

/// The least delays of a world, in nanoseconds.
#[derive(Clone, Debug)]
struct Delays {
    question: u64,
    answer: u64,
    gossip: u64,
    /// After hearing from a server of kind 0, a client asks one of kind 0 nothing for so long.
    reaction: u64,
    extra: u64,
}

/// A member of the cast.
pub struct Player {
    state: u64,
    role: Role,
    delays: Delays,
    servers: [u32; 2],
    /// Clients: when the next question to a server of kind 0 is allowed.
    quiet_until: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Server(u8),
    Client,
}

impl Player {
    fn note(&mut self, value: u64, now: u64) {
        self.state = (self.state ^ value ^ now.rotate_left(17))
            .wrapping_mul(0x9e37_79b9_7f4a_7c15)
            .rotate_left(23);
    }

    fn extra(&self, ctx: &mut Context<'_, Self>) -> SimDuration {
        // Often nothing at all, so that ties in time are common.
        let random = ctx.random();
        if random.chance(0.3) {
            return SimDuration::ZERO;
        }
        SimDuration::from_nanos(random.below(self.delays.extra))
    }

    fn ask(&mut self, kind: u8, ctx: &mut Context<'_, Self>) {
        let now = ctx.now().nanos();
        let question = Said::Question {
            from: ctx.me::<Client>().id(),
            state: self.state,
        };
        let delay = SimDuration::from_nanos(self.delays.question) + self.extra(ctx);
        if kind == 0 {
            if now < self.quiet_until {
                return;
            }
            let choice = ctx.random().below(u64::from(self.servers[0])) as u32;
            ctx.ask(Address::<Server<0>>::new(ActorId(choice)), question, delay);
        } else {
            let choice = ctx.random().below(u64::from(self.servers[1])) as u32;
            let id = ActorId(self.servers[0] + choice);
            ctx.ask(Address::<Server<1>>::new(id), question, delay);
        }
    }

    fn client_hears(&mut self, said: Said, ctx: &mut Context<'_, Self>) {
        let now = ctx.now().nanos();
        match said {
            Said::Wake => {
                let choice = ctx.random().below(4);
                match choice {
                    0 => self.ask(0, ctx),
                    1 => self.ask(1, ctx),
                    2 => {
                        // Two questions at once, which is where horizons may err.
                        self.ask(0, ctx);
                        self.ask(1, ctx);
                    }
                    _ => {
                        // Once more at this very instant, which must not overtake anything.
                        ctx.schedule(Said::Wake, SimDuration::ZERO);
                        return;
                    }
                }
                let pause = self.extra(ctx) + SimDuration::from_nanos(1);
                ctx.schedule(Said::Wake, pause);
            }
            Said::Word { .. } => {
                // Which kind answered is not told; being quiet after either keeps the promise.
                self.quiet_until = self.quiet_until.max(now + self.delays.reaction);
                if ctx.random().chance(0.5) {
                    self.ask(1, ctx);
                }
            }
            other => unreachable!("nobody says {other:?} to a client"),
        }
    }

    fn server_hears(&mut self, kind: u8, said: Said, ctx: &mut Context<'_, Self>) {
        match said {
            Said::Question { from, .. } => {
                let thinking = self.extra(ctx);
                ctx.schedule(Said::Answer { to: from }, thinking);
                if ctx.random().chance(0.2) {
                    self.gossip(kind, ctx);
                }
            }
            Said::Answer { to } => {
                let word = Said::Word { state: self.state };
                let delay = SimDuration::from_nanos(self.delays.answer) + self.extra(ctx);
                ctx.send(Address::<Client>::new(to), word, delay);
            }
            Said::Word { .. } => {
                if ctx.random().chance(0.3) {
                    self.gossip(kind, ctx);
                }
            }
            Said::Wake => {
                self.gossip(kind, ctx);
                let pause = self.extra(ctx) + SimDuration::from_nanos(self.delays.extra);
                ctx.schedule(Said::Wake, pause);
            }
        }
    }

    fn gossip(&mut self, kind: u8, ctx: &mut Context<'_, Self>) {
        let word = Said::Word { state: self.state };
        let delay = SimDuration::from_nanos(self.delays.gossip) + self.extra(ctx);
        if kind == 0 {
            let choice = ctx.random().below(u64::from(self.servers[1])) as u32;
            let id = ActorId(self.servers[0] + choice);
            ctx.send(Address::<Server<1>>::new(id), word, delay);
        } else {
            let choice = ctx.random().below(u64::from(self.servers[0])) as u32;
            ctx.send(Address::<Server<0>>::new(ActorId(choice)), word, delay);
        }
    }
}

impl Actor for Player {
    type Message = Said;
    type Fact = u64;

    fn start(&mut self, ctx: &mut Context<'_, Self>) {
        let first = self.extra(ctx);
        ctx.schedule(Said::Wake, first);
    }

    fn receive(&mut self, said: Said, ctx: &mut Context<'_, Self>) {
        let heard = match said {
            Said::Question { state, .. } | Said::Word { state } => state,
            Said::Answer { to } => u64::from(to.0),
            Said::Wake => 1,
        };
        self.note(heard, ctx.now().nanos());
        ctx.note(self.state);
        match self.role {
            Role::Client => self.client_hears(said, ctx),
            Role::Server(kind) => self.server_hears(kind, said, ctx),
        }
    }
}

/// The world of a seed. Sizes, delays and promises all come from it.
pub fn random_world(seed: u64) -> World<Player> {
    let mut draw = RandomStream::new(seed, ActorId(u32::MAX), Purpose(99));
    let mut below = |bound: u64| 1 + draw.below(bound);
    let delays = Delays {
        question: below(50),
        answer: below(50),
        gossip: below(400),
        reaction: below(5_000),
        extra: 500 + below(3_000),
    };
    let servers = [below(3) as u32, below(3) as u32];
    let clients = 4 + below(36) as u32;
    let mut builder = WorldBuilder::new(seed);
    builder.group::<Server<0>>("oracle");
    builder.group::<Server<1>>("library");
    builder.group::<Client>("client");
    let nanos = SimDuration::from_nanos;
    builder.edge::<Client, Server<0>>(nanos(delays.question));
    builder.edge::<Client, Server<1>>(nanos(delays.question));
    builder.edge::<Server<0>, Client>(nanos(delays.answer));
    builder.edge::<Server<1>, Client>(nanos(delays.answer));
    builder.edge::<Server<0>, Server<1>>(nanos(delays.gossip));
    builder.edge::<Server<1>, Server<0>>(nanos(delays.gossip));
    builder.hears_only_answers::<Client>();
    builder.reaction::<Client, Server<0>, Server<0>>(nanos(delays.reaction));
    builder.reaction::<Client, Server<1>, Server<0>>(nanos(delays.reaction));
    let player = |role| Player {
        state: seed,
        role,
        delays: delays.clone(),
        servers,
        quiet_until: 0,
    };
    for _ in 0..servers[0] {
        builder.add::<Server<0>>(player(Role::Server(0)));
    }
    for _ in 0..servers[1] {
        builder.add::<Server<1>>(player(Role::Server(1)));
    }
    for _ in 0..clients {
        builder.add::<Client>(player(Role::Client));
    }
    builder.build()
}
