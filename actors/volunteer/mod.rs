//! A volunteer computing project of the BOINC kind, as a conversation of actors.
//!
//! The story, down the page. Volunteers' [`host`]s ask the [`scheduler`] for work; it chooses from
//! what lies on its [`shelf`] by a rule of [`assignment`], as far as the host's [`quota`] allows. The
//! host fetches the input file it does not have from a download server ([`file_server`]), computes
//! while its machine is on, sends its output to an upload server, and reports. What is dispatched
//! and reported, the [`transitioner`] hears, which keeps the state of every job: it creates further
//! instances when deadlines pass or hosts fail, and calls the [`validator`] when enough results are
//! there; how many that are is a rule of [`replication`]. The validator compares outputs, names one
//! canonical and grants credit. The [`daemons`]
//! supply files, take over canonical outputs and delete what is done with.
//!
//! *The document* is the draft paper on simulating Einstein@home by the authors of BOINC; its
//! sections are named where they are followed. Where it is silent, the rules are those of BOINC's
//! source, mostly as of 2026.
//!
//! Nobody reads another's state; every interaction is one of the [`messages`]. Hosts hear only
//! answers. Servers of a kind divide the work by a fixed rule ([`project`]).
//!
//! Left out, on purpose: what a host's other projects do but take their turns; graphics processors;
//! processors of one host that differ; deadline scheduling on a host that has no other projects, and
//! aborting what is late but not started; benchmarks that differ from the true speed; the
//! application's own files; lost messages, hence results that must be resent, and failing servers
//! but for files that cannot be reached;
//! resumed transfers (what is under way when a machine is switched off completes); the time that
//! servers take to think; reliable hosts and priorities; the feeder's
//! limited array except for the rule `random`; server disk limits; cancelled jobs; clients that
//! detach; blacklisting; credit other than for the job's size.

pub mod actor;
pub mod assignment;
pub mod daemons;
pub mod document_host;
pub mod facts;
pub mod file_server;
pub mod host;
pub mod job;
pub mod messages;
pub mod metrics;
pub mod narration;
pub mod platform;
mod population;
pub mod project;
pub mod quota;
pub mod replication;
pub mod scenario;
pub mod scheduler;
pub mod shelf;
#[cfg(test)]
mod tests;
pub mod transitioner;
pub mod validator;
mod world;

pub use actor::{Context, VolunteerActor};
pub use facts::Fact;
pub use messages::Message;
pub use metrics::Metrics;
pub use narration::VolunteerNarrator;
pub use scenario::{Problem, Scenario};
pub use world::Inputs;
