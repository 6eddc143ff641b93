//! Parts that actors own: no actor lives here.

pub mod quantity;

pub mod results;
