//! Where do two runs part? The first event that differs, and its surroundings, in words.

use std::io::{self, BufWriter, Write};
use std::path::Path;

use super::Failure;
use super::trace::listened;
use crate::trace::difference::Difference;
use crate::trace::story::Told;
use crate::trace::telling::{clock, told_in_words};
use crate::trace::{Archive, Heading};

/// Compares the traces of two runs, message by message.
pub fn first_difference(one: &Path, other: &Path) -> Result<(), Failure> {
    let [mut one, mut other] = [Archive::open(one)?, Archive::open(other)?];
    let [a, b] = [one.heading(), other.heading()];
    if a.filter != b.filter || a.groups != b.groups {
        let what = |heading: &Heading| {
            let groups = heading.groups.iter();
            let groups = groups.map(|(name, all)| format!("{} {name}", all.len()));
            format!(
                "`{}` of {}",
                heading.filter,
                groups.collect::<Vec<_>>().join(", ")
            )
        };
        return Err(Failure::Asked(format!(
            "these traces are not of the same messages, so their first difference would mean nothing: \
             one has {}, the other {}",
            what(a),
            what(b)
        )));
    }
    let difference = Difference::first(&mut one, &mut other)?;
    let out = BufWriter::new(io::stdout().lock());
    listened(write(difference.as_ref(), [&one, &other], out))
}

fn write(
    difference: Option<&Difference>,
    archives: [&Archive; 2],
    mut out: impl Write,
) -> io::Result<()> {
    let Some(difference) = difference else {
        writeln!(out, "The same {} messages in both.", archives[0].len())?;
        return out.flush();
    };
    writeln!(
        out,
        "The first {} messages are the same.",
        difference.agreed
    )?;
    let heading = archives[0].heading();
    if !difference.before.is_empty() {
        writeln!(out, "\nThe last of these:")?;
        for told in &difference.before {
            writeln!(out, "{}", line(heading, told))?;
        }
    }
    for (number, archive) in archives.into_iter().enumerate() {
        let heading = archive.heading();
        writeln!(out, "\nThen, in {}:", archive.path().display())?;
        if difference.after[number].is_empty() {
            writeln!(out, "  nothing: the trace is over")?;
        }
        for told in &difference.after[number] {
            writeln!(out, "{}", line(heading, told))?;
        }
        if let Some(cause) = &difference.causes[number] {
            writeln!(out, "  the first of these because of")?;
            writeln!(out, "{}", line(heading, cause))?;
        }
    }
    if difference.same_words {
        writeln!(
            out,
            "\nBoth say the same in words, but not in all that words leave out."
        )?;
    }
    out.flush()
}

fn line(heading: &Heading, told: &Told) -> String {
    format!(
        "  {:>17}  {} [{}]",
        clock(told.received),
        told_in_words(heading, told),
        told.id
    )
}
