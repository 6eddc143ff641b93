use super::*;
use kernel::{ActorId, Purpose, SimTime};

const HOUR: SimDuration = SimDuration::from_hours(1);

fn seti() -> Availability {
    Preset::SetiRandomHosts.availability()
}

fn stream(host: u32) -> RandomStream {
    RandomStream::new(20_261_201, ActorId(host), Purpose(3))
}

/// Whether each of some hosts is on at each of some ascending times.
fn count_on<const N: usize>(
    availability: &Availability,
    hosts: u32,
    times: [SimTime; N],
) -> [u32; N] {
    let mut counts = [0; N];
    for host in 0..hosts {
        let (mut machine, stays) = Switching::begin(availability, stream(host));
        let mut switches = SimTime::START + stays;
        for (count, &time) in counts.iter_mut().zip(&times) {
            while switches <= time {
                switches += machine.switch(availability);
            }
            *count += u32::from(machine.is_on());
        }
    }
    counts
}

/// The fraction of the time up to `end` that hosts are on.
fn average_on(availability: &Availability, hosts: u32, end: SimTime) -> f64 {
    let mut on = 0u128;
    for host in 0..hosts {
        let (mut machine, stays) = Switching::begin(availability, stream(host));
        let mut now = SimTime::START;
        let mut switches = now + stays;
        while now < end {
            let until = switches.min(end);
            if machine.is_on() {
                on += u128::from((until - now).nanos());
            }
            now = until;
            if now == switches {
                switches += machine.switch(availability);
            }
        }
    }
    on as f64 / end.nanos() as f64 / f64::from(hosts)
}

#[test]
fn the_same_fraction_of_hosts_is_on_at_all_times() {
    let hosts = 60_000;
    // Published: 24.58 % of the time, for the fit of SETI@home's random hosts.
    let fraction = 0.2458;
    assert!((seti().fraction_on() - fraction).abs() < 5e-5);
    let times = [0, 1, 24, 30 * 24].map(|hours| SimTime::START + HOUR * hours);
    let margin = 4.0 * (fraction * (1.0 - fraction) / f64::from(hosts)).sqrt();
    for (time, count) in times.iter().zip(count_on(&seti(), hosts, times)) {
        let on = f64::from(count) / f64::from(hosts);
        assert!((on - fraction).abs() < margin, "{on} at {time}");
    }
}

#[test]
fn every_preset_is_stationary() {
    let hosts = 20_000;
    for preset in Preset::ALL {
        let availability = preset.availability();
        let fraction = availability.fraction_on();
        let margin = 4.0 * (fraction * (1.0 - fraction) / f64::from(hosts)).sqrt() + 1e-12;
        let times = [1, 24].map(|hours| SimTime::START + HOUR * hours);
        for count in count_on(&availability, hosts, times) {
            let on = f64::from(count) / f64::from(hosts);
            assert!(
                (on - fraction).abs() < margin,
                "{preset:?}: {on} is not {fraction}"
            );
        }
    }
}

#[test]
fn a_cold_start_is_as_biased_as_others_have_measured() {
    let cold = seti().starting(Start::ColdStart);
    // Time averages from a Monte-Carlo run of another program; ComBoS, which starts cold, prints
    // 62.1 % and 49.7 % for 24 and 240 hours.
    for (hours, hosts, published) in [
        (24, 40_000, 0.620),
        (100, 20_000, 0.549),
        (240, 20_000, 0.499),
    ] {
        let on = average_on(&cold, hosts, SimTime::START + HOUR * hours);
        assert!(
            (on - published).abs() < 0.008,
            "{on} is not {published} after {hours} h"
        );
    }
    let everybody = count_on(&cold, 100, [SimTime::START]);
    assert_eq!(everybody, [100]);
}

#[test]
fn intervals_take_turns_and_time_goes_on() {
    let day_and_night = r#"{"on": "8 h", "off": "16 h", "start": "cold_start"}"#;
    let availability: Availability = serde_json::from_str(day_and_night).expect("valid");
    assert_eq!(availability.fraction_on(), 1.0 / 3.0);
    assert_eq!(availability.mean_cycle_s(), 86_400.0);
    let (mut machine, stays) = Switching::begin(&availability, stream(0));
    assert_eq!((machine.is_on(), stays), (true, HOUR * 8));
    assert_eq!(
        (machine.switch(&availability), machine.is_on()),
        (HOUR * 16, false)
    );
    assert_eq!(
        (machine.switch(&availability), machine.is_on()),
        (HOUR * 8, true)
    );

    // In the stationary start one in three is met on, anywhere in its interval.
    let stationary = availability.starting(Start::Stationary);
    let (machine, stays) = Switching::begin(&stationary, stream(1));
    assert!(stays <= if machine.is_on() { HOUR * 8 } else { HOUR * 16 });

    // The shortest draws of heavy tails round up to a nanosecond, so no host switches forever.
    let availability = seti();
    for host in 0..1_000 {
        let (mut machine, mut stays) = Switching::begin(&availability, stream(host));
        for _ in 0..20 {
            assert!(stays >= SimDuration::NANOSECOND);
            stays = machine.switch(&availability);
        }
    }
}

#[test]
fn a_machine_that_is_always_on_never_switches() {
    let always = Availability::always();
    let (mut machine, stays) = Switching::begin(&always, stream(0));
    assert!(machine.is_on());
    assert_eq!(stays, SimDuration::FOREVER);
    assert_eq!(machine.switch(&always), SimDuration::FOREVER);
    assert!(machine.is_on());
    assert_eq!(always.fraction_on(), 1.0);
}

#[test]
fn a_newly_joined_machine_is_on_for_a_whole_interval() {
    let availability: Availability =
        serde_json::from_str(r#"{"on": "8 h", "off": "16 h"}"#).expect("valid");
    let (machine, stays) = Switching::newly_on(&availability, stream(0));
    assert_eq!((machine.is_on(), stays), (true, HOUR * 8));
}

#[test]
fn scenarios_name_a_preset_or_give_both_intervals() {
    let read = |text: &str| serde_json::from_str::<Availability>(text);
    let named = read(r#"{"preset": "seti_random_hosts"}"#).expect("a preset");
    assert_eq!(named, read(r#""seti_random_hosts""#).expect("a preset"));
    let cold = read(r#"{"preset": "seti_random_hosts", "start": "cold_start"}"#).expect("valid");
    assert_eq!(cold.start(), Start::ColdStart);
    for text in [
        r#"{"on": {"distribution": "exponential", "mean": "8 h"}, "off": "16 h"}"#,
        r#"{"preset": "boinc_2006", "start": "cold_start"}"#,
    ] {
        let availability = read(text).expect(text);
        let written = serde_json::to_string(&availability).expect("it can be written");
        assert_eq!(read(&written).expect("what was written"), availability);
    }
    for (text, expected) in [
        (r#"{"on": "8 h"}"#, "both `on` and `off`"),
        ("{}", "`preset`"),
        (r#"{"preset": "always", "on": "8 h"}"#, "remove it"),
        (r#"{"on": "8 h", "off": "0 h"}"#, "`off` has a mean of zero"),
        (r#"{"on": "8 h", "of": "16 h"}"#, "`of`"),
        (r#""seti""#, "seti_random_hosts"),
        ("8", "a table with `on` and `off`"),
    ] {
        let error = read(text).expect_err(text).to_string();
        assert!(error.contains(expected), "{text}: {error}");
    }
}

#[test]
fn a_host_keeps_no_more_than_it_needs() {
    assert!(size_of::<Switching>() <= 24);
}
