//! What is searched for: the arguments as one search that holds to them.
//!
//! `pattern` and `lang` are parsed to what they can be, and then stand between quotation marks that nothing in them can
//! close: they can't add a qualifier. `query` is GitHub's own language and may hold any; it stands last, and has to close
//! its quotation marks.

use crate::operations::OperationError;
use crate::operations::arguments::{Arguments, refused};
use crate::operations::find::denied;
use crate::operations::find::qualifiers::{Named, named};
use crate::operations::host::Shared;
use crate::repository::{RepoName, wildcard};

/// Longest text between quotation marks; no name of a repository or language is longer.
const TEXT_BYTES: usize = 200;
/// Longest search, in bytes: GitHub takes 256 characters beside qualifiers, and an address has limits of its own.
const SEARCH_BYTES: usize = 2048;
/// With more patterns than this the search isn't narrowed, only its results are.
const NARROWED: usize = 20;

/// A search, and what its results are held to.
pub(super) struct Wish {
    /// In GitHub's language.
    pub(super) search: String,
    /// The argument to name when GitHub refuses the search.
    pub(super) blamed: &'static str,
    /// Part of `owner/name`, in lower case, with `*`; matches anywhere unless it begins with an owner.
    pattern: Option<String>,
}

impl Wish {
    /// Reads the arguments, and decides whether they ask for what the operator allows.
    pub(super) fn of(arguments: &Arguments, shared: &Shared) -> Result<Self, OperationError> {
        let given = |name: &str| arguments.text(name).map(str::trim).filter(|text| !text.is_empty());
        let (pattern, lang, query) = (given("pattern"), given("lang"), given("query"));
        let mut terms = Vec::new();
        let mut owner = None;
        if let Some(pattern) = pattern {
            owner = name_terms(pattern, &mut terms)?;
        }
        if let Some(lang) = lang {
            terms.push(format!("language:{}", quoted("lang", lang)?));
        }
        let query_names = query.map(named).transpose()?.unwrap_or_default();
        allow(shared, owner, &query_names)?;
        if owner.is_none() && query_names.is_empty() {
            terms.extend(narrowed(shared));
        }
        terms.extend(query.map(str::to_owned));
        let search = terms.join(" ");
        if search.is_empty() {
            return Err(refused("give at least one of `pattern`, `lang` and `query`".to_owned()));
        }
        let blamed = if query.is_some() {
            "query"
        } else if pattern.is_some() {
            "pattern"
        } else {
            "lang"
        };
        if search.len() > SEARCH_BYTES {
            return Err(refused(format!("`{blamed}`: the search is longer than {SEARCH_BYTES} bytes")));
        }
        let anchor = if owner.is_some() { "" } else { "*" };
        let pattern = pattern.map(|pattern| format!("{anchor}{}*", pattern.to_ascii_lowercase()));
        Ok(Self { search, blamed, pattern })
    }

    /// Whether a result has the pattern: GitHub compares words, where the argument says part of a name.
    pub(super) fn wants(&self, repo: &RepoName) -> bool {
        self.pattern.as_ref().is_none_or(|pattern| wildcard(pattern.as_bytes(), repo.folded().as_bytes()))
    }
}

/// The terms of `pattern`, and the owner where it has a whole one.
fn name_terms<'a>(pattern: &'a str, terms: &mut Vec<String>) -> Result<Option<&'a str>, OperationError> {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'*');
    let (owner, name) = pattern.split_once('/').map_or((None, pattern), |(owner, name)| (Some(owner), name));
    let valid = |part: &str| part.len() <= TEXT_BYTES && part.bytes().all(plain);
    if !valid(name) || !owner.is_none_or(valid) {
        let words = "`pattern` must be part of owner/name: letters, digits, - _ . and at most one /; * stands for any characters";
        return Err(refused(words.to_owned()));
    }
    let whole = owner.filter(|owner| !owner.is_empty() && !owner.contains('*'));
    if let Some(owner) = whole {
        terms.push(format!("user:\"{owner}\""));
    }
    let words: Vec<&str> =
        name.split('*').filter(|word| word.bytes().any(|byte| byte.is_ascii_alphanumeric())).collect();
    if !words.is_empty() {
        terms.extend(words.iter().map(|word| format!("\"{word}\"")));
        terms.push("in:name".to_owned());
    }
    Ok(whole)
}

/// A text between quotation marks.
fn quoted(argument: &str, text: &str) -> Result<String, OperationError> {
    if text.len() > TEXT_BYTES || text.chars().any(|c| c.is_control() || matches!(c, '"' | '\\')) {
        return Err(refused(format!(
            "`{argument}` must be at most {TEXT_BYTES} bytes without quotation marks, backslashes and control characters"
        )));
    }
    Ok(format!("\"{text}\""))
}

/// Refuses what names an owner or a repository that no pattern of the operator's covers.
fn allow(shared: &Shared, owner: Option<&str>, query_names: &[Named]) -> Result<(), OperationError> {
    let patterns = &shared.options.allow;
    if patterns.is_empty() {
        return Ok(());
    }
    let covers = |owner: &str| patterns.iter().any(|pattern| pattern.covers_owner(owner));
    let allowed = |name: &Named| match name {
        Named::Owner(owner) => covers(owner),
        Named::Repository(repo) => patterns.iter().any(|pattern| pattern.allows(repo)),
    };
    if owner.is_none_or(covers) && query_names.iter().all(allowed) { Ok(()) } else { Err(denied()) }
}

/// The operator's list in GitHub's language, where it can be said in it.
fn narrowed(shared: &Shared) -> Vec<String> {
    let patterns = &shared.options.allow;
    if patterns.len() > NARROWED || patterns.iter().any(|pattern| pattern.owner().contains('*')) {
        return Vec::new();
    }
    let mut terms: Vec<String> = { patterns.iter() }
        .map(|pattern| match pattern.name() {
            name if name.contains('*') => format!("user:{}", pattern.owner()),
            name => format!("repo:{}/{name}", pattern.owner()),
        })
        .collect();
    terms.sort();
    terms.dedup();
    terms
}
