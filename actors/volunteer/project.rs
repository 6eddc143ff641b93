//! What do all members of the project know? Its rules, and where everybody is.
//!
//! Whoever looks for a server finds it by a rule, not by asking: volunteers and files are divided
//! among schedulers, jobs among transitioners, validators and their like by the job's file, and
//! hosts among file servers. So nobody is told about more than one of a kind, and a volunteer's
//! quota and the rule of one instance per volunteer are in one hand.

use kernel::{ActorId, Address, Purpose, RandomStream, SimDuration, SimTime};

use super::daemons::{Assimilator, FileDeleter, WorkGenerator};
use super::file_server::{DownloadServer, UploadServer};
use super::job::{FileId, JobId};
use super::scenario::Scenario;
use super::scheduler::Scheduler;
use super::transitioner::Transitioner;
use super::validator::Validator;

/// What random numbers say which files cannot be reached.
const UNREACHABLE: Purpose = Purpose(41);

/// The project: its scenario, and what follows from it.
#[derive(Clone, PartialEq, Debug)]
pub struct Project {
    /// What the scenario says.
    pub scenario: Scenario,
    /// The number of the first actor of each kind, and how many there are.
    cast: Cast,
    /// The end of the run.
    pub end: SimTime,
    /// No computation that ends well takes less: the fastest processor at the shortest job.
    pub least_computing: SimDuration,
    /// The part of the time that machines are on, as is usual.
    pub usual_on_fraction: f64,
    /// How long a host waits from a reply to its next request, at least.
    pub request_delay: SimDuration,
    /// A request that comes sooner than this after the host's last one gets no work.
    pub min_sendwork_interval: SimDuration,
    /// How many files the work generator keeps ready for each scheduler.
    pub files_ahead: u32,
}

/// How many actors of each kind there are; their numbers follow, in this order.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Cast {
    schedulers: u32,
    transitioners: u32,
    validators: u32,
    download_servers: u32,
    upload_servers: u32,
}

impl Cast {
    fn first_transitioner(self) -> u32 {
        self.schedulers
    }
    fn first_validator(self) -> u32 {
        self.first_transitioner() + self.transitioners
    }
    fn assimilator(self) -> u32 {
        self.first_validator() + self.validators
    }
    fn file_deleter(self) -> u32 {
        self.assimilator() + 1
    }
    fn work_generator(self) -> u32 {
        self.file_deleter() + 1
    }
    fn first_download_server(self) -> u32 {
        self.work_generator() + 1
    }
    fn first_upload_server(self) -> u32 {
        self.first_download_server() + self.download_servers
    }
    fn first_host(self) -> u32 {
        self.first_upload_server() + self.upload_servers
    }
}

impl Project {
    /// The project of a scenario in whose world the fastest processor has this speed.
    pub fn new(scenario: &Scenario, fastest_flop_per_s: f64) -> Self {
        let servers = &scenario.servers;
        let cast = Cast {
            schedulers: servers.schedulers,
            transitioners: servers.transitioners,
            validators: servers.validators,
            download_servers: servers.download_servers,
            upload_servers: servers.upload_servers,
        };
        Project {
            cast,
            end: SimTime::START + scenario.until.span(),
            least_computing: least_computing(scenario, fastest_flop_per_s),
            usual_on_fraction: scenario.availability.fraction_on(),
            request_delay: request_delay(scenario),
            min_sendwork_interval: min_sendwork_interval(scenario),
            files_ahead: files_ahead(scenario),
            scenario: scenario.clone(),
        }
    }

    /// The number of the first host.
    pub fn first_host(&self) -> u32 {
        self.cast.first_host()
    }

    /// How many schedulers there are.
    pub fn schedulers(&self) -> u32 {
        self.cast.schedulers
    }

    /// How many transitioners there are.
    pub fn transitioners(&self) -> u32 {
        self.cast.transitioners
    }

    /// The file of a job.
    pub fn file_of(&self, job: JobId) -> FileId {
        job.file(self.scenario.jobs.jobs_per_file)
    }

