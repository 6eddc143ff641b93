//! An instance on its host.

use kernel::{SimDuration, SimTime};
use serde::{Deserialize, Serialize};

use crate::shared::processor::Computation;
use crate::volunteer::job::{InstanceId, Outcome, Output};

/// An instance on its host, from the reply that brought it to the reply that acknowledges it.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) struct Task {
    pub(super) instance: InstanceId,
    pub(super) deadline: SimTime,
    /// What is left to compute.
    pub(super) computation: Computation,
    /// What there was to compute.
    pub(super) work: SimDuration,
    pub(super) stage: Stage,
    /// How it will end, which the host does not know before.
    pub(super) outcome: Outcome,
    pub(super) output: Output,
}

/// How far a task is.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(super) enum Stage {
    /// Its input file is missing, and has not been asked for.
    Missing,
    /// Its input file is on its way.
    Downloading,
    /// It waits for a processor.
    Ready,
    /// It has a processor, and computes while the machine is on.
    Running,
    /// Its output file is on its way.
    Uploading,
    /// It can be reported.
    Reportable {
        /// Since when.
        since: SimTime,
    },
    /// It stands in a request to which there is no answer yet.
    Reported,
}

impl Task {
    pub(super) fn new(
        instance: InstanceId,
        deadline: SimTime,
        work: SimDuration,
        outcome: Outcome,
        output: Output,
    ) -> Self {
        Task {
            instance,
            deadline,
            computation: Computation::new(work),
            work,
            stage: Stage::Missing,
            outcome,
            output,
        }
    }

    /// Whether there is something left to compute.
    pub(super) fn is_work(&self) -> bool {
        matches!(
            self.stage,
            Stage::Missing | Stage::Downloading | Stage::Ready | Stage::Running
        )
    }
}
