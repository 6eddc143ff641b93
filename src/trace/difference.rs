//! Where do two runs part?
//!
//! Both traces are gone through side by side in the order of the run. Up to the first difference, both
//! runs are one; so it is there that whatever is different began.

use std::collections::VecDeque;

use super::TraceError;
use super::archive::Archive;
use super::chunk::Chunk;
use super::message::Message;
use super::story::Told;

/// The first message that two runs do not share, and its surroundings.
#[derive(Clone, PartialEq, Debug)]
pub struct Difference {
    /// How many messages are the same before it.
    pub agreed: u64,
    /// The last of those, the latest last.
    pub before: Vec<Told>,
    /// What comes next in the first run, and in the second; empty if its trace is over.
    pub after: [Vec<Told>; 2],
    /// What caused the next message in either run, if it was recorded.
    pub causes: [Option<Told>; 2],
    /// Both say the same words, and differ in something that words do not tell.
    pub same_words: bool,
}

/// How much is shown before and after the difference.
const SURROUNDINGS: usize = 4;

impl Difference {
    /// The first difference between two traces; `None` if there is none.
    ///
    /// # Errors
    /// If a trace is damaged.
    pub fn first(one: &mut Archive, other: &mut Archive) -> Result<Option<Self>, TraceError> {
        let (mut in_one, mut in_other) = (Cursor::default(), Cursor::default());
        let mut agreed = 0;
        let mut before = VecDeque::new();
        loop {
            let here = in_one.load(one)?;
            let there = in_other.load(other)?;
            let same = match (here, there) {
                (None, None) => return Ok(None),
                // All that is known of either: names, times, ends, fate, words, and the hash of what
                // words do not tell.
                (Some(here), Some(there)) => here == there,
                _ => false,
            };
            if !same {
                break;
            }
            before.push_back(Told::of(&here.expect("it was compared")));
            if before.len() > SURROUNDINGS {
                before.pop_front();
            }
            agreed += 1;
            in_one.place += 1;
            in_other.place += 1;
        }
        let after = [in_one.rest(one)?, in_other.rest(other)?];
        let causes = [
            cause(one, after[0].first())?,
            cause(other, after[1].first())?,
        ];
        let same_words = match (after[0].first(), after[1].first()) {
            (Some(here), Some(there)) => here == there,
            _ => false,
        };
        Ok(Some(Difference {
            agreed,
            before: before.into(),
            after,
            causes,
            same_words,
        }))
    }
}

/// A place in an archive. It keeps a chunk of its own, since the archive's may be another by now.
#[derive(Default)]
struct Cursor {
    number: usize,
    place: usize,
    chunk: Option<Chunk>,
}

impl Cursor {
    /// The message here, if there is one.
    fn load(&mut self, archive: &mut Archive) -> Result<Option<Message<'_>>, TraceError> {
        if self
            .chunk
            .as_ref()
            .is_some_and(|chunk| self.place >= chunk.len())
        {
            self.chunk = None;
            self.number += 1;
            self.place = 0;
        }
        if self.chunk.is_none() && self.number < archive.chunks() {
            self.chunk = Some(archive.chunk(self.number)?.clone());
        }
        Ok(self.chunk.as_ref().map(|chunk| chunk.message(self.place)))
    }

    /// The next messages from here on.
    fn rest(&mut self, archive: &mut Archive) -> Result<Vec<Told>, TraceError> {
        let mut rest = Vec::new();
        while rest.len() < SURROUNDINGS
            && let Some(message) = self.load(archive)?
        {
            rest.push(Told::of(&message));
            self.place += 1;
        }
        Ok(rest)
    }
}

fn cause(archive: &mut Archive, effect: Option<&Told>) -> Result<Option<Told>, TraceError> {
    let Some(key) = effect.and_then(Told::cause_key) else {
        return Ok(None);
    };
    let Some((chunk, place)) = archive.find(key)? else {
        return Ok(None);
    };
    Ok(Some(Told::of(&archive.chunk(chunk)?.message(place))))
}
