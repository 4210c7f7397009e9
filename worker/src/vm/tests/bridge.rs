//! `codemode`, host calls, `help()`, `console`, and what a script finds of the host.

use super::*;

#[test]
fn calls_are_sent_in_order_and_settle_in_any() {
    for newest_first in [false, true] {
        let mut host = MockHost { newest_first, ..MockHost::new(echo) };
        let source = b"const r = await Promise.all(['a', 'b', 'c'].map(s => codemode.wit.list({ snapshot_id: s })));
            return r.map(x => x.args.snapshot_id)";
        let outcome = run_with(source, Limits::default(), &mut host);
        assert_eq!(value_of(&outcome), serde_json::json!(["a", "b", "c"]));
        assert_eq!(
            host.sent,
            [
                "1 wit_list {\"snapshot_id\":\"a\"}",
                "2 wit_list {\"snapshot_id\":\"b\"}",
                "3 wit_list {\"snapshot_id\":\"c\"}"
            ]
        );
    }
}

#[test]
fn calls_left_over_are_never_sent() {
    for source in [
        "for (let i = 0; i < 4; i++) codemode.wit.list({ snapshot_id: 's' }); return 'done'",
        "Promise.resolve().then(() => Promise.resolve()).then(() => codemode.wit.open({ repo: 'a/b' })); return 'done'",
        "class A { toJSON() { codemode.wit.open({ repo: 'a/b' }); return 'done' } } return new A()",
    ] {
        let mut host = MockHost::new(echo);
        let outcome = run_with(source.as_bytes(), Limits::default(), &mut host);
        assert_eq!(value_of(&outcome), "done");
        assert!(host.sent.is_empty(), "{:?}", host.sent);
    }
}

#[test]
fn arguments_that_cannot_be_sent_are_refused_by_the_host() {
    let deep = "let o = 1; for (let i = 0; i < 101; i++) o = [o]; return codemode.wit.list({ snapshot_id: o })";
    for (source, detail) in [
        ("return codemode.wit.open({ repo: 1n })", "$.repo: a BigInt"),
        ("const o = {}; o.o = o; return codemode.wit.open(o)", "$.o: a cycle"),
        ("return codemode.wit.open({ repo: '\\ud800' })", "$.repo: text with an unpaired surrogate"),
        ("return codemode.wit.open({ '\\ud800': 1 })", "$: text with an unpaired surrogate"),
        ("return codemode.wit.list({ snapshot_id: 's', max_items: NaN })", "$.max_items: NaN"),
        ("return codemode.wit.open(() => 1)", "$: a function"),
        ("return codemode.wit.open(Symbol('s'))", "$: a symbol"),
        ("return codemode.wit.open({ repo: undefined, ref: [undefined] })", "$.ref[0]: a hole or undefined"),
        ("return codemode.wit.list({ snapshot_id: 'x'.repeat(80000) })", "too large to send"),
        (deep, "nesting deeper than 100"),
    ] {
        let mut host = MockHost::new(echo);
        let error = failure_of(run_with(source.as_bytes(), Limits::default(), &mut host));
        assert_eq!(error.code, Code::InvalidArguments, "{source}");
        assert!(error.operation.as_deref().is_some_and(|operation| operation.starts_with("wit_")), "{source}");
        assert!(error.message.contains(detail), "{source}: {}", error.message);
        assert_eq!(host.sent.len(), 1, "{source}");
        assert!(host.sent[0].ends_with(" null"), "the parent decides the code: {}", host.sent[0]);
    }
}

#[test]
fn a_getter_that_throws_is_the_scripts_own_failure() {
    let mut host = MockHost::new(echo);
    let source = b"try { await codemode.wit.list({ get snapshot_id() { throw new RangeError('mine') } }) }
        catch (e) { return [e.name, e.message, e.code ?? null] }";
    let outcome = run_with(source, Limits::default(), &mut host);
    assert_eq!(value_of(&outcome), serde_json::json!(["RangeError", "mine", null]));
    assert!(host.sent.is_empty());
}

#[test]
fn arguments_are_read_once() {
    values(&[
        (
            "let n = 0; const r = await codemode.wit.list({ get snapshot_id() { n++; return 's' + n } }); return [n, r.args]",
            r#"[1,{"snapshot_id":"s1"}]"#,
        ),
        (
            "const r = await codemode.wit.list({ get snapshot_id() { codemode.wit.list({ snapshot_id: 'inner' }); return 'outer' } });
             return r.args.snapshot_id",
            "\"outer\"",
        ),
        ("return (await codemode.wit.list()).args", "{}"),
        ("return (await codemode.wit.list(undefined, 1)).args", "{}"),
    ]);
}

