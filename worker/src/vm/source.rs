//! The source front end: what a model wrote, to a program the engine compiles as the body of an async function.
//!
//! User source is never pasted into a template it could break out of. The wrapper opens a labelled block whose label
//! holds a nonce drawn after the source arrived, and ends in a `break` to that label:
//!
//! ```text
//! (async function () { L_<nonce>: {SOURCE
//! break L_<nonce>; } })
//! ```
//!
//! Text that closes the wrapper early leaves that `break` outside the block it names, which is a syntax error when
//! the program is compiled: nothing of a broken-out source ever runs.
//!
//! A block is stricter than a function's body in one thing: it allows no function to be declared twice. A source that
//! fails in the block gets a second chance in a plain body, once it is proved to be a whole body without the label:
//! it must compile as a method of a class *and* of an object. What closes the body early would have to go on with
//! something that may follow a method in both, which is only the `}` that ends either, and that cannot follow a
//! function expression.
//!
//! Forgiven are one surrounding Markdown fence and a body that is exactly one arrow or function expression; that it is
//! *exactly* one is proved by compiling, not by reading. Everything here is a pure function of the source, for fuzzing.

/// Spelled out in the wrapper's label, before the nonce.
const LABEL: &str = "L_";

/// Why a source is refused before the engine sees it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SourceRefusal {
    /// It holds U+0000, at which the engine's C strings end.
    Nul {
        /// Byte offset of the first.
        offset: usize,
    },
    /// It is not UTF-8.
    NotUtf8 {
        /// Byte offset of the first byte that is not part of a character.
        offset: usize,
    },
}

/// A source fit for the engine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Script<'a> {
    /// The text without a surrounding fence.
    pub text: &'a str,
    /// The line of the user's own source at which `text` begins; 1 without a fence.
    pub first_line: u32,
}

/// A body that looks like one callable expression; [`proofs`] tells whether it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Callable<'a> {
    /// The expression, without a trailing semicolon.
    pub expression: &'a str,
    kind: CallableKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallableKind {
    Arrow,
    Function {
        is_async: bool,
        is_generator: bool,
        /// Where the parameter list begins in the expression.
        parameters: usize,
    },
}

/// A program for the engine, and how positions in it map to the user's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The text to compile.
    pub text: String,
    /// Bytes on the first line before the user's own.
    pub indent: usize,
    /// The line the first line is called.
    pub first_line: u32,
}

/// A place in the user's own source: 1-based line, 1-based column in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// The line.
    pub line: u64,
    /// The column.
    pub column: u64,
}

/// Checks the encoding and strips one surrounding Markdown fence.
///
/// # Errors
/// When the source holds U+0000 or is not UTF-8.
pub fn read(source: &[u8]) -> Result<Script<'_>, SourceRefusal> {
    if let Some(offset) = source.iter().position(|&byte| byte == 0) {
        return Err(SourceRefusal::Nul { offset });
    }
    let text = std::str::from_utf8(source).map_err(|e| SourceRefusal::NotUtf8 { offset: e.valid_up_to() })?;
    Ok(strip_fence(text).unwrap_or(Script { text, first_line: 1 }))
}

/// The body of one fence that surrounds the whole text.
fn strip_fence(text: &str) -> Option<Script<'_>> {
    let start = text.len() - text.trim_start().len();
    let opened = text[start..].trim_end();
    let ticks = opened.bytes().take_while(|&byte| byte == b'`').count();
    let (info, body) = opened.split_once('\n')?;
    let info = info[ticks..].trim();
    if ticks < 3 || !info.bytes().all(|b| b.is_ascii_alphanumeric() || b"_+-.".contains(&b)) {
        return None;
    }
    let (body, last) = body.rsplit_once('\n').unwrap_or(("", body));
    let closing = last.trim();
    if closing.len() < ticks || !closing.bytes().all(|byte| byte == b'`') {
        return None;
    }
    let before = text[..start].matches('\n').count() + 1;
    Some(Script { text: body, first_line: u32::try_from(before + 1).unwrap_or(u32::MAX) })
}

/// Wraps a script as the body of an async function.
#[must_use]
pub fn wrap_body(script: Script<'_>, nonce: u64) -> Program {
    wrap(script.text, script.first_line, nonce, "", "")
}

/// Wraps a callable so that it is called and awaited. Only for one whose [`proofs`] all compile.
#[must_use]
pub fn wrap_call(script: Script<'_>, callable: Callable<'_>, nonce: u64) -> Program {
    wrap(callable.expression, script.first_line, nonce, "return await (", "\n)();")
}

/// Wraps a script as the body of an async function without a label. Only for one whose [`body_proofs`] all compile.
#[must_use]
pub fn wrap_plain(script: Script<'_>) -> Program {
    const HEAD: &str = "(async function () {";
    Program { text: format!("{HEAD}{}\n}})", script.text), indent: HEAD.len(), first_line: script.first_line }
}

