//! A page of pictures and tables about several runs, or about data: it loads nothing and runs nothing.

use std::fmt::Write;

use super::STYLE;
use super::markup::{escape, fill};
use crate::report::picture::Picture;

const TEMPLATE: &str = include_str!("document.html");

/// What stands on the page.
#[derive(Clone, Debug, Default)]
pub struct Document {
    /// Its heading.
    pub title: String,
    /// What it is about, in a sentence.
    pub lead: String,
    /// What a reader must know before trusting it.
    pub notes: Vec<String>,
    /// Charts, each with its table.
    pub charts: Vec<Chart>,
    /// Tables on their own, with their headings.
    pub tables: Vec<(String, Table)>,
    /// The commands that make it again.
    pub command: String,
    /// Texts it came from, such as the scenario, with what they are.
    pub sources: Vec<(String, String)>,
}

/// A picture and its figures.
#[derive(Clone, Debug)]
pub struct Chart {
    /// The question it answers.
    pub title: String,
    /// The picture.
    pub picture: Picture,
    /// Its figures.
    pub table: Table,
}

/// A table of words.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// What stands in each column.
    pub heads: Vec<String>,
    /// The rows; each has as many cells as there are columns.
    pub rows: Vec<Vec<String>>,
    /// So many columns at the left are words, the others figures.
    pub words: usize,
}

impl Table {
    /// A table with these columns, of which so many at the left are words.
    pub fn new(heads: &[&str], words: usize) -> Self {
        Table {
            heads: heads.iter().map(|&head| head.to_owned()).collect(),
            rows: Vec::new(),
            words,
        }
    }

    fn as_html(&self) -> String {
        let class = |column: usize| {
            if column >= self.words {
                " class=\"n\""
            } else {
                ""
            }
        };
        let mut out = "<div class=\"scroll\"><table class=\"figures\"><thead><tr>".to_owned();
        for (column, head) in self.heads.iter().enumerate() {
            let _ = write!(out, "<th{}>{}</th>", class(column), escape(head));
        }
        out.push_str("</tr></thead><tbody>");
        for row in &self.rows {
            out.push_str("<tr>");
            for (column, cell) in row.iter().enumerate() {
                let _ = write!(out, "<td{}>{}</td>", class(column), escape(cell));
            }
            out.push_str("</tr>");
        }
        out.push_str("</tbody></table></div>");
        out
    }
}

impl Document {
    /// The page.
    pub fn page(&self) -> String {
        fill(TEMPLATE, |name| match name {
            "title" => escape(&self.title),
            "lead" => escape(&self.lead),
            "notes" => self
                .notes
                .iter()
                .map(|note| format!("<p class=\"notice\" role=\"status\">{}</p>", escape(note)))
                .collect(),
            "charts" => self.charts.iter().map(Chart::as_html).collect(),
            "tables" => self
                .tables
                .iter()
                .map(|(title, table)| {
                    let title = escape(title);
                    format!(
                        "<div class=\"panel\"><h2>{title}</h2>{}</div>",
                        table.as_html()
                    )
                })
                .collect(),
            "command" => escape(&self.command),
            "sources" => self
                .sources
                .iter()
                .map(|(title, text)| {
                    let (title, text) = (escape(title), escape(text));
                    format!("<details><summary>{title}</summary><pre>{text}</pre></details>")
                })
                .collect(),
            "style" => STYLE.to_owned(),
            other => unreachable!("the template asks for `{other}`, which nobody provides"),
        })
    }
}

impl Chart {
    fn as_html(&self) -> String {
        format!(
            "<figure><h2>{}</h2>{}<details><summary>The figures</summary>{}</details></figure>",
            escape(&self.title),
            self.picture.inline(),
            self.table.as_html()
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::picture::LinePlot;

    #[test]
    fn whatever_it_is_about_nothing_becomes_markup_and_nothing_is_loaded() {
        let evil = "</pre><script>alert(1)</script> {{title}}";
        let mut table = Table::new(&[evil, "n"], 1);
        table.rows.push(vec![evil.to_owned(), "1".to_owned()]);
        let chart = Chart {
            title: evil.to_owned(),
            picture: LinePlot::default().draw(),
            table: table.clone(),
        };
        let document = Document {
            title: evil.to_owned(),
            lead: evil.to_owned(),
            notes: vec![evil.to_owned()],
            charts: vec![chart],
            tables: vec![(evil.to_owned(), table)],
            command: evil.to_owned(),
            sources: vec![(evil.to_owned(), evil.to_owned())],
        };
        let page = document.page();
        assert!(!page.contains("<script") && page.contains("Content-Security-Policy"));
        for loading in ["src=", "href=", "url(", "@import"] {
            assert!(!page.contains(loading), "the page has `{loading}` in it");
        }
    }
}
