//! Who may speak to whom, and how soon at the earliest?
//!
//! A world declares its groups and, for each pair of groups that talk, the least delay of anything
//! said (the *lookahead* of parallel simulation). Two further declarations make long windows
//! possible where latencies are short:
//!
//! * a group may *hear only answers*: its members are told nothing that they have not asked for
//!   ([`Context::ask`](crate::Context::ask));
//! * a *reaction*: having heard from one group, a member says nothing to another group, on account
//!   of what it heard, for at least so long;
//! * a group may *take turns* with another: a member asks it one question at a time, and after an
//!   answer none, on whatever account, for at least so long.
//!
//! Everything declared here is checked at every send, in every runtime, whether or not sender and
//! target share a partition. A broken promise stops the run: it is never bent into shape.

use std::ops::Range;

use crate::actor::{ActorId, Group};
use crate::envelope::EventKey;
use crate::time::SimDuration;

/// What a world has promised about the conversations in it.
#[derive(Clone, Debug, Default)]
pub struct Promises {
    groups: Vec<GroupPromises>,
}

#[derive(Clone, Debug)]
struct GroupPromises {
    name: String,
    members: Range<u32>,
    only_answers: bool,
    turns: Option<Turns>,
    speaks: Row,
    /// The same for whatever is said without being a question: to whom turns are taken, nothing is.
    sends: Row,
    /// `reactions[heard][told]`: the least time between hearing and telling.
    reactions: [[SimDuration; MOST_GROUPS]; MOST_GROUPS],
}

/// A group with which another takes turns.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Turns {
    /// Who is asked one question at a time.
    pub with: Group,
    /// How long a member asks nothing more after an answer.
    pub wait: SimDuration,
}

/// What one group has promised each other group, by its number: the least delay of what it says.
/// [`SimDuration::FOREVER`]: it never says anything.
pub(crate) type Row = [SimDuration; MOST_GROUPS];

/// More groups than any domain has; their numbers index small arrays.
pub const MOST_GROUPS: usize = 16;

impl Promises {
    pub(crate) fn declare_group(&mut self, group: Group, name: &str) {
        assert_eq!(
            usize::from(group.0),
            self.groups.len(),
            "groups are declared in the order of their numbers; `{name}` is out of order"
        );
        assert!(
            self.groups.len() < MOST_GROUPS,
            "more groups than a world can hold"
        );
        self.groups.push(GroupPromises {
            name: name.to_owned(),
            members: 0..0,
            only_answers: false,
            turns: None,
            speaks: [SimDuration::FOREVER; MOST_GROUPS],
            sends: [SimDuration::FOREVER; MOST_GROUPS],
            reactions: [[SimDuration::ZERO; MOST_GROUPS]; MOST_GROUPS],
        });
    }

    pub(crate) fn declare_edge(&mut self, from: Group, to: Group, least: SimDuration) {
        assert!(
            least > SimDuration::ZERO,
            "{} must promise {} some delay: a conversation without any cannot be run in parallel",
            self.name(from),
            self.name(to)
        );
        let from = self.group_mut(from);
        from.speaks[usize::from(to.0)] = least;
        if from.turns.is_none_or(|turns| turns.with != to) {
            from.sends[usize::from(to.0)] = least;
        }
    }

    pub(crate) fn declare_turns(&mut self, of: Group, with: Group, wait: SimDuration) {
        // On account of an answer, too, a member does not ask again before its turn.
        self.declare_reaction(of, with, with, wait);
        let group = self.group_mut(of);
        assert!(
            group.turns.is_none(),
            "a {} takes turns with one group only",
            group.name
        );
        group.turns = Some(Turns { with, wait });
        group.sends[usize::from(with.0)] = SimDuration::FOREVER;
    }

    pub(crate) fn declare_only_answers(&mut self, group: Group) {
        self.group_mut(group).only_answers = true;
    }

    pub(crate) fn declare_reaction(
        &mut self,
        of: Group,
        heard: Group,
        told: Group,
        least: SimDuration,
    ) {
        self.group_mut(of).reactions[usize::from(heard.0)][usize::from(told.0)] = least;
    }

