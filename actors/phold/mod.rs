//! PHOLD: the field's synthetic workload, for measuring kernels.
//!
//! Each actor starts with some tokens. Whoever holds a token passes it on after a delay: with
//! probability `remote` to an actor chosen uniformly among all, else to itself. The delay is the
//! lookahead plus an exponential variate. (Fujimoto, *Performance of Time Warp under synthetic
//! workloads*, 1990; `remote` as in ROSS.)

use std::sync::Arc;

use kernel::{
    Actor, Address, Context, Group, Inbox, Linked, OtherKind, Saved, SimDuration, World,
    WorldBuilder,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The parameters of a PHOLD world.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Parameters {
    /// How many actors there are.
    pub actors: u32,
    /// How many tokens each actor starts with.
    pub events_per_actor: u32,
    /// The probability that a token goes to an actor chosen among all.
    pub remote: f64,
    /// The least delay, in seconds.
    pub lookahead_s: f64,
    /// The mean of the exponential part of the delay, in seconds.
    pub mean_s: f64,
}

/// An actor of the PHOLD world.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Node {
    /// How many tokens it has handled.
    handled: u64,
    rules: Linked<Rules>,
}

/// What all nodes have in common.
#[derive(Debug)]
struct Rules {
    remote: f64,
    actors: u32,
    tokens: u32,
    lookahead: SimDuration,
    mean_nanos: f64,
}

/// A token: what is passed on.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
pub struct Token;

impl Inbox for Node {
    type Message = Token;
    const GROUP: Group = Group(0);
}

impl Node {
    fn pass_on(&mut self, ctx: &mut Context<'_, Node>) {
        let rules = &*self.rules;
        let random = ctx.random();
        let remote = random.chance(rules.remote);
        let choice = random.below(u64::from(rules.actors)) as u32;
        // Half a nanosecond is added so that rounding does not shift the mean.
        let beyond = (random.exponential() * rules.mean_nanos + 0.5) as u64;
        let delay = rules.lookahead + SimDuration::from_nanos(beyond);
        if remote {
            ctx.send(Address::<Node>::new(kernel::ActorId(choice)), Token, delay);
        } else {
            ctx.schedule(Token, delay);
        }
    }
}

impl Actor for Node {
    type Message = Token;
    type Fact = ();

    fn start(&mut self, ctx: &mut Context<'_, Self>) {
        for _ in 0..self.rules.tokens {
            self.pass_on(ctx);
        }
    }

    fn receive(&mut self, Token: Token, ctx: &mut Context<'_, Self>) {
        self.handled += 1;
        self.pass_on(ctx);
    }
}

impl Saved for Node {
    fn relink(&mut self, fresh: &Self) -> Result<(), OtherKind> {
        self.rules.relink(&fresh.rules);
        Ok(())
    }
}

impl Parameters {
    /// Why these parameters make no world, if they do not.
    pub fn problem(&self) -> Option<String> {
        if self.actors == 0 {
            return Some("there must be at least one actor".to_owned());
        }
        if !(0.0..=1.0).contains(&self.remote) {
            return Some(format!(
                "remote = {} is not a probability (0 to 1)",
                self.remote
            ));
        }
        if !(self.lookahead_s > 0.0 && self.lookahead_s.is_finite()) {
            return Some(format!(
                "lookahead = {} s leaves nothing to run in parallel; it must be positive",
                self.lookahead_s
            ));
        }
        if !(self.mean_s >= 0.0 && self.mean_s.is_finite()) {
            return Some(format!("mean = {} s is not a delay", self.mean_s));
        }
        None
    }

    /// The world with these parameters. They have no [`Parameters::problem`].
    pub fn build(&self, seed: u64) -> World<Node> {
        let lookahead = SimDuration::from_secs_f64(self.lookahead_s);
        let mut builder = WorldBuilder::new(seed);
        builder.group::<Node>("node");
        builder.edge::<Node, Node>(lookahead);
        builder.reserve(self.actors as usize);
        let rules = Arc::new(Rules {
            remote: self.remote,
            actors: self.actors,
            tokens: self.events_per_actor,
            lookahead,
            mean_nanos: self.mean_s * 1e9,
        });
        for _ in 0..self.actors {
            builder.add::<Node>(Node {
                handled: 0,
                rules: Arc::clone(&rules).into(),
            });
        }
        builder.build()
    }
}
