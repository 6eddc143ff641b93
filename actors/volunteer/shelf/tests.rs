//! The shelf, worked by hand.

use super::*;

const NOW: SimTime = SimTime::START;

fn shelf() -> Shelf {
    let mut shelf = Shelf::new(3, 2, 1);
    shelf.add_files(2);
    shelf
}

#[test]
fn a_scheduler_owns_every_stride_th_file() {
    let mut shelf = shelf();
    assert_eq!(shelf.fresh_file(), Some(FileId(1)));
    let (job, fresh) = shelf.open(FileId(1), 2, NOW);
    assert_eq!((job, fresh), (JobId(3), true));
    assert_eq!(shelf.fresh_file(), Some(FileId(3)));
    shelf.open(FileId(3), 2, NOW);
    assert_eq!(shelf.fresh_file(), None);
}

#[test]
fn a_volunteer_gets_one_instance_of_a_job() {
    // Field case 3 (BOINC issue 4303): two hosts of one volunteer, two unsent instances.
    let mut shelf = shelf();
    let (job, _) = shelf.open(FileId(1), 2, NOW);
    let (first_host, second_host) = (0, 1);
    shelf.take(job, Asker::new(7), first_host);
    assert_eq!(
        shelf.lowest_unsent(Asker::new(7)),
        None,
        "for {second_host}, too"
    );
    assert_eq!(shelf.lowest_unsent(Asker::new(8)), Some(job));
}

#[test]
fn unsent_instances_are_found_again_after_more_were_created() {
    let mut shelf = shelf();
    let (first, _) = shelf.open(FileId(1), 1, NOW);
    let (second, _) = shelf.open(FileId(1), 1, NOW);
    shelf.take(first, Asker::new(1), 1);
    assert_eq!(shelf.lowest_unsent(Asker::new(2)), Some(second));
    shelf.add_instances(first, 1, NOW);
    assert_eq!(
        shelf.lowest_unsent(Asker::new(2)),
        Some(second),
        "created before"
    );
    shelf.take(second, Asker::new(2), 2);
    assert_eq!(shelf.lowest_unsent(Asker::new(2)), Some(first));
    assert_eq!(shelf.lowest_unsent(Asker::new(1)), None);
    assert_eq!(shelf.withdraw(first).iter().collect::<Vec<_>>(), [1]);
    assert_eq!(shelf.lowest_unsent(Asker::new(2)), None);
}

#[test]
fn a_report_counts_once_and_only_from_the_host_that_has_the_instance() {
    let mut shelf = shelf();
    let (job, _) = shelf.open(FileId(1), 2, NOW);
    let instance = shelf.take(job, Asker::new(1), 4);
    assert_eq!(shelf.report(instance, 5), Reported::Ignore);
    assert_eq!(shelf.report(instance, 4), Reported::News);
    assert_eq!(shelf.report(instance, 4), Reported::Ignore);
    let unknown = InstanceId {
        job: JobId(5),
        number: 0,
    };
    assert_eq!(shelf.report(unknown, 4), Reported::Ignore);
}

#[test]
fn a_file_goes_when_all_its_jobs_are_gone() {
    let mut shelf = shelf();
    let jobs: Vec<JobId> = (0..3).map(|_| shelf.open(FileId(1), 1, NOW).0).collect();
    assert!(!shelf.can_open(FileId(1)));
    for _ in 0..3 {
        let (job, _) = shelf.open(FileId(3), 1, NOW);
        shelf.delete(job);
    }
    assert!(
        !shelf.can_open(FileId(3)),
        "done with, though an older file is not"
    );
    assert!(!shelf.delete(jobs[1]));
    assert!(!shelf.delete(jobs[0]));
    assert!(shelf.delete(jobs[2]));
    assert_eq!(shelf.lowest_unsent_in(FileId(1), Asker::new(1)), None);
    assert!(!shelf.can_open(FileId(1)));
}

