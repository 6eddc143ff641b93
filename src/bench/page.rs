//! Findings as one page with curves of speed-up, to be opened anywhere without a network.
//!
//! The curves are drawn here, as SVG: the page has no script at all.

use std::fmt::Write;

use super::line::Line;
use super::suite::Findings;
use super::table;
use crate::report::numbers;

/// Width and height of a chart, and the room left around it for axes, in SVG units.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 320.0;
const LEFT: f64 = 56.0;
const RIGHT: f64 = 16.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 44.0;

const STYLE: &str = "\
:root{--ink:#1b1f24;--muted:#5b6470;--line:#d5dae0;--paper:#fff;--c0:#1667b0;--c1:#c2571a;--c2:#2c8550;\
--c3:#8a4bb0;--c4:#a3264d;--c5:#59702a}\
@media(prefers-color-scheme:dark){:root{--ink:#e7eaee;--muted:#9aa4af;--line:#3a424c;--paper:#14181d;\
--c0:#6db3f2;--c1:#f0955b;--c2:#67c48c;--c3:#c594e6;--c4:#ee7d9e;--c5:#a9c76a}}\
body{font:15px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);max-width:72rem;\
margin:2rem auto;padding:0 1rem}h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}\
svg{max-width:100%;height:auto}text{font:12px system-ui,sans-serif;fill:var(--muted)}\
.grid{stroke:var(--line)}.ideal{stroke:var(--muted);stroke-dasharray:4 4;fill:none}\
.curve{fill:none;stroke-width:2}ul{list-style:none;padding:0;columns:2}\
i{display:inline-block;width:1.2em;height:3px;vertical-align:middle;margin-right:.5em}\
div{overflow-x:auto}table{border-collapse:collapse;font-variant-numeric:tabular-nums}\
th,td{padding:.2rem .6rem;border-bottom:1px solid var(--line);text-align:right;white-space:nowrap}\
td.word,th.word{text-align:left}p{color:var(--muted)}";

/// A curve: what it is of, and its points (threads, value), by threads.
struct Curve {
    name: String,
    points: Vec<(f64, f64)>,
}

/// The whole page. `command` is the command line that made it.
pub fn as_html(findings: &Findings, command: &str) -> String {
    let lines = &findings.lines;
    let mut body = agreement(findings);
    let mut speed_up = curves(lines, |line| line.speed_up);
    speed_up.retain(|curve| curve.points.len() > 1);
    if !speed_up.is_empty() {
        body += "<h2>How many times as fast as one thread?</h2>\n";
        body += &chart(&speed_up, "times as fast", true);
    }
    body += "<h2>How many million events a second?</h2>\n";
    let rates = curves(lines, |line| Some(line.events_per_s / 1e6));
    body += &chart(&rates, "million events a second", false);
    body += "<h2>In figures</h2>\n";
    body += &table(lines);
    format!(
        "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" \
         content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
         <meta name=\"viewport\" content=\"width=device-width\">\n<title>Myriad: benchmark</title>\n\
         <style>{STYLE}</style></head><body>\n<h1>Myriad {}: benchmark of {}</h1>\n\
         <p>Medians; lines measured in turn, each {} times, one process per measurement.</p>\n\
         <p><code>{}</code></p>\n{body}</body></html>\n",
        env!("CARGO_PKG_VERSION"),
        lines.first().map_or("nothing", |line| line.world),
        lines.first().map_or(0, |line| line.repetitions),
        escaped(command),
    )
}

/// Whether equal worlds found the same, and if not, which lines did not.
fn agreement(findings: &Findings) -> String {
    if findings.disagreements.is_empty() {
        return "<p>All lines of the same world found the same events.</p>\n".to_owned();
    }
    let mut html =
        "<p><strong>None of these figures count: lines of the same world found different \
                    events.</strong></p>\n<ul>\n"
            .to_owned();
    for sentence in &findings.disagreements {
        let _ = writeln!(html, "<li>{}</li>", escaped(sentence));
    }
    html + "</ul>\n"
}

