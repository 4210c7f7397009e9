use std::num::NonZeroU64;

use wit_worker::registry::Reason;

use super::*;

const WALL: Duration = Duration::from_secs(10);

fn session() -> Session {
    Session::new(Arc::new(CodeModePolicy::default()), InvocationId(NonZeroU64::MIN))
}

fn result(tail: &str) -> String {
    format!(
        "{{\"type\":\"result\",\"invocation\":1,{tail},\"console\":{{\"text\":\"\",\"truncated\":false}},\
         \"usage\":{{\"javascript_us\":1,\"peak_heap_bytes\":2}}}}"
    )
}

fn failure(error: &str) -> String {
    result(&format!("\"ok\":false,\"value_present\":false,\"error\":{{{error}}}"))
}

fn call(number: u32, operation: &str, arguments: &str) -> String {
    format!(
        "{{\"type\":\"host_call\",\"invocation\":1,\"call\":{number},\"operation\":\"{operation}\",\"arguments\":{arguments}}}"
    )
}

fn verdict_of(session: &mut Session, body: &str, since: Duration) -> Result<String, ErrorEnvelope> {
    match session.frame(body.as_bytes(), since) {
        Ok(Event::Done(ended)) => ended.outcome.map(|value| value.get().to_owned()),
        Ok(other) => panic!("not an end: {other:?}"),
        Err(envelope) => Err(*envelope),
    }
}

fn code_of(session: &mut Session, body: &str) -> Code {
    verdict_of(session, body, Duration::ZERO).expect_err("a failure").code
}

#[test]
fn a_value_passes_as_it_was_serialized() {
    let body = result("\"ok\":true,\"value_present\":true,\"value\":{\"b\":1e21,\"a\":[]}");
    assert_eq!(verdict_of(&mut session(), &body, Duration::ZERO), Ok("{\"b\":1e21,\"a\":[]}".to_owned()));
}

#[test]
fn nothing_follows_a_result() {
    let mut session = session();
    let body = result("\"ok\":true,\"value_present\":true,\"value\":null");
    assert!(verdict_of(&mut session, &body, Duration::ZERO).is_ok());
    assert_eq!(code_of(&mut session, &body), Code::WorkerProtocolError);
}

#[test]
fn a_claim_is_believed_only_where_the_parent_knows_the_fact() {
    for lie in [
        "\"code\":\"rate_limited\",\"operation\":\"wit_open\",\"message\":\"x\"",
        "\"code\":\"host_calls_limit\",\"operation\":\"wit_open\",\"message\":\"x\"",
        "\"code\":\"host_concurrency_limit\",\"operation\":\"wit_open\",\"message\":\"x\"",
        "\"code\":\"deadline_exceeded\",\"message\":\"x\"",
        "\"code\":\"cancelled\",\"message\":\"x\"",
        "\"code\":\"final_result_bytes_limit\",\"message\":\"x\",\"measured\":10,\"limit\":5",
        "\"code\":\"source_bytes_limit\",\"message\":\"x\"",
        "\"code\":\"worker_exited\",\"reason\":\"crashed\",\"message\":\"x\"",
        "\"code\":\"code_rejected\",\"message\":\"x\"",
        "\"code\":\"code_rejected\",\"reason\":\"crashed\",\"message\":\"x\"",
        "\"code\":\"invalid_policy\",\"message\":\"x\"",
    ] {
        assert_eq!(code_of(&mut session(), &failure(lie)), Code::WorkerProtocolError, "{lie}");
    }
    let late = verdict_of(&mut session(), &failure("\"code\":\"deadline_exceeded\",\"message\":\"x\""), WALL);
    assert_eq!(late.map_err(|e| e.code), Err(Code::DeadlineExceeded));
    let text = failure(
        "\"code\":\"code_rejected\",\"reason\":\"uncaught_exception\",\"message\":\"execution deadline exceeded\"",
    );
    let envelope = verdict_of(&mut session(), &text, Duration::ZERO).expect_err("a failure");
    assert_eq!((envelope.code, envelope.reason), (Code::CodeRejected, Some(Reason::UncaughtException)));
}

