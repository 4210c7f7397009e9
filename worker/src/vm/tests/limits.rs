//! Time, heap, stack, calls: each limit by its own fact, at the default and lowered.

use std::time::{Duration, Instant};

use super::*;

#[test]
fn the_deadline_cannot_be_swallowed() {
    let spin = "(() => { for (;;); })()";
    for template in [
        "for (;;);",
        "for (;;) { try { SPIN } catch {} finally {} }",
        "await new Promise(() => SPIN).catch(() => 0); return 'continued'",
        "await Promise.all({ [Symbol.iterator]() { SPIN } }).catch(() => 0); return 'continued'",
        "let r; const p = new Promise(x => { r = x }); r({ get then() { SPIN } }); await p.catch(() => 0); return 'continued'",
        "await import({ toString() { SPIN } }).catch(() => 0); return 'continued'",
        "Promise.resolve().then(() => SPIN); await null; await null; return 'continued'",
        "(function f() { Promise.resolve().then(f) })(); await new Promise(() => {})",
        "const o = { then(r) { r(o) } }; return o",
        "return { toJSON() { SPIN } }",
        "return { get a() { SPIN } }",
        "await codemode.wit.list({ get snapshot_id() { SPIN } }); return 'continued'",
        "await codemode.wit.list({ snapshot_id: 's' }); SPIN",
        "throw { get message() { SPIN } }; SPIN",
        "const u = {}; for (let i = 0; i < 2000; i++) u['u' + i] = undefined; const a = new Array(200000).fill(u); return a",
        "let a = []; for (;;) { try { for (;;) a.push(new Array(100).fill(1)) } catch {} }",
    ] {
        let source = template.replace("SPIN", spin);
        let limits = Limits { wall_ms: 30, ..Limits::default() };
        let begun = Instant::now();
        let outcome = run_with(source.as_bytes(), limits, &mut MockHost::new(echo));
        // Deadline tests wait for nothing: well under the watchdog's grace, even on a busy machine.
        assert!(begun.elapsed() < Duration::from_secs(5), "{source}: {:?}", begun.elapsed());
        if template.starts_with("throw") {
            // A getter is not run for a message.
            assert_eq!(failure_of(outcome).code, Code::CodeRejected);
            continue;
        }
        let error = failure_of(outcome);
        assert_eq!((error.code, error.limit), (Code::DeadlineExceeded, Some(30)), "{source}: {error:?}");
    }
}

#[test]
fn waiting_for_the_host_does_not_count() {
    fn slow(operation: OperationId, arguments: &Json) -> Result<Json, Code> {
        let begun = Instant::now();
        while begun.elapsed() < Duration::from_millis(60) {}
        echo(operation, arguments)
    }
    let limits = Limits { wall_ms: 50, ..Limits::default() };
    let outcome = run_with(b"await codemode.wit.list({}); return 1", limits, &mut MockHost::new(slow));
    assert_eq!(value_of(&outcome), 1);
    assert!(outcome.usage.javascript_us < 50_000, "{:?}", outcome.usage);
}

#[test]
fn a_promise_nothing_can_settle_is_found_out_at_once() {
    failures(&[
        ("await new Promise(() => {}); return 1", "code_rejected/never_settles", "nothing can settle"),
        ("return { then() {} }", "code_rejected/never_settles", ""),
        ("await { then() {} }", "code_rejected/never_settles", ""),
        ("await codemode.wit.list({}); await new Promise(() => {})", "code_rejected/never_settles", ""),
    ]);
    values(&[
        ("(function f() { Promise.resolve().then(f) })(); return 'returned'", "\"returned\""),
        ("for (let i = 0; i < 1000; i++) Promise.reject(new Error('x' + i)); return 'ok'", "\"ok\""),
        ("Promise.resolve().then(() => { throw new Error('job') }); await null; return 'ok'", "\"ok\""),
    ]);
}

#[test]
fn a_full_heap_is_told_from_a_script_that_says_so() {
    failures(&[
        ("const h = []; for (;;) h.push({})", "code_rejected/heap_limit", "16777216"),
        (
            "const k = []; for (let i = 0; i < 300; i++) k.push(new Uint8Array(512 * 1024))",
            "code_rejected/heap_limit @1:73",
            "",
        ),
        ("return '\\ufdfa'.repeat(400000).normalize('NFKD').length", "code_rejected/heap_limit", ""),
        (
            "throw new InternalError('out of memory')",
            "code_rejected/uncaught_exception @1:11",
            "InternalError: out of memory",
        ),
        ("throw null", "code_rejected/uncaught_exception", "null"),
        (
            "try { new ArrayBuffer(2 ** 40) } catch {} throw new Error('later')",
            "code_rejected/uncaught_exception @1:53",
            "later",
        ),
    ]);
    values(&[
        (
            "let h = []; try { for (;;) h.push('x'.repeat(100000) + h.length) } catch { h = null } return 'recovered'",
            "\"recovered\"",
        ),
        ("globalThis.h = []; try { for (;;) h.push({ a: 1 }) } catch {} return 'held'", "\"held\""),
    ]);
}

#[test]
fn the_heap_limit_is_the_scripts_own() {
    let source = b"return new Uint8Array(100000).length";
    for (heap_bytes, fits) in [(1, false), (90_000, false), (130_000, true)] {
        let limits = Limits { heap_bytes, ..Limits::default() };
        let outcome = run_with(source, limits, &mut MockHost::new(echo));
        assert!(outcome.usage.peak_heap_bytes <= heap_bytes.max(20_000), "{:?}", outcome.usage);
        match outcome.result {
            Ok(_) => assert!(fits, "{heap_bytes}"),
            Err(error) => {
                assert!(!fits, "{heap_bytes}: {error:?}");
                assert_eq!(error.reason.map(|reason| reason.as_str()), Some("heap_limit"), "{error:?}");
            }
        }
    }
}

