//! A body that is exactly one arrow or function expression: seen by a tiny lexer, proved by the engine.
//!
//! The lexer only looks at the head and may be fooled; what is called has compiled in every one of its [`proofs`].

/// A body that looks like one callable expression; [`proofs`] tells whether it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Callable<'a> {
    /// The expression, without a trailing semicolon.
    pub expression: &'a str,
    /// The same without the one pair of parentheses it may stand in.
    bare: &'a str,
    kind: CallableKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum CallableKind {
    Arrow,
    Function {
        is_async: bool,
        is_generator: bool,
        /// Where the parameter list begins in the bare expression.
        parameters: usize,
    },
}

/// Recognises the head of a body that may be exactly one (async) arrow or function expression, which may stand in one
/// pair of parentheses.
#[must_use]
pub fn callable(text: &str) -> Option<Callable<'_>> {
    let expression = without_semicolon(text);
    if let Some(kind) = head(expression) {
        return Some(Callable { expression, bare: expression, kind });
    }
    let mut lexer = Lexer { text: expression, at: 0 };
    lexer.skip_space();
    let bare = lexer.rest().trim_ascii_end().strip_prefix('(')?.strip_suffix(')')?;
    Some(Callable { expression, bare, kind: head(bare)? })
}

/// The kind of callable a text begins like.
fn head(text: &str) -> Option<CallableKind> {
    let mut lexer = Lexer { text, at: 0 };
    lexer.skip_space();
    let mut word = lexer.identifier();
    let is_async = word == Some("async");
    if is_async {
        let after_async = lexer.at;
        lexer.skip_space();
        if lexer.take("=>") {
            // An arrow whose one parameter is called `async`.
            return Some(CallableKind::Arrow);
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
            lexer.peek("(").then_some(CallableKind::Function { is_async, is_generator, parameters })
        }
        Some(_) => lexer.take("=>").then_some(CallableKind::Arrow),
        None => (lexer.parentheses() && {
            lexer.skip_space();
            lexer.take("=>")
        })
        .then_some(CallableKind::Arrow),
    }
}

fn without_semicolon(text: &str) -> &str {
    text.trim_ascii_end().strip_suffix(';').unwrap_or(text)
}

/// Bodies that compile, each in a wrapper of its own that is never called, exactly when the callable is one expression
/// of its kind and nothing more.
///
/// An arrow must stand both in parentheses, where a comma may follow it, and between `?` and `:`, where none may. A
/// function must stand in parentheses, and as a method both of a class, where methods are not separated by commas, and
/// of an object, where they are.
#[must_use]
pub fn proofs(callable: Callable<'_>) -> Vec<String> {
    let text = callable.bare;
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
            "(async () => { return 1 })",
            "( function f() {} );",
        ] {
            assert!(callable(good).is_some(), "{good}");
        }
        for bad in ["", "return 1", "(1 + 2)", "async", "function", "foo()", "((a) => 1) || 2", "`x` => 1", "(", "('"] {
            assert!(callable(bad).is_none(), "{bad}");
        }
    }
}
