//! Files that the operator names, read up to a limit: not by the size they claim, since a device has none.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::Path;

/// The whole of a file.
///
/// # Errors
/// The system's; [`ErrorKind::FileTooLarge`] when there is more than `most` bytes.
pub(super) fn file(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    bounded(File::open(path)?, most)
}

/// All that can be read.
///
/// # Errors
/// As [`file`].
pub(super) fn bounded(reader: impl Read, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    reader.take(most.saturating_add(1)).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(ErrorKind::FileTooLarge.into());
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_itself_is_allowed() {
        assert_eq!(bounded(&b"four"[..], 4).ok().as_deref(), Some(&b"four"[..]));
        assert_eq!(bounded(&b"fives"[..], 4).map_err(|error| error.kind()), Err(ErrorKind::FileTooLarge));
        assert_eq!(bounded(io::repeat(0), 4).map_err(|error| error.kind()), Err(ErrorKind::FileTooLarge));
    }
}
