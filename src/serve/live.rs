//! A run while it goes on: its page, what was seen of it, and orders to it.

use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};
use std::time::Duration;

use actix_web::body::{BodySize, MessageBody};
use actix_web::http::header;
use actix_web::rt::time::{Interval, interval};
use actix_web::web::{self, Bytes};
use actix_web::{HttpResponse, Responder};
use serde::Deserialize;
use serde_json::json;

use actors::shared::gauge::Gauge;

use crate::live::Live;
use crate::report::page::markup::{escape, fill, json_in_html};

/// What the server knows of a run.
#[derive(Debug)]
pub struct LiveRun {
    /// What it shares with the run.
    pub live: Arc<Live>,
    /// What its gauges are; their values here mean nothing.
    pub gauges: Vec<Gauge>,
}

/// All that can be asked of a run.
pub fn routes(
    run: web::Data<LiveRun>,
) -> impl Fn(&mut web::ServiceConfig) + Clone + Send + 'static {
    move |config| {
        config
            .app_data(run.clone())
            .route("/", web::get().to(page))
            .route("/about", web::get().to(about))
            .route("/sightings", web::get().to(sightings))
            .route("/events", web::get().to(events))
            .route("/pause", web::post().to(pause))
            .route("/resume", web::post().to(resume))
            .route("/step", web::post().to(step))
            .route("/stop", web::post().to(stop));
    }
}

type Run = web::Data<LiveRun>;

async fn page(run: Run) -> impl Responder {
    let html = fill(include_str!("page/live.html"), |name| match name {
        "title" => escape(&run.live.about().name),
        "style" => include_str!("page/live.css").to_owned(),
        "uplot_css" => include_str!("../report/page/vendor/uPlot.min.css").to_owned(),
        "uplot_js" => include_str!("../report/page/vendor/uPlot.iife.min.js").to_owned(),
        "live_js" => include_str!("page/live.js").to_owned(),
        "about" => json_in_html(&description(&run)),
        other => unreachable!("the template asks for `{other}`, which nobody provides"),
    });
    HttpResponse::Ok()
        .content_type("text/html; charset=utf-8")
        .body(html)
}

fn description(run: &LiveRun) -> serde_json::Value {
    json!({ "run": run.live.about(), "gauges": run.gauges })
}

async fn about(run: Run) -> impl Responder {
    web::Json(description(&run))
}

/// From which sighting on.
#[derive(Deserialize)]
struct From {
    #[serde(default)]
    from: u64,
}

async fn sightings(run: Run, from: web::Query<From>) -> impl Responder {
    web::Json(run.live.since(from.from, usize::MAX))
}

async fn pause(run: Run) -> impl Responder {
    run.live.hold();
    HttpResponse::NoContent()
}

async fn resume(run: Run) -> impl Responder {
    run.live.resume();
    HttpResponse::NoContent()
}

async fn step(run: Run) -> impl Responder {
    run.live.step();
    HttpResponse::NoContent()
}

async fn stop(run: Run) -> impl Responder {
    run.live.stop();
    HttpResponse::NoContent()
}

async fn events(run: Run, from: web::Query<From>) -> impl Responder {
    HttpResponse::Ok()
        .insert_header((header::CONTENT_TYPE, "text/event-stream"))
        .body(Events {
            live: Arc::clone(&run.live),
            next: from.from,
            ticks: interval(TICK),
            quiet: 0,
            over: false,
        })
}

/// How often a stream looks for something new.
const TICK: Duration = Duration::from_millis(100);
/// After so many ticks without news a line is sent all the same, to find out whether anybody listens.
const QUIET: u32 = 100;
/// The most sightings in one event.
const AT_ONCE: usize = 200;

/// What is seen of a run, as server-sent events: each a list of sightings.
struct Events {
    live: Arc<Live>,
    next: u64,
    ticks: Interval,
    quiet: u32,
    over: bool,
}

impl Events {
    fn news(&mut self) -> Option<String> {
        let news = self.live.since(self.next, AT_ONCE);
        let Some(last) = news.last() else {
            self.quiet += 1;
            return (self.quiet % QUIET == 0).then(|| ":\n\n".to_owned());
        };
        self.quiet = 0;
        self.next = last.number + 1;
        self.over = last.outcome.is_some();
        let list = serde_json::to_string(&news).expect("sightings are plain data");
        Some(format!("id: {}\ndata: {list}\n\n", last.number))
    }
}

impl MessageBody for Events {
    type Error = Infallible;

    fn size(&self) -> BodySize {
        BodySize::Stream
    }

    fn poll_next(
        self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Bytes, Infallible>>> {
        let events = self.get_mut();
        loop {
            if events.over {
                return Poll::Ready(None);
            }
            ready!(events.ticks.poll_tick(context));
            if let Some(text) = events.news() {
                return Poll::Ready(Some(Ok(text.into())));
            }
        }
    }
}
