//! How is a table of other people's opened?

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

/// Opens a CSV file with heads; lines may be uneven and begin with `#`. Returns what reads its lines,
/// and its heads.
pub fn open_table(
    path: &Path,
) -> Result<(csv::Reader<BufReader<File>>, csv::StringRecord), String> {
    let name = path.display();
    let file = File::open(path).map_err(|error| format!("cannot read {name}: {error}"))?;
    let mut reader = csv::ReaderBuilder::new()
        .flexible(true)
        .trim(csv::Trim::All)
        .comment(Some(b'#'))
        .from_reader(BufReader::new(file));
    let heads = reader
        .headers()
        .map_err(|error| format!("{name}: {error}"))?
        .clone();
    Ok((reader, heads))
}
