//! How is a checkpoint file built?
//!
//! ```text
//! file  = magic (8 bytes) format (u32) frame*
//! frame = kind (1 byte) length (u64) payload checksum (32 bytes)
//! ```
//!
//! Numbers are little-endian. A checksum is the BLAKE3 hash of the file so far, so frames cannot be
//! lost, swapped or taken from another file; the last frame is of the kind [`END`]. A reader checks a
//! frame before it hands it out, and allocates nothing that is longer than what is left of the file.

use std::io::{self, Read, Write};

use serde::Serialize;

use crate::codec::{self, CodecError};

/// What every checkpoint begins with.
const MAGIC: &[u8; 8] = b"MYRIAD\0C";
/// The present format. Another number, another format: there is no guessing.
pub const FORMAT: u32 = 1;

/// Which run, and how much of it.
pub const HEAD: u8 = b'h';
/// Actors with their desks, in the order of their numbers.
pub const ACTORS: u8 = b'a';
/// Letters under way, in the order of their keys.
pub const LETTERS: u8 = b'l';
/// What was observed.
pub const OBSERVER: u8 = b'o';
/// Nothing comes after it.
pub const END: u8 = b'e';

/// A frame is closed when it has got so long: large enough that checksums cost nothing, small enough
/// to lie in the cache.
const LENGTH: usize = 1 << 20;
const CHECKSUM: usize = blake3::OUT_LEN;

/// Writes a file, frame by frame.
pub struct FrameWriter<W> {
    out: W,
    hasher: blake3::Hasher,
    payload: Vec<u8>,
    kind: u8,
    bytes: u64,
}

impl<W: Write> FrameWriter<W> {
    /// A file with nothing in it yet.
    pub fn begin(out: W) -> io::Result<Self> {
        let mut writer = FrameWriter {
            out,
            hasher: blake3::Hasher::new(),
            payload: Vec::with_capacity(LENGTH + LENGTH / 8),
            kind: HEAD,
            bytes: 0,
        };
        writer.put(MAGIC)?;
        writer.put(&FORMAT.to_le_bytes())?;
        Ok(writer)
    }

    /// Writes a value into a frame of this kind. All values of a kind come together.
    pub fn push(&mut self, kind: u8, value: &impl Serialize) -> io::Result<()> {
        if kind != self.kind || self.payload.len() >= LENGTH {
            self.close()?;
            self.kind = kind;
        }
        codec::append(value, &mut self.payload).map_err(io::Error::other)
    }

    /// Closes the last frame and the file. Returns its length in bytes.
    pub fn end(mut self) -> io::Result<u64> {
        self.close()?;
        self.frame(END, &[])?;
        Ok(self.bytes)
    }

    fn close(&mut self) -> io::Result<()> {
        if self.payload.is_empty() {
            return Ok(());
        }
        let mut payload = std::mem::take(&mut self.payload);
        self.frame(self.kind, &payload)?;
        payload.clear();
        self.payload = payload;
        Ok(())
    }

    fn frame(&mut self, kind: u8, payload: &[u8]) -> io::Result<()> {
        self.put(&[kind])?;
        self.put(&(payload.len() as u64).to_le_bytes())?;
        self.put(payload)?;
        let checksum = self.hasher.finalize();
        self.put(checksum.as_bytes())
    }

    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.hasher.update(bytes);
        self.bytes += bytes.len() as u64;
        self.out.write_all(bytes)
    }
}

/// Why the frames of a file cannot be read.
#[derive(Debug, thiserror::Error)]
pub enum FrameError {
    /// The system refused.
    #[error(transparent)]
    Refused(#[from] io::Error),
    /// It does not begin like a checkpoint.
    #[error("it is not a checkpoint")]
    NotOne,
    /// It is a checkpoint of another format.
    #[error("it is of format {0}, and this program reads format {FORMAT}")]
    Format(u32),
    /// It ends too soon.
    #[error("it is cut off")]
    CutOff,
    /// A checksum does not agree.
    #[error("the checksum of frame {0} does not agree with what is there")]
    Checksum(u64),
    /// A frame of another kind is expected here.
    #[error("frame {0} is of a kind that does not belong there")]
    Kind(u64),
    /// A frame holds something else than it should.
    #[error("frame {0} does not hold what it should: {1}")]
    Content(u64, CodecError),
    /// Something follows the end.
    #[error("something follows its end")]
    Trailing,
}

/// Reads a file, frame by frame.
pub struct FrameReader<R> {
    input: R,
    hasher: blake3::Hasher,
    /// How many bytes are left in the file.
    left: u64,
    frame: u64,
    payload: Vec<u8>,
}

impl<R: Read> FrameReader<R> {
    /// Reads a file of `length` bytes from its beginning.
    pub fn begin(input: R, length: u64) -> Result<Self, FrameError> {
        let mut reader = FrameReader {
            input,
            hasher: blake3::Hasher::new(),
            left: length,
            frame: 0,
            payload: Vec::new(),
        };
        let mut magic = [0; 8];
        match reader.take(&mut magic) {
            Err(FrameError::CutOff) => return Err(FrameError::NotOne),
            other => other?,
        }
        if &magic != MAGIC {
            return Err(FrameError::NotOne);
        }
        let format = u32::from_le_bytes(reader.array()?);
        if format != FORMAT {
            return Err(FrameError::Format(format));
        }
        Ok(reader)
    }

