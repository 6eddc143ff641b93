//! The run as one page that can be opened anywhere, without a network.
//!
//! Charts first, then tables, then how to repeat the run. Everything the page needs is in it, and
//! its own content security policy forbids it to load anything. Names come from scenario files, so
//! every piece of text is escaped.

mod charts;
pub mod document;
pub(crate) mod markup;
mod parallelism;

use std::fmt::Write;

use actors::shared::results::{Cell, Results, Table};

use super::numbers;
use super::record::RunRecord;
use super::table::engine_line;
use markup::{escape, fill, json_in_html, shell_words};

const TEMPLATE: &str = include_str!("template.html");
const STYLE: &str = include_str!("style.css");
const CHARTS: &str = include_str!("charts.js");
/// uPlot 1.6.32 by Leon Sorokin, MIT licence (`vendor/LICENSE-uPlot`).
const UPLOT: &str = include_str!("vendor/uPlot.iife.min.js");
const UPLOT_STYLE: &str = include_str!("vendor/uPlot.min.css");

/// The page of a run.
pub fn page(record: &RunRecord) -> String {
    let manifest = &record.manifest;
    let drawn = charts::prepare(&record.results);
    fill(TEMPLATE, |name| match name {
        "title" => escape(&manifest.name),
        "lead" => escape(&lead(record)),
        "partial" => partial(record),
        "cards" => cards(&record.results),
        "charts" => charts::figures(&drawn),
        "tables" => tables(&record.results),
        "engine" => parallelism::panel(&record.engine.more),
        "again" => "myriad run scenario.toml".to_owned(),
        "command" => escape(&shell_words(&manifest.arguments)),
        "facts" => facts(record),
        "scenario" => escape(&record.scenario),
        "data" => json_in_html(&drawn),
        "style" => STYLE.to_owned(),
        "uplot_css" => UPLOT_STYLE.to_owned(),
        "uplot_js" => UPLOT.to_owned(),
        "charts_js" => CHARTS.to_owned(),
        other => unreachable!("the template asks for `{other}`, which nobody provides"),
    })
}

fn lead(record: &RunRecord) -> String {
    let manifest = &record.manifest;
    format!(
        "{} simulated in {}; {} events; seed {}; begun {}",
        numbers::with_unit(manifest.reached_s, "s"),
        numbers::with_unit(record.engine.wall_s, "s"),
        numbers::count(record.engine.events),
        manifest.seed,
        manifest.started,
    )
}

fn partial(record: &RunRecord) -> String {
    let manifest = &record.manifest;
    if manifest.completed {
        return String::new();
    }
    format!(
        "<p class=\"notice\" role=\"status\">This run was interrupted after {} of {}. Its figures are of \
         the time it reached.</p>",
        escape(&numbers::with_unit(manifest.reached_s, "s")),
        escape(&numbers::with_unit(manifest.until_s, "s")),
    )
}

fn cards(results: &Results) -> String {
    let mut out = String::new();
    for scalar in results.scalars.iter().filter(|scalar| scalar.headline) {
        let (figure, unit) = numbers::parts(scalar.value, &scalar.unit);
        let _ = writeln!(
            out,
            "<div title=\"{}\"><dt>{}</dt><dd>{} <small>{}</small></dd></div>",
            escape(&scalar.meaning),
            escape(&scalar.name.replace('_', " ")),
            escape(&figure),
            escape(&unit),
        );
    }
    out
}

fn tables(results: &Results) -> String {
    let mut out = String::new();
    for table in &results.tables {
        let _ = write!(
            out,
            "<div class=\"panel\"><h2>{}</h2>{}</div>",
            escape(&table.title),
            table_of_figures(table)
        );
    }
    out.push_str("<div class=\"panel\"><details><summary>All figures</summary>");
    out.push_str("<div class=\"scroll\"><table class=\"figures\"><thead><tr><th>figure</th>");
    out.push_str("<th class=\"n\">value</th><th>unit</th><th>meaning</th></tr></thead><tbody>");
    for scalar in &results.scalars {
        let (figure, unit) = numbers::parts(scalar.value, &scalar.unit);
        let _ = write!(
            out,
            "<tr><td>{}</td><td class=\"n\">{}</td><td>{}</td><td>{}</td></tr>",
            escape(&scalar.name),
            escape(&figure),
            escape(&unit),
            escape(&scalar.meaning),
        );
    }
    out.push_str("</tbody></table></div></details></div>");
    out
}

