//! Where does an unsent instance stand in line?

use kernel::SimTime;
use serde::{Deserialize, Serialize};

/// When an instance was created, and which it was: later ones have higher IDs, so both orders are
/// one.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
pub struct Stamp {
    /// When.
    pub created: SimTime,
    /// Its ID among all instances of its scheduler.
    pub id: u64,
}

impl Stamp {
    /// The head of the line.
    pub const FIRST: Stamp = Stamp {
        created: SimTime::START,
        id: 0,
    };

    /// The place directly behind this one.
    pub fn next(self) -> Stamp {
        Stamp {
            id: self.id + 1,
            ..self
        }
    }

    /// The place of the first instance created at `time`.
    pub fn earliest_at(time: SimTime) -> Stamp {
        Stamp {
            created: time,
            id: 0,
        }
    }
}
