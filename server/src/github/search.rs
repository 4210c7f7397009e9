//! The search for repositories: one page of GitHub's answer, read as narrowly as it is used.
//!
//! A walk asks for the same page of a hundred results several times when its own pages are smaller, and GitHub counts
//! searches by the minute; so pages are kept for a short while. That also keeps a walk even when ranks shift meanwhile.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::error::GithubError;
use super::limits::Resource;
use super::rest::Github;
use crate::operations::OperationContext;

/// Results of one request: the most GitHub gives.
pub(crate) const PAGE_RESULTS: usize = 100;
/// GitHub gives only the first thousand results of any search.
pub(crate) const FIRST_RESULTS: usize = 1000;
/// How long a page is kept.
const KEPT: Duration = Duration::from_secs(120);
/// How many pages are kept; each is some 200 KB at most.
const PAGES: usize = 32;
/// Longest description that is kept, in bytes; GitHub's own limit is 350 characters.
const DESCRIPTION_BYTES: usize = 1400;
/// Longest name of a repository that is kept, in bytes, beyond any that GitHub gives. A longer one is none when cut.
const NAME_BYTES: usize = 256;
/// Longest name of a language that is kept, in bytes.
const LANGUAGE_BYTES: usize = 128;

/// A page of results.
#[derive(Debug, Deserialize)]
pub(crate) struct Results {
    /// How many repositories there are, counted by GitHub.
    pub(crate) total_count: u64,
    /// Whether GitHub gave up before it had looked everywhere.
    #[serde(default)]
    pub(crate) incomplete_results: bool,
    /// In GitHub's order.
    pub(crate) items: Vec<Found>,
}

/// A repository as GitHub describes it.
#[derive(Debug, Deserialize)]
pub(crate) struct Found {
    /// `owner/name`, not yet checked.
    pub(crate) full_name: String,
    pub(crate) description: Option<String>,
    pub(crate) language: Option<String>,
    #[serde(default)]
    pub(crate) stargazers_count: u64,
}

#[derive(Serialize)]
struct Parameters<'a> {
    q: &'a str,
    per_page: usize,
    page: usize,
}

impl Github {
    /// A page of a search, counted from 0.
    ///
    /// # Errors
    /// [`GithubError::Refused`] when GitHub doesn't understand the search; otherwise as any request.
    pub(crate) async fn search_repositories(
        &self,
        query: &str,
        page: usize,
        context: &OperationContext,
    ) -> Result<Arc<Results>, GithubError> {
        if let Some(kept) = self.cache.find(query, page) {
            return Ok(kept);
        }
        let parameters = Parameters { q: query, per_page: PAGE_RESULTS, page: page + 1 };
        let mut results: Results = self.get(Resource::Search, "/search/repositories", &parameters, context).await?;
        results.items.truncate(PAGE_RESULTS);
        for found in &mut results.items {
            found.full_name = cut(std::mem::take(&mut found.full_name), NAME_BYTES);
            found.description = found.description.take().map(|text| cut(text, DESCRIPTION_BYTES));
            found.language = found.language.take().map(|text| cut(text, LANGUAGE_BYTES));
        }
        let results = Arc::new(results);
        self.cache.keep(query, page, &results);
        Ok(results)
    }
}

/// At most so many bytes of a text, cut between characters.
fn cut(mut text: String, most: usize) -> String {
    if text.len() > most {
        let end = (0..=most).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        text.truncate(end);
        text.push('…');
    }
    text
}

/// Pages of searches asked for lately, in the order they came.
#[derive(Default)]
pub(super) struct Cache(Mutex<VecDeque<Kept>>);

struct Kept {
    query: String,
    page: usize,
    since: Instant,
    results: Arc<Results>,
}

impl Cache {
    fn find(&self, query: &str, page: usize) -> Option<Arc<Results>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|kept| kept.since.elapsed() < KEPT);
        kept.iter().find(|kept| kept.query == query && kept.page == page).map(|kept| Arc::clone(&kept.results))
    }

    fn keep(&self, query: &str, page: usize, results: &Arc<Results>) {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= PAGES {
            kept.pop_front();
        }
        kept.push_back(Kept { query: query.to_owned(), page, since: Instant::now(), results: Arc::clone(results) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_cut_between_characters() {
        assert_eq!(cut("äöü".to_owned(), 3), "ä…");
        assert_eq!(cut("äöü".to_owned(), 6), "äöü");
    }

    #[test]
    fn pages_are_kept_and_forgotten_in_order() {
        let cache = Cache::default();
        let results = Arc::new(Results { total_count: 0, incomplete_results: false, items: Vec::new() });
        (0..=PAGES).for_each(|page| cache.keep("q", page, &results));
        assert!(cache.find("q", 0).is_none());
        assert!(cache.find("q", 1).is_some() && cache.find("q", PAGES).is_some());
        assert!(cache.find("other", 1).is_none());
    }
}
