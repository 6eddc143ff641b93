//! How fast is a host, roughly?

use serde::{Deserialize, Serialize};

/// The class of a host by the speed of all its processors together.
#[derive(
    Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default, Serialize, Deserialize,
)]
pub struct SpeedClass(u8);

/// Upper bounds of the classes, in Mflop/s; the last has none.
const BOUNDS: [u32; 5] = [5_000, 10_000, 20_000, 40_000, 80_000];

impl SpeedClass {
    /// How many classes there are.
    pub const COUNT: usize = BOUNDS.len() + 1;

    /// The class of a host of this speed, in Mflop/s.
    pub fn of(mflop_per_s: u32) -> Self {
        SpeedClass(BOUNDS.partition_point(|&bound| bound <= mflop_per_s) as u8)
    }

    /// All classes, the slowest first.
    pub fn all() -> impl Iterator<Item = SpeedClass> {
        (0..Self::COUNT as u8).map(SpeedClass)
    }

    /// The place of the class among all, from zero.
    pub fn place(self) -> usize {
        usize::from(self.0)
    }

    /// The class in words, in Gflop/s.
    pub fn title(self) -> String {
        let gflops = |place: usize| BOUNDS[place] / 1_000;
        match self.place() {
            0 => format!("below {}", gflops(0)),
            place if place == BOUNDS.len() => format!("{} and more", gflops(place - 1)),
            place => format!("{} to {}", gflops(place - 1), gflops(place)),
        }
    }
}
