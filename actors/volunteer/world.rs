//! From a scenario to a world: everybody in their places, and what they promise each other.
//!
//! Promises are derived from the model's own delays, so that they cannot disagree with it; nobody
//! types them. Servers come first, so addresses flow forward.

use std::sync::Arc;

use kernel::{ActorId, RandomStream, SimTime, World, WorldBuilder};

use super::actor::VolunteerActor;
use super::daemons::{Assimilator, FileDeleter, WorkGenerator};
use super::document_host::{DISPATCHES, DocumentHost};
use super::file_server::{DownloadServer, UploadServer};
use super::host::Host;
use super::population::{self, Participant};
use super::project::Project;
use super::scenario::Scenario;
use super::scheduler::Scheduler;
use super::transitioner::Transitioner;
use super::validator::Validator;
use crate::shared::availability::Switching;
use crate::shared::population::HostTable;

/// What a scenario refers to but does not contain.
#[derive(Clone, Debug)]
pub struct Inputs {
    /// The hosts' processors and speeds.
    pub table: HostTable,
}

impl Scenario {
    /// The world of this scenario: the same for the same scenario, seed and inputs.
    ///
    /// Call it for scenarios that [`validate`](Scenario::validate).
    pub fn build(&self, inputs: &Inputs) -> World<VolunteerActor> {
        let scenario = &self.settled();
        let first_host = Project::new(scenario, 1.0).first_host();
        let participants = population::participants(scenario, &inputs.table, first_host);
        let fastest = participants
            .iter()
            .map(|participant| participant.traits.speed_flop_per_s)
            .fold(1.0, f64::max);
        let project = Arc::new(Project::new(scenario, fastest));
        let mut world = WorldBuilder::new(self.seed);
        declare(&mut world, &project);
        world.reserve(first_host as usize + participants.len());
        add_servers(&mut world, &project);
        for participant in participants {
            add_host(&mut world, &project, participant);
        }
        world.build()
    }
}

fn add_servers(world: &mut WorldBuilder<VolunteerActor>, project: &Arc<Project>) {
    let servers = &project.scenario.servers;
    for number in 0..servers.schedulers {
        world.add::<Scheduler>(Scheduler::new(project.clone(), number));
    }
    for _ in 0..servers.transitioners {
        world.add::<Transitioner>(Transitioner::new(project.clone()));
    }
    for _ in 0..servers.validators {
        world.add::<Validator>(Validator::new(project.clone()));
    }
    world.add::<Assimilator>(Assimilator::new(project.clone()));
    world.add::<FileDeleter>(FileDeleter::new(project.clone()));
    world.add::<WorkGenerator>(WorkGenerator::new(project.clone()));
    for _ in 0..servers.download_servers {
        world.add::<DownloadServer>(DownloadServer::new(project.clone()));
    }
    for _ in 0..servers.upload_servers {
        world.add::<UploadServer>(UploadServer::new(project.clone()));
    }
    assert_eq!(
        world.next_id(),
        ActorId(project.first_host()),
        "hosts come after the servers"
    );
}

fn add_host(
    world: &mut WorldBuilder<VolunteerActor>,
    project: &Arc<Project>,
    participant: Participant,
) {
    let Participant {
        traits,
        joins_at,
        leaves_at,
    } = participant;
    let id = world.next_id();
    if project.scenario.behaviour.is_document() {
        let random = RandomStream::new(project.scenario.seed, id, DISPATCHES);
        let project = project.clone();
        let host = DocumentHost::new(project, traits, random, joins_at, leaves_at);
        world.add::<Host>(host);
        return;
    }
    let random = RandomStream::new(project.scenario.seed, id, population::SWITCHING);
    let availability = &project.scenario.availability;
    let switching = if joins_at == SimTime::START {
        Switching::begin(availability, random)
    } else {
        Switching::newly_on(availability, random)
    };
    let mut host = Host::new(project.clone(), traits, switching, joins_at, leaves_at);
    if let Some(share) = population::share(&project.scenario, id) {
        host.share_with_others(share);
    }
    world.add::<Host>(host);
}