/// One curve per world, queue, horizon and runtime; of several numbers of partitions the best.
fn curves(lines: &[Line], figure: impl Fn(&Line) -> Option<f64>) -> Vec<Curve> {
    let mut curves: Vec<Curve> = Vec::new();
    for line in lines {
        let Some(value) = figure(line) else { continue };
        let name = name_of(line, lines);
        let number = curves.iter().position(|curve| curve.name == name);
        let curve = match number {
            Some(number) => &mut curves[number],
            None => curves.push_mut(Curve {
                name,
                points: Vec::new(),
            }),
        };
        let threads = line.threads as f64;
        match curve.points.iter_mut().find(|point| point.0 == threads) {
            Some(point) => point.1 = point.1.max(value),
            None => curve.points.push((threads, value)),
        }
    }
    for curve in &mut curves {
        curve.points.sort_by(|a, b| a.0.total_cmp(&b.0));
    }
    curves
}

/// What tells this line's curve from the others'.
fn name_of(line: &Line, lines: &[Line]) -> String {
    let size = match line.hosts {
        Some(hosts) => format!("{} hosts", numbers::count(hosts)),
        None => format!("{} actors", numbers::count(line.actors)),
    };
    let mut name = format!("{size}, {}", line.queue);
    let mut add = |title: &str, of: &dyn Fn(&Line) -> String| {
        if lines.iter().any(|other| of(other) != of(line)) {
            let _ = write!(name, ", {title}{}", of(line));
        }
    };
    let number = |figure: Option<f64>| figure.map_or_else(String::new, numbers::number);
    add("horizon ", &|line| line.horizon.clone());
    add("", &|line| line.runtime.clone());
    add("tokens ", &|line| {
        number(line.events_per_actor.map(f64::from))
    });
    add("remote ", &|line| number(line.remote));
    add("lookahead ", &|line| number(line.lookahead_s));
    add("mean ", &|line| number(line.mean_s));
    name
}

/// Curves over the number of threads, with what perfect scaling would be if `ideal`.
fn chart(curves: &[Curve], title: &str, ideal: bool) -> String {
    let points = || curves.iter().flat_map(|curve| &curve.points);
    let most_threads = points().fold(1.0_f64, |most, point| most.max(point.0));
    let highest = points().fold(0.0_f64, |most, point| most.max(point.1));
    let highest = if ideal {
        highest.max(most_threads)
    } else {
        highest
    };
    let step = round_step(highest / 5.0);
    let top = (highest / step).ceil().max(1.0) * step;
    let x = |threads: f64| {
        let share = if most_threads > 1.0 {
            (threads - 1.0) / (most_threads - 1.0)
        } else {
            0.5
        };
        LEFT + share * (WIDTH - LEFT - RIGHT)
    };
    let y = |value: f64| TOP + (1.0 - value / top) * (HEIGHT - TOP - BOTTOM);

    let mut svg =
        format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{title}\">\n");
    for mark in 0..=(top / step).round() as u32 {
        let value = f64::from(mark) * step;
        let (height, right) = (y(value), WIDTH - RIGHT);
        let _ = writeln!(
            svg,
            "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{right}\" y1=\"{height:.1}\" y2=\"{height:.1}\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 6.0,
            height + 4.0,
            mark_text(value),
        );
    }
    let mut threads: Vec<f64> = points().map(|point| point.0).collect();
    threads.sort_by(f64::total_cmp);
    threads.dedup();
    for count in threads {
        let (at, below) = (x(count), HEIGHT - BOTTOM + 18.0);
        let _ = writeln!(
            svg,
            "<text x=\"{at:.1}\" y=\"{below}\" text-anchor=\"middle\">{count}</text>"
        );
    }
    let (middle, below) = (f64::midpoint(LEFT, WIDTH - RIGHT), HEIGHT - 6.0);
    let _ = writeln!(
        svg,
        "<text x=\"{middle}\" y=\"{below}\" text-anchor=\"middle\">threads</text>"
    );
    if ideal && most_threads > 1.0 {
        let (x1, y1, x2, y2) = (x(1.0), y(1.0), x(most_threads), y(most_threads));
        let _ = writeln!(
            svg,
            "<path class=\"ideal\" d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\"/>"
        );
    }
    for (number, curve) in curves.iter().enumerate() {
        let colour = number % 6;
        let places: Vec<(f64, f64)> = curve.points.iter().map(|&(t, v)| (x(t), y(v))).collect();
        let path: Vec<String> = places
            .iter()
            .map(|(x, y)| format!("{x:.1} {y:.1}"))
            .collect();
        let path = path.join("L");
        let _ = writeln!(
            svg,
            "<path class=\"curve\" stroke=\"var(--c{colour})\" d=\"M{path}\"/>"
        );
        for ((x, y), (threads, value)) in places.iter().zip(&curve.points) {
            let _ = writeln!(
                svg,
                "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4\" fill=\"var(--c{colour})\">\
                 <title>{}: {} {title} on {threads} threads</title></circle>",
                escaped(&curve.name),
                numbers::number(*value),
            );
        }
    }
    svg += "</svg>\n<ul>\n";
    for (number, curve) in curves.iter().enumerate() {
        let (colour, name) = (number % 6, escaped(&curve.name));
        let _ = writeln!(
            svg,
            "<li><i style=\"background:var(--c{colour})\"></i>{name}</li>"
        );
    }
    svg += "</ul>\n";
    svg
}

