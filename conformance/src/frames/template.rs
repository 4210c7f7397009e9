//! Templates: the bytes of a send, with the few substitutions an auditor needs to read them.
//!
//! `$NAME` and `$(…)` stand for bytes that are long, not text, or known only when the script runs. Parsing a
//! template never expands it, so the parser's memory is bounded by its input.

use wit_worker::registry::Limits;

use super::words;

/// The most bytes one `$(repeat …)` may stand for.
pub const MAX_REPEAT: usize = 16 * 1024 * 1024;

/// What `$CONSOLE` stands for: a script that printed nothing.
pub const CONSOLE: &str = r#"{"text":"","truncated":false}"#;
/// What `$USAGE` stands for: plausible figures, which the parent must not decide anything by.
pub const USAGE: &str = r#"{"javascript_us":1000,"peak_heap_bytes":100000}"#;
/// What `$CANARY` stands for: shaped like a token, belongs to nobody, and must never come out of the parent.
pub const CANARY: &str = "ghp_C4naryC4naryC4naryC4naryC4naryC4nary";

/// A part of a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Piece {
    /// Bytes as written.
    Literal(Vec<u8>),
    /// The invocation of this run, plus an offset.
    Invocation(u64),
    /// The number of the repetition, from 1, in a `times` line.
    Counter,
    /// One byte, many times.
    Repeat {
        /// The byte.
        byte: u8,
        /// How often.
        count: usize,
    },
    /// One byte, as often as it takes to make the whole this long; the invocation's digits vary.
    Fill {
        /// The byte.
        byte: u8,
        /// Length of the whole send.
        total: usize,
    },
    /// The default limits as an object, each `(name, JSON text)` replacing one field or adding it.
    Limits(Vec<(String, String)>),
    /// A value kept from an earlier frame by `keep`.
    Kept(String),
}

/// The bytes of one send, before substitution.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Template {
    /// The parts, in order.
    pub pieces: Vec<Piece>,
}

/// What templates are filled in with.
#[derive(Debug, Clone, Default)]
pub struct Variables {
    /// The invocation the parent chose, or the one we chose when we play the parent.
    pub invocation: u64,
    /// The number of the repetition.
    pub counter: u64,
    /// Values kept from frames, as JSON text.
    pub kept: Vec<(String, String)>,
}

impl Template {
    /// Bytes without any substitution.
    #[must_use]
    pub fn literal(bytes: impl Into<Vec<u8>>) -> Self {
        Self { pieces: vec![Piece::Literal(bytes.into())] }
    }

    /// Reads text with substitutions.
    ///
    /// # Errors
    /// A sentence about the first substitution that is not one.
    pub fn parse(text: &str) -> Result<Self, String> {
        let mut pieces = Vec::new();
        let mut rest = text;
        while let Some(at) = rest.find('$') {
            literal(&mut pieces, &rest.as_bytes()[..at]);
            let (piece, after) = substitution(&rest[at + 1..])?;
            match piece {
                Piece::Literal(bytes) => literal(&mut pieces, &bytes),
                Piece::Fill { .. } if pieces.iter().any(|piece| matches!(piece, Piece::Fill { .. })) => {
                    return Err("one $(fill …) a send".to_owned());
                }
                piece => pieces.push(piece),
            }
            rest = after;
        }
        literal(&mut pieces, rest.as_bytes());
        Ok(Self { pieces })
    }

    /// The bytes, filled in.
    ///
    /// # Errors
    /// When a kept value is named that no earlier line kept.
    pub fn expand(&self, variables: &Variables) -> Result<Vec<u8>, String> {
        let mut out = Vec::new();
        let mut fill = None;
        for piece in &self.pieces {
            match piece {
                Piece::Fill { byte, total } => fill = Some((out.len(), *byte, *total)),
                Piece::Literal(bytes) => out.extend_from_slice(bytes),
                Piece::Invocation(offset) => {
                    out.extend_from_slice(variables.invocation.wrapping_add(*offset).to_string().as_bytes());
                }
                Piece::Counter => out.extend_from_slice(variables.counter.to_string().as_bytes()),
                Piece::Repeat { byte, count } => out.resize(out.len() + count, *byte),
                Piece::Limits(changes) => out.extend_from_slice(limits(changes).as_bytes()),
                Piece::Kept(name) => {
                    let kept = variables.kept.iter().rev().find(|(key, _)| key == name);
                    out.extend_from_slice(kept.ok_or(format!("nothing was kept as {name}"))?.1.as_bytes());
                }
            }
        }
        if let Some((at, byte, total)) = fill {
            let missing = total.checked_sub(out.len()).ok_or(format!("already longer than {total} bytes"))?;
            out.splice(at..at, std::iter::repeat_n(byte, missing));
        }
        Ok(out)
    }

    /// Whether the template stands for the same few bytes in every run, the invocation aside.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        self.pieces.iter().all(|piece| matches!(piece, Piece::Literal(_) | Piece::Invocation(_)))
    }
}

fn literal(pieces: &mut Vec<Piece>, bytes: &[u8]) {
    if bytes.is_empty() {
        return;
    }
    if let Some(Piece::Literal(last)) = pieces.last_mut() {
        last.extend_from_slice(bytes);
    } else {
        pieces.push(Piece::Literal(bytes.to_vec()));
    }
}

