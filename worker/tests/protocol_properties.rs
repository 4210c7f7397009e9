//! Properties of the protocol: what is written is read back, however the stream is cut; what is spoilt is refused.
#![allow(clippy::expect_used, reason = "a test may fail")]

use std::num::NonZeroU64;

use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use serde_json::value::RawValue;
use wit_worker::protocol::message::HostError;
use wit_worker::protocol::strict::{MAX_DEPTH, check_value};
use wit_worker::protocol::{
    CallId, Console, Execute, FrameDecoder, FromWorker, HostCall, HostResult, InvocationId, MAX_FRAME_BYTES, Ready,
    ScriptError, ScriptResult, ToWorker, Usage, frame,
};
use wit_worker::registry::codes::{CODES, REASONS};
use wit_worker::registry::{Code, Limits, Reason};

fn json() -> impl Strategy<Value = Box<RawValue>> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        any::<f64>().prop_map(serde_json::Value::from),
        any::<String>().prop_map(serde_json::Value::from),
    ];
    let value = leaf.prop_recursive(6, 60, 8, |inner| {
        prop_oneof![
            vec(inner.clone(), 0..8).prop_map(serde_json::Value::from),
            proptest::collection::hash_map(any::<String>(), inner, 0..8)
                .prop_map(|map| serde_json::Value::Object(map.into_iter().collect())),
        ]
    });
    value.prop_map(|value| RawValue::from_string(value.to_string()).expect("a value is JSON"))
}

fn invocation() -> impl Strategy<Value = InvocationId> {
    (1..=u64::MAX).prop_map(|n| InvocationId(NonZeroU64::new(n).expect("not zero")))
}

fn call() -> impl Strategy<Value = CallId> {
    (1..=u64::from(u32::MAX)).prop_map(|n| CallId::new(n).expect("in range"))
}

fn code() -> impl Strategy<Value = Code> {
    (0..CODES.len()).prop_map(|index| CODES[index].code)
}

fn reason() -> impl Strategy<Value = Reason> {
    (0..REASONS.len()).prop_map(|index| REASONS[index].0)
}

fn script_error() -> impl Strategy<Value = ScriptError> {
    let place = || option::of(any::<u64>());
    (code(), option::of(reason()), option::of(".{0,60}"), ".{0,200}", place(), place(), place(), place()).prop_map(
        |(code, reason, operation, message, line, column, measured, limit)| ScriptError {
            code,
            reason,
            operation,
            message,
            line,
            column,
            measured,
            limit,
        },
    )
}

fn from_worker() -> impl Strategy<Value = FromWorker> {
    let console = (any::<String>(), any::<bool>()).prop_map(|(text, truncated)| Console { text, truncated });
    let usage = (any::<u64>(), any::<u64>())
        .prop_map(|(javascript_us, peak_heap_bytes)| Usage { javascript_us, peak_heap_bytes });
    prop_oneof![
        vec("[!-~]{1,64}", 0..=32).prop_map(|layers| FromWorker::Ready(Ready { layers })),
        (invocation(), call(), any::<String>(), json()).prop_map(|(invocation, call, operation, arguments)| {
            FromWorker::HostCall(HostCall { invocation, call, operation, arguments })
        }),
        (invocation(), prop_oneof![json().prop_map(Ok), script_error().prop_map(Err)], console, usage).prop_map(
            |(invocation, outcome, console, usage)| {
                FromWorker::Result(Box::new(ScriptResult { invocation, outcome, console, usage }))
            }
        ),
    ]
}

fn to_worker() -> impl Strategy<Value = ToWorker> {
    let error = (code(), any::<String>(), ".{0,200}").prop_map(|(code, operation, message)| HostError {
        code,
        operation,
        message,
    });
    prop_oneof![
        (invocation(), any::<u64>(), 1..=10_000_u64).prop_map(|(invocation, source_bytes, wall_ms)| {
            ToWorker::Execute(Execute { invocation, source_bytes, limits: Limits { wall_ms, ..Limits::default() } })
        }),
        (invocation(), call(), prop_oneof![json().prop_map(Ok), error.prop_map(Err)])
            .prop_map(|(invocation, call, outcome)| ToWorker::HostResult(HostResult { invocation, call, outcome })),
    ]
}

fn body(frame: &[u8]) -> &[u8] {
    &frame[frame::HEADER_BYTES..]
}

