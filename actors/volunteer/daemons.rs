//! The small daemons of a project: work generator, assimilator, file deleter.
//!
//! Each looks at intervals for what the others have left for it. They decide nothing that would
//! depend on anything but the message, so they keep no state.

use std::sync::Arc;

use kernel::{Group, Inbox, Linked};
use serde::{Deserialize, Serialize};

use super::Context;
use super::facts::Fact;
use super::messages::{ToAssimilator, ToFileDeleter, ToScheduler, ToTransitioner, ToWorkGenerator};
use super::project::Project;

/// Puts input files on the download servers when a scheduler wants more.
#[derive(Debug, Serialize, Deserialize)]
pub struct WorkGenerator {
    pub(super) project: Linked<Project>,
}

/// Hands canonical outputs and failures to the scientists.
#[derive(Debug, Serialize, Deserialize)]
pub struct Assimilator {
    pub(super) project: Linked<Project>,
}

/// Deletes the output files of jobs that are over.
#[derive(Debug, Serialize, Deserialize)]
pub struct FileDeleter {
    pub(super) project: Linked<Project>,
}

impl Inbox for Assimilator {
    type Message = ToAssimilator;
    const GROUP: Group = Group(3);
}

impl Inbox for FileDeleter {
    type Message = ToFileDeleter;
    const GROUP: Group = Group(4);
}

impl Inbox for WorkGenerator {
    type Message = ToWorkGenerator;
    const GROUP: Group = Group(5);
}

impl WorkGenerator {
    /// The work generator of a project.
    pub fn new(project: Arc<Project>) -> Self {
        WorkGenerator {
            project: project.into(),
        }
    }

    pub(super) fn receive(&mut self, message: ToWorkGenerator, ctx: &mut Context<'_>) {
        let ToWorkGenerator::FilesWanted { scheduler, count } = message;
        let delay = self.project.scenario.servers.feeder_period.span();
        ctx.send(scheduler, ToScheduler::FilesReady { count }, delay);
    }
}

impl Assimilator {
    /// The assimilator of a project.
    pub fn new(project: Arc<Project>) -> Self {
        Assimilator {
            project: project.into(),
        }
    }

    pub(super) fn receive(&mut self, message: ToAssimilator, ctx: &mut Context<'_>) {
        let ToAssimilator::JobReady { job, failed } = message;
        ctx.note(Fact::JobAssimilated { failed });
        let delay = self.project.scenario.servers.transitioner_period.span();
        let transitioner = self.project.transitioner_of(job);
        ctx.send(transitioner, ToTransitioner::JobAssimilated { job }, delay);
    }
}

impl FileDeleter {
    /// The file deleter of a project.
    pub fn new(project: Arc<Project>) -> Self {
        FileDeleter {
            project: project.into(),
        }
    }

    pub(super) fn receive(&mut self, message: ToFileDeleter, ctx: &mut Context<'_>) {
        let ToFileDeleter::OutputsDeletable { job, outputs } = message;
        let size = self.project.scenario.jobs.output_file.bytes();
        ctx.note(Fact::OutputsDeleted {
            bytes: u64::from(outputs) * size,
        });
        let delay = self.project.scenario.servers.feeder_period.span();
        let scheduler = self.project.scheduler_of(job);
        ctx.send(scheduler, ToScheduler::JobDeleted { job }, delay);
    }
}
