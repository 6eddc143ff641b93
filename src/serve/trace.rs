//! A large trace, of which a browser gets the part that is on screen.

use std::ops::Range;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use actix_web::{HttpResponse, web};
use kernel::SimTime;
use serde::Deserialize;

use crate::trace::filter::Selection;
use crate::trace::{Archive, Filter, TraceError};
use crate::view::pack::pack;
use crate::view::reading::Gathering;
use crate::view::served;

/// The most messages in one answer. Of more, some are chosen by lot, and the page says so.
const MOST: usize = 200_000;
/// The most chunks that are read for one answer; of more, every second, third, ... is read.
const MOST_CHUNKS: usize = 400;
/// The same if only some messages are wanted: there may be one in a million.
const MOST_CHUNKS_FILTERED: usize = 8_000;
/// So many chunks beyond the part are looked through for what was sent in it and came later. What comes
/// later still is not shown: that would mean to read all the rest of the trace.
const LATE_CHUNKS: usize = 24;
/// Into how many bins the strip above is divided.
const BINS: usize = 600;

/// A trace that is served.
#[derive(Debug)]
pub struct ServedTrace {
    archive: Mutex<Archive>,
    base: Filter,
}

impl ServedTrace {
    /// Opens the trace of a run. Only what `filter` chooses is ever shown.
    ///
    /// # Errors
    /// If it cannot be read, or the filter names what is not there.
    pub fn open(run: &Path, filter: Option<&Filter>) -> Result<Arc<Self>, TraceError> {
        let archive = Archive::open(run)?;
        let base = filter.cloned().unwrap_or_default();
        base.resolve(archive.heading().names())?;
        Ok(Arc::new(ServedTrace {
            archive: Mutex::new(archive),
            base,
        }))
    }
}

/// All that can be asked of a trace.
pub fn routes(
    trace: Arc<ServedTrace>,
) -> impl Fn(&mut web::ServiceConfig) + Clone + Send + 'static {
    let trace = web::Data::from(trace);
    move |config| {
        config
            .app_data(trace.clone())
            .route("/", web::get().to(page))
            .route("/part", web::get().to(part));
    }
}

async fn page(trace: web::Data<ServedTrace>) -> HttpResponse {
    let archive = trace.archive.lock().unwrap_or_else(PoisonError::into_inner);
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .body(served(&archive.heading().name))
}

/// What is on screen.
#[derive(Deserialize)]
struct Screen {
    /// From this instant on, in nanoseconds; from the start if it is missing.
    from: Option<u64>,
    /// Up to this instant.
    until: Option<u64>,
    /// Which messages, in the language of `--trace`.
    #[serde(default)]
    filter: String,
}

async fn part(trace: web::Data<ServedTrace>, screen: web::Query<Screen>) -> HttpResponse {
    let trace = trace.into_inner();
    let screen = screen.into_inner();
    // Reading takes a while; meanwhile others are answered.
    let answer = web::block(move || trace.part(&screen)).await;
    match answer {
        Ok(Ok(bytes)) => HttpResponse::Ok()
            .content_type("application/octet-stream")
            .body(bytes),
        Ok(Err(TraceError::Filter(error))) => HttpResponse::BadRequest().body(error.to_string()),
        Ok(Err(error)) => HttpResponse::InternalServerError().body(error.to_string()),
        Err(error) => HttpResponse::InternalServerError().body(error.to_string()),
    }
}

impl ServedTrace {
    fn part(&self, screen: &Screen) -> Result<Vec<u8>, TraceError> {
        let mut archive = self.archive.lock().unwrap_or_else(PoisonError::into_inner);
        let asked = match screen.filter.as_str() {
            "" => None,
            text => Some(text.parse::<Filter>()?),
        };
        let resolve = |filter: &Filter| filter.resolve(archive.heading().names());
        let base = resolve(&self.base)?;
        let asked = asked.as_ref().map(resolve).transpose()?;
        let reached = archive.reached();
        let instant = |nanos: Option<u64>, otherwise| nanos.map_or(otherwise, SimTime::from_nanos);
        let span = instant(screen.from, SimTime::START)..instant(screen.until, SimTime::NEVER);
        let (chunks, every) = chunks(&archive, &span, asked.is_some());
        let wanted = (&base, asked.as_ref());
        let (mut gathering, kept) = gather(&mut archive, &chunks, &span, wanted)?;
        gathering.add_intervals(&archive.intervals(&span)?);
        let heading = archive.heading();
        let lead = format!("seed {}; recorded: {}", heading.seed, heading.filter);
        let whole = archive.begins()..reached;
        let mut conversation = gathering.finish(whole.clone(), lead);
        conversation.one_of = every as u64 * kept;
        conversation.total = Some(archive.len());
        conversation.overview = overview(&archive, &whole);
        Ok(pack(&conversation))
    }
}

/// Which chunks are read for a part, and every how many of those that hold something of it.
fn chunks(archive: &Archive, span: &Range<SimTime>, filtered: bool) -> (Vec<usize>, usize) {
    let touched = (0..archive.chunks()).filter(|&chunk| archive.touches(chunk, span));
    let (inside, late): (Vec<_>, Vec<_>) =
        touched.partition(|&chunk| archive.received_in(chunk).start < span.end);
    let most = if filtered {
        MOST_CHUNKS_FILTERED
    } else {
        MOST_CHUNKS
    };
    let every = inside.len().div_ceil(most).max(1);
    let mut chunks: Vec<_> = inside.into_iter().step_by(every).collect();
    chunks.extend(late.into_iter().take(LATE_CHUNKS));
    (chunks, every)
}

/// The messages of some chunks that were sent or received in `span`; of too many, one of so many.
fn gather(
    archive: &mut Archive,
    chunks: &[usize],
    span: &Range<SimTime>,
    (base, asked): (&Selection, Option<&Selection>),
) -> Result<(Gathering, u64), TraceError> {
    let heading = archive.heading().clone();
    let mut gathering = Gathering::new(&heading);
    let mut one_of = 1;
    for &chunk in chunks {
        for message in archive.chunk(chunk)?.messages() {
            let inside = span.contains(&message.sent) || span.contains(&message.received);
            let wanted = inside
                && base.wants_message(&message)
                && asked.is_none_or(|asked| asked.wants_message(&message))
                && Gathering::lot(message.id) % one_of == 0;
            if wanted {
                gathering.add(&heading, &message);
            }
        }
        while gathering.len() > MOST {
            one_of *= 2;
            gathering.keep_one_of(one_of);
        }
    }
    Ok((gathering, one_of))
}

/// How many messages arrive when, judging by the table of contents: those of a chunk evenly spread.
fn overview(archive: &Archive, whole: &Range<SimTime>) -> Vec<u64> {
    let mut bins = vec![0.0; BINS];
    let begin = whole.start.nanos();
    let width = (whole.end.nanos().saturating_sub(begin) as f64 / BINS as f64).max(1.0);
    for chunk in 0..archive.chunks() {
        let received = archive.received_in(chunk);
        let bin = |time: SimTime| {
            let place = (time.nanos().saturating_sub(begin) as f64 / width) as usize;
            place.min(BINS - 1)
        };
        let (first, last) = (bin(received.start), bin(received.end));
        let each = archive.count_in(chunk) as f64 / (last - first + 1) as f64;
        bins[first..=last].iter_mut().for_each(|bin| *bin += each);
    }
    bins.into_iter().map(|count| count.round() as u64).collect()
}