/// Programs that compile, and are never run, exactly when a script is a whole function body.
#[must_use]
pub fn body_proofs(script: Script<'_>) -> [Program; 2] {
    let wrap = |head: &str, tail: &str| Program {
        text: format!("{head}{}{tail}", script.text),
        indent: head.len(),
        first_line: script.first_line,
    };
    [wrap("(class { async m() {", "\n} })"), wrap("({ async m() {", "\n} })")]
}

fn wrap(body: &str, first_line: u32, nonce: u64, before: &str, after: &str) -> Program {
    let head = format!("(async function () {{ {LABEL}{nonce:016x}: {{{before}");
    let text = format!("{head}{body}{after}\nbreak {LABEL}{nonce:016x}; }} }})");
    Program { text, indent: head.len(), first_line }
}

impl Program {
    /// The function's own text, as `Function.prototype.toString` must give it back.
    #[must_use]
    pub fn function_text(&self) -> &str {
        &self.text[1..self.text.len() - 1]
    }

    /// Maps a position the engine reports (line as named, column in bytes) to the user's own source, clamped to it.
    #[must_use]
    pub fn position(&self, script: Script<'_>, line: u64, column: u64) -> Position {
        let first = u64::from(self.first_line);
        let column = if line <= first { column.saturating_sub(self.indent as u64) } else { column };
        let mut lines = script.text.split('\n');
        let index = usize::try_from(line.saturating_sub(first)).unwrap_or(usize::MAX);
        let last = script.text.matches('\n').count();
        if index > last {
            // In the wrapper's tail: the source ended before something it had begun.
            let text = lines.next_back().unwrap_or("");
            return Position { line: first + last as u64, column: text.chars().count() as u64 + 1 };
        }
        let text = lines.nth(index).unwrap_or("");
        let bytes = usize::try_from(column.saturating_sub(1)).unwrap_or(usize::MAX);
        let characters = text[..text.floor_char_boundary(bytes)].chars().count();
        Position { line: first + index as u64, column: characters as u64 + 1 }
    }

    /// Whether a line the engine reports lies beyond the user's source.
    #[must_use]
    pub fn is_beyond(&self, script: Script<'_>, line: u64) -> bool {
        line > u64::from(self.first_line) + script.text.matches('\n').count() as u64
    }
}

/// Recognises the head of a body that may be exactly one (async) arrow or function expression.
#[must_use]
pub fn callable(text: &str) -> Option<Callable<'_>> {
    let mut lexer = Lexer { text, at: 0 };
    lexer.skip_space();
    let mut word = lexer.identifier();
    let is_async = word == Some("async");
    if is_async {
        let after_async = lexer.at;
        lexer.skip_space();
        if lexer.take("=>") {
            // An arrow whose one parameter is called `async`.
            return Some(arrow(text));
        }
        word = lexer.identifier();
        if word.is_none() {
            lexer.at = after_async;
        }
    }
    lexer.skip_space();
    match word {
        Some("function") => {
            let is_generator = lexer.take("*");
            lexer.skip_space();
            lexer.identifier();
            lexer.skip_space();
            let parameters = lexer.at;
            lexer.peek("(").then(|| Callable {
                expression: without_semicolon(text),
                kind: CallableKind::Function { is_async, is_generator, parameters },
            })
        }
        Some(_) => lexer.take("=>").then(|| arrow(text)),
        None => (lexer.parentheses() && {
            lexer.skip_space();
            lexer.take("=>")
        })
        .then(|| arrow(text)),
    }
}

const fn arrow(text: &str) -> Callable<'_> {
    Callable { expression: without_semicolon(text), kind: CallableKind::Arrow }
}

const fn without_semicolon(text: &str) -> &str {
    let trimmed = text.trim_ascii_end();
    match trimmed.as_bytes() {
        [body @ .., b';'] => match std::str::from_utf8(body) {
            Ok(body) => body,
            Err(_) => text,
        },
        _ => text,
    }
}

/// Bodies that compile, each in a wrapper of its own that is never called, exactly when the callable is one expression
/// of its kind and nothing more.
///
/// An arrow must stand both in parentheses, where a comma may follow it, and between `?` and `:`, where none may. A
/// function must stand in parentheses, and as a method both of a class, where methods are not separated by commas, and
/// of an object, where they are.
#[must_use]
pub fn proofs(callable: Callable<'_>) -> Vec<String> {
    let text = callable.expression;
    match callable.kind {
        CallableKind::Arrow => vec![format!("({text}\n)"), format!("(0 ? {text}\n : 0)")],
        CallableKind::Function { is_async, is_generator, parameters } => {
            let head = match (is_async, is_generator) {
                (false, false) => "m",
                (false, true) => "*m",
                (true, false) => "async m",
                (true, true) => "async *m",
            };
            let method = format!("{head}{}", &text[parameters.min(text.len())..]);
            vec![format!("({text}\n)"), format!("(class {{ {method}\n }})"), format!("({{ {method}\n }})")]
        }
    }
}

/// Wraps a proof for compiling only.
#[must_use]
pub fn wrap_proof(proof: &str, nonce: u64) -> Program {
    wrap(proof, 1, nonce, "", "")
}

