//! Who takes part? The cast, and who hears what.

use kernel::{Actor, Context as KernelContext, OtherKind, Saved};
use serde::{Deserialize, Serialize};

use super::daemons::{Assimilator, FileDeleter, WorkGenerator};
use super::document_host::DocumentHost;
use super::facts::Fact;
use super::file_server::{DownloadServer, UploadServer};
use super::host::Host;
use super::messages::Message;
use super::scheduler::Scheduler;
use super::transitioner::Transitioner;
use super::validator::Validator;

/// What an actor of this world may touch.
pub type Context<'a> = KernelContext<'a, VolunteerActor>;

/// The cast of a volunteer computing project. The few servers are boxed, since hosts are many.
#[derive(Debug, Serialize, Deserialize)]
#[allow(missing_docs)] // One variant per member of the cast.
#[allow(clippy::large_enum_variant)] // Nearly every actor is a host: a box would only cost a jump.
pub enum VolunteerActor {
    Scheduler(Box<Scheduler>),
    Transitioner(Box<Transitioner>),
    Validator(Box<Validator>),
    Assimilator(Assimilator),
    FileDeleter(FileDeleter),
    WorkGenerator(WorkGenerator),
    DownloadServer(Box<DownloadServer>),
    UploadServer(Box<UploadServer>),
    Host(Host),
    DocumentHost(DocumentHost),
}

// A million hosts must fit into memory together with their messages.
const _: () = assert!(size_of::<VolunteerActor>() <= 320);

impl Actor for VolunteerActor {
    type Message = Message;
    type Fact = Fact;

    fn start(&mut self, ctx: &mut Context<'_>) {
        match self {
            Self::Host(host) => host.start(ctx),
            Self::DocumentHost(host) => host.start(ctx),
            _ => {}
        }
    }

    fn receive(&mut self, message: Message, ctx: &mut Context<'_>) {
        match (self, message) {
            (Self::Host(host), Message::ToHost(m)) => host.receive(m, ctx),
            (Self::DocumentHost(host), Message::ToHost(m)) => host.receive(m, ctx),
            (Self::Scheduler(scheduler), Message::ToScheduler(m)) => scheduler.receive(m, ctx),
            (Self::Transitioner(transitioner), Message::ToTransitioner(m)) => {
                transitioner.receive(m, ctx);
            }
            (Self::Validator(validator), Message::ToValidator(m)) => validator.receive(m, ctx),
            (Self::Assimilator(assimilator), Message::ToAssimilator(m)) => {
                assimilator.receive(m, ctx);
            }
            (Self::FileDeleter(deleter), Message::ToFileDeleter(m)) => deleter.receive(m, ctx),
            (Self::WorkGenerator(generator), Message::ToWorkGenerator(m)) => {
                generator.receive(m, ctx);
            }
            (Self::DownloadServer(server), Message::ToDownloadServer(m)) => server.receive(m, ctx),
            (Self::UploadServer(server), Message::ToUploadServer(m)) => server.receive(m, ctx),
            (actor, message) => {
                unreachable!("addresses are typed: {message:?} cannot reach {actor:?}")
            }
        }
    }
}

impl Saved for VolunteerActor {
    fn relink(&mut self, fresh: &Self) -> Result<(), OtherKind> {
        let (mine, fresh) = match (self, fresh) {
            (Self::Scheduler(me), Self::Scheduler(fresh)) => (&mut me.project, &fresh.project),
            (Self::Transitioner(me), Self::Transitioner(fresh)) => {
                (&mut me.project, &fresh.project)
            }
            (Self::Validator(me), Self::Validator(fresh)) => (&mut me.project, &fresh.project),
            (Self::Assimilator(me), Self::Assimilator(fresh)) => (&mut me.project, &fresh.project),
            (Self::FileDeleter(me), Self::FileDeleter(fresh)) => (&mut me.project, &fresh.project),
            (Self::WorkGenerator(me), Self::WorkGenerator(fresh)) => {
                (&mut me.project, &fresh.project)
            }
            (Self::DownloadServer(me), Self::DownloadServer(fresh)) => {
                (&mut me.project, &fresh.project)
            }
            (Self::UploadServer(me), Self::UploadServer(fresh)) => {
                (&mut me.project, &fresh.project)
            }
            (Self::Host(me), Self::Host(fresh)) => (&mut me.project, &fresh.project),
            (Self::DocumentHost(me), Self::DocumentHost(fresh)) => {
                (&mut me.project, &fresh.project)
            }
            _ => return Err(OtherKind),
        };
        mine.relink(fresh);
        Ok(())
    }
}

macro_rules! member_of_the_cast {
    ($($kind:ident),*; boxed $($boxed:ident),*) => {
        $(impl From<$kind> for VolunteerActor {
            fn from(actor: $kind) -> Self {
                Self::$kind(actor)
            }
        })*
        $(impl From<$boxed> for VolunteerActor {
            fn from(actor: $boxed) -> Self {
                Self::$boxed(Box::new(actor))
            }
        })*
    };
}
member_of_the_cast!(
    Host, DocumentHost, Assimilator, FileDeleter, WorkGenerator;
    boxed Scheduler, Transitioner, Validator, DownloadServer, UploadServer
);