#[test]
fn a_full_stack_is_told_from_a_script_that_says_so() {
    let nested = format!("return {}1{}", "(".repeat(15_000), ")".repeat(15_000));
    failures(&[
        ("function f() { return f() + 1 } return f()", "code_rejected/stack_limit @1:23", "262144"),
        ("let a = []; for (let i = 0; i < 100000; i++) a = [a]; return String(a)", "code_rejected/stack_limit", ""),
        ("return JSON.parse('['.repeat(100000) + ']'.repeat(100000)).length", "code_rejected/stack_limit", ""),
        (&nested, "code_rejected/stack_limit", ""),
        (
            "throw new RangeError('Maximum call stack size exceeded')",
            "code_rejected/uncaught_exception @1:11",
            "RangeError",
        ),
        ("return [].length = -1", "code_rejected/uncaught_exception", "RangeError"),
    ]);
    values(&[(
        "let n = 0; function f() { n++; f() } try { f() } catch (e) { return [e.name, n > 50] }",
        "[\"RangeError\",true]",
    )]);
    let depth = |stack_bytes| {
        let limits = Limits { stack_bytes, ..Limits::default() };
        let source = b"let n = 0; function f() { n++; f() } try { f() } catch { return n }";
        value_of(&run_with(source, limits, &mut MockHost::new(echo))).as_u64()
    };
    assert!(depth(1024 * 1024) > depth(256 * 1024) && depth(256 * 1024) > depth(64 * 1024));
    let limits = Limits { stack_bytes: 1, ..Limits::default() };
    let error = failure_of(run_with(b"return 1", limits, &mut MockHost::new(echo)));
    assert_eq!(error.reason.map(|reason| reason.as_str()), Some("stack_limit"));
}

#[test]
fn calls_beyond_the_budgets_are_refused_here_and_not_sent() {
    let mut host = MockHost::new(echo);
    let source =
        b"const c = {}; for (let i = 0; i < 18; i++) { try { await codemode.wit.list({}); c.ok = (c.ok ?? 0) + 1 }
        catch (e) { c[e.code] = (c[e.code] ?? 0) + 1; c.operation = e.operation } } return c";
    let outcome = run_with(source, Limits::default(), &mut host);
    assert_eq!(value_of(&outcome), serde_json::json!({ "ok": 16, "host_calls_limit": 2, "operation": "wit_list" }));
    assert_eq!(host.sent.len(), 16);

    let mut host = MockHost::new(echo);
    let source = b"const go = n => Promise.allSettled(Array.from({ length: n }, () => codemode.wit.list({})));
        const a = await go(5), b = await go(4);
        return [...a, ...b].map(x => x.status === 'fulfilled' ? 'ok' : x.reason.code).join()";
    let outcome = run_with(source, Limits::default(), &mut host);
    assert_eq!(value_of(&outcome), "ok,ok,ok,ok,host_concurrency_limit,ok,ok,ok,ok");
    assert_eq!(host.sent.len(), 8);

    let limits = Limits { host_calls: 1, host_concurrency: 1, ..Limits::default() };
    let source = b"codemode.wit.list({}); await codemode.wit.open({})";
    let error = failure_of(run_with(source, limits, &mut MockHost::new(echo)));
    assert_eq!((error.code, error.operation.as_deref()), (Code::HostCallsLimit, Some("wit_open")));
}

/// Each step of the bridge, the printer and the serializer, with the heap or the stack ending anywhere in between:
/// whatever comes of it is a verdict, never a panic.
#[test]
fn nothing_panics_wherever_memory_ends() {
    let source = b"const out = [];
        const attempt = async f => { try { out.push(await f()) } catch (e) { out.push(e) } };
        await attempt(() => codemode.wit.help());
        await attempt(() => codemode.wit.help('open'));
        await attempt(() => codemode.wit.searchRepos());
        await attempt(() => codemode.wit.list({ snapshot_id: 's', more: ['\\u20ac'.repeat(300), { x: 1.5 }] }));
        await attempt(() => codemode.wit.open({ repo: 1n }));
        await Promise.allSettled([1, 2, 3, 4, 5].map(n => codemode.wit.read({ n })));
        console.log(out, new Map, { a: { b: '\\ud800' } });
        out.push({ ['\\ud800k']: new Date(0), e: new TypeError('x'), s: 'y'.repeat(2000) + '\\u20ac' });
        return out";
    let mut verdicts = std::collections::BTreeSet::new();
    let mut check = |limits: Limits| {
        let outcome = run_with(source, limits, &mut MockHost::new(echo));
        verdicts.insert(match outcome.result {
            Ok(_) => "success".to_owned(),
            Err(error) => format!("{} {:?}", error.code, error.reason.map(|reason| reason.as_str())),
        });
    };
    for heap_bytes in (1..150_000).step_by(1_999) {
        check(Limits { heap_bytes, ..Limits::default() });
    }
    for stack_bytes in (1..40_000).step_by(1_999) {
        check(Limits { stack_bytes, ..Limits::default() });
    }
    assert!(verdicts.contains("success") && verdicts.contains("code_rejected Some(\"heap_limit\")"), "{verdicts:?}");
    assert!(verdicts.contains("code_rejected Some(\"stack_limit\")"), "{verdicts:?}");
}
