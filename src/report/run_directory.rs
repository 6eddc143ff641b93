//! Where do the files of a run go, and when are they there?
//!
//! A run directory appears complete, or with a mark that it is not
//! ([`Unfinished`](super::unfinished::Unfinished)): everything is written into a hidden directory
//! beside it, each file under a temporary name, and renamed when it is whole. The directory appears
//! with the first checkpoint, from which the run could be resumed, or else when the run is over. What
//! has not appeared by then is removed.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The folder of run directories that were not given a place.
pub const RUNS: &str = "runs";

/// A run directory in the making.
#[derive(Debug)]
pub struct RunDirectory {
    target: PathBuf,
    partial: PathBuf,
    /// Whether it is at its target.
    appeared: Mutex<bool>,
}

/// A run directory that cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum RunDirectoryError {
    /// It is there already.
    #[error(
        "{0} exists already: a run never writes over another; choose another directory with -o"
    )]
    Exists(PathBuf),
    /// The system refused.
    #[error("cannot {doing} {path}: {source}")]
    Refused {
        /// What was tried, as a verb.
        doing: &'static str,
        /// On what.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl RunDirectory {
    /// Reserves exactly `target`, which must not exist.
    pub fn at(target: &Path) -> Result<Self, RunDirectoryError> {
        if target.symlink_metadata().is_ok() {
            return Err(RunDirectoryError::Exists(target.to_owned()));
        }
        let Some(name) = target.file_name() else {
            return Err(RunDirectoryError::Exists(target.to_owned()));
        };
        let parent = target.parent().unwrap_or(Path::new(""));
        make_parent(parent)?;
        let process = std::process::id();
        let hidden = format!(".{}.partial-{process}", name.to_string_lossy());
        let partial = parent.join(hidden);
        fs::create_dir(&partial).map_err(|source| refused("create", &partial, source))?;
        Ok(RunDirectory {
            target: target.to_owned(),
            partial,
            appeared: Mutex::new(false),
        })
    }

    /// One that has appeared before, of a run that goes on.
    pub fn taken_up(target: &Path) -> Self {
        RunDirectory {
            target: target.to_owned(),
            partial: target.to_owned(),
            appeared: Mutex::new(true),
        }
    }

    /// Reserves the next free number of `name` in `folder`: `einstein-at-home-1`, `-2`, ...
    pub fn numbered(folder: &Path, name: &str) -> Result<Self, RunDirectoryError> {
        make_parent(folder)?;
        let name = file_name_from(name);
        for number in 1_u64.. {
            let target = folder.join(format!("{name}-{number}"));
            if target.symlink_metadata().is_ok() {
                continue;
            }
            // Creating a directory is atomic, so two runs at once do not get the same number.
            let partial = folder.join(format!(".{name}-{number}.partial"));
            match fs::create_dir(&partial) {
                Ok(()) => {
                    return Ok(RunDirectory {
                        target,
                        partial,
                        appeared: Mutex::new(false),
                    });
                }
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
                Err(source) => return Err(refused("create", &partial, source)),
            }
        }
        unreachable!("there are more numbers than directories")
    }

    /// Where the run will be found.
    pub fn target(&self) -> &Path {
        &self.target
    }

    /// Where it is at this moment: its target, or the hidden directory beside it until it appears.
    pub fn path(&self) -> PathBuf {
        self.place(*self.appeared()).to_owned()
    }

    fn place(&self, appeared: bool) -> &Path {
        if appeared {
            &self.target
        } else {
            &self.partial
        }
    }

    fn appeared(&self) -> MutexGuard<'_, bool> {
        self.appeared.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes the file `name`, which is there only when all of it is.
    pub fn write(
        &self,
        name: &str,
        contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
    ) -> Result<(), RunDirectoryError> {
        write_complete(&self.path().join(name), contents)
    }

    /// Makes the directory appear, if it has not. Returns its path.
    pub fn publish(&self) -> Result<PathBuf, RunDirectoryError> {
        let mut appeared = self.appeared();
        if !*appeared {
            if self.target.symlink_metadata().is_ok() {
                return Err(RunDirectoryError::Exists(self.target.clone()));
            }
            fs::rename(&self.partial, &self.target)
                .map_err(|source| refused("create", &self.target, source))?;
            *appeared = true;
        }
        Ok(self.target.clone())
    }

    /// Removes it, unless it has appeared.
    pub fn abandon(&self) {
        if !*self.appeared() {
            // If that fails, there is nobody to tell.
            let _ = fs::remove_dir_all(&self.partial);
        }
    }
}

impl Drop for RunDirectory {
    fn drop(&mut self) {
        self.abandon();
    }
}

