//! Source: what parses, what is forgiven, what cannot break out, and whose lines are reported.

use super::super::source;
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
        ("return 1 }, async function () { return 2", "code_rejected/syntax_error @1:11", "unexpected token"),
        ("if (true)", "code_rejected/syntax_error @1:10", "end of the script"),
        ("label:", "code_rejected/syntax_error @1:7", "end of the script"),
        ("```js\n\nreturn nope(\n```", "code_rejected/syntax_error @3:13", ""),
        ("return '€€' +;", "code_rejected/syntax_error @1:14", ""),
        ("1; null.x", "code_rejected/uncaught_exception @1:4", "TypeError"),
        ("'€€'; null.x", "code_rejected/uncaught_exception @1:7", "TypeError"),
        ("```\n'€€'; null.x\n```", "code_rejected/uncaught_exception @2:7", "TypeError"),
        ("() => {}; null.x", "code_rejected/uncaught_exception @1:11", "TypeError"),
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

/// The label and the two method proofs are independent defences against a body that ends early: on any text they must
/// agree. A text the label lets through and a proof does not, or the other way round, is a hole in one of them.
#[test]
fn the_two_defences_agree_on_any_text() {
    use proptest::prelude::*;
    use proptest::test_runner::TestRunner;

    const TOKENS: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ";",
        ",",
        ":",
        "?",
        "=>",
        "=",
        "+",
        "*",
        "/",
        "`",
        "${",
        "'",
        "\"",
        "//",
        "/*",
        "*/",
        "\n",
        "<!--",
        "-->",
        "\\",
        "#x",
        ".",
        "...",
        "x",
        "y",
        "0",
        "async",
        "await",
        "function",
        "class",
        "static",
        "get",
        "return",
        "break",
        "continue",
        "for",
        "while",
        "if",
        "else",
        "L_0000000000000008:",
        "break L_0000000000000008",
        "yield",
        "new",
        "throw",
        "try",
        "catch",
        "finally",
        "let",
        "const",
        "var",
        "m()",
        "async m() {",
        "});",
        "({",
        "(async function () {",
        "(class {",
        "import",
        "export",
        "debugger",
        "do",
        "switch",
        "case",
        "in",
        "of",
    ];
    let engine = Engine::new().unwrap_or_else(|e| panic!("{e}"));
    let compiles = |program: &source::Program| {
        engine.context.with(|ctx| {
            let text = std::ffi::CString::new(program.text.as_str()).unwrap_or_default();
            super::super::raw::compile(&ctx, &text, 1).is_some() || {
                ctx.catch();
                false
            }
        })
    };
    let agree = |text: &str| {
        let script = source::Script { text, first_line: 1 };
        let label = compiles(&source::wrap_labelled(script, 7));
        let methods = source::method_proofs(script).iter().all(&compiles);
        let plain = compiles(&source::wrap_body(script));
        // A block alone refuses a second declaration of a function.
        prop_assert!(
            (label && plain) == (methods && plain) || (!label && text.matches("function").count() > 1),
            "{text:?}: {label} {methods} {plain}"
        );
        if let Some(callable) = source::callable(text)
            && source::proofs(callable).iter().all(|proof| compiles(&source::wrap_proof(proof, 7)))
        {
            prop_assert!(compiles(&source::wrap_call(script, callable, 7)), "{text:?}");
        }
        Ok(())
    };
    let tokens = proptest::collection::vec(proptest::sample::select(TOKENS), 0..14);
    let mut runner =
        TestRunner::new(ProptestConfig { cases: 3_000, failure_persistence: None, ..ProptestConfig::default() });
    runner.run(&tokens, |tokens| agree(&tokens.join(" "))).unwrap_or_else(|e| panic!("{e}"));
}