#[test]
fn an_asker_goes_on_after_the_newest_instance_he_has_got() {
    let mut shelf = shelf();
    let jobs: Vec<JobId> = (0..3).map(|_| shelf.open(FileId(1), 2, NOW).0).collect();
    shelf.take(jobs[1], Asker::new(1), 1);
    assert_eq!(
        shelf.lowest_unsent_in(FileId(1), Asker::new(1)),
        Some(jobs[0])
    );
    assert_eq!(
        shelf.next_unsent_in(FileId(1), Asker::new(1)),
        Some(jobs[2])
    );
    assert_eq!(
        shelf.next_unsent_in(FileId(1), Asker::new(2)),
        Some(jobs[0])
    );
    shelf.take(jobs[2], Asker::new(1), 1);
    assert_eq!(shelf.next_unsent_in(FileId(1), Asker::new(1)), None);
}

#[test]
fn unsent_instances_are_found_by_when_they_were_created() {
    let at = |seconds: u64| SimTime::from_nanos(seconds * 1_000_000_000);
    let mut shelf = shelf();
    let (early, _) = shelf.open(FileId(1), 1, at(10));
    let (late, _) = shelf.open(FileId(3), 1, at(20));
    assert_eq!(shelf.oldest_unsent(at(0), at(10)), None, "until before");
    assert_eq!(shelf.oldest_unsent(at(0), at(11)), Some(early));
    assert_eq!(shelf.oldest_unsent(at(11), at(99)), Some(late));
    assert_eq!(shelf.oldest_unsent(at(11), at(5)), None);
    assert_eq!(shelf.waits_since(FileId(3)), Some(at(20)));
    assert_eq!(shelf.jobs_waiting_in(FileId(3)), 1);
}

#[test]
fn a_file_is_open_while_something_of_it_can_be_sent() {
    let mut shelf = shelf();
    let open = |shelf: &Shelf| -> Vec<u32> {
        let mut files: Vec<u32> = (0..shelf.open_files())
            .map(|index| shelf.open_file(index).0)
            .collect();
        files.sort_unstable();
        files
    };
    let jobs: Vec<JobId> = (0..3).map(|_| shelf.open(FileId(1), 1, NOW).0).collect();
    shelf.open(FileId(3), 1, NOW);
    assert_eq!(open(&shelf), [1, 3]);
    let round: Vec<FileId> = shelf.open_files_from(FileId(3)).collect();
    assert_eq!(round, [FileId(3), FileId(1)]);
    for (asker, &job) in jobs.iter().enumerate() {
        shelf.take(job, Asker::new(asker as u32), 0);
    }
    assert_eq!(open(&shelf), [3], "all created and sent");
    shelf.add_instances(jobs[0], 1, NOW);
    assert_eq!(open(&shelf), [1, 3], "one more is needed");
    shelf.withdraw(jobs[0]);
    assert_eq!(open(&shelf), [3]);
    for job in jobs {
        shelf.delete(job);
    }
    assert_eq!(open(&shelf), [3]);
}

#[test]
fn instances_of_a_job_go_to_one_platform_until_it_is_freed() {
    let mut shelf = shelf();
    let [one, other] = [0, 1].map(|number| Some(Platform(number)));
    let (job, _) = shelf.open(FileId(1), 4, SimTime::START);
    assert_eq!(shelf.lowest_unsent(Asker::new(1).on(other)), Some(job));
    shelf.take(job, Asker::new(1).on(one), 1);
    assert_eq!(shelf.lowest_unsent(Asker::new(2).on(other)), None);
    assert_eq!(shelf.lowest_unsent(Asker::new(2).on(one)), Some(job));
    shelf.free_platform(job);
    assert_eq!(shelf.lowest_unsent(Asker::new(2).on(other)), Some(job));
    shelf.take(job, Asker::new(2).on(other), 2);
    assert_eq!(shelf.lowest_unsent(Asker::new(3).on(one)), None);
}
