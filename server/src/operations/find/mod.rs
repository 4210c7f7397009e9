//! `findRepositories`: GitHub's search for repositories, held to what the operator allows.
//!
//! [`wish`] turns the arguments into one search that they cannot break out of, and decides before any network use whether
//! it asks for something outside `--allow`. The same list narrows the search where GitHub can be told so, and in any case
//! every result is held against it once more: nothing outside is ever returned, whatever GitHub sends.
//!
//! GitHub gives only the first thousand results of a search, in hundreds; a page that ends there says so. A walk's position
//! is the number of results looked at.

mod qualifiers;
mod wish;

use std::sync::Arc;

use serde::Serialize;
use serde_json::value::RawValue;
use wit_worker::registry::{Code, OperationId};

use super::arguments::{Arguments, refused};
use super::cursor::{Position, Walk};
use super::host::Shared;
use super::page::{Frame, Item};
use super::{OperationContext, OperationError};
use crate::github::{FIRST_RESULTS, Found, GithubError, PAGE_RESULTS};
use crate::repository::RepoName;
use wish::Wish;

const NOTE_FIRST: &str = "only the first 1000 results can be had; narrow the search";
const NOTE_INCOMPLETE: &str = "the search ran out of time; results may be missing";

#[derive(Serialize)]
struct Listed<'a> {
    full_name: &'a str,
    name: &'a str,
    description: Option<&'a str>,
    language: Option<&'a str>,
    stars: u64,
    html_url: String,
}

pub(super) async fn find(
    shared: Arc<Shared>,
    arguments: &Arguments,
    context: OperationContext,
) -> Result<Box<RawValue>, OperationError> {
    let wish = Wish::of(arguments, &shared)?;
    let subject = shared.github.server().as_str().to_owned();
    let walk = Walk {
        key: shared.store.key(),
        operation: OperationId::FindRepositories,
        subject: &subject,
        fingerprint: arguments.fingerprint(),
    };
    let begin = match arguments.text("cursor") {
        Some(cursor) => usize::try_from(walk.accept(cursor)?.0).unwrap_or(usize::MAX),
        None => 0,
    };
    let most = arguments.count("max_items").unwrap_or(30);
    let max_bytes = arguments.number("max_bytes").unwrap_or(65_536);
    let frame = Frame { head: String::new(), name: "items", max_bytes, walk: &walk };
    let mut items: Vec<Item> = Vec::new();
    let mut bytes = 0;
    let mut note = None;
    let mut at = begin;
    // One more than fits, so that the page knows whether there is another.
    while at < FIRST_RESULTS && items.len() <= most && bytes <= frame.room() {
        let page = shared.github.search_repositories(&wish.search, at / PAGE_RESULTS, &context).await;
        let page = page.map_err(|error| wish.explain(error))?;
        for found in page.items.iter().skip(at % PAGE_RESULTS) {
            at += 1;
            if let Some(json) = shown(found, &wish, &shared) {
                bytes += json.len() + 1;
                items.push(Item { json, after: Position(at as u64, 0) });
            }
        }
        let beyond = page.total_count > FIRST_RESULTS as u64;
        note = if page.incomplete_results { Some(NOTE_INCOMPLETE) } else { beyond.then_some(NOTE_FIRST) };
        if page.items.len() < PAGE_RESULTS {
            break;
        }
    }
    frame.fill_and_note(items.into_iter().map(Ok), most, note)
}

/// A result, if it is one that was asked for and may be shown.
fn shown(found: &Found, wish: &Wish, shared: &Shared) -> Option<String> {
    let repo: RepoName = found.full_name.parse().ok()?;
    if shared.allow(&repo).is_err() || !wish.wants(&repo) {
        return None;
    }
    let listed = Listed {
        full_name: repo.as_str(),
        name: repo.name(),
        description: found.description.as_deref(),
        language: found.language.as_deref(),
        stars: found.stargazers_count,
        // Where the server's pages are is the operator's word, not the answer's.
        html_url: format!("{}/{repo}", shared.github.server()),
    };
    serde_json::to_string(&listed).ok()
}

impl Wish {
    /// A failure of the search in the words of the arguments.
    fn explain(&self, error: GithubError) -> OperationError {
        match error {
            GithubError::Refused => refused(format!(
                "`{}`: the server does not accept the search; a qualifier, or an owner or repository that it names, may not \
                 exist or not be shown to these credentials",
                self.blamed
            )),
            error => error.into(),
        }
    }
}

/// The refusal of a search that names something outside the operator's list.
fn denied() -> OperationError {
    OperationError::new(
        Code::RepositoryDenied,
        "the search names an owner or a repository outside what the operator allows",
    )
}
