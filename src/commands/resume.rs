//! `myriad resume`: a run that did not come to its end goes on from its last checkpoint.

use std::path::Path;

use super::session::{self, Begun, Care, Watched};
use super::{Asked, Failure};
use crate::checkpoint::{CheckpointError, Folder, Identity, Restored, load};
use crate::cli::ResumeArguments;
use crate::cli::ScenarioArguments;
use crate::report::progress::say;
use crate::report::run_directory::RunDirectory;
use crate::report::unfinished::Unfinished;
use crate::scenario::domain::{Domain, Loaded};

/// Goes on with a run.
pub fn resume(arguments: &ResumeArguments) -> Result<(), Failure> {
    // As it is, however its name was written.
    let run = &arguments.run;
    let (unfinished, hold) =
        Unfinished::take_up(run).map_err(|error| Failure::Asked(error.to_string()))?;
    let loaded = Asked::read(&ScenarioArguments {
        file: run.join(session::SCENARIO),
        set: Vec::new(),
        seed: None,
        until: None,
    })?
    .load()?;
    let directory = RunDirectory::taken_up(run);
    let care = Care {
        plan: arguments.plan.plan(),
        every: arguments.care.checkpoint_every,
        limits: arguments.care.limits(),
        progress: arguments.progress,
        trace: None,
        live: None,
    };
    session::refuse_what_does_not_fit(&loaded, care.limits)?;
    let begun = Begun::Before { unfinished, hold };
    session::carry_out(loaded, directory, begun, &care)
}

/// The run as it was at the last checkpoint that is whole. One that is damaged is named, and the one
/// before it is taken; one that is of something else is a reason to stop.
pub(super) fn restore<D: Domain>(
    run: &Path,
    identity: &Identity,
    loaded: &Loaded<D>,
) -> Result<Restored<D::Actor, Watched<D>>, Failure> {
    let folder = Folder::of(run);
    let mut damaged = None;
    for path in folder.newest_first() {
        let fresh = D::build(&loaded.scenario, &loaded.inputs);
        let blank = session::observers::<D>(&loaded.scenario);
        match load(&path, identity, fresh, &blank) {
            Ok(restored) => return Ok(restored),
            Err(error @ CheckpointError::Damaged { .. }) => {
                say(&format!("{error}; trying the one before"));
                damaged.get_or_insert(error);
            }
            Err(error) => return Err(error.into()),
        }
    }
    let none = || CheckpointError::None(folder.path().to_owned());
    Err(damaged.unwrap_or_else(none).into())
}