/// Writes a file under a temporary name beside `path` and renames it when it is complete.
///
/// A link stays one, and what it leads to is replaced. What is no file, such as a pipe or
/// `/dev/stdout`, is written to as it is: renaming would put a file in its place.
pub fn write_complete(
    path: &Path,
    contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> Result<(), RunDirectoryError> {
    let written = match fs::metadata(path) {
        Ok(found) if found.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Ok(found) if !found.is_file() => {
            let file = File::options().write(true).open(path);
            file.and_then(|file| write_all(file, contents).map(drop))
        }
        Ok(_) => fs::canonicalize(path).and_then(|path| write_beside(&path, contents)),
        Err(_) => write_beside(path, contents),
    };
    written.map_err(|source| refused("write", path, source))
}

fn write_beside(
    path: &Path,
    contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<()> {
    let mut temporary = path.as_os_str().to_owned();
    temporary.push(format!(".partial-{}", std::process::id()));
    let temporary = PathBuf::from(temporary);
    let written = File::create(&temporary).and_then(|file| {
        write_all(file, contents)?.sync_all()?;
        fs::rename(&temporary, path)
    });
    written.inspect_err(|_| {
        let _ = fs::remove_file(&temporary);
    })
}

fn write_all(
    file: File,
    contents: impl FnOnce(&mut BufWriter<File>) -> io::Result<()>,
) -> io::Result<File> {
    let mut out = BufWriter::new(file);
    contents(&mut out)?;
    out.into_inner().map_err(io::IntoInnerError::into_error)
}

/// Writes text as [`write_complete`] does.
pub fn write_text(path: &Path, text: &str) -> Result<(), RunDirectoryError> {
    write_complete(path, |out| out.write_all(text.as_bytes()))
}

fn make_parent(folder: &Path) -> Result<(), RunDirectoryError> {
    if folder.as_os_str().is_empty() {
        return Ok(());
    }
    fs::create_dir_all(folder).map_err(|source| refused("create", folder, source))
}

fn refused(doing: &'static str, path: &Path, source: io::Error) -> RunDirectoryError {
    RunDirectoryError::Refused {
        doing,
        path: path.to_owned(),
        source,
    }
}

/// A scenario's name as the name of a file: what might mean something to a system becomes `-`.
fn file_name_from(name: &str) -> String {
    const LONGEST: usize = 60;
    let plain = |c: char| {
        if c.is_ascii_alphanumeric() || c == '_' {
            c
        } else {
            '-'
        }
    };
    let name: String = name.chars().take(LONGEST).map(plain).collect();
    match name.trim_matches('-') {
        "" => "run".to_owned(),
        name => name.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names_in(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    #[test]
    fn a_directory_appears_complete_or_not_at_all() {
        let folder = tempfile::tempdir().unwrap();
        let target = folder.path().join("run");
        let directory = RunDirectory::at(&target).unwrap();
        directory.write("a.txt", |out| out.write_all(b"a")).unwrap();
        assert!(!target.exists());
        let failed = directory.write("b.txt", |out| {
            out.write_all(b"half")?;
            Err(io::Error::other("the disk is full"))
        });
        assert!(failed.unwrap_err().to_string().contains("the disk is full"));
        assert_eq!(names_in(&directory.path()), ["a.txt"]);
        directory.publish().unwrap();
        assert_eq!(names_in(folder.path()), ["run"]);
        assert_eq!(names_in(&target), ["a.txt"]);
    }

    #[test]
    fn what_is_not_published_leaves_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let directory = RunDirectory::at(&folder.path().join("run")).unwrap();
        directory.write("a.txt", |out| out.write_all(b"a")).unwrap();
        drop(directory);
        assert!(names_in(folder.path()).is_empty());
    }

    #[test]
    fn a_directory_that_exists_is_refused_and_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let error = RunDirectory::at(folder.path()).unwrap_err();
        assert!(error.to_string().contains("exists already"), "{error}");
        assert!(folder.path().exists());
    }

    #[test]
    #[cfg(unix)]
    fn pipes_are_written_to_and_links_stay_links() {
        use std::os::unix::fs::FileTypeExt;
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        assert!(made.is_ok_and(|status| status.success()));
        let reader = std::thread::spawn({
            let pipe = pipe.clone();
            move || fs::read_to_string(pipe)
        });
        write_text(&pipe, "through").unwrap();
        assert_eq!(reader.join().unwrap().unwrap(), "through");
        assert!(fs::metadata(&pipe).unwrap().file_type().is_fifo());

        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink("file", &link).unwrap();
        write_text(&link, "new").unwrap();
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(names_in(folder.path()), ["file", "link", "pipe"]);

        let error = write_text(folder.path(), "text").unwrap_err().to_string();
        assert!(error.contains("directory"), "{error}");
    }

    #[test]
    fn numbers_go_on_and_two_runs_at_once_get_different_ones() {
        let folder = tempfile::tempdir().unwrap();
        let first = RunDirectory::numbered(folder.path(), "Einstein@home / ..").unwrap();
        let second = RunDirectory::numbered(folder.path(), "Einstein@home / ..").unwrap();
        assert!(first.target().ends_with("Einstein-home-1"));
        assert!(second.target().ends_with("Einstein-home-2"));
        first.publish().unwrap();
        drop(second);
        let third = RunDirectory::numbered(folder.path(), "Einstein@home / ..").unwrap();
        assert!(third.target().ends_with("Einstein-home-2"));
    }
}