/// Declares who speaks to whom, and how soon at the earliest.
fn declare(world: &mut WorldBuilder<VolunteerActor>, project: &Project) {
    world.group::<Scheduler>("scheduler");
    world.group::<Transitioner>("transitioner");
    world.group::<Validator>("validator");
    world.group::<Assimilator>("assimilator");
    world.group::<FileDeleter>("file deleter");
    world.group::<WorkGenerator>("work generator");
    world.group::<DownloadServer>("download server");
    world.group::<UploadServer>("upload server");
    world.group::<Host>("host");

    // Between daemons: the interval at which the listener looks.
    let servers = &project.scenario.servers;
    let transitioner = servers.transitioner_period.span();
    let feeder = servers.feeder_period.span();
    world.edge::<Scheduler, Transitioner>(transitioner);
    world.edge::<Validator, Transitioner>(transitioner);
    world.edge::<Assimilator, Transitioner>(transitioner);
    world.edge::<Transitioner, Scheduler>(feeder);
    world.edge::<Validator, Scheduler>(feeder);
    world.edge::<FileDeleter, Scheduler>(feeder);
    world.edge::<WorkGenerator, Scheduler>(feeder);
    world.edge::<Transitioner, Validator>(servers.validator_period.span());
    world.edge::<Transitioner, Assimilator>(servers.assimilator_period.span());
    world.edge::<Transitioner, FileDeleter>(servers.file_deleter_period.span());
    world.edge::<Scheduler, WorkGenerator>(servers.work_generator_period.span());

    // Between hosts and servers: the network.
    let latency = project.scenario.network.least_latency.span();
    world.edge::<Host, Scheduler>(latency);
    world.edge::<Host, DownloadServer>(latency);
    world.edge::<Host, UploadServer>(latency);
    world.edge::<Scheduler, Host>(latency);
    world.edge::<DownloadServer, Host>(latency);
    world.edge::<UploadServer, Host>(latency);
    world.hears_only_answers::<Host>();

    if project.scenario.behaviour.is_document() {
        declare_reactions_of_document(world, project);
    } else {
        declare_reactions(world, project);
    }
}

/// What a host in detail does not do at once on account of what it hears.
fn declare_reactions(world: &mut WorldBuilder<VolunteerActor>, project: &Project) {
    // A host that has an answer of the scheduler keeps silent for the request delay, and has no new
    // output before the shortest computation. A download may be asked for at once.
    world.takes_turns::<Host, Scheduler>(project.request_delay);
    world.reaction::<Host, Scheduler, UploadServer>(project.least_computing);
    // A file that has arrived starts a computation: it fails at the earliest after `least_failure`,
    // and the client notices somewhat later that there is something to tell the scheduler; it ends
    // well at the earliest after the shortest computation. It never makes the host ask for another
    // file; but a download that has failed is tried again.
    let retried = project
        .least_computing
        .min(project.scenario.client.transfer_backoff_least.span() / 2);
    let noticed = project.scenario.client.notice_delay.span();
    let failed = project.scenario.errors.least_failure.span() + noticed;
    world.reaction::<Host, DownloadServer, Scheduler>(failed);
    world.reaction::<Host, DownloadServer, UploadServer>(project.least_computing);
    world.reaction::<Host, DownloadServer, DownloadServer>(retried);
    // An output that is stored may be reported as soon as the client notices; it brings on neither
    // downloads nor uploads.
    world.reaction::<Host, UploadServer, Scheduler>(noticed);
    world.reaction::<Host, UploadServer, UploadServer>(project.least_computing);
    world.reaction::<Host, UploadServer, DownloadServer>(project.least_computing);
}

/// A host after the document asks when it had planned to; on account of an answer it only computes,
/// and then uploads and reports. Files and stored outputs change nothing.
fn declare_reactions_of_document(world: &mut WorldBuilder<VolunteerActor>, project: &Project) {
    let least = project.least_computing;
    world.reaction::<Host, Scheduler, Scheduler>(least);
    world.reaction::<Host, Scheduler, UploadServer>(least);
    world.reaction::<Host, DownloadServer, Scheduler>(least);
    world.reaction::<Host, DownloadServer, UploadServer>(least);
    world.reaction::<Host, DownloadServer, DownloadServer>(least);
    world.reaction::<Host, UploadServer, Scheduler>(least);
    world.reaction::<Host, UploadServer, UploadServer>(least);
    world.reaction::<Host, UploadServer, DownloadServer>(least);
}
