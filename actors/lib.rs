//! The simulated worlds: who takes part, what they say, by which rules they decide.
//!
//! Every domain depends on the kernel and on [`shared`], never on another domain.

pub mod phold;
pub mod shared;
pub mod volunteer;
