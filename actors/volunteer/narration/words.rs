//! What does a message say, in words? Sentences whose subject is the sender.

use std::fmt::{self, Write};

use super::VolunteerNarrator;
use crate::volunteer::job::{InstanceSet, Outcome, Output, Validity};
use crate::volunteer::messages::{
    Check, Judgement, Message, Reply, Request, ToAssimilator, ToDownloadServer, ToFileDeleter,
    ToHost, ToScheduler, ToTransitioner, ToUploadServer, ToValidator, ToWorkGenerator, Verdict,
};

impl VolunteerNarrator {
    pub(super) fn write_words(&self, message: &Message, words: &mut String) -> fmt::Result {
        match message {
            Message::ToScheduler(message) => to_scheduler(message, words),
            Message::ToTransitioner(message) => self.tell_transitioner(message, words),
            Message::ToHost(message) => to_host(message, words),
            Message::ToValidator(ToValidator::ValidationNeeded(check)) => {
                self.validation_needed(check, words)
            }
            Message::ToAssimilator(ToAssimilator::JobReady { job, failed }) => {
                let state = if *failed { "has failed" } else { "is decided" };
                write!(words, "says that job {} {state}", job.0)
            }
            Message::ToFileDeleter(ToFileDeleter::OutputsDeletable { job, outputs }) => {
                write!(
                    words,
                    "lets {outputs} output files of job {} be deleted",
                    job.0
                )
            }
            Message::ToWorkGenerator(ToWorkGenerator::FilesWanted { count, .. }) => {
                write!(words, "wants {count} more input files")
            }
            Message::ToDownloadServer(ToDownloadServer::FileWanted {
                file,
                line_kb_per_s,
                ..
            }) => write!(
                words,
                "wants input file {} over a line of {line_kb_per_s} kB/s",
                file.0
            ),
            Message::ToUploadServer(ToUploadServer::OutputSent {
                instance,
                line_kb_per_s,
                ..
            }) => write!(
                words,
                "sends the output of {instance} over a line of {line_kb_per_s} kB/s"
            ),
            Message::ToDownloadServer(ToDownloadServer::TransferDue)
            | Message::ToUploadServer(ToUploadServer::TransferDue) => {
                words.write_str("looks whether a transfer is complete")
            }
        }
    }

    fn tell_transitioner(&self, message: &ToTransitioner, words: &mut String) -> fmt::Result {
        match message {
            ToTransitioner::JobCreated { job, extent } => write!(
                words,
                "has created job {} with {} instances and a quorum of {}",
                job.0, extent.target, extent.quorum
            ),
            ToTransitioner::JobExtended { job, extent } => write!(
                words,
                "gives job {} up to {} instances and a quorum of {}",
                job.0, extent.target, extent.quorum
            ),
            ToTransitioner::InstanceDispatched { instance, host, .. } => {
                write!(
                    words,
                    "has sent {instance} to host[{}]",
                    self.place_of(*host)
                )
            }
            ToTransitioner::InstanceReported {
                instance,
                outcome,
                output,
            } => {
                write!(words, "has heard the report of {instance}: ")?;
                reported(*outcome, *output, words)
            }
            ToTransitioner::InstanceWithdrawn { instance } => {
                write!(words, "has withdrawn {instance}, which nobody had got")
            }
            ToTransitioner::Validated(verdict) => validated(verdict, words),
            ToTransitioner::JobAssimilated { job } => {
                write!(words, "has taken over the result of job {}", job.0)
            }
            ToTransitioner::DeadlinePassed { job } => {
                write!(words, "looks for instances of job {} that are late", job.0)
            }
        }
    }

    fn validation_needed(&self, check: &Check, words: &mut String) -> fmt::Result {
        write!(words, "wants results of job {} compared:", check.job.0)?;
        for (place, result) in check.results.iter().enumerate() {
            let comma = if place > 0 { "," } else { "" };
            write!(words, "{comma} {}_{} of ", check.job.0, result.number)?;
            write!(words, "host[{}] ", self.place_of(result.host))?;
            output(result.output, words)?;
        }
        if let Some(canonical) = check.canonical {
            words.write_str("; the canonical output is ")?;
            output(canonical, words)?;
        }
        Ok(())
    }
}

fn to_scheduler(message: &ToScheduler, words: &mut String) -> fmt::Result {
    match message {
        ToScheduler::Requested(request) => requested(request, words),
        ToScheduler::FilesReady { count } => write!(words, "has {count} more input files ready"),
        ToScheduler::InstancesCreated { job, count } => {
            write!(
                words,
                "has created {count} further instances of job {}",
                job.0
            )
        }
        ToScheduler::UnsentNotNeeded { job } => {
            write!(words, "needs no further instances of job {}", job.0)
        }
        ToScheduler::InstanceTimedOut { instance } => {
            write!(words, "gives up {instance}, whose deadline has passed")
        }
        ToScheduler::InstancesJudged {
            job,
            valid,
            invalid,
        } => {
            words.write_str("has judged")?;
            judged(" valid", job.0, *valid, words)?;
            judged(" invalid", job.0, *invalid, words)
        }
        ToScheduler::PlatformFreed { job } => {
            write!(words, "lets job {} go to any platform", job.0)
        }
        ToScheduler::JobDeleted { job } => {
            write!(words, "has deleted the output files of job {}", job.0)
        }
    }
}