#[test]
fn an_issued_code_comes_back_with_the_parents_own_words() {
    let mut session = session();
    let number = CallId::new(1).expect("one");
    let event = session.frame(call(1, "wit_open", "{\"repo\":\"a/b\"}").as_bytes(), Duration::ZERO);
    assert!(matches!(event, Ok(Event::Dispatch { operation: OperationId::Open, .. })));
    let error = OperationError { retry_after_s: Some(7), ..OperationError::new(Code::RateLimited, "slow down") };
    assert!(!session.answer(number, Err(error), Duration::ZERO).is_empty());
    let claim = failure("\"code\":\"rate_limited\",\"operation\":\"wit_open\",\"message\":\"forged words\"");
    let envelope = verdict_of(&mut session, &claim, Duration::ZERO).expect_err("a failure");
    assert_eq!(
        (envelope.code, envelope.message.as_str(), envelope.retry_after_s),
        (Code::RateLimited, "slow down", Some(7))
    );
}

#[test]
fn calls_are_in_order_known_and_of_this_invocation() {
    for (body, code) in [
        (call(2, "wit_open", "{}"), Code::WorkerProtocolError),
        (call(0, "wit_open", "{}"), Code::WorkerProtocolError),
        (call(1, "fs_read", "{}"), Code::CapabilityDenied),
        (call(1, "WIT_OPEN", "{}"), Code::CapabilityDenied),
        (call(1, "wit_open", "{\"a\":1,\"a\":2}"), Code::WorkerProtocolError),
        (call(1, "wit_open", "{}").replace("\"invocation\":1", "\"invocation\":2"), Code::WorkerProtocolError),
    ] {
        let error = session().frame(body.as_bytes(), Duration::ZERO).expect_err("a verdict");
        assert_eq!(error.code, code, "{body}");
    }
}

#[test]
fn units_stay_consumed_and_arguments_that_are_no_object_cost_none() {
    let mut session = session();
    let mut number = 0;
    let mut next = |session: &mut Session, arguments: &str| {
        number += 1;
        let event = session.frame(call(number, "wit_open", arguments).as_bytes(), Duration::ZERO);
        let id = CallId::new(u64::from(number)).expect("not zero");
        match event {
            Ok(Event::Dispatch { .. }) => {
                session.answer(id, Err(OperationError::new(Code::RefNotFound, "x")), Duration::ZERO);
                "dispatched"
            }
            Ok(Event::Reply(bytes)) if String::from_utf8_lossy(&bytes).contains("invalid_arguments") => "invalid",
            Ok(Event::Reply(bytes)) if String::from_utf8_lossy(&bytes).contains("snapshots_limit") => "limit",
            other => panic!("{other:?}"),
        }
    };
    let seen: Vec<_> = ["null", "[]", "{}", "{}", "{}", "5"].map(|arguments| next(&mut session, arguments)).into();
    assert_eq!(seen, ["invalid", "invalid", "dispatched", "dispatched", "limit", "invalid"]);
}

#[test]
fn oversized_values_are_withheld() {
    let mut session = session();
    let value = |bytes: usize| RawValue::from_string(format!("\"{}\"", "x".repeat(bytes - 2))).expect("JSON");
    for (number, bytes, text) in [(1, 65_536, "\"ok\":true"), (2, 65_537, "host_result_bytes_limit")] {
        let body = call(number, "wit_read", "{}");
        assert!(matches!(session.frame(body.as_bytes(), Duration::ZERO), Ok(Event::Dispatch { .. })));
        let id = CallId::new(u64::from(number)).expect("not zero");
        let reply = String::from_utf8(session.answer(id, Ok(value(bytes)), Duration::ZERO)).unwrap_or_default();
        assert!(reply.contains(text) || !reply.is_ascii(), "{number}");
        assert_eq!(reply.len() > 60_000, number == 1);
    }
    let huge = result(&format!("\"ok\":true,\"value_present\":true,\"value\":\"{}\"", "x".repeat(49_151)));
    assert_eq!(code_of(&mut session, &huge), Code::FinalResultBytesLimit);
}

#[test]
fn white_space_does_not_count_as_result() {
    let body = result(&format!("\"ok\":true,\"value_present\":true,\"value\":[1,{}2]", " ".repeat(60_000)));
    assert_eq!(verdict_of(&mut session(), &body, Duration::ZERO), Ok("[1,2]".to_owned()));
}

fn dispatched(session: &mut Session, number: u32, operation: &str) -> CallId {
    let event = session.frame(call(number, operation, "{}").as_bytes(), Duration::ZERO);
    assert!(matches!(event, Ok(Event::Dispatch { .. })), "{event:?}");
    CallId::new(u64::from(number)).expect("not zero")
}

fn json(text: &str) -> Box<RawValue> {
    RawValue::from_string(text.to_owned()).expect("JSON")
}

