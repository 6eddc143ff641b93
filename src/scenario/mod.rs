//! From a file to a scenario (what it means) and on to a world (who exists).
//!
//! In reading order: the text and its places ([`mod@file`], [`key_path`]), what the command line changes
//! ([`overrides`]), what is said when something is wrong ([`error`], [`suggestion`]), which keys there
//! are ([`keys`]), and what a domain makes of it all ([`domain`], [`volunteer`]).

pub mod domain;
pub mod error;
pub mod file;
pub mod key_path;
pub mod keys;
pub mod overrides;
pub mod suggestion;
pub mod volunteer;

pub use error::ScenarioError;
pub use file::ScenarioText;
pub use key_path::KeyPath;
pub use overrides::Override;
