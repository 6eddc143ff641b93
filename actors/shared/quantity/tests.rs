use super::*;
use std::fmt::Display;
use std::str::FromStr;

fn read<Q: FromStr<Err = QuantityError>>(text: &str) -> Q {
    text.parse()
        .unwrap_or_else(|error: QuantityError| panic!("{text}: {error}"))
}

fn refused<Q: FromStr<Err = QuantityError>>(text: &str) -> String {
    match text.parse::<Q>() {
        Ok(_) => panic!("`{text}` should be refused"),
        Err(error) => error.to_string(),
    }
}

#[test]
fn durations_are_read_to_the_nanosecond() {
    for (text, nanos) in [
        ("1 ns", 1),
        ("1.1 s", 1_100_000_000),
        ("0.1 h", 360_000_000_000),
        ("7 d", 604_800_000_000_000),
        ("1w", 604_800_000_000_000),
        (" +1.50 min ", 90_000_000_000),
        ("1e3 us", 1_000_000),
        (".5 ms", 500_000),
        ("5. ms", 5_000_000),
        ("1 y", 31_557_600_000_000_000),
        ("12.5E-1 s", 1_250_000_000),
        ("0", 0),
        ("0.0", 0),
        ("-0 s", 0),
        ("0e9999 h", 0),
        // What lies between two nanoseconds is rounded up.
        ("1.0000000001 s", 1_000_000_001),
        ("1e-30 s", 1),
        ("1e-999 s", 1),
        ("18446744073709551615 ns", u64::MAX),
    ] {
        let duration: Duration = read(text);
        assert_eq!(duration.span().nanos(), nanos, "{text}");
    }
}

#[test]
fn amounts_rates_and_speeds_are_read_in_their_base_units() {
    assert_eq!(read::<Bytes>("14 MB").bytes(), 14_000_000);
    assert_eq!(read::<Bytes>("200 KiB").bytes(), 204_800);
    assert_eq!(read::<Bytes>("1.5 GiB").bytes(), 3 << 29);
    assert_eq!(read::<Bytes>("0.3 B").bytes(), 1);
    assert_eq!(read::<Bandwidth>("10 Mbit/s").bytes_per_s(), 1.25e6);
    assert_eq!(read::<Bandwidth>("80 MB/s").bytes_per_s(), 80e6);
    assert_eq!(read::<Bandwidth>("0.1 kB/s").bytes_per_s(), 100.0);
    assert_eq!(read::<Flop>("1.05e14 flop").flop(), 1.05e14);
    assert_eq!(read::<Flop>("105 Tflop").flop(), 1.05e14);
    assert_eq!(read::<Speed>("15.3 GFLOPS").flop_per_s(), 15.3e9);
    assert_eq!(read::<Speed>("15.3 Gflop/s").gflops(), 15.3);
    assert_eq!(read::<Fraction>("13 %").value(), 0.13);
    assert_eq!(read::<Fraction>("0.13").value(), 0.13);
    assert_eq!(read::<Fraction>("100%"), Fraction::ONE);
}

#[test]
fn times_follow_from_amounts_and_rates() {
    let hour = SimDuration::from_hours(1);
    assert_eq!(read::<Flop>("36 Tflop").time_at(read("10 GFLOPS")), hour);
    assert_eq!(read::<Bandwidth>("8 kbit/s").time_for(read("3.6 MB")), hour);
    let never = Bandwidth::default().time_for(Bytes::new(1));
    assert_eq!(never, SimDuration::FOREVER);
}

#[test]
fn errors_say_what_was_found_and_what_would_be_right() {
    assert_eq!(
        refused::<Duration>("7 dys"),
        "`7 dys` is not a duration: write a number and one of ns, us, ms, s, min, h, d, w, y, as in \
         \"7 d\""
    );
    assert_eq!(
        refused::<Bytes>("14"),
        "`14` has no unit, so it is not an amount of data: write a number and one of B, kB, KiB, MB, \
         MiB, GB, GiB, TB, TiB, as in \"14 MB\""
    );
    let negative = refused::<Speed>("-3 GFLOPS");
    assert!(
        negative.contains("negative") && negative.contains("15.3 GFLOPS"),
        "{negative}"
    );
    let fraction = refused::<Fraction>("130 %");
    assert!(
        fraction.contains("from 0 to 1") && fraction.contains("130 %"),
        "{fraction}"
    );
}

#[test]
fn nothing_that_a_user_writes_panics() {
    let pasted = "ü".repeat(10_000);
    for text in [
        "",
        " ",
        "s",
        "-",
        "+",
        ".",
        ". s",
        "e5 s",
        "1e s",
        "1e+ s",
        "--1 s",
        "NaN s",
        "inf s",
        "nan",
        "1,5 s",
        "1_000 s",
        "0x10 s",
        "1 s s",
        "１ s",
        "1e10000 s",
        "1e-99999999999 s",
        "%",
        "1 %%",
        "1\0 s",
        &pasted,
    ] {
        let error = refused::<Duration>(text);
        assert!(
            error.len() < 400,
            "an error is no longer than a few lines: {error}"
        );
        for other in [
            refused::<Bytes>(text),
            refused::<Bandwidth>(text),
            refused::<Flop>(text),
            refused::<Speed>(text),
            refused::<Fraction>(text),
        ] {
            assert!(other.contains("as in"), "{other}");
        }
    }
    for text in ["600 y", "18446744073709551616 ns", "1e400 d", "1e9999 ns"] {
        assert!(refused::<Duration>(text).contains("too large"), "{text}");
    }
    let digits = format!("1{} ns", "0".repeat(60));
    assert!(refused::<Duration>(&digits).contains("too large"));
    assert!(refused::<Flop>("1e309 flop").contains("too large"));
    for text in ["-1 %", "1.01", "nan", "2e2 %"] {
        assert!(refused::<Fraction>(text).contains("from 0 to 1"), "{text}");
    }
}

