//! What happens when the user wants to stop, or wants a checkpoint?
//!
//! The first SIGINT or SIGTERM asks the run to end soon, with a checkpoint and a report of what was
//! found. The second ends the program at once; the last whole checkpoint stays, and a directory in
//! which there is none goes. SIGUSR1 asks for a checkpoint, and the run goes on.

use std::io;
use std::sync::Weak;

use crate::checkpoint::Requests;
use crate::report::RunDirectory;

/// The exit code of a program that was interrupted: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Listens for signals from now on.
#[cfg(unix)]
pub fn listen(directory: Weak<RunDirectory>, requests: Requests) -> io::Result<()> {
    use std::sync::atomic::Ordering;

    use signal_hook::consts::{SIGINT, SIGTERM, SIGUSR1};
    use signal_hook::iterator::Signals;

    use crate::report::progress::say;

    let mut signals = Signals::new([SIGINT, SIGTERM, SIGUSR1])?;
    let listener = move || {
        let mut interrupted = false;
        for signal in signals.forever() {
            if signal == SIGUSR1 {
                requests.checkpoint.store(true, Ordering::Relaxed);
                continue;
            }
            if std::mem::replace(&mut interrupted, true) {
                if let Some(directory) = directory.upgrade() {
                    directory.abandon();
                }
                std::process::exit(INTERRUPTED.into());
            }
            requests.stop.store(true, Ordering::Relaxed);
            say("\nstopping; interrupt again to leave at once, without results");
        }
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(listener)?;
    Ok(())
}

/// Where there are no such signals, an interrupt ends the program at once.
#[cfg(not(unix))]
pub fn listen(_directory: Weak<RunDirectory>, _requests: Requests) -> io::Result<()> {
    Ok(())
}
