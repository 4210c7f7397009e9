//! Source: what parses, what is forgiven, what cannot break out, and whose lines are reported.

use super::*;

#[test]
fn bodies_run_as_the_body_of_an_async_function() {
    values(&[
        ("return 1 + 1", "2"),
        ("const x = await Promise.resolve(20); return x + 1", "21"),
        ("return 'kept' // done", "\"kept\""),
        ("return 'kept' <!-- })", "\"kept\""),
        ("\u{feff}return 1", "1"),
        ("return 5 // c\u{2028} + 1", "6"),
        (
            "/* }) */ const r = /[}]\\)/, s = '})', t = `}) ${1}`; // })\nreturn [r.source, s, t]",
            r#"["[}]\\)","})","}) 1"]"#,
        ),
        ("try { undeclared = 1; return 'sloppy' } catch (e) { return e.name }", "\"ReferenceError\""),
        ("return [arguments.length, this === undefined, new.target === undefined]", "[0,true,true]"),
        ("function f() { return 1 } function f() { return 2 } return f()", "2"),
        ("return eval('typeof nonce') + typeof eval('1')", "\"undefinednumber\""),
    ]);
}

#[test]
fn one_callable_expression_is_called_and_nothing_else_is() {
    values(&[
        ("async () => { return 42 }", "42"),
        ("() => ({ a: 1 });", r#"{"a":1}"#),
        ("// a note\nasync (x = ')', { y } = {}) => [x, y ?? null]", r#"[")",null]"#),
        ("async _ => (await codemode.wit.list({ snapshot_id: 's' })).method", "\"wit_list\""),
        ("function () { return 5 }", "5"),
        ("async function main() { return 6 };", "6"),
        ("(async () => { return 7 });", "7"),
        ("// why\n(function named() { return 8 })\n", "8"),
        ("```js\nreturn 42\n```", "42"),
        ("\n```\n() => 43\n```\n", "43"),
    ]);
    let nothing = "nothing was returned";
    failures(&[
        ("x => x, y => y", "code_rejected/not_json", nothing),
        ("function a() { return 1 } function b() { return 2 }", "code_rejected/not_json", nothing),
        ("(async () => { return 3 })()", "code_rejected/not_json", nothing),
        ("(() => 1)\n(() => 2)", "code_rejected/not_json", nothing),
        ("(() => 1), (() => 2)", "code_rejected/not_json", nothing),
        ("((() => 3))", "code_rejected/not_json", nothing),
        ("() => 1\n() => 2", "code_rejected/syntax_error @2:4", ""),
        ("function () { return 1 } + function () { return 2 }", "code_rejected/syntax_error @1:10", ""),
        ("function () { return 1 }, function () { return 2 }", "code_rejected/syntax_error @1:10", ""),
        ("function () { return 1 } * x() { return 2 }", "code_rejected/syntax_error @1:10", ""),
        ("function () { return 1 } ()", "code_rejected/syntax_error @1:10", ""),
        ("a => b) (c => d", "code_rejected/syntax_error @1:7", ""),
    ]);
}

/// Each would run `ran` if any part of it ran.
#[test]
fn no_body_breaks_out() {
    let ran = "console.log('ran')";
    for template in [
        "} }); RAN; (async function () { {",
        "} } ), RAN, (async function () { {",
        "}})(); RAN; (async () => {{",
        "return 1 } + function () { RAN",
        "return 1 } * function () { RAN",
        "} x: { RAN",
        "}} static { RAN } async x() {{",
        "} }, x: RAN, async y() { {",
        "} async y() { RAN",
        "}), RAN, ({ async m() {",
        "} }); RAN; ({ async m() {",
        "} }); RAN; (class { async m() {",
        "return 1; /* RAN",
        "return `${RAN",
        "break L_0000000000000000; RAN",
        "() => 1); RAN; (() => 2",
        "() => 1 : 0); RAN; (0 ? () => 2",
        "function () {} }); RAN; ({ m() {}",
        "#!/usr/bin/env node\nRAN",
        "export default async () => RAN",
        "import * as std from 'std'; RAN",
    ] {
        let source = template.replace("RAN", ran);
        let outcome = run(&source);
        assert_eq!(outcome.console.text, "", "{source}");
        let error = failure_of(outcome);
        assert_eq!(error.reason.map(|reason| reason.as_str()), Some("syntax_error"), "{source}: {error:?}");
        assert!(error.line == Some(1) || source.contains('\n'), "{source}: {error:?}");
    }
}

#[test]
fn positions_are_the_users_own_and_clamped_to_the_source() {
    failures(&[
        ("let x = 1;\nreturn x +;", "code_rejected/syntax_error @2:11", "unexpected token"),
        ("return (", "code_rejected/syntax_error @1:9", "end of the script"),
        ("return 1;\n/* never\nclosed", "code_rejected/syntax_error @2:1", "comment"),
        ("a();\n}", "code_rejected/syntax_error @2:2", "end of the script"),
        ("```js\n\nreturn nope(\n```", "code_rejected/syntax_error @3:13", ""),
        ("return '€€' +;", "code_rejected/syntax_error @1:14", ""),
        ("return foo.bar", "code_rejected/uncaught_exception @1:8", "ReferenceError: foo is not defined"),
        ("\n\n  null.x", "code_rejected/uncaught_exception @3:3", "TypeError"),
        (
            "async () => {\n  throw new Error('in arrow')\n}",
            "code_rejected/uncaught_exception @2:13",
            "Error: in arrow",
        ),
        ("() => null.x", "code_rejected/uncaught_exception @1:1", "TypeError"),
        ("function f() {\n  throw new TypeError('deep')\n}\nf()", "code_rejected/uncaught_exception @2:13", "deep"),
    ]);
}

#[test]
fn sources_that_are_no_text_are_refused_before_the_engine() {
    for (source, text) in [(&b"return 'a\0b'"[..], "byte 9"), (b"return '\xff'", "byte 8")] {
        let error = failure_of(run_with(source, Limits::default(), &mut MockHost::new(echo)));
        assert_eq!(error.reason.map(|reason| reason.as_str()), Some("syntax_error"));
        assert!(error.message.contains(text), "{}", error.message);
    }
}

#[test]
fn the_source_limit_counts_bytes() {
    let limits = Limits { source_bytes: 12, ..Limits::default() };
    let exact = run_with(b"return 1 + 1", limits, &mut MockHost::new(echo));
    assert_eq!(value_of(&exact), 2);
    let error = failure_of(run_with("return '€€'".as_bytes(), limits, &mut MockHost::new(echo)));
    assert_eq!((error.code, error.measured, error.limit), (Code::SourceBytesLimit, Some(15), Some(12)));
}