#[test]
fn host_results_keep_odd_keys_and_run_no_setter() {
    fn odd(_: OperationId, _: &Json) -> Result<Json, Code> {
        Ok(serde_json::json!({ "__proto__": { "polluted": 1 }, "then": "x", "pad": 1 }))
    }
    let source = b"let stolen = 0;
        Object.defineProperty(Object.prototype, 'pad', { configurable: true, set() { stolen = 1 } });
        JSON.parse = () => 'replaced'; Promise.prototype.then = () => { throw 1 };
        const r = await codemode.wit.list({ snapshot_id: 's' });
        return [Object.keys(r), ({}).polluted === undefined, r.pad, stolen]";
    let outcome = run_with(source, Limits::default(), &mut MockHost::new(odd));
    assert_eq!(value_of(&outcome), serde_json::json!([["__proto__", "pad", "then"], true, 1, 0]));
}

#[test]
fn the_bridge_survives_every_replaced_intrinsic() {
    let call = "return (await codemode.wit.list({ snapshot_id: 's' })).args.snapshot_id";
    let table: Vec<String> = [
        "for (const k of ['JSON', 'Promise', 'Error', 'Proxy', 'WeakMap', 'Object', 'Array', 'Reflect']) delete globalThis[k];",
        "for (const o of [Object, Array, Function, Promise, Error, String, Map, WeakMap]) { Object.freeze(o); Object.freeze(o.prototype) } Object.freeze(globalThis);",
        "Function.prototype.call = Function.prototype.apply = Function.prototype.bind = () => { throw 4 };",
        "WeakMap.prototype.get = WeakMap.prototype.set = () => { throw 5 };",
        "Object.defineProperty(Array.prototype, 0, { set() { throw 6 }, get() { throw 7 } });",
        "Object.prototype.get = Object.prototype.has = Object.prototype.ownKeys = () => { throw 8 };",
        "Object.defineProperty(Promise.prototype, 'constructor', { get() { return Promise } });",
    ]
    .iter()
    .map(|poison| format!("{poison} {call}"))
    .collect();
    let rows: Vec<(&str, &str)> = table.iter().map(|source| (source.as_str(), "\"s\"")).collect();
    values(&rows);
}

#[test]
fn the_namespace_answers_like_an_object_and_cannot_be_changed() {
    values(&[
        (
            "const t = []; for (const f of [() => { codemode.wit.list = 1 }, () => { codemode.wit = {} }, () => { codemode = {} },
              () => { globalThis.codemode = {} }, () => { delete globalThis.codemode }, () => { codemode.wit.list.x = 1 },
              () => Object.defineProperty(codemode.wit, 'list', { value: 1 }), () => Object.setPrototypeOf(codemode.wit, {}),
              () => { codemode.wit.more = 1 }])
             { try { f(); t.push('ok') } catch (e) { t.push(e.name) } } return new Set(t).size + t[0] + typeof codemode.wit.list",
            "\"1TypeErrorfunction\"",
        ),
        (
            "const w = codemode.wit; return [`${Object.prototype.toString.call(w)}`, JSON.stringify({ w }), w instanceof Object,
              'zz' in w, Object.keys(w).length, ({ ...w }).list === w.list, w == 1, (await w) === w, typeof w.constructor]",
            r#"["[object Object]","{\"w\":{}}",true,false,8,true,false,true,"function"]"#,
        ),
        ("return [codemode.wit.list.name, typeof codemode.wit.list.prototype, String(codemode.wit.open).includes('native')]", r#"["list","undefined",true]"#),
        ("return Reflect.ownKeys(codemode)", r#"["wit"]"#),
    ]);
}

#[test]
fn unknown_methods_are_named_and_a_near_one_suggested() {
    values(&[
        (
            "try { await codemode.wit.searchRepositories({}) } catch (e) { return [e.code, e.operation, /findRepositories/.test(e.message)] }",
            r#"["unknown_method","codemode.wit.searchRepositories",true]"#,
        ),
        (
            "const n = 'z'.repeat(30000); try { codemode.wit[n] } catch (e) { return [e.code, e.message.length < 1000, e.operation.length < 100] }",
            r#"["unknown_method",true,true]"#,
        ),
        ("try { codemode.wit[0] } catch (e) { return e.operation }", "\"codemode.wit.0\""),
        (
            "for (const k of ['code', 'operation', 'message']) Object.defineProperty(Error.prototype, k, { set() { throw 'intercepted' }, get() { return 'fake' } });
             globalThis.Error = function () { return {} };
             try { codemode.wit.zz } catch (e) { return [e.code, e.operation, Object.keys(e)] }",
            r#"["unknown_method","codemode.wit.zz",["code","operation"]]"#,
        ),
    ]);
    failures(&[
        ("codemode.wit['\\ud800x']", "unknown_method @1:1", "codemode.wit.\u{fffd}x"),
        ("codemode.wit.help('nope')", "unknown_method @1:14", "codemode.wit.nope"),
        ("codemode.wit.help(Symbol('q'))", "unknown_method @1:19", "codemode.wit.help takes"),
    ]);
}

