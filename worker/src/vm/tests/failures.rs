//! Exceptions: genuine host errors keep their code, look-alikes get none, and hostile ones neither hang nor crash.

use super::*;

#[test]
fn a_genuine_host_error_keeps_its_code_whatever_the_script_does_to_it() {
    fn refuse(_: OperationId, _: &Json) -> Result<Json, Code> {
        Err(Code::PathNotFound)
    }
    for source in [
        "await codemode.wit.read({})",
        "return codemode.wit.read({})",
        "try { await codemode.wit.read({}) } catch (e) { try { e.code = 'cancelled' } catch {} throw e }",
        "try { await codemode.wit.read({}) } catch (e) { Object.setPrototypeOf(e, null); e.x = 1; throw e }",
        "WeakMap.prototype.get = () => 'cancelled'; await codemode.wit.read({})",
        "const p = codemode.wit.read({}); await Promise.all([p, p])",
        "return { get a() { throw globalThis.e }, b: await codemode.wit.read({}).catch(e => { globalThis.e = e; return 1 }) }",
    ] {
        let error = failure_of(run_with(source.as_bytes(), Limits::default(), &mut MockHost::new(refuse)));
        assert_eq!((error.code, error.reason), (Code::PathNotFound, None), "{source}");
        assert_eq!(error.operation.as_deref(), Some("wit_read"), "{source}");
        assert_eq!(error.message, "wit_read: refused by the host.", "{source}");
    }
}

#[test]
fn look_alikes_get_no_code() {
    for source in [
        "throw { code: 'host_calls_limit', operation: 'wit_read', message: 'x' }",
        "throw Object.assign(new Error('execution deadline exceeded'), { code: 'deadline_exceeded', operation: 'wit_read' })",
        "try { await codemode.wit.list(null) } catch (e) { throw new Error('wrapped', { cause: e }) }",
        "try { await codemode.wit.list(null) } catch (e) { throw Object.create(e) }",
        "try { await codemode.wit.list(null) } catch (e) { throw new Proxy(e, {}) }",
        "try { await codemode.wit.list(null) } catch (e) { throw structuredCloneOf(e) } function structuredCloneOf(e) { return { ...e } }",
        "throw new InternalError('interrupted')",
        "throw '[\"cancelled\",\"wit_read\",\"x\"]'",
    ] {
        let error = failure_of(run(source));
        assert_eq!(error.code, Code::CodeRejected, "{source}");
        assert_eq!(error.reason.map(|reason| reason.as_str()), Some("uncaught_exception"), "{source}");
        assert_eq!(error.operation, None, "{source}");
    }
}

#[test]
fn hostile_exceptions_are_described_without_running_them() {
    let uncaught = "code_rejected/uncaught_exception";
    failures(&[
        (
            "throw { get code() { throw 1 }, get message() { throw 2 }, toString() { throw 3 } }",
            uncaught,
            "message: [accessor]",
        ),
        (
            "throw new Proxy({}, { get() { throw 5 }, getPrototypeOf() { throw 6 }, ownKeys() { throw 7 } })",
            uncaught,
            "[Proxy]",
        ),
        ("throw Symbol('q')", uncaught, "Symbol(q)"),
        ("throw undefined", uncaught, "undefined"),
        ("throw 'bad \\ud800 \\u0000 \\u001b[31m'", uncaught, "bad \u{fffd} \0 \u{1b}[31m"),
        (
            "class Own extends Error { get name() { for (;;); } } throw new Own('spins')",
            &format!("{uncaught} @1:1"),
            "Error: spins",
        ),
        (
            "const e = new Error('m'); Object.setPrototypeOf(e, new Proxy({}, { get() { for (;;); } })); throw e",
            &format!("{uncaught} @1:15"),
            "Error: m",
        ),
        (
            "const e = new Error('m'); e.name = { toString() { for (;;); } }; throw e",
            &format!("{uncaught} @1:15"),
            "Error: m",
        ),
        (
            "class Own extends Error { constructor(m) { super(m); this.name = 'Own' } } throw new Own('x')",
            &format!("{uncaught} @1:50"),
            "Own: x",
        ),
        (
            "const e = new Error('m'); Object.defineProperty(e, 'stack', { get() { for (;;); } }); throw e",
            &format!("{uncaught} @1:15"),
            "Error: m",
        ),
    ]);
}

#[test]
fn traces_name_nothing_of_ours() {
    values(&[
        (
            "try { codemode.wit.zz } catch (e) { return [e.stack.includes('/'), e.stack.includes('L_'), e.stack.includes('rs')] }",
            "[false,false,false]",
        ),
        (
            "const s = new Error('x').stack; return /L_[0-9a-f]{16}/.test(s + (() => { try { return arguments.callee } catch (e) { return e } })())",
            "false",
        ),
    ]);
}

#[test]
fn an_answer_to_no_call_ends_the_session() {
    struct Confused(bool);
    impl Host for Confused {
        fn send(&mut self, _: CallId, _: OperationId, _: &RawValue) -> Result<(), HostGone> {
            Ok(())
        }
        fn flush(&mut self) -> Result<(), HostGone> {
            Ok(())
        }
        fn receive(&mut self) -> Result<Answer, HostGone> {
            let call = CallId::new(if self.0 { 1 } else { 9 }).ok_or(HostGone)?;
            self.0 = true;
            Ok(Answer { call, outcome: Ok(RawValue::NULL.to_owned()) })
        }
    }
    let run = |known: bool, source: &[u8]| {
        let engine = Engine::new().unwrap_or_else(|e| panic!("{e}"));
        engine.run(source, Limits::default(), &mut Confused(known)).map(|outcome| outcome.result.is_ok())
    };
    assert_eq!(run(true, b"return await codemode.wit.list({})"), Ok(true));
    assert_eq!(run(false, b"return await codemode.wit.list({})"), Err(HostGone));
    let twice = b"const a = codemode.wit.list({}), b = codemode.wit.list({}); await b";
    assert_eq!(run(true, twice), Err(HostGone), "call 1 is answered twice");
}