fn ended(body: &str) -> Ended {
    match session().frame(body.as_bytes(), Duration::ZERO) {
        Ok(Event::Done(ended)) => *ended,
        other => panic!("not an end: {other:?}"),
    }
}

#[test]
fn the_opening_is_two_frames_with_the_policys_limits() {
    let policy = CodeModePolicy::parse("host_calls = 3").expect("a policy");
    let session = Session::new(Arc::new(policy), InvocationId(NonZeroU64::MIN));
    let bytes = session.opening("return 1").expect("the opening");
    let mut decoder = wit_worker::protocol::FrameDecoder::new();
    decoder.push(&bytes);
    let first = decoder.next_frame().expect("a frame").expect("whole").to_vec();
    let Ok(ToWorker::Execute(execute)) = ToWorker::parse(&first) else { panic!("not an execute") };
    assert_eq!((execute.source_bytes, execute.limits.host_calls), (8, 3));
    assert_eq!(decoder.next_frame(), Ok(Some(&b"return 1"[..])));
    assert!(!decoder.is_mid_frame());
    assert_eq!(session.opening("").map_err(|error| error.code), Err(Code::CodeRejected));
    let long = "x".repeat(32 * 1024 + 1);
    assert_eq!(session.opening(&long).map_err(|error| error.code), Err(Code::SourceBytesLimit));
}

#[test]
fn answers_are_counted_logged_and_given_once() {
    let mut session = session();
    let first = dispatched(&mut session, 1, "wit_read");
    let second = dispatched(&mut session, 2, "wit_open");
    assert_eq!(session.outstanding(), 2);
    let reply = session.answer(second, Ok(json("{\"a\":1}")), Duration::from_millis(5));
    assert!(
        String::from_utf8_lossy(&reply).contains("\"call\":2,\"ok\":true,\"value_present\":true,\"value\":{\"a\":1}")
    );
    assert_eq!(session.outstanding(), 1);
    assert!(session.answer(second, Ok(json("1")), Duration::ZERO).is_empty(), "it was answered");
    let error = OperationError::new(Code::NotText, "binary");
    let reply = session.answer(first, Err(error), Duration::from_millis(7));
    assert!(String::from_utf8_lossy(&reply).contains("\"code\":\"not_text\",\"operation\":\"wit_read\""));
    assert_eq!(session.outstanding(), 0);
    let (spent, calls) = session.report();
    assert_eq!((spent.host_calls, spent.pages, spent.snapshots, spent.host_bytes), (2, 1, 1, 7));
    let rows: Vec<_> = calls.iter().map(|row| (row.operation, row.outcome, row.bytes, row.ms)).collect();
    assert_eq!(rows, [("wit_open", "ok", 7, 5.0), ("wit_read", "not_text", 0, 7.0)]);
}

#[test]
fn the_workers_own_guards_are_believed_with_the_parents_numbers() {
    let mut session = session();
    for number in 1..=4 {
        dispatched(&mut session, number, "wit_read");
    }
    let claim = |operation: &str| {
        failure(&format!(
            "\"code\":\"host_concurrency_limit\",\"operation\":\"{operation}\",\"message\":\"x\",\"measured\":99"
        ))
    };
    let envelope = verdict_of(&mut session, &claim("wit_list"), Duration::ZERO).expect_err("a failure");
    assert_eq!((envelope.code, envelope.measured, envelope.limit), (Code::HostConcurrencyLimit, Some(5), Some(4)));
    assert_eq!(envelope.operation.as_deref(), Some("wit_list"));
    let mut session = self::session();
    for number in 1..=4 {
        dispatched(&mut session, number, "wit_read");
    }
    assert_eq!(code_of(&mut session, &claim("fs_read")), Code::WorkerProtocolError, "no such operation");

    let mut session = self::session();
    for number in 1..=16 {
        let event = session.frame(call(number, "wit_read", "null").as_bytes(), Duration::ZERO);
        assert!(matches!(event, Ok(Event::Reply(_))));
    }
    let claim = failure("\"code\":\"host_calls_limit\",\"operation\":\"wit_read\",\"message\":\"x\"");
    let envelope = verdict_of(&mut session, &claim, Duration::ZERO).expect_err("a failure");
    assert_eq!((envelope.code, envelope.measured, envelope.limit), (Code::HostCallsLimit, Some(17), Some(16)));
}

