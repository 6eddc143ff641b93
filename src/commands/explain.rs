//! `myriad explain`: the story of a message, a job or a host, in words.

use std::io::{self, BufWriter, Write};

use kernel::{ActorId, SimTime};

use super::Failure;
use super::trace::listened;
use crate::cli::trace::{ExplainArguments, ExplainSubject};
use crate::trace::story::{Missing, Story, Told};
use crate::trace::telling::{clock, told_in_words};
use crate::trace::{Archive, Heading, MessageId};

/// Tells what is asked for.
pub fn explain(arguments: &ExplainArguments) -> Result<(), Failure> {
    let mut archive = Archive::open(&arguments.run)?;
    let out = BufWriter::new(io::stdout().lock());
    match arguments.subject {
        ExplainSubject {
            message: Some(id), ..
        } => explain_message(&mut archive, id, arguments.steps, out),
        ExplainSubject { job: Some(job), .. } => explain_job(&mut archive, job, out),
        ExplainSubject {
            host: Some(host), ..
        } => explain_host(&mut archive, host, out),
        _ => unreachable!("the command line requires one of them"),
    }
}

fn not_recorded(what: &str, heading: &Heading) -> Failure {
    Failure::Asked(format!(
        "{what} was recorded; the trace was recorded with the filter `{}`",
        heading.filter
    ))
}

fn explain_message(
    archive: &mut Archive,
    id: MessageId,
    steps: usize,
    out: impl Write,
) -> Result<(), Failure> {
    let Some(story) = Story::of(archive, id, steps)? else {
        let what = format!("no message {id}");
        return Err(not_recorded(&what, archive.heading()));
    };
    listened(write_story(&story, archive.heading(), out))
}

fn write_story(story: &Story, heading: &Heading, mut out: impl Write) -> io::Result<()> {
    let message = &story.message;
    let delay = message.received.saturating_since(message.sent);
    writeln!(
        out,
        "Message {} ({}), sent at {} and received at {}, {delay} later:\n{}",
        message.id,
        heading.kind(message.kind),
        clock(message.sent),
        clock(message.received),
        told_in_words(heading, message)
    )?;

    writeln!(out, "\nWhat led to it:")?;
    match story.goes_further_back {
        Some(Missing::NotAsked) => writeln!(out, "  ... (more with --steps)")?,
        Some(Missing::NotRecorded) => writeln!(out, "  ... (the cause was not recorded)")?,
        None if story.causes.is_empty() => {
            let sender = heading.actor_name(message.from());
            writeln!(out, "  nothing: {sender} sent it when the run started")?;
        }
        None => {}
    }
    for cause in &story.causes {
        writeln!(out, "{}", line(heading, cause, ""))?;
    }

    let matter = match message.jobs.first() {
        Some(job) if message.jobs.len() == 1 => format!("job {job}"),
        Some(_) => "these jobs".to_owned(),
        None => "each other".to_owned(),
    };
    let sender = heading.actor_name(message.from());
    if !story.sender_knew.is_empty() {
        writeln!(out, "\nWhat {sender} had heard of {matter} by then:")?;
        for known in &story.sender_knew {
            writeln!(out, "{}", line(heading, known, ""))?;
        }
    }
    if !story.target_did_not_know.is_empty() {
        let target = heading.actor_name(message.to);
        writeln!(
            out,
            "\nWhat had been said of {matter} to {target}, but had not arrived:"
        )?;
        for unknown in &story.target_did_not_know {
            writeln!(out, "{}", line(heading, unknown, ""))?;
        }
    }

    writeln!(out, "\nWhat came of it:")?;
    if story.effects.is_empty() {
        writeln!(out, "  nothing that was recorded")?;
    }
    for (distance, effect) in &story.effects {
        let indent = "  ".repeat((distance - 1).min(10));
        writeln!(out, "{}", line(heading, effect, &indent))?;
    }
    if story.goes_further_on {
        writeln!(out, "  ... (more with --steps)")?;
    }
    out.flush()
}

/// When it was received, what was said, and its name.
fn line(heading: &Heading, told: &Told, indent: &str) -> String {
    format!(
        "  {:>17}  {indent}{} [{}]",
        clock(told.received),
        told_in_words(heading, told),
        told.id
    )
}

fn explain_job(archive: &mut Archive, job: u32, mut out: impl Write) -> Result<(), Failure> {
    let mut said = Vec::new();
    archive.scan(&(SimTime::START..SimTime::NEVER), |message| {
        if message.concerns_job(job) {
            said.push(Told::of(message));
        }
        true
    })?;
    let heading = archive.heading();
    let Some(first) = said.first() else {
        return Err(not_recorded(&format!("nothing about job {job}"), heading));
    };
    let mut write = || -> io::Result<()> {
        let file = first
            .file
            .map_or_else(String::new, |file| format!(" of input file {file}"));
        writeln!(
            out,
            "Job {job}{file}: {} messages, in the order in which they were received.\n",
            said.len()
        )?;
        for told in &said {
            let delay = told.received.saturating_since(told.sent);
            let indent = if told.is_timer() { "(" } else { "" };
            let after = if told.is_timer() { ")" } else { "" };
            writeln!(
                out,
                "  {:>17}  {indent}{}{after} [{}, said {delay} before]",
                clock(told.received),
                told_in_words(heading, told),
                told.id
            )?;
        }
        out.flush()
    };
    listened(write())
}

fn explain_host(archive: &mut Archive, place: u32, mut out: impl Write) -> Result<(), Failure> {
    let heading = archive.heading().clone();
    let host = host(&heading, place)?;
    let everything = SimTime::START..SimTime::NEVER;
    // By when it happened to the host; what it does changes after what it heard.
    let mut lines: Vec<(SimTime, u8, String)> = Vec::new();
    archive.scan(&everything, |message| {
        let told = Told::of(message);
        let words = told_in_words(&heading, &told);
        if told.to == host {
            lines.push((told.received, 0, format!("{words} [{}]", told.id)));
        } else if told.from() == host {
            lines.push((told.sent, 1, format!("{words} [{}]", told.id)));
        }
        true
    })?;
    for interval in archive.intervals(&everything)? {
        if interval.actor == host {
            let lasts = interval.end - interval.start;
            let does = heading.activity(interval.activity);
            lines.push((interval.start, 2, format!("    == {does} for {lasts}")));
        }
    }
    if lines.is_empty() {
        let what = format!("nothing about {}", heading.actor_name(host));
        return Err(not_recorded(&what, &heading));
    }
    lines.sort_by_key(|&(at, order, _)| (at, order));
    let mut write = || -> io::Result<()> {
        writeln!(
            out,
            "{}: what it heard, said and did.\n",
            heading.actor_name(host)
        )?;
        for (at, _, words) in &lines {
            writeln!(out, "  {:>17}  {words}", clock(*at))?;
        }
        out.flush()
    };
    listened(write())
}

fn host(heading: &Heading, place: u32) -> Result<ActorId, Failure> {
    let hosts = heading.groups.iter().find(|(name, _)| name == "host");
    let Some((_, hosts)) = hosts else {
        return Err(Failure::Asked(
            "there are no hosts in this world".to_owned(),
        ));
    };
    let found = hosts.clone().nth(place as usize);
    found.map(ActorId).ok_or_else(|| {
        Failure::Asked(format!(
            "there is no host[{place}]: hosts are numbered from 0 to {}",
            hosts.len().saturating_sub(1)
        ))
    })
}
