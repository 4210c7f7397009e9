//! Where in a value something is wrong: `$.a[1].b`.

use std::fmt::Write as _;

use super::text;

/// Longest path written out in a message, in bytes.
const MAX_PATH_BYTES: usize = 200;
/// Longest name written out in a path, in bytes.
const MAX_NAME_BYTES: usize = 64;

/// Where a value stands in its parent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Key {
    /// The value itself.
    Root,
    /// An element of an array.
    Index(u64),
    /// A property of an object.
    Name(String),
}

/// Writes a path, outermost key first; a long one is cut.
pub(super) fn path(segments: &[Key]) -> String {
    let mut path = "$".to_owned();
    for segment in segments {
        let _ = match segment {
            Key::Root => Ok(()),
            Key::Index(index) => write!(path, "[{index}]"),
            Key::Name(name) if is_identifier(name) => write!(path, ".{name}"),
            Key::Name(name) => write!(path, "[{}]", serde_json::Value::from(text::cut(name, MAX_NAME_BYTES))),
        };
        if path.len() > MAX_PATH_BYTES {
            path = format!("{}…", text::cut(&path, MAX_PATH_BYTES));
            break;
        }
    }
    path
}

fn is_identifier(name: &str) -> bool {
    let ok = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '$';
    !name.is_empty()
        && name.len() <= MAX_NAME_BYTES
        && name.chars().all(ok)
        && name.starts_with(|c: char| !c.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_written_as_javascript_would_and_stay_short() {
        let name = |name: &str| Key::Name(name.to_owned());
        assert_eq!(path(&[]), "$");
        assert_eq!(path(&[Key::Root, name("a"), Key::Index(1), name("b_$2")]), "$.a[1].b_$2");
        assert_eq!(path(&[name("x y"), name(""), name("1a"), name("\"")]), r#"$["x y"][""]["1a"]["\""]"#);
        let long = path(&vec![name(&"k".repeat(500)); 50]);
        assert!(long.len() < 210 && long.ends_with('…'), "{long}");
    }
}
