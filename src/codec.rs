//! How does plain data become bytes, and come back? The only file that knows bincode.
//!
//! bincode is no longer maintained (`docs/decisions/0091-one-file-knows-bincode.md`); whoever
//! replaces it replaces this file, and the number of the format of what is written with it.
//!
//! What is read is never trusted: a value that claims to be longer than [`LARGEST`] is refused, and
//! one that claims more than there is comes to the end of the bytes before it is filled.

use serde::Serialize;
use serde::de::DeserializeOwned;

/// The most that one value may take, in bytes: a scheduler that knows ten million hosts takes less.
pub const LARGEST: usize = 4 << 30;

/// Bytes that are not what they should be, or a value that has no bytes.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct CodecError(String);

/// Appends `value` to `bytes`.
///
/// # Errors
/// If it holds something that cannot be written, such as a list whose length is not known.
pub fn append(value: &impl Serialize, bytes: &mut Vec<u8>) -> Result<(), CodecError> {
    bincode::serde::encode_into_std_write(value, bytes, bincode::config::standard())
        .map(|_length| ())
        .map_err(|error| CodecError(error.to_string()))
}

/// Takes a value from the front of `bytes`.
///
/// # Errors
/// If they do not begin with one.
pub fn take<T: DeserializeOwned>(bytes: &mut &[u8]) -> Result<T, CodecError> {
    take_within::<T, LARGEST>(bytes)
}

/// Takes a value from the front of `bytes` that takes no more than `MOST` bytes.
///
/// # Errors
/// If they do not begin with one.
pub fn take_within<T: DeserializeOwned, const MOST: usize>(
    bytes: &mut &[u8],
) -> Result<T, CodecError> {
    let config = bincode::config::standard().with_limit::<MOST>();
    let (value, used) = bincode::serde::decode_from_slice(bytes, config)
        .map_err(|error| CodecError(error.to_string()))?;
    *bytes = &bytes[used..];
    Ok(value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_come_back_one_after_another() {
        let mut bytes = Vec::new();
        append(&(1u64, "two"), &mut bytes).unwrap();
        append(&Some(3.5f64), &mut bytes).unwrap();
        let mut rest = &bytes[..];
        assert_eq!(take::<(u64, String)>(&mut rest).unwrap(), (1, "two".into()));
        assert_eq!(take::<Option<f64>>(&mut rest).unwrap(), Some(3.5));
        assert!(rest.is_empty());
    }

    #[test]
    fn what_claims_more_than_there_is_is_refused() {
        // A list of 2^63 numbers, and a text of as many bytes.
        let claim = [253, 0, 0, 0, 0, 0, 0, 0, 128, 7];
        assert!(take::<Vec<u64>>(&mut &claim[..]).is_err());
        assert!(take::<String>(&mut &claim[..]).is_err());
        assert!(take::<u64>(&mut &[][..]).is_err());
    }
}
