//! Frames: a 4-byte big-endian length N in 1…73 728, then N bytes.
//!
//! The length is judged before the body is read (I5), so a hostile peer can make neither end reserve memory.

/// The largest body of a frame, in bytes.
pub const MAX_FRAME_BYTES: usize = 72 * 1024;
/// Bytes of the length before each body.
pub const HEADER_BYTES: usize = 4;

/// A length no frame may have.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("frame length {length} is outside 1 to {MAX_FRAME_BYTES}")]
pub struct FrameError {
    /// The length the peer announced, or the body we were asked to frame.
    pub length: usize,
}

/// Checks a body's length.
///
/// # Errors
/// When it is zero or over [`MAX_FRAME_BYTES`].
pub const fn check_length(length: usize) -> Result<(), FrameError> {
    if length == 0 || length > MAX_FRAME_BYTES {
        return Err(FrameError { length });
    }
    Ok(())
}

/// Appends a frame with this body to `out`.
///
/// # Errors
/// When the body is empty or too large; `out` is then unchanged.
pub fn encode(body: &[u8], out: &mut Vec<u8>) -> Result<(), FrameError> {
    check_length(body.len())?;
    let length = u32::try_from(body.len()).map_err(|_| FrameError { length: body.len() })?;
    out.reserve(HEADER_BYTES + body.len());
    out.extend_from_slice(&length.to_be_bytes());
    out.extend_from_slice(body);
    Ok(())
}

/// Takes bytes as they arrive and gives whole bodies, however reads were split or coalesced.
#[derive(Debug, Default)]
pub struct FrameDecoder {
    buffer: Vec<u8>,
    start: usize,
}

impl FrameDecoder {
    /// An empty decoder.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds bytes that were read.
    pub fn push(&mut self, bytes: &[u8]) {
        if self.start == self.buffer.len() {
            self.buffer.clear();
            self.start = 0;
        } else if self.start > MAX_FRAME_BYTES {
            self.buffer.drain(..self.start);
            self.start = 0;
        }
        self.buffer.extend_from_slice(bytes);
    }

    /// The next whole body, or `None` until more bytes arrive.
    ///
    /// # Errors
    /// When the peer announces a length outside 1…[`MAX_FRAME_BYTES`]; the stream is then beyond repair.
    pub fn next_frame(&mut self) -> Result<Option<&[u8]>, FrameError> {
        let pending = &self.buffer[self.start..];
        let Some((header, rest)) = pending.split_first_chunk::<HEADER_BYTES>() else {
            return Ok(None);
        };
        let length = u32::from_be_bytes(*header) as usize;
        check_length(length)?;
        if rest.len() < length {
            return Ok(None);
        }
        let body = self.start + HEADER_BYTES;
        self.start = body + length;
        Ok(Some(&self.buffer[body..self.start]))
    }

    /// Whether bytes of an unfinished frame are held.
    #[must_use]
    pub fn is_mid_frame(&self) -> bool {
        self.start < self.buffer.len()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn framed(body: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        encode(body, &mut out).unwrap_or_else(|e| panic!("{e}"));
        out
    }

    #[test]
    fn every_split_gives_the_same_frames() {
        let mut stream = framed(b"{}");
        stream.extend(framed(b"{\"a\":1}"));
        for split in 0..=stream.len() {
            let mut decoder = FrameDecoder::new();
            let mut bodies = Vec::new();
            for part in [&stream[..split], &stream[split..]] {
                decoder.push(part);
                while let Ok(Some(body)) = decoder.next_frame() {
                    bodies.push(body.to_vec());
                }
            }
            assert_eq!(bodies, [b"{}".to_vec(), b"{\"a\":1}".to_vec()], "split at {split}");
            assert!(!decoder.is_mid_frame());
        }
    }

    #[test]
    fn lengths_are_judged_before_the_body() {
        for length in [0_u32, 73_729, u32::MAX] {
            let mut decoder = FrameDecoder::new();
            decoder.push(&length.to_be_bytes());
            assert_eq!(decoder.next_frame(), Err(FrameError { length: length as usize }));
        }
    }

    #[test]
    fn the_largest_frame_passes_and_one_byte_more_does_not() {
        let body = vec![b' '; MAX_FRAME_BYTES];
        let mut decoder = FrameDecoder::new();
        decoder.push(&framed(&body));
        assert_eq!(decoder.next_frame(), Ok(Some(&body[..])));
        assert!(encode(&vec![b' '; MAX_FRAME_BYTES + 1], &mut Vec::new()).is_err());
        assert!(encode(&[], &mut Vec::new()).is_err());
    }
}