fn table_of_figures(table: &Table) -> String {
    let mut out = "<div class=\"scroll\"><table class=\"figures\"><thead><tr>".to_owned();
    let is_number = |column: usize| {
        let cells = || table.rows.iter().filter_map(|row| row.get(column));
        cells().any(|cell| matches!(cell, Cell::Number(_)))
    };
    for (position, column) in table.columns.iter().enumerate() {
        let class = if is_number(position) {
            " class=\"n\""
        } else {
            ""
        };
        let unit = match column.unit.as_str() {
            "" | "1" | "s" | "bytes" => String::new(),
            unit if column.title.to_lowercase().contains(unit) => String::new(),
            unit => format!(" ({})", escape(unit)),
        };
        let _ = write!(out, "<th{class}>{}{unit}</th>", escape(&column.title));
    }
    out.push_str("</tr></thead><tbody>");
    for row in &table.rows {
        out.push_str("<tr>");
        for (position, cell) in row.iter().enumerate() {
            let unit = table
                .columns
                .get(position)
                .map_or("", |column| column.unit.as_str());
            let _ = match cell {
                Cell::Text(text) => write!(out, "<td>{}</td>", escape(text)),
                // These two read better with a unit of their own size in each cell.
                Cell::Number(value) if matches!(unit, "s" | "bytes") => {
                    let figure = numbers::with_unit(*value, unit);
                    write!(out, "<td class=\"n\">{}</td>", escape(&figure))
                }
                Cell::Number(value) => {
                    write!(out, "<td class=\"n\">{}</td>", numbers::number(*value))
                }
            };
        }
        out.push_str("</tr>");
    }
    out.push_str("</tbody></table></div>");
    out
}

fn facts(record: &RunRecord) -> String {
    let manifest = &record.manifest;
    let engine = engine_line(&record.engine);
    let version = format!("myriad {}", manifest.myriad);
    let facts = [
        ("digest", manifest.digest.as_str()),
        ("version", &version),
        ("engine", engine.trim_start_matches("engine").trim()),
        ("machine", &manifest.host),
    ];
    let rows = facts.map(|(name, value)| format!("<dt>{name}</dt><dd>{}</dd>", escape(value)));
    rows.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::sample;

    #[test]
    fn the_page_holds_everything_and_loads_nothing() {
        let record = sample::record();
        let page = page(&record);
        assert!(page.contains("Content-Security-Policy"));
        for chart in &record.results.charts {
            assert!(
                page.contains(&escape(&chart.title)),
                "{} is missing",
                chart.title
            );
        }
        // uPlot's banner names its home in a comment; nothing may be loaded from anywhere.
        for loading in [
            "src=",
            "href=",
            "url(",
            "@import",
            "fetch(",
            "XMLHttpRequest",
            "import(",
        ] {
            assert!(!page.contains(loading), "the page has `{loading}` in it");
        }
        assert!(
            !page.contains("{{"),
            "a place in the template was not filled"
        );
        assert!(
            page.contains("myriad run &#39;it&#39;\\&#39;&#39;s here.toml&#39;"),
            "no command"
        );
    }

    #[test]
    fn names_from_a_scenario_cannot_become_markup() {
        let page = page(&sample::record());
        assert!(
            !page.contains("<script>alert"),
            "a series' name became a script"
        );
        assert!(page.contains("sample &lt;b&gt;"));
        assert!(page.contains("A &lt;perfect&gt;"));
        assert_eq!(page.matches("</script>").count(), 3);
        assert!(!page.contains('\u{1b}'));
    }

    #[test]
    fn a_partial_run_says_so() {
        let mut record = sample::record();
        assert!(!page(&record).contains("interrupted"));
        record.manifest.completed = false;
        assert!(page(&record).contains("interrupted after"));
    }
}
