//! Which checkpoints of a run are there?
//!
//! They are numbered. A new one is written under another name beside the others, pushed to the disk
//! and renamed, and only then are those before the last two removed: at every moment there is a whole
//! one, if there ever was one.

use std::fs::{self, File};
use std::io::{self, BufWriter};
use std::path::{Path, PathBuf};

use super::CheckpointError;

/// The checkpoints of one run.
#[derive(Clone, Debug)]
pub struct Folder {
    path: PathBuf,
}

/// How many are kept: should the last be damaged by whatever ended the run, there is one before.
const KEPT: usize = 2;
const EXTENSION: &str = "checkpoint";

impl Folder {
    /// The name of the folder in a run directory.
    pub const NAME: &'static str = "checkpoints";

    /// The checkpoints in a run directory, which need not be there yet.
    pub fn of(run: &Path) -> Self {
        Folder {
            path: run.join(Self::NAME),
        }
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// All checkpoints, the newest first.
    pub fn newest_first(&self) -> Vec<PathBuf> {
        let mut numbers = self.numbers();
        numbers.sort_unstable();
        let paths = numbers.into_iter().rev().map(|number| self.at(number));
        paths.collect()
    }

    /// Writes the next checkpoint. Returns where it is, and what `contents` returned.
    ///
    /// # Errors
    /// If the system refuses; what was there before is there still.
    pub fn write<T>(
        &self,
        contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<T>,
    ) -> Result<(PathBuf, T), CheckpointError> {
        // Not its parents: a run directory that has vanished must not come back without its scenario.
        match fs::create_dir(&self.path) {
            Err(error) if error.kind() != io::ErrorKind::AlreadyExists => {
                return Err(CheckpointError::refused("create", &self.path)(error));
            }
            _ => {}
        }
        self.remove_unfinished();
        let number = self.numbers().into_iter().max().map_or(1, |last| last + 1);
        let path = self.at(number);
        let temporary = path.with_extension(format!("partial-{}", std::process::id()));
        let written = File::create(&temporary).and_then(|file| {
            let mut out = BufWriter::with_capacity(1 << 18, file);
            let result = contents(&mut out)?;
            let file = out.into_inner().map_err(io::IntoInnerError::into_error)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            // The new name must be on the disk before old checkpoints go.
            File::open(&self.path)?.sync_all()?;
            Ok(result)
        });
        match written {
            Ok(result) => {
                for old in self.newest_first().into_iter().skip(KEPT) {
                    // If that fails, there are more than need be.
                    let _ = fs::remove_file(old);
                }
                Ok((path, result))
            }
            Err(source) => {
                let _ = fs::remove_file(&temporary);
                Err(CheckpointError::refused("write", &path)(source))
            }
        }
    }

    /// Removes what a process that was killed while writing has left.
    fn remove_unfinished(&self) {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return;
        };
        for entry in entries.flatten() {
            let path = entry.path();
            let extension = path.extension().unwrap_or_default().to_string_lossy();
            if extension.starts_with("partial-") {
                let _ = fs::remove_file(&path);
            }
        }
    }

    fn at(&self, number: u64) -> PathBuf {
        self.path.join(format!("{number:06}.{EXTENSION}"))
    }

    fn numbers(&self) -> Vec<u64> {
        let Ok(entries) = fs::read_dir(&self.path) else {
            return Vec::new();
        };
        let number = |path: PathBuf| -> Option<u64> {
            let right = path.extension()? == EXTENSION;
            right.then(|| path.file_stem()?.to_str()?.parse().ok())?
        };
        entries
            .flatten()
            .filter_map(|entry| number(entry.path()))
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    fn names(folder: &Folder) -> Vec<String> {
        let entries = fs::read_dir(folder.path()).unwrap();
        let name = |entry: io::Result<fs::DirEntry>| entry.unwrap().file_name().into_string();
        let mut names: Vec<_> = entries.map(|entry| name(entry).unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn the_last_two_are_kept_and_a_failed_one_leaves_nothing() {
        let run = tempfile::tempdir().unwrap();
        let folder = Folder::of(run.path());
        assert!(folder.newest_first().is_empty());
        for number in 1u8..=3 {
            folder.write(|out| out.write_all(&[number])).unwrap();
        }
        fs::write(folder.path().join("000004.partial-77"), "killed").unwrap();
        assert_eq!(fs::read(&folder.newest_first()[0]).unwrap(), [3]);
        let failed = folder.write(|out| {
            out.write_all(b"half")?;
            Err::<(), _>(io::Error::other("the disk is full"))
        });
        assert!(failed.unwrap_err().to_string().contains("the disk is full"));
        assert_eq!(names(&folder), ["000002.checkpoint", "000003.checkpoint"]);
    }
}
