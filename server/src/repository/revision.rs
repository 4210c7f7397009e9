//! What a caller may give as `ref`, and what it came to.

use super::name::CommitId;

/// A ref as asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RefRequest {
    /// Nothing: the default branch.
    Default,
    /// A full commit id.
    Commit(CommitId),
    /// A full ref name, `refs/…`.
    Full(String),
    /// A pull request's head.
    Pull(u64),
    /// A branch, a tag, or an abbreviated commit id, tried in this order. (Git itself tries tags first and warns; the
    /// web pages of git servers try branches first, as we do.)
    Name(String),
}

/// Not a ref by any reading.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected a branch, tag, commit id, refs/..., pull/7 or #7")]
pub struct NotARef;

impl RefRequest {
    /// Reads the argument; absent and empty both mean the default branch.
    ///
    /// # Errors
    /// When the text can't name a ref.
    pub fn parse(text: Option<&str>) -> Result<Self, NotARef> {
        let text = text.unwrap_or_default().trim();
        if text.is_empty() || text == "HEAD" {
            return Ok(Self::Default);
        }
        if let Some(commit) = CommitId::from_hex(text) {
            return Ok(Self::Commit(commit));
        }
        let pull = text.strip_prefix('#').or_else(|| {
            let rest = text.strip_prefix("pull/")?;
            Some(rest.strip_suffix("/head").unwrap_or(rest))
        });
        if let Some(number) = pull.filter(|rest| rest.bytes().all(|byte| byte.is_ascii_digit())) {
            return number.parse().map(Self::Pull).map_err(|_| NotARef);
        }
        if !is_ref_name(text) {
            return Err(NotARef);
        }
        Ok(if text.starts_with("refs/") { Self::Full(text.to_owned()) } else { Self::Name(text.to_owned()) })
    }

    /// The full names it may stand for, in the order they are tried.
    #[must_use]
    pub fn candidates(&self) -> Vec<String> {
        match self {
            Self::Default => vec!["HEAD".to_owned()],
            Self::Commit(_) => Vec::new(),
            Self::Full(name) => vec![name.clone()],
            Self::Pull(number) => {
                vec![format!("refs/pull/{number}/head"), format!("refs/merge-requests/{number}/head")]
            }
            Self::Name(name) => {
                vec![format!("refs/heads/{name}"), format!("refs/tags/{name}"), format!("refs/{name}")]
            }
        }
    }

    /// The hexadecimal digits, if it may be an abbreviated commit id.
    #[must_use]
    pub fn abbreviation(&self) -> Option<String> {
        match self {
            Self::Name(name) if (4..40).contains(&name.len()) && name.bytes().all(|byte| byte.is_ascii_hexdigit()) => {
                Some(name.to_ascii_lowercase())
            }
            _ => None,
        }
    }
}

/// Git's rules for ref names (git-check-ref-format), for a name that may lack its `refs/` prefix.
fn is_ref_name(text: &str) -> bool {
    let forbidden = |c: char| c.is_control() || matches!(c, ' ' | '~' | '^' | ':' | '?' | '*' | '[' | '\\');
    text.len() <= 1024
        && !text.contains(forbidden)
        && !text.contains("..")
        && !text.contains("@{")
        && text != "@"
        && !text.ends_with('.')
        && text.split('/').all(|part| !part.is_empty() && !part.starts_with('.') && !part.ends_with(".lock"))
        && !text.starts_with('-')
}

/// What a ref came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resolved {
    /// The full name of the ref; none for a bare commit id.
    pub name: Option<String>,
    /// The commit.
    pub commit: CommitId,
}

/// One ref of a repository.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RefEntry {
    /// The full name.
    pub name: String,
    /// The commit, with annotated tags peeled.
    pub commit: CommitId,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn forms() {
        let id = "0123456789abcdef0123456789abcdef01234567";
        let parse = |text: &str| RefRequest::parse(Some(text));
        assert_eq!(RefRequest::parse(None), Ok(RefRequest::Default));
        assert_eq!(parse(""), Ok(RefRequest::Default));
        assert_eq!(parse(id), Ok(RefRequest::Commit(CommitId::from_hex(id).expect("an id"))));
        assert_eq!(parse("#7"), Ok(RefRequest::Pull(7)));
        assert_eq!(parse("pull/7"), Ok(RefRequest::Pull(7)));
        assert_eq!(parse("pull/7/head"), Ok(RefRequest::Pull(7)));
        assert_eq!(parse("refs/heads/x"), Ok(RefRequest::Full("refs/heads/x".to_owned())));
        assert_eq!(parse("feature/x"), Ok(RefRequest::Name("feature/x".to_owned())));
        assert_eq!(parse("ABCD").map(|request| request.abbreviation()), Ok(Some("abcd".to_owned())));
        assert_eq!(parse("abc").map(|request| request.abbreviation()), Ok(None));
    }

    #[test]
    fn what_is_no_ref() {
        for text in [
            "a..b",
            "../x",
            "a b",
            "a\u{0}",
            "x@{1}",
            "main~1",
            "main^{tree}",
            "a//b",
            "-x",
            ":/fix",
            "a.lock",
            "#",
            "pull/",
        ] {
            assert_eq!(RefRequest::parse(Some(text)), Err(NotARef), "{text:?}");
        }
    }
}