fn requested(request: &Request, words: &mut String) -> fmt::Result {
    if request.work_wanted.nanos() == 0 && request.idle_cores == 0 {
        words.write_str("wants no work")?;
    } else {
        write!(
            words,
            "wants {} of work with {} of {} processors idle",
            request.work_wanted, request.idle_cores, request.cores
        )?;
    }
    if request.queue_delay.nanos() > 0 {
        write!(words, ", has work for {}", request.queue_delay)?;
    }
    if request.record.is_none() {
        words.write_str(", comes for the first time")?;
    }
    for (place, report) in request.reports.iter().enumerate() {
        words.write_str(if place == 0 { "; reports " } else { ", " })?;
        write!(words, "{}: ", report.instance)?;
        reported(report.outcome, report.output, words)?;
    }
    list(
        "; has input files ",
        request.files.iter().map(|file| file.0),
        words,
    )
}

fn to_host(message: &ToHost, words: &mut String) -> fmt::Result {
    match message {
        ToHost::Joined => words.write_str("joins the project"),
        ToHost::SwitchedOn => words.write_str("is switched on"),
        ToHost::SwitchedOff => words.write_str("is switched off"),
        ToHost::Left => words.write_str("leaves the project"),
        ToHost::ContactDue => words.write_str("means to contact the scheduler"),
        ToHost::SliceEnded => words.write_str("decides anew which project computes"),
        ToHost::ReportDue => words.write_str("means to report what it has computed"),
        ToHost::DownloadFailed { file } => write!(words, "cannot send input file {}", file.0),
        ToHost::RetryDue => words.write_str("tries failed downloads again"),
        ToHost::ClockSet { ahead: true } => words.write_str("has a clock that jumps ahead"),
        ToHost::ClockSet { ahead: false } => words.write_str("has its clock set right"),
        ToHost::ComputationEnded { instance } => write!(words, "has worked off {instance}"),
        ToHost::Replied(reply) => replied(reply, words),
        ToHost::FileArrived { file } => write!(words, "has sent input file {}", file.0),
        ToHost::OutputStored { instance } => write!(words, "has stored the output of {instance}"),
    }
}

fn replied(reply: &Reply, words: &mut String) -> fmt::Result {
    if reply.instances.is_empty() {
        words.write_str("sends no work")?;
    } else {
        list("sends ", reply.instances.iter(), words)?;
        let deadline = reply.deadline;
        write!(words, ", to be reported by {deadline}")?;
    }
    write!(words, "; no request for {}", reply.request_delay)?;
    if reply.show_yourself {
        words.write_str("; wants the volunteer to show up on the web site")?;
    }
    let files = reply.files_to_delete.iter().map(|file| file.0);
    list("; does not need input files ", files, words)
}

fn validated(verdict: &Verdict, words: &mut String) -> fmt::Result {
    let job = verdict.job.0;
    match verdict.canonical {
        Some(number) => write!(words, "makes {job}_{number} canonical:")?,
        None => write!(words, "has compared results of job {job}:")?,
    }
    for (place, (number, judgement)) in verdict.judged.iter().enumerate() {
        let comma = if place > 0 { "," } else { "" };
        write!(
            words,
            "{comma} {job}_{number} {}",
            judgement_in_words(*judgement)
        )?;
    }
    if verdict.retry {
        words.write_str("; others could not be read now")?;
    }
    Ok(())
}

fn judged(validity: &str, job: u32, instances: InstanceSet, words: &mut String) -> fmt::Result {
    if instances.is_empty() {
        return Ok(());
    }
    words.write_str(validity)?;
    for (place, number) in instances.iter().enumerate() {
        let comma = if place > 0 { "," } else { ":" };
        write!(words, "{comma} {job}_{number}")?;
    }
    Ok(())
}

fn judgement_in_words(judgement: Judgement) -> &'static str {
    match judgement {
        Judgement::Unreadable => "unreadable",
        Judgement::Found(Validity::Init) => "not looked at",
        Judgement::Found(Validity::Valid) => "valid",
        Judgement::Found(Validity::Invalid) => "invalid",
        Judgement::Found(Validity::NoCheck) => "not checked",
        Judgement::Found(Validity::Inconclusive) => "inconclusive",
        Judgement::Found(Validity::TooLate) => "too late",
    }
}

fn reported(outcome: Outcome, said: Output, words: &mut String) -> fmt::Result {
    match outcome {
        Outcome::Success => {
            words.write_str("success ")?;
            output(said, words)
        }
        Outcome::ClientError => words.write_str("client error"),
        Outcome::NoReply => words.write_str("no reply"),
        Outcome::DidntNeed => words.write_str("not needed"),
        Outcome::ValidateError => words.write_str("validate error"),
    }
}

/// Outputs are known by their values only here, outside the world.
fn output(output: Output, words: &mut String) -> fmt::Result {
    match output {
        Output::MISSING => words.write_str("(no readable output)"),
        Output::CORRECT => words.write_str("(correct)"),
        right if right.is_right() => words.write_str("(correct, within some distance)"),
        Output::AGREED_LIE => words.write_str("(wrong, as agreed)"),
        Output(value) => write!(words, "(wrong: {value})"),
    }
}

fn list(
    before: &str,
    items: impl Iterator<Item = impl fmt::Display>,
    words: &mut String,
) -> fmt::Result {
    for (place, item) in items.enumerate() {
        words.write_str(if place == 0 { before } else { ", " })?;
        write!(words, "{item}")?;
    }
    Ok(())
}