    pub(crate) fn admit(&mut self, group: Group, id: ActorId) {
        let entry = self.group_mut(group);
        if entry.members.is_empty() {
            entry.members = id.0..id.0 + 1;
        } else {
            assert_eq!(
                entry.members.end, id.0,
                "the members of a group are added one after another ({})",
                entry.name
            );
            entry.members.end += 1;
        }
    }

    fn group_mut(&mut self, group: Group) -> &mut GroupPromises {
        self.groups
            .get_mut(usize::from(group.0))
            .unwrap_or_else(|| panic!("group {} has not been declared", group.0))
    }

    fn entry(&self, group: Group) -> &GroupPromises {
        &self.groups[usize::from(group.0)]
    }

    /// All groups, in order.
    pub fn groups(&self) -> impl Iterator<Item = Group> + use<> {
        (0..self.groups.len() as u8).map(Group)
    }

    /// What the members of a group are called, in the singular.
    pub fn name(&self, group: Group) -> &str {
        &self.entry(group).name
    }

    /// The numbers of a group's actors.
    pub fn members(&self, group: Group) -> Range<u32> {
        self.entry(group).members.clone()
    }

    /// The group an actor is in.
    ///
    /// # Panics
    /// If there is no such actor.
    pub fn group_of(&self, id: ActorId) -> Group {
        let found = self.groups.iter().position(|g| g.members.contains(&id.0));
        Group(found.unwrap_or_else(|| panic!("there is no actor {}", id.0)) as u8)
    }

    /// An actor's name for people: its group and its place in it, as `host[17]`.
    pub fn actor_name(&self, id: ActorId) -> String {
        match self.groups.iter().find(|g| g.members.contains(&id.0)) {
            Some(group) if group.members.len() == 1 => group.name.clone(),
            Some(group) => format!("{}[{}]", group.name, id.0 - group.members.start),
            None => format!("actor {} (unknown)", id.0),
        }
    }

    /// In words: who was handling what, when. For a run that has gone wrong.
    pub(crate) fn scene(&self, key: EventKey, target: ActorId) -> String {
        format!(
            "{}, at {} ({:.9} s), handling message {} of {}",
            self.actor_name(target),
            key.time,
            key.time.as_secs_f64(),
            key.number,
            self.actor_name(key.source)
        )
    }

    /// The least delay of anything that `from` says to `to`; `None` if they never speak.
    pub fn between(&self, from: Group, to: Group) -> Option<SimDuration> {
        let least = self.row(from)[usize::from(to.0)];
        (least != SimDuration::FOREVER).then_some(least)
    }

    /// What a group has promised each other group.
    pub(crate) fn row(&self, from: Group) -> &Row {
        &self.entry(from).speaks
    }

    /// What a group has promised of all that is no question.
    pub(crate) fn sends(&self, from: Group) -> &Row {
        &self.entry(from).sends
    }

    /// With whom members of a group take turns, if with anybody.
    #[inline]
    pub fn turns(&self, of: Group) -> Option<Turns> {
        self.entry(of).turns
    }

    /// Whether members of a group are told only what they have asked for.
    #[inline]
    pub fn hears_only_answers(&self, group: Group) -> bool {
        self.entry(group).only_answers
    }

    /// How long a member of `of` that heard from `heard` waits before it tells `told` anything on
    /// account of it. Zero if nothing was declared.
    pub fn reaction(&self, of: Group, heard: Group, told: Group) -> SimDuration {
        self.entry(of).reactions[usize::from(heard.0)][usize::from(told.0)]
    }

    /// The smallest delay of anything said between two actors, [`SimDuration::FOREVER`] if nobody
    /// speaks: the length of a plain conservative window.
    pub fn smallest(&self) -> SimDuration {
        let all = self.groups.iter().flat_map(|group| group.speaks);
        all.min().unwrap_or(SimDuration::FOREVER)
    }
}
