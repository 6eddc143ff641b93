//! How does a conversation look?
//!
//! A recorded run becomes one page that works offline: a lane per actor, an arrow per message, strips
//! for what hosts are doing. [`Conversation`] is what the page needs to know, [`pack`] its form in
//! bytes, `page` the page; what draws it is in `page/`, one file of JavaScript per question.

pub mod conversation;
pub mod pack;
mod page;
pub mod reading;

#[cfg(test)]
mod sample;

pub use conversation::{Conversation, Interval, Message, Name, Participant, Subject};
pub use page::{offline, served};