#[test]
fn an_oversize_claim_needs_an_oversize() {
    for (measured, code) in [(49_152, Code::WorkerProtocolError), (49_153, Code::FinalResultBytesLimit)] {
        let claim = format!("\"code\":\"final_result_bytes_limit\",\"message\":\"x\",\"measured\":{measured}");
        assert_eq!(code_of(&mut session(), &failure(&claim)), code, "{measured}");
    }
    let claim = failure("\"code\":\"unknown_method\",\"operation\":\"codemode.wit.lst\",\"message\":\"try list\"");
    let envelope = verdict_of(&mut session(), &claim, Duration::ZERO).expect_err("a failure");
    assert_eq!((envelope.code, envelope.message.as_str()), (Code::UnknownMethod, "try list"));
    let almost = verdict_of(
        &mut session(),
        &failure("\"code\":\"deadline_exceeded\",\"message\":\"x\""),
        WALL - Duration::from_nanos(1),
    );
    assert_eq!(almost.map_err(|envelope| envelope.code), Err(Code::WorkerProtocolError));
}

#[test]
fn an_issued_code_is_bound_to_its_operation_and_the_last_one_counts() {
    let mut session = session();
    for (number, message) in [(1, "first"), (2, "second")] {
        let id = dispatched(&mut session, number, "wit_read");
        session.answer(id, Err(OperationError::new(Code::PathNotFound, message)), Duration::ZERO);
    }
    let other = failure("\"code\":\"path_not_found\",\"operation\":\"wit_list\",\"message\":\"x\"");
    assert_eq!(code_of(&mut session, &other), Code::WorkerProtocolError);
    let mut session = self::session();
    for (number, message) in [(1, "first".to_owned()), (2, "é".repeat(3000))] {
        let id = dispatched(&mut session, number, "wit_read");
        session.answer(id, Err(OperationError::new(Code::PathNotFound, message)), Duration::ZERO);
    }
    let claim = failure("\"code\":\"path_not_found\",\"operation\":\"wit_read\",\"message\":\"x\"");
    let envelope = verdict_of(&mut session, &claim, Duration::ZERO).expect_err("a failure");
    assert_eq!(envelope.message, "é".repeat(MAX_MESSAGE_BYTES / 2), "cut between characters");
}

#[test]
fn an_escaped_excess_keeps_its_measure() {
    let mut session = session();
    for number in 1..=9 {
        let event = session.frame(call(number, "wit_read", "{}").as_bytes(), Duration::ZERO);
        let id = CallId::new(u64::from(number)).expect("not zero");
        match event {
            Ok(Event::Dispatch { .. }) => drop(session.answer(id, Ok(json("1")), Duration::ZERO)),
            Ok(Event::Reply(_)) => assert_eq!(number, 9),
            other => panic!("{other:?}"),
        }
    }
    let claim = failure("\"code\":\"pages_limit\",\"operation\":\"wit_read\",\"message\":\"x\"");
    let envelope = verdict_of(&mut session, &claim, Duration::ZERO).expect_err("a failure");
    assert_eq!((envelope.measured, envelope.limit), (Some(9), Some(8)));
}

#[test]
fn the_largest_result_passes_and_usage_is_the_workers_word() {
    let value = format!("\"{}\"", "x".repeat(49_150));
    let ended = ended(&result(&format!("\"ok\":true,\"value_present\":true,\"value\":{value}")));
    assert_eq!(ended.outcome.map(|got| got.get() == value), Ok(true));
    assert_eq!((ended.usage.javascript_us, ended.usage.peak_heap_bytes), (1, 2));
    assert!(ended.console.is_none());
}

#[test]
fn the_console_is_cut_to_its_limit_and_says_so() {
    let with_console = |text: &str, truncated: bool| {
        let body = result("\"ok\":true,\"value_present\":true,\"value\":null");
        ended(&body.replace(
            "\"console\":{\"text\":\"\",\"truncated\":false}",
            &format!("\"console\":{{\"text\":{},\"truncated\":{truncated}}}", serde_json::json!(text)),
        ))
        .console
    };
    let fits = "x".repeat(8190);
    let console = with_console(&fits, false).expect("a console");
    assert_eq!((console.text == fits, console.truncated), (true, false));
    let console = with_console(&format!("{fits}y"), false).expect("a console");
    assert!(console.truncated && console.text.len() <= 8190 && !console.text.is_empty());
    // Escapes count, and no character is cut in two.
    let console = with_console(&"é\u{1}".repeat(4000), false).expect("a console");
    assert!(console.truncated && serde_json::json!(console.text).to_string().len() <= 8192);
    let console = with_console("", true).expect("a console that dropped everything");
    assert!(console.truncated && console.text.is_empty());
}
