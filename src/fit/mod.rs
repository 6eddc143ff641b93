//! Which distribution do these values come from?
//!
//! Every family that a scenario knows is fitted by maximum likelihood ([`families`]) and judged
//! ([`goodness`]): by Akaike's criterion, which weighs the likelihood against the number of parameters,
//! and by the Kolmogorov–Smirnov distance with its probability. [`values`] reads columns of CSV files.

pub mod families;
pub mod goodness;
pub mod mixture;
pub mod values;

pub use families::{Family, fit};
pub use goodness::{Judged, judge};
