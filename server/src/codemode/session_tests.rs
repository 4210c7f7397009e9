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