/// Cuts bytes into pieces of these sizes, the last one taking the rest.
fn cut<'a>(mut bytes: &'a [u8], sizes: &[usize]) -> Vec<&'a [u8]> {
    let mut parts = Vec::new();
    for &size in sizes {
        let (part, rest) = bytes.split_at(size.min(bytes.len()));
        parts.push(part);
        bytes = rest;
    }
    parts.push(bytes);
    parts
}

fn decode(parts: &[&[u8]]) -> Vec<Vec<u8>> {
    let mut decoder = FrameDecoder::new();
    let mut bodies = Vec::new();
    for part in parts {
        decoder.push(part);
        while let Some(body) = decoder.next_frame().expect("legal lengths") {
            bodies.push(body.to_vec());
        }
    }
    assert!(!decoder.is_mid_frame());
    bodies
}

proptest! {
    #[test]
    fn messages_of_a_worker_survive_the_wire(messages in vec(from_worker(), 1..5), sizes in vec(0..200_usize, 0..20)) {
        let mut stream = Vec::new();
        let mut written = Vec::new();
        for message in &messages {
            let start = stream.len();
            message.encode(&mut stream).expect("fits in a frame");
            written.push(body(&stream[start..]).to_vec());
        }
        let bodies = decode(&cut(&stream, &sizes));
        prop_assert_eq!(&bodies, &written);
        for written in bodies {
            let mut again = Vec::new();
            FromWorker::parse(&written).expect("what we write we accept").encode(&mut again).expect("fits again");
            prop_assert_eq!(body(&again), &written[..]);
        }
    }

    #[test]
    fn messages_to_a_worker_survive_the_wire(messages in vec(to_worker(), 1..5), sizes in vec(0..200_usize, 0..20)) {
        let mut stream = Vec::new();
        let mut written = Vec::new();
        for message in &messages {
            let start = stream.len();
            message.encode(&mut stream).expect("fits in a frame");
            written.push(body(&stream[start..]).to_vec());
        }
        let bodies = decode(&cut(&stream, &sizes));
        prop_assert_eq!(&bodies, &written);
        for written in bodies {
            let mut again = Vec::new();
            ToWorker::parse(&written).expect("what we write we accept").encode(&mut again).expect("fits again");
            prop_assert_eq!(body(&again), &written[..]);
        }
    }

    #[test]
    fn a_message_with_a_byte_too_few_or_too_many_is_refused(message in from_worker(), extra in any::<u8>()) {
        let mut frame = Vec::new();
        message.encode(&mut frame).expect("fits in a frame");
        let whole = body(&frame);
        prop_assert!(FromWorker::parse(&whole[..whole.len() - 1]).is_err());
        let longer = [whole, &[extra]].concat();
        prop_assert_eq!(FromWorker::parse(&longer).is_ok(), extra.is_ascii_whitespace() && extra != 0x0c);
        // No message of one direction is one of the other.
        prop_assert!(ToWorker::parse(whole).is_err());
    }

    #[test]
    fn arbitrary_bytes_never_panic(bytes in vec(any::<u8>(), 0..400), sizes in vec(0..60_usize, 0..10)) {
        let mut decoder = FrameDecoder::new();
        'stream: for part in cut(&bytes, &sizes) {
            decoder.push(part);
            loop {
                match decoder.next_frame() {
                    Ok(Some(body)) => prop_assert!(!body.is_empty() && body.len() <= MAX_FRAME_BYTES),
                    Ok(None) => break,
                    Err(_) => break 'stream,
                }
            }
        }
        let _ = FromWorker::parse(&bytes);
        let _ = ToWorker::parse(&bytes);
    }

    #[test]
    fn strictness_is_the_same_at_every_depth(value in json(), depth in 0..MAX_DEPTH) {
        let wrapped = format!("{}{}{}", "[".repeat(depth), value.get(), "]".repeat(depth));
        prop_assert_eq!(check_value(&wrapped, 0).is_ok(), check_value(value.get(), depth).is_ok());
    }

    #[test]
    fn a_repeated_key_is_refused_wherever_it_stands(keys in vec("[a-z]{1,8}", 1..40), again in any::<prop::sample::Index>()) {
        let mut keys = keys;
        keys.sort();
        keys.dedup();
        let fields: Vec<String> = keys.iter().map(|key| format!("\"{key}\":0")).collect();
        let good = format!("{{{}}}", fields.join(","));
        prop_assert!(check_value(&good, 0).is_ok());
        let twice = format!("{{{},\"{}\":1}}", fields.join(","), keys[again.index(keys.len())]);
        prop_assert!(check_value(&twice, 0).is_err());
    }
}
