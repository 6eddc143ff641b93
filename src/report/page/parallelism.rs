//! How much faster could this run have been? The engine's projection, drawn.
//!
//! It is of the run's cost, not of what it found: it differs with partitions and horizon.

use std::fmt::Write;

use serde_json::{Map, Value};

use super::markup::escape;
use crate::report::numbers;

/// Height of a row of the drawing, and where its bars begin and end, in the drawing's own units.
const ROW: f64 = 22.0;
const LEFT: f64 = 90.0;
const RIGHT: f64 = 560.0;

/// A panel with the speed-up that more workers could reach, if the ledger has one.
pub(super) fn panel(ledger: &Map<String, Value>) -> String {
    let projected = ledger.get("attainable").and_then(Value::as_array);
    let rows: Vec<(f64, f64)> = projected
        .into_iter()
        .flatten()
        .filter_map(|one| {
            Some((
                one.get("workers")?.as_f64()?,
                one.get("speed_up")?.as_f64()?,
            ))
        })
        .collect();
    if rows.is_empty() {
        return String::new();
    }
    let mut out = String::from("<div class=\"panel\"><h2>How much faster could it run?</h2>");
    let _ = write!(
        out,
        "<p>A projection from the work of each window: the speed-up that so many workers could reach \
         with these partitions, if every event cost the same and waiting nothing.{}</p>",
        busiest(ledger)
    );
    out.push_str(&bars(&rows));
    out.push_str("<div class=\"scroll\"><table class=\"figures\"><thead><tr>");
    out.push_str("<th class=\"n\">workers</th><th class=\"n\">speed-up</th></tr></thead><tbody>");
    for &(workers, speed_up) in &rows {
        let (workers, speed_up) = (numbers::number(workers), numbers::number(speed_up));
        let _ = write!(
            out,
            "<tr><td class=\"n\">{workers}</td><td class=\"n\">{speed_up}</td></tr>"
        );
    }
    out.push_str("</tbody></table></div></div>");
    out
}

/// What the busiest actor alone would allow.
fn busiest(ledger: &Map<String, Value>) -> String {
    let find = || {
        let busiest = ledger.get("busiest")?;
        let actor = busiest.get("actor")?.as_str()?;
        Some((actor, busiest.get("share")?.as_f64()?))
    };
    find().map_or_else(String::new, |(actor, share)| {
        format!(
            " The busiest actor is the {}, with {:.1} % of all messages; one actor cannot be shared out.",
            escape(actor),
            share * 100.0
        )
    })
}

/// Horizontal bars, each within the outline of what would be ideal, on a logarithmic axis.
fn bars(rows: &[(f64, f64)]) -> String {
    let most = rows.iter().map(|row| row.0).fold(2.0, f64::max);
    let place = |speed_up: f64| (speed_up.max(1.0).ln() / most.ln()) * (RIGHT - LEFT);
    let height = ROW * rows.len() as f64;
    let mut out = format!(
        "<svg viewBox=\"0 0 640 {height}\" role=\"img\" aria-label=\"Projected speed-up by number of \
         workers, on a logarithmic axis; the table below has the figures\" style=\"max-width:40rem;\
         width:100%;font-size:12px\" fill=\"currentColor\">"
    );
    for (number, &(workers, speed_up)) in rows.iter().enumerate() {
        let top = ROW * number as f64;
        let (text, bar, tall) = (top + 15.0, top + 4.0, ROW - 8.0);
        let (ideal, reached) = (place(workers), place(speed_up));
        let _ = write!(
            out,
            "<text x=\"{}\" y=\"{text}\" text-anchor=\"end\">{} workers</text>\
             <rect x=\"{LEFT}\" y=\"{bar}\" width=\"{ideal:.1}\" height=\"{tall}\" fill=\"none\" \
             stroke=\"var(--line)\"/>\
             <rect x=\"{LEFT}\" y=\"{bar}\" width=\"{reached:.1}\" height=\"{tall}\" fill=\"var(--c0)\"/>\
             <text x=\"{:.1}\" y=\"{text}\">{}x</text>",
            LEFT - 8.0,
            numbers::number(workers),
            LEFT + ideal + 8.0,
            numbers::number(speed_up),
        );
    }
    out.push_str("</svg>");
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_projection_is_drawn_and_tabled() {
        let ledger = json!({
            "attainable": [{"workers": 2, "speed_up": 1.9}, {"workers": 4, "speed_up": 3.0}],
            "busiest": {"actor": "scheduler <0>", "share": 0.25},
        });
        let page = panel(ledger.as_object().unwrap());
        // Half way to four, on a logarithmic axis, is two.
        let half = (RIGHT - LEFT) / 2.0;
        assert!(page.contains(&format!("width=\"{half:.1}\"")), "{page}");
        assert!(page.contains("1.900x") && page.contains("25.0 %"), "{page}");
        assert!(page.contains("scheduler &lt;0&gt;"));
    }

    #[test]
    fn without_a_projection_there_is_no_panel() {
        assert_eq!(panel(&Map::new()), "");
    }
}
