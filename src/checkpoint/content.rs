//! What stands in a checkpoint, and how does it become a run again?

use std::fs::File;
use std::io::{self, BufReader, Read, Write};
use std::path::Path;

use kernel::{Desk, Envelope, Restoration, Saved, SavedActor, SimTime, Standstill, Unfit, World};
use serde::{Deserialize, Serialize};

use super::CheckpointError;
use super::frames::{ACTORS, END, FrameError, FrameReader, FrameWriter, HEAD, LETTERS, OBSERVER};
use super::shape::shape_of;

/// A BLAKE3 hash.
pub type Hash = [u8; 32];

/// Of which run a checkpoint is. All of it must agree, or the checkpoint is refused.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The version of the program.
    pub program: String,
    /// The kind of world.
    pub domain: String,
    /// What the saved types are made of ([`shape_of`]).
    pub shape: Hash,
    /// The scenario and all it refers to.
    pub scenario: Hash,
}

impl Identity {
    /// The identity of a run of this program with actors `A`, observed by `O`.
    pub fn new<A: SavedActor, O: Saved>(domain: &str, scenario: Hash) -> Self {
        let kernel_and_cast = shape_of::<(Desk, A)>();
        let letters = shape_of::<Envelope<A::Message>>();
        let observer = shape_of::<O>();
        let mut hasher = blake3::Hasher::new();
        for part in [kernel_and_cast, letters, observer] {
            hasher.update(&part);
        }
        Identity {
            program: env!("CARGO_PKG_VERSION").to_owned(),
            domain: domain.to_owned(),
            shape: *hasher.finalize().as_bytes(),
            scenario,
        }
    }

    /// In what this run is another than `saved`, if it is.
    fn differs_from(&self, saved: &Identity) -> Option<String> {
        let Identity {
            program, domain, ..
        } = saved;
        if *domain != self.domain {
            return Some(format!(
                "it is of a world of the kind `{domain}`, not `{}`",
                self.domain
            ));
        }
        if *program != self.program {
            return Some(format!(
                "it was written by version {program} of this program, and this is version {}: only \
                 the same version goes on with a run",
                self.program
            ));
        }
        if saved.shape != self.shape {
            return Some(
                "it was written by another build of this program, whose actors are made of other \
                 parts"
                    .to_owned(),
            );
        }
        (saved.scenario != self.scenario).then(|| {
            "it is of another scenario: scenario.toml, or a file it names, is not as it was"
                .to_owned()
        })
    }
}

/// The first frame.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    identity: Identity,
    reached: SimTime,
    events: u64,
    actors: u64,
    letters: u64,
}

/// Writes a run down as it is between two windows. Returns how many bytes that took.
///
/// # Errors
/// If the system refuses, or if something cannot be written down.
pub fn save<A: SavedActor, O: Saved>(
    run: &dyn Standstill<A, O>,
    identity: &Identity,
    out: impl Write,
) -> io::Result<u64> {
    let members = run.members();
    let letters = run.under_way();
    let mut file = FrameWriter::begin(out)?;
    let head = Head {
        identity: identity.clone(),
        reached: run.reached(),
        events: run.events(),
        actors: members.len() as u64,
        letters: letters.len() as u64,
    };
    file.push(HEAD, &head)?;
    for member in members {
        file.push(ACTORS, &(member.desk, member.actor))?;
    }
    for letter in letters {
        file.push(LETTERS, letter)?;
    }
    file.push(OBSERVER, &run.observer())?;
    file.end()
}

/// A run that can go on.
#[derive(Debug)]
pub struct Restored<A: SavedActor, O> {
    /// The world as it was.
    pub world: World<A>,
    /// All that was seen until then.
    pub observer: O,
    /// How far the run had got.
    pub reached: SimTime,
}

/// Reads the checkpoint at `path` of the run with this identity. `fresh` is its world at the start,
/// and `blank` its observer.
///
/// # Errors
/// If the file is damaged, or not of this run.
pub fn load<A: SavedActor, O: Saved>(
    path: &Path,
    identity: &Identity,
    fresh: World<A>,
    blank: &O,
) -> Result<Restored<A, O>, CheckpointError> {
    let file = File::open(path).map_err(CheckpointError::refused("open", path))?;
    let length = file.metadata().map(|metadata| metadata.len());
    let length = length.map_err(CheckpointError::refused("look at", path))?;
    let input = BufReader::with_capacity(1 << 16, file);
    read(input, length, identity, fresh, blank).map_err(|problem| {
        let path = path.to_owned();
        match problem {
            Problem::Frames(FrameError::Refused(source)) => CheckpointError::Refused {
                doing: "read",
                path,
                source,
            },
            Problem::Frames(error @ FrameError::Format(_)) => CheckpointError::Other {
                path,
                why: error.to_string(),
            },
            Problem::Frames(error) => CheckpointError::Damaged {
                path,
                why: error.to_string(),
            },
            Problem::Other(why) => CheckpointError::Other { path, why },
        }
    })
}

/// Why a checkpoint does not become a run.
#[derive(Debug)]
pub enum Problem {
    /// The file is damaged.
    Frames(FrameError),
    /// It is of something else.
    Other(String),
}

impl From<FrameError> for Problem {
    fn from(error: FrameError) -> Self {
        Problem::Frames(error)
    }
}

impl From<Unfit> for Problem {
    fn from(unfit: Unfit) -> Self {
        Problem::Other(format!("it does not fit its scenario: {unfit}"))
    }
}

/// Reads a checkpoint of `length` bytes, as [`load`] does from a file.
///
/// # Errors
/// If it is damaged, or not of this run.
pub fn read<A: SavedActor, O: Saved>(
    input: impl Read,
    length: u64,
    identity: &Identity,
    fresh: World<A>,
    blank: &O,
) -> Result<Restored<A, O>, Problem> {
    let mut file = FrameReader::begin(input, length)?;
    let (kind, values) = file.frame()?;
    if kind != HEAD {
        return Err(values.misplaced().into());
    }
    let head: Head = values.only()?;
    if let Some(why) = identity.differs_from(&head.identity) {
        return Err(Problem::Other(why));
    }
    let mut world = Restoration::of(fresh, head.events);
    let (mut actors, mut letters) = (0, 0);
    let mut observer: Option<O> = None;
    loop {
        let (kind, mut values) = file.frame()?;
        match kind {
            ACTORS if letters == 0 && observer.is_none() => {
                while let Some((desk, actor)) = values.value()? {
                    world.member(desk, actor)?;
                    actors += 1;
                }
            }
            LETTERS if observer.is_none() => {
                while let Some(letter) = values.value()? {
                    world.letter(letter)?;
                    letters += 1;
                }
            }
            OBSERVER if observer.is_none() => observer = Some(values.only()?),
            END => break,
            _ => return Err(values.misplaced().into()),
        }
    }
    let complete = (actors, letters) == (head.actors, head.letters);
    let observer = observer.filter(|_| complete);
    let mut observer = observer.ok_or(Problem::Frames(FrameError::CutOff))?;
    observer
        .relink(blank)
        .map_err(|_| Problem::Other("it was observed by somebody else".to_owned()))?;
    Ok(Restored {
        world: world.finish()?,
        observer,
        reached: head.reached,
    })
}
