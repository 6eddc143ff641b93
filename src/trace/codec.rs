//! How does a value become bytes, and come back?
//!
//! A frame is a mark of one byte, two lengths, and what [`crate::codec`] makes of the value, compressed
//! by zstd, with a checksum. This file alone knows that; what is read is never trusted: no length makes the reader allocate more
//! than [`LARGEST`], and whatever is wrong is an error in words.

use std::io::{self, Read, Write};

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The largest frame, in bytes before compression: far more than any that is written.
pub const LARGEST: usize = 64 << 20;

/// The level of compression: the fastest that is worth it.
const LEVEL: i32 = 1;

/// The bytes of a frame's head: its mark, its length in the file, its length when unpacked.
const HEAD: usize = 9;

/// Packs values into frames; keeps its buffers.
#[derive(Debug, Default)]
pub struct Packer {
    plain: Vec<u8>,
}

impl Packer {
    /// Writes a frame and returns its length in bytes.
    pub fn write(
        &mut self,
        out: &mut impl Write,
        mark: u8,
        value: &impl Serialize,
    ) -> io::Result<u64> {
        self.plain.clear();
        crate::codec::append(value, &mut self.plain).map_err(io::Error::other)?;
        assert!(
            self.plain.len() <= LARGEST,
            "what is packed into one frame is small"
        );
        let packed = compress(&self.plain)?;
        let mut head = [mark; HEAD];
        head[1..5].copy_from_slice(&(packed.len() as u32).to_le_bytes());
        head[5..9].copy_from_slice(&(self.plain.len() as u32).to_le_bytes());
        out.write_all(&head)?;
        out.write_all(&packed)?;
        Ok((HEAD + packed.len()) as u64)
    }
}

fn compress(plain: &[u8]) -> io::Result<Vec<u8>> {
    let mut encoder = zstd::bulk::Compressor::new(LEVEL)?;
    encoder.set_parameter(zstd::zstd_safe::CParameter::ChecksumFlag(true))?;
    encoder.compress(plain)
}

/// Reads a frame with this mark.
pub fn read<T: DeserializeOwned>(input: &mut impl Read, mark: u8) -> io::Result<T> {
    let mut head = [0; HEAD];
    input.read_exact(&mut head)?;
    if head[0] != mark {
        return Err(broken("something else stands where it should be"));
    }
    let length = |place: usize| {
        let bytes = head[place..place + 4].try_into().expect("four bytes");
        u32::from_le_bytes(bytes) as usize
    };
    let (packed_length, plain_length) = (length(1), length(5));
    if packed_length > LARGEST || plain_length > LARGEST {
        return Err(broken("it is larger than any that is written"));
    }
    let mut packed = Vec::new();
    let read = input.take(packed_length as u64).read_to_end(&mut packed)?;
    if read < packed_length {
        return Err(io::ErrorKind::UnexpectedEof.into());
    }
    let plain = zstd::bulk::decompress(&packed, plain_length)?;
    if plain.len() != plain_length {
        return Err(broken("its length is not what it says"));
    }
    let mut rest = &plain[..];
    let value = crate::codec::take_within::<T, LARGEST>(&mut rest).map_err(io::Error::other)?;
    if !rest.is_empty() {
        return Err(broken("there is more in it than belongs there"));
    }
    Ok(value)
}

fn broken(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frame() -> Vec<u8> {
        let mut frame = Vec::new();
        let value = vec!["some words".to_owned(); 100];
        let length = Packer::default().write(&mut frame, b'w', &value).unwrap();
        assert_eq!(length, frame.len() as u64);
        frame
    }

    #[test]
    fn a_value_comes_back() {
        let value: Vec<String> = read(&mut &frame()[..], b'w').unwrap();
        assert_eq!(value, vec!["some words".to_owned(); 100]);
    }

    #[test]
    fn any_single_wrong_byte_is_an_error_and_never_a_panic() {
        let right: Vec<String> = read(&mut &frame()[..], b'w').unwrap();
        for place in 0..frame().len() {
            for flip in [1, 0x80, 0xff] {
                let mut frame = frame();
                frame[place] ^= flip;
                let found = read::<Vec<String>>(&mut &frame[..], b'w');
                // A bit of a compressed frame's own head may not matter; what comes out must be right.
                assert!(found.is_err() || found.unwrap() == right, "byte {place}");
            }
        }
    }

    #[test]
    fn what_is_cut_off_is_an_error() {
        let frame = frame();
        for length in 0..frame.len() {
            assert!(read::<Vec<String>>(&mut &frame[..length], b'w').is_err());
        }
    }
}
