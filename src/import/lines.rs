//! How is a table from a stranger read, line by line, whatever is in it?
//!
//! No line and no file can use more memory or time than a reader is willing to give: an endless line
//! is cut, counted and passed over, an endless file ends with an error. A device such as `/dev/zero`
//! is both.

use std::io::{self, BufRead, BufReader, Read};

/// The longest line that is kept, in bytes; of a longer one only its length is.
pub const LONGEST_LINE: usize = 64 << 10;
/// The largest table, in bytes, however it is brought: the longest published one has 400 kB.
pub const LARGEST_TABLE: u64 = 64 << 20;

/// One line of a table.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Line {
    /// Its bytes, without the line end and without a byte order mark before the first.
    Bytes(Vec<u8>),
    /// It is longer than [`LONGEST_LINE`] and was passed over; how many bytes it has.
    TooLong(u64),
}

/// Why the next line cannot be had.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The system says so.
    #[error("line {line} cannot be read: {error}")]
    Unreadable {
        /// The line, from one.
        line: u64,
        /// What the system says.
        error: io::Error,
    },
    /// There is more than [`LARGEST_TABLE`].
    #[error(
        "line {line} is beyond the first {} MiB, and no larger table is read",
        LARGEST_TABLE >> 20
    )]
    TooLarge {
        /// The line, from one, that does not fit.
        line: u64,
    },
}

/// The lines of a table, numbered from one.
#[derive(Debug)]
pub struct Lines<R> {
    reader: BufReader<io::Take<R>>,
    line: u64,
}

impl<R: Read> Lines<R> {
    /// The lines of what `reader` brings.
    pub fn new(reader: R) -> Self {
        Lines {
            // One byte more than allowed tells a table that is too large from one that just fits.
            reader: BufReader::new(reader.take(LARGEST_TABLE + 1)),
            line: 0,
        }
    }

    /// The next line and its number; `None` after the last.
    #[allow(clippy::should_implement_trait)]
    pub fn next(&mut self) -> Option<Result<(u64, Line), LineError>> {
        self.line += 1;
        let line = self.line;
        let read = self.read();
        if self.reader.get_ref().limit() == 0 {
            return Some(Err(LineError::TooLarge { line }));
        }
        match read {
            Ok(None) => None,
            Ok(Some(found)) => Some(Ok((line, found))),
            Err(error) => Some(Err(LineError::Unreadable { line, error })),
        }
    }

    fn read(&mut self) -> io::Result<Option<Line>> {
        let mut kept = Vec::new();
        let mut length = 0_u64;
        loop {
            let buffer = match self.reader.fill_buf() {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
                buffer => buffer?,
            };
            let end = buffer.iter().position(|&byte| byte == b'\n');
            let part = &buffer[..end.unwrap_or(buffer.len())];
            length += part.len() as u64;
            let room = LONGEST_LINE.saturating_sub(kept.len());
            kept.extend_from_slice(&part[..part.len().min(room)]);
            let nothing_left = buffer.is_empty();
            let used = part.len() + usize::from(end.is_some());
            self.reader.consume(used);
            if nothing_left && length == 0 {
                return Ok(None);
            }
            if nothing_left || end.is_some() {
                break;
            }
        }
        if length > LONGEST_LINE as u64 {
            return Ok(Some(Line::TooLong(length)));
        }
        if kept.last() == Some(&b'\r') {
            kept.pop();
        }
        if self.line == 1 && kept.starts_with(b"\xef\xbb\xbf") {
            kept.drain(..3);
        }
        Ok(Some(Line::Bytes(kept)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &[u8]) -> Vec<Line> {
        let mut lines = Lines::new(text);
        let mut found = Vec::new();
        while let Some(line) = lines.next() {
            let (number, line) = line.expect("bytes in memory can be read");
            found.push(line);
            assert_eq!(number, found.len() as u64);
        }
        found
    }

    fn bytes(text: &[u8]) -> Line {
        Line::Bytes(text.to_vec())
    }

    #[test]
    fn line_ends_and_a_byte_order_mark_are_not_part_of_lines() {
        assert_eq!(lines(b""), []);
        assert_eq!(lines(b"\n"), [bytes(b"")]);
        assert_eq!(
            lines(b"\xef\xbb\xbfa\r\n\r\n\xef\xbb\xbfb"),
            [bytes(b"a"), bytes(b""), bytes(b"\xef\xbb\xbfb")]
        );
        assert_eq!(lines(b"a\n\nb\n"), [bytes(b"a"), bytes(b""), bytes(b"b")]);
    }

    #[test]
    fn a_line_just_fits_or_is_passed_over_and_the_next_is_read() {
        let fits = vec![b'x'; LONGEST_LINE];
        let mut text = fits.clone();
        text.extend_from_slice(b"\ny");
        assert_eq!(lines(&text), [Line::Bytes(fits), bytes(b"y")]);
        text.insert(0, b'x');
        assert_eq!(
            lines(&text),
            [Line::TooLong(LONGEST_LINE as u64 + 1), bytes(b"y")]
        );
    }

    #[test]
    fn what_never_ends_is_refused_by_line() {
        let mut zeros = Lines::new(io::repeat(0));
        let error = zeros.next().expect("there is a line").unwrap_err();
        assert!(matches!(error, LineError::TooLarge { line: 1 }), "{error}");
        let said = error.to_string();
        assert!(said.contains("is beyond the first 64 MiB"), "{said}");
    }

    #[test]
    fn what_the_system_says_is_passed_on_with_the_line() {
        struct Broken(usize);
        impl Read for Broken {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                self.0 += 1;
                match self.0 {
                    1 => {
                        buffer[..4].copy_from_slice(b"a\nb\n");
                        Ok(4)
                    }
                    2 => Err(io::ErrorKind::Interrupted.into()),
                    _ => Err(io::Error::other("the disk has gone")),
                }
            }
        }
        let mut lines = Lines::new(Broken(0));
        assert!(lines.next().is_some_and(|line| line.is_ok()));
        assert!(lines.next().is_some_and(|line| line.is_ok()));
        let error = lines.next().expect("not the end").unwrap_err();
        assert_eq!(
            error.to_string(),
            "line 3 cannot be read: the disk has gone"
        );
    }
}
