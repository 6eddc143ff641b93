//! The options of everything that is served to a browser.

use std::net::SocketAddr;

use clap::Args;

/// Where something is served.
#[derive(Clone, Debug, Args, Default)]
pub struct ServeArguments {
    /// Serve to a browser on this machine, as long as it runs; port 0: any that is free
    #[arg(long, value_name = "ADDRESS", num_args = 0..=1, default_missing_value = "127.0.0.1:0")]
    pub serve: Option<SocketAddr>,
    /// Let other machines look, too: whoever has the token that is printed
    #[arg(long, requires = "serve")]
    pub serve_anywhere: bool,
}

/// Where a run is served.
#[derive(Clone, Debug, Args, Default)]
pub struct LiveArguments {
    /// Where.
    #[command(flatten)]
    pub place: ServeArguments,
    /// Wait at the start until somebody lets the run go on from its page
    #[arg(long, requires = "serve")]
    pub hold: bool,
}