/// What is written reads back as the very same value, through a file format too.
fn survives<Q>(value: Q)
where
    Q: Quantity + Display + FromStr<Err = QuantityError>,
{
    let written = serde_json::to_value(value).expect("a quantity can be written");
    let read: Q = serde_json::from_value(written.clone()).expect("what was written");
    assert_eq!(read.to_base(), value.to_base(), "{written}");
    if let Some(text) = written.as_str() {
        let read = text.parse::<Q>().expect("what was written");
        assert_eq!(read.to_base(), value.to_base(), "{written}");
    }
    assert!(!value.to_string().is_empty());
}

#[test]
fn what_is_written_reads_back_as_the_very_same() {
    let mut random = kernel::RandomStream::new(5, kernel::ActorId(0), kernel::Purpose(0));
    for _ in 0..2_000 {
        let shift = random.below(64);
        let whole = random.below(u64::MAX) >> shift;
        survives(Duration::new(SimDuration::from_nanos(whole)));
        survives(Bytes::new(whole));
        let real = libm::exp(random.between(-30.0, 60.0));
        survives(Bandwidth::new(real));
        survives(Flop::new(real));
        survives(Speed::new(real));
        survives(Fraction::new(random.uniform()).expect("a fraction"));
    }
    for real in [0.0, f64::MIN_POSITIVE, 5e-324, f64::MAX, 1.0 / 3.0] {
        survives(Bandwidth::new(real));
        survives(Flop::new(real));
        survives(Speed::new(real));
    }
    for whole in [0, 1, u64::MAX] {
        survives(Duration::new(SimDuration::from_nanos(whole)));
        survives(Bytes::new(whole));
    }
}

#[test]
fn what_is_written_is_what_a_person_would_write() {
    let written = |text: &str| {
        let duration: Duration = read(text);
        serde_json::to_value(duration).expect("a text").to_string()
    };
    assert_eq!(written("168 h"), "\"7 d\"");
    assert_eq!(written("36 h"), "\"36 h\"");
    assert_eq!(written("0"), "\"0 ns\"");
    let rate = serde_json::to_value(read::<Bandwidth>("10 Mbit/s")).expect("a text");
    assert_eq!(rate.to_string(), "\"10 Mbit/s\"");
    let speed = serde_json::to_value(read::<Speed>("15.3 GFLOPS")).expect("a text");
    assert_eq!(speed.to_string(), "\"15.3 GFLOPS\"");

    assert_eq!(read::<Duration>("26 h").to_string(), "1 d 2 h");
    assert_eq!(read::<Bytes>("14680064 B").to_string(), "14.7 MB");
    assert_eq!(read::<Bandwidth>("10 Mbit/s").to_string(), "1.25 MB/s");
    assert_eq!(read::<Flop>("1.05e14 flop").to_string(), "105 Tflop");
    assert_eq!(read::<Speed>("15.32 GFLOPS").to_string(), "15.3 GFLOPS");
    assert_eq!(read::<Fraction>("0.13").to_string(), "13 %");
    assert_eq!(Bytes::default().to_string(), "0 B");
}

#[test]
fn numbers_in_files_need_a_unit_unless_they_are_zero() {
    let zero: Duration = serde_json::from_str("0").expect("zero needs no unit");
    assert_eq!(zero, Duration::default());
    let error = serde_json::from_str::<Duration>("7").expect_err("seven what?");
    assert!(error.to_string().contains("`7` has no unit"), "{error}");
    let error = serde_json::from_str::<Duration>("[7]").expect_err("a list");
    assert!(
        error.to_string().contains("a duration such as \"7 d\""),
        "{error}"
    );
    let half: Fraction = serde_json::from_str("0.5").expect("a fraction is a number");
    assert_eq!(half.value(), 0.5);
    serde_json::from_str::<Fraction>("1.5").expect_err("more than all");
    serde_json::from_str::<Fraction>("-1").expect_err("less than nothing");
}

#[test]
fn base_units_saturate() {
    assert_eq!(Duration::from_base(1e300).span(), SimDuration::FOREVER);
    assert_eq!(Duration::from_base(-1.0), Duration::default());
    assert_eq!(Bytes::from_base(f64::NAN), Bytes::default());
    assert_eq!(Bytes::from_base(f64::INFINITY).bytes(), u64::MAX);
    assert_eq!(Speed::new(f64::NAN), Speed::default());
    assert_eq!(Speed::new(f64::INFINITY).flop_per_s(), f64::MAX);
    assert_eq!(Duration::unit_in_base("h"), Some(3_600.0));
    assert_eq!(Duration::unit_in_base("MB"), None);
    assert_eq!(Bandwidth::unit_in_base("Mbit/s"), Some(125_000.0));
}
