//! A filter in a world whose actors and kinds are known.

use super::{
    Actors, Description, Fate, Filter, FilterError, Message, SimTime, one_of, plain, wrong,
};
use kernel::ActorId;
use std::ops::Range;

/// A filter whose names are numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    times: Vec<Range<SimTime>>,
    actors: Option<Vec<Range<u32>>>,
    with: Option<Vec<Range<u32>>>,
    /// By kind.
    kinds: Option<Vec<bool>>,
    jobs: Vec<Range<u32>>,
    fates: Vec<Fate>,
    text: Option<String>,
}

/// The names of a world that filters may use.
#[derive(Clone, Copy, Debug)]
pub struct Names<'a> {
    /// The groups: what a member is called, and the numbers of all.
    pub groups: &'a [(String, Range<u32>)],
    /// The kinds of messages.
    pub kinds: &'a [String],
}

impl Filter {
    /// Turns names into numbers.
    ///
    /// # Errors
    /// If a name is of nobody, a place is beyond its group, or a kind does not exist.
    pub fn resolve(&self, names: Names<'_>) -> Result<Selection, FilterError> {
        self.check_kinds(names.kinds.iter().map(String::as_str))?;
        let numbers = |actors: &[Actors]| -> Result<Option<Vec<Range<u32>>>, FilterError> {
            if actors.is_empty() {
                return Ok(None);
            }
            let ranges = actors.iter().map(|some| some.resolve(names.groups));
            Ok(Some(ranges.collect::<Result<_, _>>()?))
        };
        let kinds = (!self.kinds.is_empty()).then(|| {
            let wanted = names.kinds.iter().map(|kind| self.kinds.contains(kind));
            wanted.collect()
        });
        Ok(Selection {
            times: self.times.clone(),
            actors: numbers(&self.actors)?,
            with: numbers(&self.with)?,
            kinds,
            jobs: self.jobs.clone(),
            fates: self.fates.clone(),
            text: self.text.clone(),
        })
    }
}

impl Actors {
    fn resolve(&self, groups: &[(String, Range<u32>)]) -> Result<Range<u32>, FilterError> {
        let found = groups.iter().find(|(name, _)| plain(name) == self.group);
        let Some((_, members)) = found else {
            let known: Vec<_> = groups.iter().map(|(name, _)| plain(name)).collect();
            let known: Vec<_> = known.iter().map(String::as_str).collect();
            return Err(wrong(
                format!("there are no actors called `{}`", self.group),
                one_of(&self.group, &known),
            ));
        };
        let Some(places) = &self.places else {
            return Ok(members.clone());
        };
        let count = members.end - members.start;
        if places.start >= count {
            return Err(wrong(
                format!("there is no {}[{}]", self.group, places.start),
                match count {
                    0 => "there are none in this world".to_owned(),
                    _ => format!("they are numbered from 0 to {}", count - 1),
                },
            ));
        }
        Ok(members.start + places.start..members.start + places.end.min(count))
    }
}

impl Selection {
    /// Whether anything that this actor handles or sends can be wanted.
    #[inline]
    pub fn regards(&self, actor: ActorId) -> bool {
        // With `with` alone, the other end may be anybody.
        contains(&self.actors, actor)
    }

    /// Whether what this actor does is wanted.
    pub fn watches(&self, actor: ActorId) -> bool {
        contains(&self.actors, actor) && contains(&self.with, actor)
    }

    /// Whether a message between these two at these times can be wanted.
    #[inline]
    pub fn wants(&self, sent: SimTime, received: SimTime, from: ActorId, to: ActorId) -> bool {
        let at = |instant: SimTime| self.times.iter().any(|times| times.contains(&instant));
        (self.times.is_empty() || at(sent) || at(received))
            && contains(&self.actors, from)
            && contains(&self.actors, to)
            && (contains(&self.with, from) || contains(&self.with, to))
    }

    /// Whether an interval of time overlaps those that are wanted.
    pub fn overlaps(&self, start: SimTime, end: SimTime) -> bool {
        let overlaps = |times: &Range<SimTime>| start < times.end && times.start < end;
        self.times.is_empty() || self.times.iter().any(overlaps)
    }

    /// Whether kinds or jobs matter.
    #[inline]
    pub fn is_particular(&self) -> bool {
        self.kinds.is_some() || !self.jobs.is_empty()
    }

    /// Whether a message of this description can be wanted.
    pub fn wants_description(&self, description: &Description) -> bool {
        self.wants_kind(description.kind)
            && self.wants_jobs(description.job, description.instances.iter().map(|i| i.job))
    }

    /// Whether this message, of which everything is known, is wanted.
    pub fn wants_message(&self, message: &Message<'_>) -> bool {
        self.wants(message.sent, message.received, message.from, message.to)
            && self.wants_kind(message.kind)
            && self.wants_jobs(message.job, message.instances.iter().map(|i| i.job))
            && (self.fates.is_empty() || self.fates.contains(&message.fate))
            && self
                .text
                .as_ref()
                .is_none_or(|text| message.text.to_lowercase().contains(text))
    }

    /// The earliest and the latest instant that matter.
    pub fn span(&self) -> Range<SimTime> {
        let start = self.times.iter().map(|times| times.start).min();
        let end = self.times.iter().map(|times| times.end).max();
        start.unwrap_or(SimTime::START)..end.unwrap_or(SimTime::NEVER)
    }

    fn wants_kind(&self, kind: u8) -> bool {
        let wanted = self
            .kinds
            .as_ref()
            .map(|kinds| kinds.get(usize::from(kind)));
        wanted.is_none_or(|wanted| wanted == Some(&true))
    }

    fn wants_jobs(&self, job: Option<u32>, mut instances: impl Iterator<Item = u32>) -> bool {
        let wanted = |job: u32| self.jobs.iter().any(|jobs| jobs.contains(&job));
        self.jobs.is_empty() || job.is_some_and(wanted) || instances.any(wanted)
    }
}

#[inline]
fn contains(ranges: &Option<Vec<Range<u32>>>, actor: ActorId) -> bool {
    match ranges {
        None => true,
        Some(ranges) => ranges.iter().any(|range| range.contains(&actor.0)),
    }
}