/// Reads what follows a `$`; gives the piece and the text after it.
fn substitution(text: &str) -> Result<(Piece, &str), String> {
    if let Some(after) = text.strip_prefix('$') {
        return Ok((Piece::Literal(b"$".to_vec()), after));
    }
    if let Some(call) = text.strip_prefix('(') {
        let (inside, after) = call.split_once(')').ok_or("$( without )")?;
        return Ok((function(inside.trim())?, after));
    }
    let end = text.find(|c: char| !c.is_ascii_uppercase()).unwrap_or(text.len());
    let (name, after) = text.split_at(end);
    let piece = match name {
        "INVOCATION" => Piece::Invocation(0),
        "N" => Piece::Counter,
        "LIMITS" => Piece::Limits(Vec::new()),
        "CONSOLE" => Piece::Literal(CONSOLE.as_bytes().to_vec()),
        "USAGE" => Piece::Literal(USAGE.as_bytes().to_vec()),
        "CANARY" => Piece::Literal(CANARY.as_bytes().to_vec()),
        _ => return Err(format!("${name} is not a substitution; a dollar sign is written $$")),
    };
    Ok((piece, after))
}

fn function(text: &str) -> Result<Piece, String> {
    let (name, arguments) = text.split_once(' ').unwrap_or((text, ""));
    let arguments = arguments.trim();
    match name {
        "repeat" => repeat(arguments),
        "fill" => match repeat(arguments)? {
            Piece::Repeat { byte, count: total } => Ok(Piece::Fill { byte, total }),
            _ => Err("fill takes a byte in hexadecimal and a length".to_owned()),
        },
        "hex" => words::hex(arguments).map(Piece::Literal),
        "invocation" => {
            let offset = arguments.strip_prefix('+').ok_or("$(invocation +N) adds a number")?;
            Ok(Piece::Invocation(words::number(offset)?))
        }
        "kept" if words::is_name(arguments) => Ok(Piece::Kept(arguments.to_owned())),
        "limits" => {
            let changes = arguments.split_whitespace().map(|change| {
                let (field, value) = change.split_once('=').ok_or("a change of a limit is name=value")?;
                Ok((field.to_owned(), value.to_owned()))
            });
            changes.collect::<Result<_, String>>().map(Piece::Limits)
        }
        _ => Err(format!("$({name} …) is not a substitution")),
    }
}

/// Reads `41 80000`: a byte in hexadecimal and a count.
///
/// # Errors
/// When it is not, or the count is over [`MAX_REPEAT`].
pub fn repeat(text: &str) -> Result<Piece, String> {
    let (byte, count) = text.split_once(' ').ok_or("repeat takes a byte in hexadecimal and a count")?;
    let [byte] = words::hex(byte)?[..] else { return Err("repeat takes one byte".to_owned()) };
    let count = usize::try_from(words::number(count.trim())?).unwrap_or(usize::MAX);
    if count > MAX_REPEAT {
        return Err(format!("repeat is bounded to {MAX_REPEAT}"));
    }
    Ok(Piece::Repeat { byte, count })
}

/// The default limits as JSON text; a change to a known field replaces it, an unknown one is added, and the value
/// `-` leaves the field out.
fn limits(changes: &[(String, String)]) -> String {
    let defaults = Limits::default();
    let mut fields: Vec<(String, String)> =
        defaults.fields().iter().map(|(id, value)| (id.name().to_owned(), value.to_string())).collect();
    for (name, value) in changes {
        match fields.iter_mut().find(|(field, _)| field == name) {
            Some(field) => field.1.clone_from(value),
            None => fields.push((name.clone(), value.clone())),
        }
    }
    fields.retain(|(_, value)| value != "-");
    let fields: Vec<String> = fields.iter().map(|(name, value)| format!("\"{name}\":{value}")).collect();
    format!("{{{}}}", fields.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(text: &str) -> String {
        let variables = Variables { invocation: 40, counter: 3, kept: vec![("S".to_owned(), "\"snap\"".to_owned())] };
        let bytes = Template::parse(text).and_then(|template| template.expand(&variables));
        String::from_utf8_lossy(&bytes.unwrap_or_else(|e| panic!("{e}"))).into_owned()
    }

    #[test]
    fn substitutions_are_filled_in() {
        assert_eq!(expand("a $INVOCATION $(invocation +2) $N $$ $(kept S)"), "a 40 42 3 $ \"snap\"");
        assert_eq!(expand("\"$(repeat 41 5)$(hex 42 43)\""), "\"AAAAABC\"");
        assert_eq!(expand("a$(fill 20 9)$INVOCATION"), "a      40");
        assert_eq!(expand("$CONSOLE"), CONSOLE);
        let changed = expand("$(limits wall_ms=0 heap_bytes=- extra=1)");
        assert!(changed.contains("\"wall_ms\":0") && changed.contains("\"extra\":1"), "{changed}");
        assert!(!changed.contains("heap_bytes"), "{changed}");
        let limits: Limits = serde_json::from_str(&expand("$LIMITS")).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(limits, Limits::default());
    }

    #[test]
    fn what_is_not_a_substitution_is_refused() {
        for bad in [
            "$",
            "$x",
            "$NOPE",
            "$(repeat 41)",
            "$(repeat 4 1)",
            "$(repeat 41 99999999999)",
            "$(hex 4)",
            "$(x",
            "$(fill 20 9)$(fill 20 9)",
        ] {
            assert!(Template::parse(bad).is_err(), "{bad}");
        }
        assert!(Template::parse("abc$(fill 20 2)").is_ok_and(|t| t.expand(&Variables::default()).is_err()));
        assert!(Template::parse("$(kept X)").is_ok_and(|t| t.expand(&Variables::default()).is_err()));
    }
}
