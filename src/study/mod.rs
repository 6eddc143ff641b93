//! How do runs become an answer? The same scenario again and again, with other values of some keys.
//!
//! In reading order: what the `[study]` table says ([`table`], with [`amount`]s to step through and a
//! [`condition`] on combinations), which runs that makes ([`plan`]), the directory in which they are run
//! and can be resumed ([`directory`], [`ledger`], [`workers`]), what they found together
//! ([`collection`], [`columns`]), from when on a series counts ([`warm_up`]), and how sure we are ([`statistics`]).
//!
//! A study knows scenarios as text and results as figures by name; it knows no domain.

pub mod amount;
pub mod collection;
pub mod columns;
pub mod comparison;
pub mod condition;
pub mod directory;
pub mod ledger;
pub mod observed;
pub mod page;
pub mod plan;
pub mod sample;
pub mod statistics;
pub mod table;
pub mod warm_up;
pub mod workers;

pub use plan::{Combination, PlannedRun, StudyPlan};
pub use table::Study;
