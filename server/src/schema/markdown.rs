//! The generated tables of `docs/`, and how they are kept between their markers.
//!
//! A document holds `<!-- generated: NAME -->` and `<!-- end generated -->`; what lies between belongs to a
//! generator. The test `docs` regenerates every document and fails on a difference; `WIT_BLESS=1` rewrites instead.

use std::fmt::Write as _;

use wit_worker::registry::codes::{CODES, REASONS};
use wit_worker::registry::limits::LIMITS;
use wit_worker::registry::operations::OPERATIONS;
use wit_worker::registry::{Class, Field, Type};
use wit_worker::sandbox;

/// A generated part of a document: its name in the marker, and its text.
pub type Section = (&'static str, fn() -> String);

/// Every generated part there is.
pub const SECTIONS: &[Section] = &[
    ("limits", limits),
    ("codes", codes),
    ("reasons", reasons),
    ("operations", operations),
    ("operation-details", operation_details),
    ("sandbox-layers", sandbox::layers_markdown),
    ("sandbox-rules", sandbox::rules::markdown),
    #[cfg(target_os = "linux")]
    ("sandbox-limits", sandbox::rlimits::markdown),
];

/// Replaces what lies between markers with what the generators say now.
///
/// # Errors
/// A marker that names no generator, or is not closed.
pub fn regenerate(document: &str) -> Result<String, String> {
    let mut out = String::with_capacity(document.len());
    let mut rest = document;
    while let Some((before, tail)) = rest.split_once(OPEN) {
        let (name, tail) = tail.split_once(" -->").ok_or("a marker is not closed on its line")?;
        let (_, after) = tail.split_once(CLOSE).ok_or_else(|| format!("the section {name} has no end marker"))?;
        let (_, generator) =
            SECTIONS.iter().find(|(known, _)| *known == name).ok_or_else(|| format!("no generator is named {name}"))?;
        let _ = write!(out, "{before}{OPEN}{name} -->\n\n{}\n{CLOSE}", generator());
        rest = after;
    }
    out.push_str(rest);
    Ok(out)
}

const OPEN: &str = "<!-- generated: ";
const CLOSE: &str = "<!-- end generated -->";

fn limits() -> String {
    let mut out = String::from(
        "| limit | resource | unit | default | maximum | enforcer | code | why |\n\
         |---|---|---|---:|---:|---|---|---|\n",
    );
    for row in LIMITS {
        let code = row.code.map_or_else(|| "–".to_owned(), |code| format!("`{code}`"));
        let _ = writeln!(
            out,
            "| `{}` | {} | {} | {} | {} | {} | {code} | {} |",
            row.name,
            row.title,
            row.unit.as_str(),
            row.default,
            row.maximum,
            row.enforcer,
            row.why,
        );
    }
    out
}

fn codes() -> String {
    let mut out = String::from("| code | meaning | whose to fix | catchable | next |\n|---|---|---|---|---|\n");
    for row in CODES {
        let catchable = if row.catchable { "yes" } else { "no" };
        let _ = writeln!(out, "| `{}` | {} | {} | {catchable} | {} |", row.name, row.meaning, row.fault, row.next);
    }
    out
}

fn reasons() -> String {
    let mut out = String::from("| code | reason | meaning |\n|---|---|---|\n");
    for (_, name, code, meaning) in REASONS {
        let _ = writeln!(out, "| `{code}` | `{name}` | {meaning} |");
    }
    out
}

fn operations() -> String {
    let mut out =
        String::from("| tool | method | costs | reaches the network | what it does |\n|---|---|---|---|---|\n");
    for row in OPERATIONS {
        let costs = match row.class {
            Class::Page => "one page",
            Class::Snapshot => "one snapshot",
        };
        let network = if row.open_world { "yes" } else { "no" };
        let _ = writeln!(out, "| `{}` | `{}` | {costs} | {network} | {} |", row.tool, row.method, row.summary);
    }
    out
}

fn operation_details() -> String {
    let mut out = String::new();
    for row in OPERATIONS {
        let _ = writeln!(out, "### {} / `{}`\n\n{}\n", row.tool, row.method, row.summary);
        let _ = writeln!(out, "```js\n{}\n```\n", row.example);
        out.push_str("| argument | type | default | meaning |\n|---|---|---|---|\n");
        for field in row.arguments {
            let default = match (field.required, field.default) {
                (true, _) => "required".to_owned(),
                (false, Some(default)) => format!("`{default}`"),
                (false, None) => "–".to_owned(),
            };
            let _ = writeln!(out, "| `{}` | {} | {default} | {} |", field.name, words(&field.ty), field.doc);
        }
        out.push_str("\n| result | type | meaning |\n|---|---|---|\n");
        result_rows(&mut out, "", row.result);
        out.push('\n');
    }
    out
}

fn result_rows(out: &mut String, prefix: &str, fields: &[Field]) {
    for field in fields {
        let optional = if field.required { "" } else { "?" };
        let _ = writeln!(out, "| `{prefix}{}{optional}` | {} | {} |", field.name, words(&field.ty), field.doc);
        match &field.ty {
            Type::Object(inner) => result_rows(out, &format!("{prefix}{}.", field.name), inner),
            Type::Array { items: Type::Object(inner), .. } => {
                result_rows(out, &format!("{prefix}{}[].", field.name), inner);
            }
            _ => {}
        }
    }
}

/// A type in the words of a table.
fn words(ty: &Type) -> String {
    match ty {
        Type::Boolean => "boolean".into(),
        Type::Number => "number".into(),
        Type::Integer { minimum, maximum } if *maximum > u64::from(u32::MAX) => format!("integer from {minimum}"),
        Type::Integer { minimum, maximum } => format!("integer, {minimum} to {maximum}"),
        Type::String { max_bytes } if *max_bytes > u64::from(u32::MAX) => "string".into(),
        Type::String { max_bytes } => format!("string of at most {max_bytes} bytes"),
        Type::Enum(words) => words.iter().map(|word| format!("`{word}`")).collect::<Vec<_>>().join(" or "),
        Type::Array { items, min_items, max_items } => match items {
            Type::Object(_) => format!("list of {min_items} to {max_items} objects"),
            items => format!("list of {min_items} to {max_items}: {}", words(items)),
        },
        Type::Object(_) => "object".into(),
        Type::Nullable(inner) => format!("{}, or null", words(inner)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_stale_section_is_replaced_and_the_rest_is_kept() {
        let stale = format!("# head\n{OPEN}reasons -->\nold\n{CLOSE}\ntail\n");
        let fresh = regenerate(&stale).unwrap_or_else(|e| panic!("{e}"));
        assert!(fresh.starts_with("# head\n") && fresh.ends_with("\ntail\n") && !fresh.contains("old"));
        assert_eq!(regenerate(&fresh), Ok(fresh.clone()));
    }

    #[test]
    fn a_marker_without_generator_or_end_is_an_error() {
        assert!(regenerate(&format!("{OPEN}nothing -->\n{CLOSE}")).is_err());
        assert!(regenerate(&format!("{OPEN}limits -->\n")).is_err());
    }

    #[test]
    fn no_table_cell_breaks_its_row() {
        for (name, generator) in SECTIONS {
            for line in generator().lines().filter(|line| line.starts_with('|')) {
                assert!(line.ends_with('|'), "{name}: {line}");
            }
        }
    }
}
