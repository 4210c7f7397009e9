//! Each verdict as a client reads it: code, reason, words and numbers.

use super::*;

fn policy() -> CodeModePolicy {
    CodeModePolicy::default()
}

#[test]
fn verdicts_say_their_code_and_reason() {
    let violation = ProtocolViolation::UnknownField;
    for (envelope, code, reason, words) in [
        (cancelled(), Code::Cancelled, None, "cancelled"),
        (protocol(&violation), Code::WorkerProtocolError, None, "the protocol does not allow"),
        (capability_denied(), Code::CapabilityDenied, None, "outside the registry"),
        (spawn_failed(), Code::WorkerStartFailed, Some(Reason::SpawnFailed), "could not be created"),
        (sandbox_unavailable(), Code::WorkerStartFailed, Some(Reason::SandboxUnavailable), "no script was sent"),
        (empty_source(), Code::CodeRejected, Some(Reason::NotJson), "the script is empty"),
        (exited(Exit::Signal(SIGSYS), &policy()), Code::WorkerExited, Some(Reason::SandboxViolation), "forbidden"),
        (exited(Exit::Status(1), &policy()), Code::WorkerExited, Some(Reason::Crashed), "abnormally"),
    ] {
        assert_eq!((envelope.code, envelope.reason), (code, reason), "{words}");
        assert!(envelope.message.contains(words), "{}", envelope.message);
        assert!(!envelope.message.contains("field is unknown"), "what exactly was wrong is for the log");
    }
}

#[test]
fn limits_say_what_was_measured_and_what_is_allowed() {
    let late = deadline(&policy());
    assert_eq!((late.code, late.limit, late.measured), (Code::DeadlineExceeded, Some(10_000), None));
    assert!(late.message.contains("10000 ms"), "{}", late.message);
    let full = capacity(Code::ServerWorkersLimit, LimitId::Workers, &policy());
    assert_eq!((full.code, full.measured, full.limit), (Code::ServerWorkersLimit, Some(5), Some(4)));
    assert!(full.message.contains("limit of 4 simultaneous workers"), "{}", full.message);
    for (code, unit) in [
        (Code::SourceBytesLimit, " bytes"),
        (Code::FinalResultBytesLimit, " bytes"),
        (Code::HostResultBytesLimit, " bytes"),
        (Code::CumulativeHostBytesLimit, " bytes"),
        (Code::HostCallsLimit, ""),
        (Code::PagesLimit, ""),
    ] {
        let over = Excess { code, measured: 7, limit: 6 };
        let envelope = excess(over);
        assert_eq!((envelope.code, envelope.measured, envelope.limit), (code, Some(7), Some(6)));
        assert!(envelope.message.contains(&format!("Measured 7{unit}, the limit is 6{unit}.")), "{}", envelope.message);
        let error = excess_error(over);
        assert_eq!((error.code, error.measure, error.message), (code, Some((7, 6)), envelope.message));
    }
}

#[test]
fn a_source_is_measured_in_bytes_up_to_its_limit() {
    let limit = usize::try_from(policy().value(LimitId::SourceBytes)).unwrap_or_default();
    let code = |source: &str| source_limit(source, &policy()).map_err(|envelope| (envelope.code, envelope.measured));
    assert_eq!(code(""), Err((Code::CodeRejected, None)));
    assert_eq!(code(" "), Ok(()));
    assert_eq!(code(&"x".repeat(limit)), Ok(()));
    assert_eq!(code(&"x".repeat(limit + 1)), Err((Code::SourceBytesLimit, Some(limit as u64 + 1))));
}

#[test]
fn a_rejection_says_how_where_and_in_whose_words() {
    let heap = policy().value(LimitId::HeapBytes);
    let stack = policy().value(LimitId::StackBytes);
    for (reason, limit, words) in [
        (
            Reason::HeapLimit,
            Some(heap),
            format!("the JavaScript heap is full at line 3, column 4: the limit is {heap} bytes"),
        ),
        (
            Reason::StackLimit,
            Some(stack),
            format!("the JavaScript stack is full at line 3, column 4: the limit is {stack} bytes"),
        ),
        (
            Reason::NeverSettles,
            None,
            "the script awaits a promise that nothing can settle at line 3, column 4".to_owned(),
        ),
        (Reason::SyntaxError, None, "syntax error at line 3, column 4: its own words".to_owned()),
        (Reason::NotJson, None, "the returned value has no JSON form: its own words".to_owned()),
        (Reason::UncaughtException, None, "uncaught exception at line 3, column 4: its own words".to_owned()),
    ] {
        let envelope = rejected(reason, "its own words", Some(3), Some(4), &policy());
        assert_eq!((envelope.code, envelope.reason, envelope.limit), (Code::CodeRejected, Some(reason), limit));
        assert_eq!((envelope.line, envelope.column), (Some(3), Some(4)));
        assert!(envelope.message.starts_with(&words), "{}", envelope.message);
    }
    for (line, column, place) in
        [(Some(3), None, " at line 3: x"), (None, Some(4), "exception: x"), (None, None, "exception: x")]
    {
        let envelope = rejected(Reason::UncaughtException, "x", line, column, &policy());
        assert!(envelope.message.ends_with(place), "{}", envelope.message);
        assert_eq!((envelope.line, envelope.column), (line, column));
    }
}

#[test]
fn text_is_kept_up_to_its_length_and_control_characters_are_shown() {
    let fits = "x".repeat(MAX_DETAIL_BYTES);
    assert_eq!(clean(&fits), fits);
    assert_eq!(clean(&format!("{fits}y")), format!("{fits}…"));
    assert_eq!(clean("a\nb\tc"), "a\nb\tc");
    assert_eq!(clean("\r\u{7f}\u{9b}"), "\\u{d}\\u{7f}\\u{9b}");
    let method = unknown_method("wit\u{7}", "there is\u{1b} none");
    assert_eq!((method.code, method.operation.as_deref()), (Code::UnknownMethod, Some("wit\\u{7}")));
    assert_eq!(method.message, "there is\\u{1b} none");
}

#[test]
fn only_what_is_stronger_replaces_a_verdict() {
    let crash = || exited(Exit::Status(1), &policy());
    assert_eq!(strongest(crash(), false, false, &policy()), crash());
    assert_eq!(strongest(crash(), true, false, &policy()), cancelled());
    assert_eq!(strongest(crash(), false, true, &policy()), deadline(&policy()));
    let told = ErrorEnvelope { message: "as the operation told it".to_owned(), ..deadline(&policy()) };
    assert_eq!(strongest(told.clone(), false, true, &policy()), told);
    assert_eq!(strongest(told, true, true, &policy()), cancelled());
}
