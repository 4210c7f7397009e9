//! The source front end: what a model wrote, to a program the engine compiles as the body of an async function.
//!
//! A script is compiled as the text between the braces of one async function, once that text is proved to be a whole
//! function body; nothing runs before. The proof is that it also compiles inside a labelled block whose label holds a
//! nonce drawn after the source arrived, and which ends in a `break` to that label:
//!
//! ```text
//! (async function () { L_<nonce>: {
//! SOURCE
//! break L_<nonce>; } })
//! ```
//!
//! Text that closes the function early leaves that `break` outside the block it names, which is a syntax error. A
//! block is stricter than a body in one thing: it allows no function to be declared twice. Text that fails in the block
//! gets a second chance by another proof: it must compile as a method of a class *and* of an object. What closes the
//! body early would have to go on with something that may follow a method in both, which is only the `}` that ends
//! either, and that cannot follow a function expression.
//!
//! Forgiven are one surrounding Markdown fence and a body that is exactly one arrow or function expression; that it is
//! *exactly* one is proved by compiling, not by reading. Everything here is a pure function of the source, for fuzzing.

mod callable;

pub use callable::{Callable, callable, proofs};

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

/// A program for the engine, and how positions in it map to the user's source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The text to compile.
    pub text: String,
    /// What the engine is to call the program's first line; never 0, which it takes for 1.
    pub line: i32,
    /// The line of the user's own source at which their text begins.
    pub first_line: u32,
    /// Whether it ends in a `break` to a label that only a whole body leaves in sight.
    pub labelled: bool,
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

/// Wraps a script as the body of an async function. Only for one that is proved: it must compile, and so must either
/// [`wrap_labelled`] or both of [`method_proofs`].
#[must_use]
pub fn wrap_body(script: Script<'_>) -> Program {
    between("(async function () {", script, "\n})", false)
}

/// The proof of a whole body by the label.
#[must_use]
pub fn wrap_labelled(script: Script<'_>, nonce: u64) -> Program {
    let label = label(nonce);
    between(&format!("(async function () {{ {label}: {{"), script, &format!("\nbreak {label}; }} }})"), true)
}

/// The proof of a whole body by two kinds of method.
#[must_use]
pub fn method_proofs(script: Script<'_>) -> [Program; 2] {
    [between("(class { async m() {", script, "\n} })", false), between("({ async m() {", script, "\n} })", false)]
}

/// Puts a script's text on lines of its own, so that the engine's lines and columns are the user's.
fn between(head: &str, script: Script<'_>, tail: &str, labelled: bool) -> Program {
    let first_line = i32::try_from(script.first_line).unwrap_or(i32::MAX);
    // The engine cannot call a line 0; one more line above the text makes it -1.
    let (newlines, line) = if first_line == 1 { ("\n\n", -1) } else { ("\n", first_line - 1) };
    Program { text: format!("{head}{newlines}{}{tail}", script.text), line, first_line: script.first_line, labelled }
}

fn label(nonce: u64) -> String {
    format!("{LABEL}{nonce:016x}")
}

/// Wraps a callable so that it is called and awaited. Only for one whose [`proofs`] all compile.
#[must_use]
pub fn wrap_call(script: Script<'_>, callable: Callable<'_>, nonce: u64) -> Program {
    let label = label(nonce);
    let head = format!("(async function () {{ {label}: {{ return await (");
    let script = Script { text: callable.expression, ..script };
    between(&head, script, &format!("\n)();\nbreak {label}; }} }})"), true)
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

/// Wraps a proof for compiling only.
#[must_use]
pub fn wrap_proof(proof: &str, nonce: u64) -> Program {
    wrap_labelled(Script { text: proof, first_line: 1 }, nonce)
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
    fn positions_are_the_users_own() {
        let script = Script { text: "let a;\n€ = x", first_line: 1 };
        let program = wrap_body(script);
        let at = |line, column| {
            let position = program.position(script, line, column);
            (position.line, position.column)
        };
        assert_eq!(at(1, 1), (1, 1));
        assert_eq!(at(1, 5), (1, 5));
        assert_eq!(at(2, 4), (2, 2), "three bytes are one character");
        assert_eq!(at(2, 999), (2, 6));
        assert_eq!(at(3, 1), (2, 6), "the wrapper's tail is the end of the source");
        assert!(program.is_beyond(script, 3) && !program.is_beyond(script, 2));
        for (first_line, line, lines_above) in [(1, -1, 2), (2, 1, 1), (3, 2, 1)] {
            let program = wrap_body(Script { text: "x", first_line });
            let above = program.text.lines().position(|text| text == "x");
            assert_eq!((program.line, above), (line, Some(lines_above)), "line {first_line}");
        }
        assert!(program.function_text().starts_with("async function") && program.function_text().ends_with('}'));
    }
}