    /// The kind of the next frame, which has been checked, and a reader of the values in it.
    pub fn frame(&mut self) -> Result<(u8, Values<'_>), FrameError> {
        let [kind] = self.array()?;
        let length = u64::from_le_bytes(self.array()?);
        if length > self.left.saturating_sub(CHECKSUM as u64) {
            return Err(FrameError::CutOff);
        }
        let mut payload = std::mem::take(&mut self.payload);
        payload.resize(length as usize, 0);
        self.take(&mut payload)?;
        self.payload = payload;
        let computed = self.hasher.finalize();
        // Hashes compare in constant time, which does no harm.
        if computed != self.array()? {
            return Err(FrameError::Checksum(self.frame));
        }
        let number = self.frame;
        self.frame += 1;
        if kind == END && self.left > 0 {
            return Err(FrameError::Trailing);
        }
        Ok((
            kind,
            Values {
                frame: number,
                rest: &self.payload,
            },
        ))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], FrameError> {
        let mut bytes = [0; N];
        self.take(&mut bytes)?;
        Ok(bytes)
    }

    fn take(&mut self, bytes: &mut [u8]) -> Result<(), FrameError> {
        let left = self.left.checked_sub(bytes.len() as u64);
        self.left = left.ok_or(FrameError::CutOff)?;
        self.input
            .read_exact(bytes)
            .map_err(|error| match error.kind() {
                io::ErrorKind::UnexpectedEof => FrameError::CutOff,
                _ => FrameError::Refused(error),
            })?;
        self.hasher.update(bytes);
        Ok(())
    }
}

/// The values in a frame.
pub struct Values<'a> {
    frame: u64,
    rest: &'a [u8],
}

impl Values<'_> {
    /// The next value, `None` after the last.
    pub fn value<T: serde::de::DeserializeOwned>(&mut self) -> Result<Option<T>, FrameError> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let value = codec::take(&mut self.rest);
        value
            .map(Some)
            .map_err(|error| FrameError::Content(self.frame, error))
    }

    /// The only value.
    pub fn only<T: serde::de::DeserializeOwned>(mut self) -> Result<T, FrameError> {
        let wrong = FrameError::Kind(self.frame);
        match (self.value()?, self.rest.is_empty()) {
            (Some(value), true) => Ok(value),
            _ => Err(wrong),
        }
    }

    /// The frame is of a kind that does not belong here.
    pub fn misplaced(&self) -> FrameError {
        FrameError::Kind(self.frame)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> Vec<u8> {
        let mut file = Vec::new();
        let mut writer = FrameWriter::begin(&mut file).unwrap();
        writer.push(HEAD, &"which run").unwrap();
        for number in 0u32..300_000 {
            writer.push(ACTORS, &(number, 7u64)).unwrap();
        }
        let length = writer.end().unwrap();
        assert_eq!(length, file.len() as u64);
        file
    }

    fn read(file: &[u8]) -> Result<Vec<u32>, FrameError> {
        let mut reader = FrameReader::begin(file, file.len() as u64)?;
        let (kind, head) = reader.frame()?;
        assert_eq!((kind, head.only::<String>()?), (HEAD, "which run".into()));
        let mut numbers = Vec::new();
        loop {
            let (kind, mut values) = reader.frame()?;
            if kind == END {
                return Ok(numbers);
            }
            while let Some((number, _)) = values.value::<(u32, u64)>()? {
                numbers.push(number);
            }
        }
    }

    #[test]
    fn what_is_written_comes_back_in_several_frames() {
        let file = file();
        assert!(file.len() > LENGTH);
        assert_eq!(read(&file).unwrap(), (0..300_000).collect::<Vec<_>>());
    }

    #[test]
    fn a_flipped_bit_a_missing_end_and_a_longer_file_are_found_out() {
        let right = file();
        for place in (0..right.len()).step_by(40_009).chain(0..80) {
            let mut wrong = right.clone();
            wrong[place] ^= 1 << (place % 8);
            assert!(read(&wrong).is_err(), "byte {place}");
        }
        for length in (0..right.len()).step_by(100_003).chain(0..60) {
            assert!(read(&right[..length]).is_err(), "cut to {length} bytes");
        }
        let longer = [&right[..], b"more"].concat();
        assert!(matches!(read(&longer), Err(FrameError::Trailing)));
    }

    #[test]
    fn another_format_is_named_and_another_file_is_not_a_checkpoint() {
        let mut other = file();
        other[8] = 9;
        assert!(matches!(read(&other), Err(FrameError::Format(9))));
        assert!(matches!(read(b"PAR1 and so on"), Err(FrameError::NotOne)));
        assert!(matches!(read(b""), Err(FrameError::NotOne)));
    }
}
