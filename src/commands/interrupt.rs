//! What happens when the user wants to stop?
//!
//! The first SIGINT or SIGTERM asks the run to end soon, so that what was found can be reported. The
//! second ends the program at once; what was being written is removed.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// The exit code of a program that was interrupted: 128 and the number of SIGINT.
pub const INTERRUPTED: u8 = 130;

/// Listens for signals from now on. The flag is set by the first; at the second, `partial` is
/// removed and the program ends.
#[cfg(unix)]
pub fn listen(partial: PathBuf) -> io::Result<Arc<AtomicBool>> {
    use std::sync::atomic::Ordering;

    use signal_hook::consts::{SIGINT, SIGTERM};
    use signal_hook::iterator::Signals;

    use crate::report::progress::say;

    let stop = Arc::new(AtomicBool::new(false));
    let mut signals = Signals::new([SIGINT, SIGTERM])?;
    let flag = Arc::clone(&stop);
    let listener = move || {
        for _ in signals.forever() {
            if flag.swap(true, Ordering::Relaxed) {
                let _ = std::fs::remove_dir_all(&partial);
                std::process::exit(INTERRUPTED.into());
            }
            say("\nstopping; interrupt again to leave at once, without results");
        }
    };
    std::thread::Builder::new()
        .name("signals".to_owned())
        .spawn(listener)?;
    Ok(stop)
}

/// Where there are no such signals, an interrupt ends the program at once.
#[cfg(not(unix))]
pub fn listen(_partial: PathBuf) -> io::Result<Arc<AtomicBool>> {
    Ok(Arc::default())
}
