//! How is the story of a volunteer computing project told, message by message?
//!
//! Every message has a kind, concerns jobs or files, and says something in words; of hosts is told
//! what they are doing. The words are those of the conversation ([`messages`](super::messages)).

use kernel::{ActorId, Address};

use super::actor::VolunteerActor;
use super::facts::Fact;
use super::host::Host;
use super::job::{FileId, InstanceId, InstanceSet, JobId};
use super::messages::{
    Message, ToAssimilator, ToDownloadServer, ToFileDeleter, ToHost, ToScheduler, ToTransitioner,
    ToUploadServer, ToValidator, ToWorkGenerator,
};
use super::project::Project;
use super::scenario::Scenario;
use crate::shared::narration::{Description, InstanceName, Kind, Narrator, Seen};

mod activity;
mod words;

pub use activity::Activity;

/// Tells of the messages of one project.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct VolunteerNarrator {
    first_host: u32,
    jobs_per_file: u32,
    input_bytes: u64,
    output_bytes: u64,
}

impl VolunteerNarrator {
    /// The narrator of a scenario's project.
    pub fn new(scenario: &Scenario) -> Self {
        VolunteerNarrator {
            first_host: Project::new(scenario, 1.0).first_host(),
            jobs_per_file: scenario.jobs.jobs_per_file,
            input_bytes: scenario.jobs.input_file.bytes(),
            output_bytes: scenario.jobs.output_file.bytes(),
        }
    }

    /// The names of all kinds of messages.
    pub fn kind_names() -> impl Iterator<Item = &'static str> {
        KINDS.iter().map(|kind| kind.name)
    }

    /// The place of a host among the hosts, as in `host[17]`.
    fn place_of(&self, host: Address<Host>) -> u32 {
        host.id().0 - self.first_host
    }

    fn job(&self, kind: What, job: JobId) -> Description {
        Description {
            job: Some(job.0),
            file: Some(job.file(self.jobs_per_file).0),
            ..what(kind)
        }
    }

    fn instance(&self, kind: What, instance: InstanceId) -> Description {
        let mut description = self.job(kind, instance.job);
        description.instances.push(name(instance));
        description
    }

    fn instances_of(
        &self,
        kind: What,
        job: JobId,
        numbers: impl Iterator<Item = u8>,
    ) -> Description {
        let mut description = self.job(kind, job);
        let names = numbers.map(|number| InstanceName { job: job.0, number });
        description.instances.extend(names);
        description
    }

    /// Of a message that names instances of any jobs.
    fn several(&self, kind: What, instances: impl Iterator<Item = InstanceId>) -> Description {
        let mut description = what(kind);
        description.instances.extend(instances.map(name));
        if let [first, rest @ ..] = &description.instances[..]
            && rest.iter().all(|other| other.job == first.job)
        {
            let job = JobId(first.job);
            description.job = Some(job.0);
            description.file = Some(job.file(self.jobs_per_file).0);
        }
        description
    }

    fn describe_to_scheduler(&self, message: &ToScheduler) -> Description {
        match message {
            ToScheduler::Requested(request) => self.several(
                What::Request,
                request.reports.iter().map(|report| report.instance),
            ),
            ToScheduler::FilesReady { .. } => what(What::FilesReady),
            ToScheduler::InstancesCreated { job, .. } => self.job(What::InstancesCreated, *job),
            ToScheduler::UnsentNotNeeded { job } => self.job(What::UnsentNotNeeded, *job),
            ToScheduler::InstanceTimedOut { instance } => {
                self.instance(What::InstanceTimedOut, *instance)
            }
            ToScheduler::InstancesJudged {
                job,
                valid,
                invalid,
            } => {
                let all = InstanceSet(valid.0 | invalid.0);
                self.instances_of(What::InstancesJudged, *job, all.iter())
            }
            ToScheduler::PlatformFreed { job } => self.job(What::PlatformFreed, *job),
            ToScheduler::JobDeleted { job } => self.job(What::JobDeleted, *job),
        }
    }

    fn describe_to_transitioner(&self, message: &ToTransitioner) -> Description {
        match message {
            ToTransitioner::JobCreated { job, .. } => self.job(What::JobCreated, *job),
            ToTransitioner::JobExtended { job, .. } => self.job(What::JobExtended, *job),
            ToTransitioner::InstanceDispatched { instance, .. } => {
                self.instance(What::InstanceDispatched, *instance)
            }
            ToTransitioner::InstanceReported { instance, .. } => {
                self.instance(What::InstanceReported, *instance)
            }
            ToTransitioner::InstanceWithdrawn { instance } => {
                self.instance(What::InstanceWithdrawn, *instance)
            }
            ToTransitioner::Validated(verdict) => {
                let judged = verdict.judged.iter().map(|&(number, _)| number);
                self.instances_of(What::Validated, verdict.job, judged)
            }
            ToTransitioner::JobAssimilated { job } => self.job(What::JobAssimilated, *job),
            ToTransitioner::DeadlinePassed { job } => self.job(What::DeadlinePassed, *job),
        }
    }

    fn describe_to_host(&self, message: &ToHost) -> Description {
        match message {
            ToHost::Joined => what(What::Joined),
            ToHost::SwitchedOn => what(What::SwitchedOn),
            ToHost::SwitchedOff => what(What::SwitchedOff),
            ToHost::Left => what(What::Left),
            ToHost::ContactDue => what(What::ContactDue),
            ToHost::ReportDue => what(What::ReportDue),
            ToHost::SliceEnded => what(What::SliceEnded),
            ToHost::DownloadFailed { file } => of_file(What::DownloadFailed, *file),
            ToHost::RetryDue => what(What::RetryDue),
            ToHost::ClockSet { .. } => what(What::ClockSet),
            ToHost::ComputationEnded { instance } => {
                self.instance(What::ComputationEnded, *instance)
            }
            ToHost::Replied(reply) => self.several(What::Reply, reply.instances.iter().copied()),
            ToHost::FileArrived { file } => Description {
                bytes: Some(self.input_bytes),
                ..of_file(What::FileArrived, *file)
            },
            ToHost::OutputStored { instance } => self.instance(What::OutputStored, *instance),
        }
    }
}

