use super::*;

const SECOND: SimDuration = SimDuration::from_secs(1);

fn at_ms(millis: u64) -> SimTime {
    SimTime::START + SimDuration::from_millis(millis)
}

#[test]
fn counts_belong_to_the_interval_that_starts_with_them() {
    let mut counts = CountSeries::new(SECOND);
    for (millis, amount) in [(0, 1), (999, 2), (1_000, 4), (3_500, 8)] {
        counts.add(at_ms(millis), amount);
    }
    let series = counts.per_interval(at_ms(4_500), "n", "N", "1");
    assert_eq!(series.times_s, [1.0, 2.0, 3.0, 4.0, 4.5]);
    assert_eq!(series.values, [3.0, 4.0, 0.0, 8.0, 0.0]);
    let sums = counts.cumulative(at_ms(4_500), "n", "N", "1").values;
    assert_eq!(sums, [3.0, 7.0, 7.0, 15.0, 15.0]);
    assert_eq!((counts.total(), counts.total_before(at_ms(1_500))), (15, 7));
}

#[test]
fn a_level_is_sampled_after_the_steps_of_its_instant_and_averaged_by_time() {
    let mut level = LevelSeries::new(SECOND);
    // 2 from the start, 3 from 1 s, 1 from 2.5 s: over 4 s, 2 + 3 * 1.5 + 1.5 = 8.
    for (millis, step) in [(0, 2), (1_000, 1), (2_500, -2)] {
        level.step(at_ms(millis), step);
    }
    let samples = level.samples(at_ms(4_000), "n", "N", "hosts");
    assert_eq!(samples.times_s, [0.0, 1.0, 2.0, 3.0, 4.0]);
    assert_eq!(samples.values, [2.0, 3.0, 3.0, 1.0, 1.0]);
    assert_eq!(level.mean(at_ms(4_000)), 2.0);
    assert_eq!(level.last(), 1);
}

#[test]
fn merging_in_any_order_is_as_if_one_had_seen_all() {
    let (mut all, mut one, mut other) = (
        LevelSeries::new(SECOND),
        LevelSeries::new(SECOND),
        LevelSeries::new(SECOND),
    );
    let (mut all_counts, mut one_counts, mut other_counts) = (
        CountSeries::new(SECOND),
        CountSeries::new(SECOND),
        CountSeries::new(SECOND),
    );
    let mut all_spans = DurationHistogram::new();
    let (mut one_spans, mut other_spans) = (all_spans.clone(), all_spans.clone());
    for i in 0..1_000u64 {
        let time = at_ms(i * i % 7_919);
        let step = i as i64 % 5 - 2;
        let span = SimDuration::from_nanos(i * i * i);
        let (level, counts, spans) = match i % 3 {
            0 => (&mut one, &mut one_counts, &mut one_spans),
            _ => (&mut other, &mut other_counts, &mut other_spans),
        };
        for (level, counts, spans) in [
            (level, counts, spans),
            (&mut all, &mut all_counts, &mut all_spans),
        ] {
            level.step(time, step);
            counts.add(time, i);
            spans.record(span);
        }
    }
    let mut backwards = (other.clone(), other_counts.clone(), other_spans.clone());
    backwards.0.merge(&one);
    backwards.1.merge(&one_counts);
    backwards.2.merge(&one_spans);
    one.merge(&other);
    one_counts.merge(&other_counts);
    one_spans.merge(&other_spans);
    assert_eq!(
        (&one, &one_counts, &one_spans),
        (&all, &all_counts, &all_spans)
    );
    assert_eq!(backwards, (all, all_counts, all_spans));
}

#[test]
fn durations_keep_count_sum_and_maximum_exactly_and_quantiles_to_one_percent() {
    let mut spans = DurationHistogram::new();
    for seconds in 1..=1_000 {
        spans.record(SimDuration::from_secs(seconds));
    }
    assert_eq!(spans.count(), 1_000);
    assert_eq!(spans.sum_nanos(), 500_500 * 1_000_000_000);
    assert_eq!(spans.mean(), SimDuration::from_millis(500_500));
    assert_eq!(spans.max(), SimDuration::from_secs(1_000));
    for (p, seconds) in [(0.05, 50.0), (0.5, 500.0), (0.95, 950.0), (1.0, 1_000.0)] {
        let found = spans.quantile(p).as_secs_f64();
        assert!(
            (found / seconds - 1.0).abs() < 0.01,
            "{p}: {found} s is not {seconds} s"
        );
    }

    let figures = spans.distribution("lag", "Lag");
    assert_eq!(figures.bins.iter().map(|bin| bin.count).sum::<u64>(), 1_000);
    assert!(
        figures
            .bins
            .windows(2)
            .all(|pair| pair[0].high == pair[1].low)
    );
    assert!(figures.bins[0].low <= 1.0 && figures.bins[0].high > 1.0);
    assert_eq!(figures.mean, 500.5);
}

#[test]
fn extremes_are_recorded_too() {
    let mut spans = DurationHistogram::new();
    assert_eq!(spans.distribution("lag", "Lag").bins.len(), 0);
    assert_eq!(spans.mean(), SimDuration::ZERO);
    spans.record(SimDuration::ZERO);
    spans.record(SimDuration::FOREVER);
    assert_eq!(spans.count(), 2);
    assert_eq!(spans.max(), SimDuration::FOREVER);
    assert_eq!(spans.quantile(0.25), SimDuration::ZERO);
    let bins = spans.distribution("lag", "Lag").bins;
    assert_eq!(bins.iter().map(|bin| bin.count).sum::<u64>(), 2);
}

#[test]
fn what_is_saved_goes_on_as_if_it_had_not_been() {
    let durations = [0, 1, 7, 5_000_000_000, 5_100_000_000, u64::MAX];
    let mut whole = DurationHistogram::new();
    let mut begun = DurationHistogram::new();
    for (index, &nanos) in durations.iter().enumerate() {
        whole.record(SimDuration::from_nanos(nanos));
        if index == 3 {
            let text = serde_json::to_string(&begun).unwrap();
            begun = serde_json::from_str(&text).unwrap();
        }
        begun.record(SimDuration::from_nanos(nanos));
    }
    let figures = |histogram: &DurationHistogram| {
        let distribution = histogram.distribution("name", "title");
        serde_json::to_string(&distribution).unwrap()
    };
    assert_eq!(figures(&begun), figures(&whole));
}
