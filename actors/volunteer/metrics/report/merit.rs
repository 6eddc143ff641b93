//! The figures of merit of the document (section 5.2), and what an instance was good for.

use super::figures::Figures;
use super::ratio;
use crate::shared::tally::CountSeries;
use crate::volunteer::metrics::{State, per_day};

impl Figures<'_> {
    pub(super) fn about_merit(&mut self) {
        self.about_bandwidth();
        self.about_use();
        self.about_disk();
    }

    fn about_bandwidth(&mut self) {
        let m = self.metrics;
        let seconds = self.end.as_secs_f64();
        let peak = |count: &CountSeries| count.peak() as f64 / count.interval().as_secs_f64();
        let down = m.bytes_down.total() as f64 / seconds;
        let meaning = "Input files sent to hosts, on average.";
        self.add("bandwidth_down", down, "bytes/s", meaning);
        let meaning = "The most of it, on average over a recorded interval.";
        self.add(
            "bandwidth_down_peak",
            peak(&m.bytes_down),
            "bytes/s",
            meaning,
        );
        let up = m.bytes_up.total() as f64 / seconds;
        let meaning = "Output files received from hosts, on average.";
        self.add("bandwidth_up", up, "bytes/s", meaning);
        let meaning = "The most of it, on average over a recorded interval.";
        self.add("bandwidth_up_peak", peak(&m.bytes_up), "bytes/s", meaning);
        let jobs = m.jobs_completed.total() as f64;
        let per_job = ratio(m.bytes_up.total() as f64, jobs);
        let meaning = "Received from hosts for each job with a canonical instance.";
        self.add("bytes_up_per_job", per_job, "bytes", meaning);
        let rate = per_day(jobs, self.scenario.until.span());
        let meaning = "Jobs that get their canonical instance, per day.";
        self.add("jobs_per_day", rate, "jobs/d", meaning);
    }

    fn about_use(&mut self) {
        let m = self.metrics;
        let needed = m.counts.valid_needed;
        let redundant = m.in_state(State::Valid) - needed;
        let meaning = "Valid instances that came when there was a canonical one already.";
        self.count("instances_redundant", redundant, "instances", meaning);
        let over = m.settled_instances();
        let wasted = ratio((over - needed) as f64, over as f64);
        let meaning = "Of the instances sent that are over: those that helped to make no quorum, \
                       because they failed, timed out, were invalid, unchecked, late or redundant.";
        self.add("wasted_fraction", wasted, "1", meaning);
        let per_job = ratio(m.dispatched.total() as f64, m.jobs_completed.total() as f64);
        let meaning = "Instances sent for each job with a canonical instance.";
        self.add("instances_per_job", per_job, "1", meaning);
    }

    fn about_disk(&mut self) {
        let disk = &self.metrics.disk;
        let end = self.end;
        let file = self.scenario.jobs.input_file.bytes() as f64;
        let mean = disk.files_per_host.mean(end);
        let p90 = disk.files_per_host.quantile(0.9, end);
        let meaning = "Input files on an active host, over hosts and time.";
        self.add("files_per_host_mean", mean, "files", meaning);
        let meaning = "Ninth decile of the same.";
        self.add("files_per_host_p90", p90, "files", meaning);
        let meaning = "Input files on an active host, over hosts and time.";
        self.add("host_disk_mean", mean * file, "bytes", meaning);
        let meaning = "Ninth decile of the same.";
        self.add("host_disk_p90", p90 * file, "bytes", meaning);
        let inputs = disk.inputs_on_servers.mean(end) * file;
        let outputs = disk.output_bytes_on_servers.mean(end);
        let meaning = "Input files in use and output files on servers, on average over time.";
        self.add("server_disk_mean", inputs + outputs, "bytes", meaning);
        let inputs = disk.inputs_on_servers.samples(end, "", "", "");
        let outputs = disk.output_bytes_on_servers.samples(end, "", "", "");
        let both = inputs.values.iter().zip(&outputs.values);
        let peak = both.fold(0.0, |most: f64, (i, o)| most.max(i * file + o));
        let meaning = "The most of the same at a recorded instant.";
        self.add("server_disk_peak", peak, "bytes", meaning);
    }
}