    /// The scheduler of a volunteer.
    pub fn scheduler_of_user(&self, user: u32) -> Address<Scheduler> {
        Address::new(ActorId(user % self.cast.schedulers))
    }

    /// The scheduler that gives out the jobs of a job's file.
    pub fn scheduler_of(&self, job: JobId) -> Address<Scheduler> {
        Address::new(ActorId(self.file_of(job).0 % self.cast.schedulers))
    }

    /// Whether the server of this file is out of reach.
    pub fn is_unreachable(&self, file: FileId) -> bool {
        let part = self.scenario.servers.unreachable_files.value();
        if part == 0.0 {
            return false;
        }
        let mut random = RandomStream::new(self.scenario.seed, ActorId(file.0), UNREACHABLE);
        random.chance(part)
    }

    /// The transitioner of a job.
    pub fn transitioner_of(&self, job: JobId) -> Address<Transitioner> {
        let which = self.file_of(job).0 % self.cast.transitioners;
        Address::new(ActorId(self.cast.first_transitioner() + which))
    }

    /// The validator of a job.
    pub fn validator_of(&self, job: JobId) -> Address<Validator> {
        let which = self.file_of(job).0 % self.cast.validators;
        Address::new(ActorId(self.cast.first_validator() + which))
    }

    /// The assimilator.
    pub fn assimilator(&self) -> Address<Assimilator> {
        Address::new(ActorId(self.cast.assimilator()))
    }

    /// The file deleter.
    pub fn file_deleter(&self) -> Address<FileDeleter> {
        Address::new(ActorId(self.cast.file_deleter()))
    }

    /// The work generator.
    pub fn work_generator(&self) -> Address<WorkGenerator> {
        Address::new(ActorId(self.cast.work_generator()))
    }

    /// The download server of the host with this number.
    pub fn download_server_of(&self, host: ActorId) -> Address<DownloadServer> {
        let which = host.0 % self.cast.download_servers;
        Address::new(ActorId(self.cast.first_download_server() + which))
    }

    /// The upload server of the host with this number.
    pub fn upload_server_of(&self, host: ActorId) -> Address<UploadServer> {
        let which = host.0 % self.cast.upload_servers;
        Address::new(ActorId(self.cast.first_upload_server() + which))
    }

    /// How long what is written into the tables takes to be seen by a transitioner.
    pub fn transitioner_lag(&self) -> SimDuration {
        self.scenario.servers.transitioner_period.span()
    }

    /// The place of a file among those of its transitioner.
    pub fn place_at_transitioner(&self, file: FileId) -> u32 {
        file.0 / self.cast.transitioners
    }
}

fn least_computing(scenario: &Scenario, fastest_flop_per_s: f64) -> SimDuration {
    let jobs = &scenario.jobs;
    let seconds = jobs.flops.flop() * jobs.time_factor.quantile(0.0) / fastest_flop_per_s;
    // A hair less, so that rounding cannot make a computation shorter than this.
    let seconds = SimDuration::from_secs_f64(seconds * 0.999);
    seconds.max(scenario.errors.least_failure.span())
}

/// In the document's model hosts ask when they ask.
fn min_sendwork_interval(scenario: &Scenario) -> SimDuration {
    if scenario.behaviour.is_document() {
        return SimDuration::ZERO;
    }
    scenario.scheduler.min_sendwork_interval.span()
}

/// "The reply always carries at least 1.01 times `min_sendwork_interval`, and a second more."
fn request_delay(scenario: &Scenario) -> SimDuration {
    let interval = scenario.scheduler.min_sendwork_interval.span();
    scenario
        .scheduler
        .request_delay
        .span()
        .max(interval + interval / 100)
        .max(interval + SimDuration::from_secs(1))
}

fn files_ahead(scenario: &Scenario) -> u32 {
    match scenario.scheduler.files_ahead {
        // Hosts that come at once at the start open one file for every few of them; the generator
        // needs ten seconds to bring more.
        0 => (scenario.hosts / scenario.servers.schedulers.max(1) / 200).max(32),
        count => count,
    }
}