impl Narrator<VolunteerActor> for VolunteerNarrator {
    type Activity = Activity;

    fn kinds(&self) -> &'static [Kind] {
        &KINDS
    }

    fn describe(&self, message: &Message) -> Description {
        match message {
            Message::ToScheduler(message) => self.describe_to_scheduler(message),
            Message::ToTransitioner(message) => self.describe_to_transitioner(message),
            Message::ToHost(message) => self.describe_to_host(message),
            Message::ToValidator(ToValidator::ValidationNeeded(check)) => {
                let results = check.results.iter().map(|result| result.number);
                self.instances_of(What::ValidationNeeded, check.job, results)
            }
            Message::ToAssimilator(ToAssimilator::JobReady { job, .. }) => {
                self.job(What::JobReady, *job)
            }
            Message::ToFileDeleter(ToFileDeleter::OutputsDeletable { job, .. }) => {
                self.job(What::OutputsDeletable, *job)
            }
            Message::ToWorkGenerator(ToWorkGenerator::FilesWanted { .. }) => {
                what(What::FilesWanted)
            }
            Message::ToDownloadServer(ToDownloadServer::FileWanted { file, .. }) => {
                of_file(What::FileWanted, *file)
            }
            Message::ToDownloadServer(ToDownloadServer::TransferDue) => what(What::DownloadDue),
            Message::ToUploadServer(ToUploadServer::OutputSent { instance, .. }) => Description {
                bytes: Some(self.output_bytes),
                ..self.instance(What::OutputSent, *instance)
            },
            Message::ToUploadServer(ToUploadServer::TransferDue) => what(What::UploadDue),
        }
    }

    fn tell(&self, message: &Message, words: &mut String) {
        // Writing to a string does not fail.
        let _ = self.write_words(message, words);
    }

    fn is_departure(&self, fact: &Fact) -> bool {
        matches!(fact, Fact::HostLeft { .. })
    }

    fn activities(&self) -> &'static [&'static str] {
        &Activity::NAMES
    }

    fn is_watched(&self, actor: ActorId) -> bool {
        actor.0 >= self.first_host
    }

    fn watch(&self, activity: &mut Activity, seen: Seen<'_, VolunteerActor>) {
        match seen {
            Seen::Handled(message) => activity.handled(message),
            Seen::Sent(message) => activity.sent(message),
            Seen::Noted(fact) => activity.noted(fact),
        }
    }

    fn doing(&self, activity: &Activity) -> Option<u8> {
        activity.doing()
    }
}

fn name(instance: InstanceId) -> InstanceName {
    InstanceName {
        job: instance.job.0,
        number: instance.number,
    }
}

fn what(kind: What) -> Description {
    Description {
        kind: kind as u8,
        ..Description::default()
    }
}

fn of_file(kind: What, file: FileId) -> Description {
    Description {
        file: Some(file.0),
        ..what(kind)
    }
}

macro_rules! kinds {
    ($($what:ident $name:literal $(moot $moot:literal)?,)*) => {
        /// The kinds of messages, in the order of their listeners.
        #[derive(Clone, Copy, PartialEq, Eq, Debug)]
        enum What {
            $($what,)*
        }

        const KINDS: [Kind; [$(What::$what),*].len()] = [
            $(Kind {
                name: $name,
                moot_without_effect: false $(|| $moot)?,
            },)*
        ];
    };
}
kinds!(
    // To schedulers.
    Request "request",
    FilesReady "files_ready",
    InstancesCreated "instances_created",
    UnsentNotNeeded "unsent_not_needed",
    InstanceTimedOut "instance_timed_out",
    InstancesJudged "instances_judged",
    PlatformFreed "platform_freed",
    JobDeleted "job_deleted",
    // To transitioners.
    JobCreated "job_created",
    JobExtended "job_extended",
    InstanceDispatched "instance_dispatched",
    InstanceReported "instance_reported",
    InstanceWithdrawn "instance_withdrawn",
    Validated "validated",
    JobAssimilated "job_assimilated",
    // Nothing was late: the job is over, or all its instances were reported.
    DeadlinePassed "deadline_passed" moot true,
    // To the other daemons.
    ValidationNeeded "validation_needed",
    JobReady "job_ready",
    OutputsDeletable "outputs_deletable",
    FilesWanted "files_wanted",
    // To file servers. A transfer that shares the line with others ends later than it was thought to.
    FileWanted "file_wanted",
    DownloadDue "download_due" moot true,
    OutputSent "output_sent",
    UploadDue "upload_due" moot true,
    // To hosts.
    Joined "joined",
    SwitchedOn "switched_on",
    SwitchedOff "switched_off",
    Left "left",
    // The host has changed its mind since.
    ContactDue "contact_due" moot true,
    // Everything was reported before.
    ReportDue "report_due" moot true,
    // The slice had ended before, when the machine was switched off.
    SliceEnded "slice_ended" moot true,
    ComputationEnded "computation_ended",
    Reply "reply",
    FileArrived "file_arrived",
    DownloadFailed "download_failed",
    // Nothing waits for this try any more, or the machine is off.
    RetryDue "retry_due" moot true,
    ClockSet "clock_set",
    OutputStored "output_stored",
);

#[cfg(test)]
mod tests;
