//! What can a browser ask of a running program?
//!
//! A small server on this machine: [`live`] shows a run while it goes on, [`trace`] shows the part
//! of a large trace that is on screen. Who may ask, [`door`] decides. There is a fixed list of things to
//! ask for, none of which names a file, and nothing that is sent is stored: no request reads or writes
//! outside of what is shown. This folder alone knows actix-web.

mod door;
pub mod live;
pub mod trace;

use std::net::SocketAddr;
use std::sync::mpsc;
use std::thread::JoinHandle;

use actix_web::dev::ServerHandle;
use actix_web::middleware::from_fn;
use actix_web::{App, HttpServer, web};

pub use door::Door;

/// A server that answers until it is dropped.
#[derive(Debug)]
pub struct Server {
    url: String,
    handle: ServerHandle,
    thread: Option<JoinHandle<()>>,
}

/// Why nothing is served.
#[derive(Debug, thiserror::Error)]
pub enum ServeError {
    /// An address that others can reach was asked for without saying so.
    #[error(
        "{0} can be reached from other machines: say so with --serve-anywhere, which also asks everybody \
         for a token; or serve on this machine alone with --serve 127.0.0.1:0"
    )]
    NotLoopback(SocketAddr),
    /// The system refuses.
    #[error("cannot serve on {address}: {source}")]
    Refused {
        /// Where.
        address: SocketAddr,
        /// Why.
        source: std::io::Error,
    },
}

/// The most browsers that look at once, each with its stream of events and some questions.
const MOST_CONNECTIONS: usize = 128;

impl Server {
    /// Serves what `routes` knows at the address that was asked for.
    ///
    /// # Errors
    /// If the address is not this machine's and nobody said that this is wanted, or it is taken.
    pub fn start(
        address: SocketAddr,
        anywhere: bool,
        routes: impl Fn(&mut web::ServiceConfig) + Clone + Send + 'static,
    ) -> Result<Server, ServeError> {
        let local = address.ip().is_loopback();
        if !local && !anywhere {
            return Err(ServeError::NotLoopback(address));
        }
        let refused = move |source| ServeError::Refused { address, source };
        // Bound here, so that the door knows its port before anybody knocks.
        let listener = std::net::TcpListener::bind(address).map_err(refused)?;
        let bound = listener.local_addr().map_err(refused)?;
        let door = if anywhere {
            Door::with_token(bound).map_err(refused)?
        } else {
            Door::of_this_machine(bound)
        };
        let url = door.url();
        let door = web::Data::new(door);
        let (tell, told) = mpsc::channel();
        let serve = move || {
            let server = HttpServer::new(move || {
                let routes = routes.clone();
                App::new()
                    .app_data(door.clone())
                    .wrap(from_fn(door::guard))
                    .configure(routes)
            });
            let server = server
                .workers(1)
                .max_connections(MOST_CONNECTIONS)
                .disable_signals()
                .shutdown_timeout(0)
                .listen(listener);
            match server {
                Ok(server) => actix_web::rt::System::new().block_on(async move {
                    let server = server.run();
                    let _ = tell.send(Ok(server.handle()));
                    // That it ends is all that is of interest.
                    let _ = server.await;
                }),
                Err(error) => drop(tell.send(Err(error))),
            }
        };
        let thread = std::thread::Builder::new()
            .name("server".to_owned())
            .spawn(serve)
            .map_err(refused)?;
        let lost = || std::io::Error::other("the server's thread ended before it began");
        let handle = told.recv().map_err(|_| refused(lost()))?.map_err(refused)?;
        Ok(Server {
            url,
            handle,
            thread: Some(thread),
        })
    }

    /// Waits until the program is interrupted: SIGINT and SIGTERM end it as they end any program.
    pub fn wait(mut self) {
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }

    /// The address to open in a browser.
    pub fn url(&self) -> &str {
        &self.url
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The order to stop is given when the future is made; nobody here waits for the answer.
        drop(self.handle.stop(false));
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}
