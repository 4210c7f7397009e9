//! The owners and repositories that a query in GitHub's language names.
//!
//! Only what is needed to decide before any network use: `user:`, `org:`, `owner:` and `repo:`. What is excluded
//! (`-user:x`, `NOT user:x`) asks for nothing of it. This is no guarantee, and needs not be one: every result is held
//! against the operator's list.

use crate::operations::OperationError;
use crate::operations::arguments::refused;
use crate::repository::RepoName;

/// Something a query asks for by name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Named {
    /// Everything of an owner.
    Owner(String),
    /// One repository.
    Repository(RepoName),
}

/// What a query names.
///
/// # Errors
/// `invalid_arguments` for a query that has a control character or doesn't close its quotation marks.
pub(super) fn named(query: &str) -> Result<Vec<Named>, OperationError> {
    if query.chars().any(char::is_control) {
        return Err(refused("`query` must not have control characters".to_owned()));
    }
    if !query.matches('"').count().is_multiple_of(2) {
        return Err(refused("`query` has a quotation mark that is not closed".to_owned()));
    }
    let mut names = Vec::new();
    let mut excluded = false;
    for word in words(query) {
        let word = word.replace('"', "");
        let negative = excluded || word.starts_with('-');
        excluded = word == "NOT";
        if negative {
            continue;
        }
        let word = word.trim_start_matches(['(', '+']).trim_end_matches(')');
        let Some((qualifier, value)) = word.split_once(':') else { continue };
        match qualifier.to_ascii_lowercase().as_str() {
            "user" | "org" | "owner" => names.push(Named::Owner(value.to_owned())),
            // What is no name of a repository can only be what GitHub makes of it; as an owner it is covered by `*` alone.
            "repo" => names.push(value.parse().map_or_else(|_| Named::Owner(value.to_owned()), Named::Repository)),
            _ => {}
        }
    }
    Ok(names)
}

/// The words of a query; white space between quotation marks is part of one.
fn words(query: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    query
        .split(move |c: char| {
            inside ^= c == '"';
            c.is_whitespace() && !inside
        })
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(query: &str) -> Vec<String> {
        let shown = |name: Named| match name {
            Named::Owner(owner) => owner,
            Named::Repository(repo) => repo.to_string(),
        };
        named(query).expect("a query").into_iter().map(shown).collect()
    }

    #[test]
    fn names_are_found_however_they_stand() {
        assert_eq!(found("mcp language:rust stars:>5"), [""; 0]);
        assert_eq!(found("user:acme org:b USER:c owner:d"), ["acme", "b", "c", "d"]);
        assert_eq!(found("x repo:a/b \"repo:c/d\" repo:\"e/f\""), ["a/b", "c/d", "e/f"]);
        assert_eq!(found("-user:a NOT user:b user:c"), ["c"]);
        assert_eq!(found("(user:a OR repo:b/c)"), ["a", "b/c"]);
        assert_eq!(found("repo:nonsense user:@me"), ["nonsense", "@me"]);
        assert_eq!(found("\"a user:b\""), [""; 0]);
    }

    #[test]
    fn what_could_swallow_a_term_is_refused() {
        for query in ["\"open", "a\"b\"c\"", "a\nb", "\u{0}"] {
            let error = named(query).expect_err(query);
            assert!(error.message.starts_with("`query`"), "{}", error.message);
        }
    }
}
