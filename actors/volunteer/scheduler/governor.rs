//! Who may have another host record?
//!
//! "A second class of misbehavior is when a host repeatedly contacts the scheduler, claiming to be a
//! new host each time. ... We are considering adding a 'governor', e.g. requiring the participant to
//! perform a web interaction for each N hosts created" (the document, section 2.3). This is it: a
//! volunteer's requests as a new host are refused after N of them, until one comes after he has
//! shown himself on the project's site.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

/// Counts the host records of each volunteer.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(super) struct Governor {
    /// How many records a volunteer gets for each web interaction; zero: as many as he likes.
    every: u32,
    /// Records since the last web interaction, by volunteer.
    created: BTreeMap<u32, u32>,
}

impl Governor {
    pub(super) fn new(every: u32) -> Self {
        Governor {
            every,
            created: BTreeMap::new(),
        }
    }

    /// Whether this volunteer may have another record; if so, it is counted.
    pub(super) fn admits(&mut self, user: u32, after_web_interaction: bool) -> bool {
        if self.every == 0 {
            return true;
        }
        let created = self.created.entry(user).or_insert(0);
        if after_web_interaction {
            *created = 0;
        }
        let admitted = *created < self.every;
        *created += u32::from(admitted);
        admitted
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn after_each_so_many_records_a_volunteer_must_show_himself() {
        let mut governor = Governor::new(2);
        assert!(governor.admits(7, false));
        assert!(governor.admits(7, false));
        assert!(!governor.admits(7, false));
        assert!(governor.admits(8, false), "others are not concerned");
        assert!(governor.admits(7, true), "he has shown himself");
        assert!(governor.admits(7, false));
        assert!(!governor.admits(7, false));
        assert!((0..100).all(|_| Governor::new(0).admits(7, false)));
    }
}
