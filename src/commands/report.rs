//! `myriad report`: one page for a run, a study or a comparison.

use std::path::{Path, PathBuf};

use super::compare::comparisons;
use super::{Failure, run::print};
use crate::cli::report::ReportArguments;
use crate::report::page::{self, document::Document, markup::shell_words};
use crate::report::reading::read_run;
use crate::report::run_directory::write_text;
use crate::study::directory::RECORD;
use crate::study::page::{CONFIDENCE, comparison_page, study_page};
use crate::study::sample::Samples;

/// Writes the page.
pub fn report(arguments: &ReportArguments) -> Result<(), Failure> {
    let path = &arguments.path;
    if let Some(second) = &arguments.second {
        let document = comparison(path, second)?;
        return write(document, arguments, PathBuf::from("comparison.html"));
    }
    if path.join(RECORD).is_file() {
        return write(study_page(path)?, arguments, path.join("report.html"));
    }
    if !path.join("summary.json").is_file() {
        // Says what is there and what is not.
        Samples::read(path)?;
        return Err(Failure::Asked(format!(
            "{} is a combination of a study: name another one to compare it with, or the study",
            path.display()
        )));
    }
    let record = read_run(path).map_err(Failure::Asked)?;
    let target = arguments
        .output
        .clone()
        .unwrap_or_else(|| path.join("report.html"));
    write_text(&target, &page::page(&record))?;
    print(&format!("report   {}\n", target.display()))
}

fn comparison(first: &Path, second: &Path) -> Result<Document, Failure> {
    let (one, other) = (Samples::read(first)?, Samples::read(second)?);
    let (Some(first_sample), Some(second_sample)) = (one.samples.first(), other.samples.first())
    else {
        return Err(Failure::Asked("there is nothing to compare".to_owned()));
    };
    if one.samples.len() > 1 || other.samples.len() > 1 {
        return Err(Failure::Asked(
            "a page compares two runs or two combinations, such as STUDY/c01 and STUDY/c02; a study has \
             a page of its own"
                .to_owned(),
        ));
    }
    let found = comparisons(first, Some(second), CONFIDENCE)?;
    let words: Vec<String> = std::env::args().collect();
    let pair = [first_sample, second_sample];
    Ok(comparison_page(&found[0], pair, shell_words(&words))?)
}

fn write(document: Document, arguments: &ReportArguments, usual: PathBuf) -> Result<(), Failure> {
    let target = arguments.output.clone().unwrap_or(usual);
    write_text(&target, &document.page())?;
    if let Some(folder) = &arguments.pictures {
        std::fs::create_dir_all(folder).map_err(|error| {
            Failure::Run(format!("cannot create {}: {error}", folder.display()))
        })?;
        for chart in &document.charts {
            let name: String = chart
                .title
                .split(':')
                .next()
                .unwrap_or_default()
                .chars()
                .map(|c| {
                    if c.is_ascii_alphanumeric() {
                        c.to_ascii_lowercase()
                    } else {
                        '-'
                    }
                })
                .collect();
            let name = name.trim_matches('-').chars().take(60).collect::<String>();
            write_text(&folder.join(format!("{name}.svg")), &chart.picture.file())?;
        }
    }
    print(&format!("report   {}\n", target.display()))
}