/// Just enough of a lexer to see a head. It may be fooled; the proofs may not.
struct Lexer<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Lexer<'a> {
    fn rest(&self) -> &'a str {
        self.text.get(self.at..).unwrap_or("")
    }

    fn peek(&self, token: &str) -> bool {
        self.rest().starts_with(token)
    }

    fn take(&mut self, token: &str) -> bool {
        let found = self.peek(token);
        if found {
            self.at += token.len();
        }
        found
    }

    fn skip_space(&mut self) {
        loop {
            let rest = self.rest();
            let trimmed = rest.trim_start_matches(|c: char| c.is_whitespace() || c == '\u{feff}');
            self.at += rest.len() - trimmed.len();
            if trimmed.starts_with("//") {
                self.at += trimmed.find('\n').unwrap_or(trimmed.len());
            } else if let Some(comment) = trimmed.strip_prefix("/*") {
                self.at += comment.find("*/").map_or(trimmed.len(), |end| end + 4);
            } else {
                return;
            }
        }
    }

    fn identifier(&mut self) -> Option<&'a str> {
        let rest = self.rest();
        let end = rest.find(|c: char| !(c.is_alphanumeric() || c == '_' || c == '$')).unwrap_or(rest.len());
        if end == 0 || rest.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        self.at += end;
        Some(&rest[..end])
    }

    /// Skips a balanced list in parentheses, strings and comments in it included.
    fn parentheses(&mut self) -> bool {
        if !self.peek("(") {
            return false;
        }
        let mut depth = 0_usize;
        loop {
            self.skip_space();
            let Some(next) = self.rest().chars().next() else {
                return false;
            };
            self.at += next.len_utf8();
            match next {
                '(' => depth += 1,
                ')' if depth == 1 => return true,
                ')' => depth -= 1,
                '"' | '\'' | '`' => {
                    let mut escaped = false;
                    let Some(end) = self.rest().find(|c: char| {
                        let ends = c == next && !escaped;
                        escaped = c == '\\' && !escaped;
                        ends
                    }) else {
                        return false;
                    };
                    self.at += end + 1;
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(source: &str) -> (&str, u32) {
        let script = read(source.as_bytes()).unwrap_or_else(|e| panic!("{e:?}"));
        (script.text, script.first_line)
    }

    #[test]
    fn one_surrounding_fence_is_stripped_and_nothing_else() {
        assert_eq!(text("```js\nreturn 42\n```"), ("return 42", 2));
        assert_eq!(text("\n\n  ```\na\nb\n```  \n"), ("a\nb", 4));
        assert_eq!(text("````javascript\n```\n````"), ("```", 2));
        assert_eq!(text("```js\r\nx\r\n```\r\n"), ("x\r", 2));
        for kept in
            ["return 1", "```js\nreturn 1", "text\n```js\nx\n```", "```js x\n1\n```", "``\nx\n``", "```", "", "```\n``"]
        {
            assert_eq!(text(kept), (kept, 1), "{kept}");
        }
        assert_eq!(text("```\n```"), ("", 2));
    }

    #[test]
    fn bytes_that_are_no_text_are_named_by_offset() {
        assert_eq!(read(b"ab\0c"), Err(SourceRefusal::Nul { offset: 2 }));
        assert_eq!(read(b"a\xff"), Err(SourceRefusal::NotUtf8 { offset: 1 }));
    }

    #[test]
    fn heads_are_recognised() {
        for good in [
            "() => 1",
            "async () => { return 1 }",
            "x => x",
            "async x => x",
            "async => 1",
            "(a, b = ')', {c} = {}) => a;",
            "// note\n/* more */ async (x) /* y */ => x",
            "function () {}",
            "async function f(a) {}",
            "function* g() {}",
            "async function*(){};\n",
            "\u{feff}() => 1",
        ] {
            assert!(callable(good).is_some(), "{good}");
        }
        for bad in ["", "return 1", "(1 + 2)", "async", "function", "foo()", "(async () => 1)()", "`x` => 1", "(", "('"]
        {
            assert!(callable(bad).is_none(), "{bad}");
        }
    }

    #[test]
    fn positions_are_the_users_own() {
        let script = Script { text: "let a;\n€ = x", first_line: 1 };
        let program = wrap_body(script, 7);
        let at = |line, column| {
            let position = program.position(script, line, column);
            (position.line, position.column)
        };
        assert_eq!(at(1, program.indent as u64 + 1), (1, 1));
        assert_eq!(at(1, program.indent as u64 + 5), (1, 5));
        assert_eq!(at(1, 1), (1, 1));
        assert_eq!(at(2, 4), (2, 2), "three bytes are one character");
        assert_eq!(at(2, 999), (2, 6));
        assert_eq!(at(3, 1), (2, 6), "the wrapper's tail is the end of the source");
        assert!(program.is_beyond(script, 3) && !program.is_beyond(script, 2));
        assert_eq!(&program.text[program.indent..program.indent + script.text.len()], script.text);
        assert!(program.function_text().starts_with("async function") && program.function_text().ends_with('}'));
    }
}