#[test]
fn help_is_fresh_each_time_and_free() {
    values(&[
        (
            "const h = codemode.wit.help(); h.limits.final_result_bytes = 1e9; h.methods.length = 0;
             Array.prototype.map = () => []; const g = codemode.wit.help();
             return [g.methods.length, g.limits.final_result_bytes, codemode.wit.help('open').name, codemode.wit.help(undefined).methods.length]",
            r#"[7,49152,"open",7]"#,
        ),
        (
            "const out = new Set; for (const x of ['nope', '', null, 0, '__proto__', 'constructor', Symbol('q'), { toString() { return 'open' } }])
             { try { codemode.wit.help(x); out.add('ok') } catch (e) { out.add(e.code) } } return [...out]",
            r#"["unknown_method"]"#,
        ),
    ]);
    let limits = Limits { host_calls: 1, ..Limits::default() };
    let source = b"for (let i = 0; i < 50; i++) { codemode.wit.help(); try { codemode.wit.zz } catch {} }
        return [(await codemode.wit.list({})).method, codemode.wit.help().limits.host_calls]";
    let outcome = run_with(source, limits, &mut MockHost::new(echo));
    assert_eq!(value_of(&outcome), serde_json::json!(["wit_list", 1]));
}

#[test]
fn nothing_of_a_host_is_in_reach() {
    values(&[
        (
            "return ['process','require','module','fetch','setTimeout','std','os','bjson','print','scriptArgs','gc','performance',
              'navigator','WebAssembly','SharedArrayBuffer','DOMException','atob','btoa','console'].filter(n => n in globalThis)",
            "[]",
        ),
        ("return [typeof console.log, Reflect.ownKeys(globalThis).filter(k => typeof k === 'symbol').length]", r#"["function",1]"#),
        (
            "return ['prepareStackTrace', 'captureStackTrace', 'stackTraceLimit'].map(k => k in Error).concat('rawJSON' in JSON, 'isRawJSON' in JSON)",
            "[false,false,false,false,false]",
        ),
        (
            "let n = 0; for (const s of ['std', 'os', './x.js', '/etc/passwd', 'file:///etc/passwd', 'data:text/javascript,1', 'script', ''])
             { try { await import(s) } catch (e) { n++ } } try { await Function('return import(\"std\")')() } catch (e) { n++ } return n",
            "9",
        ),
        ("try { Atomics.wait(new Int32Array(4), 0, 0, 1e9); return 'waited' } catch (e) { return e.name }", "\"TypeError\""),
        ("return [new Date(0).getTimezoneOffset(), Function('return 1')(), eval('2')]", "[0,1,2]"),
    ]);
}

#[test]
fn calls_are_sent_before_a_guard_of_ours_is_reported() {
    let mut host = MockHost::new(echo);
    let source = b"await Promise.all([1, 2, 3, 4, 5].map(() => codemode.wit.list({}))); return 'no'";
    let error = failure_of(run_with(source, Limits::default(), &mut host));
    assert_eq!(error.code, Code::HostConcurrencyLimit);
    assert_eq!(host.sent.len(), 4, "the parent believes the code only when it has seen the calls that explain it");
}

#[test]
fn the_console_is_passive_and_bounded() {
    let outcome = run("const o = { get a() { throw 1 }, toString() { throw 2 }, toJSON() { throw 3 }, n: { n: { n: { n: { n: 1 } } } } };
        console.log('text', 1, -0, null, undefined, true, 10n, 2n ** 70n, Symbol('s'), [1, , 'x'], o);
        console.warn(new Map, new Error('e'), class A {}, new Proxy({}, { ownKeys() { throw 4 } }), '\\ud800');
        console.error(); return console.debug('d')?.x ?? null");
    assert_eq!(value_of(&outcome), Json::Null);
    assert_eq!(
        outcome.console.text,
        "text 1 0 null undefined true 10n [BigInt] Symbol(s) [ 1, <empty>, \"x\" ] { a: [accessor], toString: \
         [Function: toString], toJSON: [Function: toJSON], n: { n: { n: { n: {…} } } } }\n[Map] Error: e [Function: A] [Proxy] \u{fffd}\n\nd\n"
    );
    assert!(!outcome.console.truncated);

    for (limit, printed, truncated) in
        [(8, "abc\n", false), (7, "abc\n", false), (6, "abc", true), (2, "", true), (1, "", true)]
    {
        let limits = Limits { console_bytes: limit, ..Limits::default() };
        let outcome = run_with(b"console.log('abc'); return 0", limits, &mut MockHost::new(echo));
        assert_eq!((outcome.console.text.as_str(), outcome.console.truncated), (printed, truncated), "{limit}");
    }
    let outcome = run("console = { log: x => x }; return console.log('mine')");
    assert_eq!((value_of(&outcome), outcome.console.text.as_str()), ("mine".into(), ""));
    let outcome = run("for (let i = 0; i < 2000; i++) console.log('\\u0001 line', i, 'x'.repeat(i)); return 1");
    assert!(outcome.console.truncated);
    let bytes = serde_json::to_string(&outcome.console.text).map_or(0, |text| text.len());
    assert!((8100..=8192).contains(&bytes), "{bytes}");
}