/// A mark on an axis, without zeros that say nothing.
fn mark_text(value: f64) -> String {
    // Marks are multiples of a round step; what lies beyond is rounding.
    let rounded = (value * 1e6).round() / 1e6;
    format!("{rounded}")
}

/// The smallest of 1, 2 and 5 times a power of ten that is not below `least`.
fn round_step(least: f64) -> f64 {
    let power = 10.0_f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0]
        .map(|digit| digit * power)
        .into_iter()
        .find(|step| *step >= least * (1.0 - 1e-9))
        .unwrap_or(10.0 * power)
}

/// The same table as in the terminal.
fn table(lines: &[Line]) -> String {
    let columns = table::columns(lines);
    let class = |column: &table::Column| if column.number { "" } else { " class=\"word\"" };
    let mut html = "<div><table><thead><tr>".to_owned();
    for column in &columns {
        let _ = write!(html, "<th{}>{}</th>", class(column), column.title);
    }
    html += "</tr></thead><tbody>\n";
    for line in lines {
        html += "<tr>";
        for column in &columns {
            let cell = escaped(&(column.cell)(line));
            let _ = write!(html, "<td{}>{cell}</td>", class(column));
        }
        html += "</tr>\n";
    }
    html += "</tbody></table></div>\n";
    html
}

/// Text with everything that means something to HTML made harmless.
fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bench::line::tests::sample;

    #[test]
    fn the_page_shows_every_curve_and_loads_nothing() {
        let findings = Findings {
            lines: sample(),
            disagreements: Vec::new(),
        };
        let html = as_html(&findings, "myriad bench phold --csv <a&b>.csv");
        for expected in [
            "&lt;a&amp;b&gt;.csv",
            "1,000 actors, window_ring</li>",
            "1,000 actors, binary_heap</li>",
            "2 times as fast on 2 threads",
            "abababab",
        ] {
            assert!(
                html.contains(expected),
                "`{expected}` is missing in\n{html}"
            );
        }
        for forbidden in ["http://", "https://", "<script", "NaN", "inf"] {
            assert!(!html.contains(forbidden), "`{forbidden}` is in\n{html}");
        }
    }

    #[test]
    fn figures_that_do_not_count_say_so() {
        let findings = Findings {
            lines: sample(),
            disagreements: vec!["<one> is not the other".to_owned()],
        };
        let html = as_html(&findings, "myriad bench phold");
        assert!(html.contains("None of these figures count"));
        assert!(html.contains("&lt;one&gt; is not the other"));
        assert!(!html.contains("found the same events"));
    }

    #[test]
    fn axes_have_round_marks() {
        assert_eq!(mark_text(3.0 * 0.1), "0.3");
        assert_eq!(mark_text(1.5), "1.5");
        assert_eq!(round_step(0.4), 0.5);
        assert_eq!(round_step(5.1), 10.0);
        assert_eq!(round_step(20.0), 20.0);
    }

    #[test]
    fn of_several_numbers_of_partitions_the_best_is_drawn() {
        let mut lines = sample();
        lines[0].queue = "calendar".to_owned();
        lines[1].queue = "calendar".to_owned();
        lines[1].threads = 1;
        let curves = curves(&lines, |line| line.speed_up);
        assert_eq!(curves[0].points, [(1.0, 2.0)]);
    }
}
