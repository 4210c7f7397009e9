//! The final value: one pass, JSON's own semantics, refusals with a path.

use super::*;

#[test]
fn values_with_a_json_form() {
    values(&[
        ("return null", "null"),
        (
            "return [1e21, 1e-7, 0.1 + 0.2, 5e-324, 1.7976931348623157e308, 2 ** 53, -0, -1.5]",
            "[1e+21,1e-7,0.30000000000000004,5e-324,1.7976931348623157e+308,9007199254740992,0,-1.5]",
        ),
        ("return 'a\\u0000\\u001f\\u007f\\u2028\\n\"\\\\b'", "\"a\\u0000\\u001f\u{7f}\u{2028}\\n\\\"\\\\b\""),
        ("return '\\ud83d\\ude00 ok'.slice(1, 4)", "\"\u{fffd} o\""),
        ("return { ['\\udc00k']: 1 }", "{\"\u{fffd}k\":1}"),
        ("let s = '\\ud83d'; s += '\\ude00'; return s", "\"\u{1f600}\""),
        ("return { a: undefined, b: 1, c: { toJSON() {} }, [Symbol('s')]: 2 }", r#"{"b":1}"#),
        ("return JSON.parse('{\"__proto__\":{\"x\":1},\"a\":2}')", r#"{"__proto__":{"x":1},"a":2}"#),
        ("const s = { x: 1 }; return [s, s, { s }]", r#"[{"x":1},{"x":1},{"s":{"x":1}}]"#),
        ("return new Date(0)", "\"1970-01-01T00:00:00.000Z\""),
        ("return [new Date(NaN)]", "[null]"),
        ("class P { constructor() { this.x = 1 } get y() { return 2 } } return new P()", r#"{"x":1}"#),
        ("return Object.create(null)", "{}"),
        ("return { toJSON(k) { return [k] }, x: { toJSON(k) { return k } } }", r#"[""]"#),
        (
            "return { x: { toJSON(k) { return k + 1 } }, y: [{ toJSON(k) { return typeof k + k } }] }",
            r#"{"x":"x1","y":["string0"]}"#,
        ),
        ("BigInt.prototype.toJSON = function () { return String(this) }; return [1n]", r#"["1"]"#),
        ("return new Proxy([1, 2], {})", "[1,2]"),
        ("return new Proxy(new Proxy({ a: 1 }, {}), {})", r#"{"a":1}"#),
        ("const a = [1, 2]; a.extra = 3; return a", "[1,2]"),
    ]);
}

#[test]
fn errors_have_a_form_of_their_own_and_run_nothing() {
    values(&[
        ("return new TypeError('e')", r#"{"name":"TypeError","message":"e"}"#),
        (
            "const e = new Error('m'); e.code = 'X'; e.operation = 'o'; e.more = 1; return [e]",
            r#"[{"name":"Error","message":"m","code":"X","operation":"o"}]"#,
        ),
        (
            "const e = new Error('m'); Object.defineProperty(e, 'message', { get() { throw 1 } }); return e",
            r#"{"name":"Error","message":""}"#,
        ),
        (
            "try { await codemode.wit.list(null) } catch (e) { return e }",
            r#"{"name":"Error","message":"wit_list: refused by the host.","code":"invalid_arguments","operation":"wit_list"}"#,
        ),
    ]);
}

#[test]
fn what_is_read_is_read_once() {
    values(&[
        ("let n = 0; return { get a() { return ++n }, get b() { return n } }", r#"{"a":1,"b":1}"#),
        (
            "let n = 0; return new Proxy([1, 2], { get(t, k, r) { return k === 'length' ? (n++ < 1 ? 2 : 1e6) : Reflect.get(t, k, r) } })",
            "[1,2]",
        ),
        ("let n = 0; return { get a() { return n++ ? 'x'.repeat(60000) : 1 } }", r#"{"a":1}"#),
        (
            "JSON.stringify = () => '1'; Array.isArray = () => false; Object.keys = () => []; Number.isFinite = () => false; return [1, { a: 2 }]",
            r#"[1,{"a":2}]"#,
        ),
        ("Object.prototype.toJSON = function () { return 'all' }; return { a: 1 }", "\"all\""),
    ]);
}

#[test]
fn values_without_a_json_form_are_refused_with_their_path() {
    let not_json = "code_rejected/not_json";
    failures(&[
        ("return undefined", not_json, "$: nothing was returned"),
        ("1 + 2", not_json, "use `return`"),
        ("return () => 1", not_json, "$: a function was returned"),
        ("return { toJSON() {} }", not_json, "$: nothing was returned"),
        ("return { a: [1, { b: 1 / 0 }] }", not_json, "$.a[1].b: Infinity"),
        ("return [NaN]", not_json, "$[0]: NaN"),
        ("return [1, , 3]", not_json, "$[1]: a hole"),
        ("return [1, undefined]", not_json, "$[1]: a hole or undefined"),
        ("return { ok: [1n] }", not_json, "$.ok[0]: a BigInt"),
        ("return { s: Symbol('x') }", not_json, "$.s: a symbol"),
        ("return { f() {} }", not_json, "$.f: a function"),
        ("return { 'a b': { '': [() => 1] } }", not_json, "$[\"a b\"][\"\"][0]: a function"),
        ("return { r: Promise.resolve(1) }", not_json, "$.r: a Promise has no JSON form; missing `await`"),
        ("return [new Map]", not_json, "$[0]: a Map"),
        ("return new Set", not_json, "$: a Set"),
        ("return { a: /x/ }", not_json, "$.a: a RegExp"),
        ("return new Uint8Array(2)", not_json, "a Uint8Array has no JSON form; use [...array]"),
        ("return new ArrayBuffer(2)", not_json, "an ArrayBuffer"),
        ("return new Number(1)", not_json, "a Number object"),
        ("return (function* () {})()", not_json, "a generator"),
        ("return new Proxy(new Map, {})", not_json, "a Map"),
        ("return new Proxy(() => 1, {})", not_json, "a function"),
        (
            "const p = Proxy.revocable({}, {}); p.revoke(); return [p.proxy]",
            "code_rejected/uncaught_exception",
            "TypeError",
        ),
        ("const a = {}; a.b = [a]; return a", not_json, "$.b[0]: a cycle"),
        ("let o = 1; for (let i = 0; i < 101; i++) o = { o }; return o", not_json, "nesting deeper than 100"),
        ("return { '\\ud800': 1, '\\udfff': 2 }", not_json, "two keys are the same"),
        ("return codemode.wit", not_json, "$.findRepositories: a function"),
        ("return { get a() { throw new Error('mine') } }", "code_rejected/uncaught_exception @1:30", "Error: mine"),
        ("return { get a() { throw { code: 'cancelled' } } }", "code_rejected/uncaught_exception", "cancelled"),
    ]);
    values(&[(
        "let o = 1; for (let i = 0; i < 100; i++) o = [o]; return o",
        &format!("{}1{}", "[".repeat(100), "]".repeat(100)),
    )]);
}

#[test]
fn paths_and_messages_stay_short() {
    let error = failure_of(run(
        "let o = { bad: NaN }; for (let i = 0; i < 90; i++) o = { ['k'.repeat(500) + i]: o }; return o",
    ));
    assert!(error.message.len() < 400, "{}", error.message);
    let error = failure_of(run("throw new Error('x'.repeat(100000) + '\\ud800')"));
    assert_eq!(error.message.len(), 1024);
}

#[test]
fn the_byte_budget_is_exact() {
    for (limit, source, measured) in [
        (10, "return 'x'.repeat(8)", None),
        (10, "return 'x'.repeat(9)", Some(11)),
        (8, "return '\\u20ac\\u20ac'", None),
        (7, "return '\\u20ac\\u20ac'", Some(8)),
        (13, "return '\\u0001\\n\\u0002'", Some(16)),
        (16, "return '\\u0001\\n\\u0002'", None),
        (7, "return { a: 1 }", None),
        (6, "return { a: 1 }", Some(7)),
        (7, "return { a: 1, ['x'.repeat(100)]: undefined }", None),
        (1, "return 7", None),
        (4, "return [1, 2, 3]", Some(7)),
    ] {
        let limits = Limits { final_result_bytes: limit, ..Limits::default() };
        let outcome = run_with(source.as_bytes(), limits, &mut MockHost::new(echo));
        match (outcome.result, measured) {
            (Ok(value), None) => assert!(value.get().len() as u64 <= limit, "{source}"),
            (Err(error), Some(measured)) => {
                assert_eq!(error.code, Code::FinalResultBytesLimit, "{source}");
                assert_eq!((error.measured, error.limit), (Some(measured), Some(limit)), "{source}");
            }
            (result, _) => panic!("{source} with {limit}: {result:?}"),
        }
    }
}

#[test]
fn oversized_values_are_counted_only_so_far() {
    for source in [
        "return 'x'.repeat(8000000)",
        "let o = {}; for (let i = 0; i < 40; i++) o = { a: o, b: o }; return o",
        "return new Proxy([], { get: (t, k) => k === 'length' ? 2 ** 53 - 1 : k === 'toJSON' ? undefined : 0 })",
        "const o = {}; for (let i = 0; i < 60000; i++) o['key number ' + i] = i; return o",
    ] {
        let error = failure_of(run(source));
        assert_eq!(error.code, Code::FinalResultBytesLimit, "{source}");
        assert!(error.measured.is_some_and(|bytes| bytes > 1_000_000), "{source}: {:?}", error.measured);
    }
}
