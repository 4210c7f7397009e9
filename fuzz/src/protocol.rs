//! The wire: decoder, strict JSON, and both directions' messages.

use wit_worker::protocol::strict::check_value;
use wit_worker::protocol::{FrameDecoder, FrameError, FromWorker, ToWorker};

/// What is accepted from a worker is written back as a frame that is accepted again, and then stays the same.
pub fn from_worker(data: &[u8]) {
    let Ok(message) = FromWorker::parse(data) else { return };
    let written = body(|out| message.encode(out));
    let Some(written) = written else { return };
    let again = FromWorker::parse(&written).expect("what we write we accept");
    assert_eq!(body(|out| again.encode(out)).as_deref(), Some(&written[..]));
}

/// The same towards the worker.
pub fn to_worker(data: &[u8]) {
    let Ok(message) = ToWorker::parse(data) else { return };
    let written = body(|out| message.encode(out));
    let Some(written) = written else { return };
    let again = ToWorker::parse(&written).expect("what we write we accept");
    assert_eq!(body(|out| again.encode(out)).as_deref(), Some(&written[..]));
}

/// The body of a frame; none when the message has outgrown a frame, as raw values with escapes can.
fn body(encode: impl FnOnce(&mut Vec<u8>) -> Result<(), FrameError>) -> Option<Vec<u8>> {
    let mut frame = Vec::new();
    encode(&mut frame).ok()?;
    let (header, body) = frame.split_first_chunk::<4>().expect("a frame has a header");
    assert_eq!(u32::from_be_bytes(*header) as usize, body.len());
    Some(body.to_vec())
}

/// However a stream is cut into reads, the same frames come out of it, and the same end. The first byte says how many
/// of the next are the sizes of reads.
pub fn decoder(data: &[u8]) {
    let Some((&count, rest)) = data.split_first() else { return };
    let (sizes, stream) = rest.split_at((count as usize).min(rest.len()));
    let whole = decode([stream]);
    let mut left = stream;
    let mut reads = Vec::new();
    for size in sizes.iter().map(|&size| size as usize) {
        let (read, after) = left.split_at(size.min(left.len()));
        reads.push(read);
        left = after;
    }
    reads.push(left);
    assert_eq!(decode(reads), whole);
}

type Decoded = (Vec<Vec<u8>>, Option<FrameError>, bool);

fn decode<'a>(reads: impl IntoIterator<Item = &'a [u8]>) -> Decoded {
    let mut decoder = FrameDecoder::new();
    let mut frames = Vec::new();
    for read in reads {
        decoder.push(read);
        loop {
            match decoder.next_frame() {
                Ok(Some(frame)) => frames.push(frame.to_vec()),
                Ok(None) => break,
                Err(error) => return (frames, Some(error), true),
            }
        }
    }
    (frames, None, decoder.is_mid_frame())
}

/// Strict JSON is JSON, keeps its value through a round trip, and stays strict.
pub fn strict_json(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    if check_value(text, 0).is_err() {
        return;
    }
    let value: serde_json::Value = serde_json::from_str(text).expect("strict JSON is JSON");
    let written = value.to_string();
    check_value(&written, 0).expect("and stays strict");
    assert_eq!(serde_json::from_str::<serde_json::Value>(&written).expect("and is read back"), value);
}
