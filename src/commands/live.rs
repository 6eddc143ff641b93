//! `myriad run --serve`: a run and the page that shows it while it goes on.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use super::Failure;
use crate::cli::serve::LiveArguments;
use crate::coordinator::{Attendant, Watcher};
use crate::live::{Live, LiveAttendant, LiveWatcher};
use crate::scenario::domain::{Domain, Loaded};

/// A run that can be looked at, and its server.
#[cfg_attr(not(feature = "serve"), allow(dead_code))]
pub(super) struct Showing {
    live: Arc<Live>,
    #[cfg(feature = "serve")]
    _server: crate::serve::Server,
}

impl Showing {
    /// Begins to serve a run, if that is asked for. Setting `stop` ends the run early; `stopping` says
    /// in a sentence what is left of it then.
    #[cfg(feature = "serve")]
    pub(super) fn begin<D: Domain>(
        arguments: &LiveArguments,
        loaded: &Loaded<D>,
        stop: Arc<AtomicBool>,
        stopping: &str,
    ) -> Result<Option<Self>, Failure> {
        use crate::live::About;
        use crate::report::progress::say;
        use crate::serve::Server;
        use crate::serve::live::{LiveRun, routes};

        let Some(address) = arguments.place.serve else {
            return Ok(None);
        };
        let about = About {
            name: loaded.frame.name.clone(),
            seed: loaded.frame.seed,
            until_s: loaded.frame.until.as_secs_f64(),
            stopping: stopping.to_owned(),
        };
        let live = Arc::new(Live::new(about, stop, arguments.hold));
        let run = actix_web::web::Data::new(LiveRun {
            live: Arc::clone(&live),
            gauges: D::gauges(&D::metrics(&loaded.scenario)),
        });
        let server = Server::start(address, arguments.place.serve_anywhere, routes(run))?;
        say(&format!("the run can be looked at: {}", server.url()));
        Ok(Some(Showing {
            live,
            _server: server,
        }))
    }

    /// A program without a server says how to get one.
    #[cfg(not(feature = "serve"))]
    pub(super) fn begin<D: Domain>(
        arguments: &LiveArguments,
        _: &Loaded<D>,
        _: Arc<AtomicBool>,
        _: &str,
    ) -> Result<Option<Self>, Failure> {
        match arguments.place.serve {
            None => Ok(None),
            Some(_) => Err(Failure::Asked(super::NO_SERVER.to_owned())),
        }
    }

    /// Who looks into the run; `metrics` finds the domain's own among all observers.
    pub(super) fn attendant<D: Domain, O: Send + 'static>(
        &self,
        metrics: impl Fn(&O) -> &D::Metrics + Send + 'static,
    ) -> Box<dyn Attendant<D::Actor, O>> {
        let read = move |observer: &O| {
            let gauges = D::gauges(metrics(observer));
            gauges.iter().map(|gauge| gauge.value).collect()
        };
        Box::new(LiveAttendant::new(Arc::clone(&self.live), read))
    }

    /// Who hears how busy the workers are, and passes everything on to `other`.
    pub(super) fn watcher<'a>(&'a self, other: &'a dyn Watcher) -> LiveWatcher<'a> {
        LiveWatcher::new(&self.live, other)
    }

    /// Tells whoever looks what came of the run, and gives them a moment to hear it.
    pub(super) fn finish(self, completed: bool) {
        let outcome = if completed { "finished" } else { "stopped" };
        self.live.finish(outcome);
        std::thread::sleep(crate::live::FAREWELL);
    }
}
