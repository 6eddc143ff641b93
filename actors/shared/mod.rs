//! Parts that actors own: no actor lives here.

pub mod quantity;

pub mod distribution;

pub mod availability;
pub mod population;
pub mod processor;

pub mod gauge;
pub mod narration;
pub mod results;
pub mod tally;
