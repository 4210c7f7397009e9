//! GitHub's rate limits: read from an answer's status and headers, and kept to without asking again.
//!
//! A client that goes on asking while it is limited may be banned, so until the time GitHub named a further request is
//! answered here. GitHub says how long in one of three ways: `retry-after` in seconds; `x-ratelimit-reset` as a time, when
//! `x-ratelimit-remaining` is 0; or not at all, which by its documentation means a minute.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use http::header::DATE;
use http::{HeaderMap, HeaderValue, StatusCode};

use super::error::GithubError;

/// The wait that GitHub's documentation asks for when an answer names none.
const UNNAMED: u64 = 60;
/// The longest window of any of GitHub's limits. A longer wait is not believed.
const LONGEST: u64 = 3600;

/// What a kind of request is counted under.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Resource {
    /// Searches: 30 a minute, 10 without credentials.
    Search,
    /// Everything else.
    Core,
}

/// Until when each resource is used up.
#[derive(Debug, Default)]
pub(super) struct Limits {
    until: Mutex<HashMap<Resource, Instant>>,
}

impl Limits {
    /// Whether the server may be asked.
    pub(super) fn check(&self, resource: Resource) -> Result<(), GithubError> {
        let until = self.until.lock().unwrap_or_else(PoisonError::into_inner).get(&resource).copied();
        let left = until.and_then(|until| until.checked_duration_since(Instant::now())).unwrap_or_default();
        if left.is_zero() {
            return Ok(());
        }
        // Rounded up: a wait that ends too early is refused again.
        Err(GithubError::RateLimited { retry_after_s: Some(left.as_secs() + 1) })
    }

    /// Remembers what an answer said.
    pub(super) fn learn(&self, resource: Resource, error: &GithubError) {
        if let GithubError::RateLimited { retry_after_s: Some(seconds) } = error {
            let until = Instant::now() + Duration::from_secs(*seconds);
            self.until.lock().unwrap_or_else(PoisonError::into_inner).insert(resource, until);
        }
    }
}

/// The server's time as an answer has it, in seconds since 1970; ours if it says none.
pub(crate) fn server_time(headers: &HeaderMap) -> u64 {
    let told = headers.get(DATE).and_then(date);
    told.unwrap_or_else(|| SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs()))
}

/// A `Date` header in seconds since 1970.
pub(super) fn date(value: &HeaderValue) -> Option<u64> {
    let time = chrono::DateTime::parse_from_rfc2822(value.to_str().ok()?).ok()?;
    u64::try_from(time.timestamp()).ok()
}

/// The wait an answer asks for, if it says that a limit is reached. `now` is the server's own time where it told it;
/// `documented` says that the answer refers to GitHub's page about rate limits.
pub(crate) fn wait(status: StatusCode, headers: &HeaderMap, now: u64, documented: bool) -> Option<u64> {
    let number = |name: &str| headers.get(name)?.to_str().ok()?.trim().parse::<u64>().ok();
    let retry_after = number("retry-after");
    let used_up = number("x-ratelimit-remaining") == Some(0);
    let limited = match status {
        StatusCode::TOO_MANY_REQUESTS => true,
        StatusCode::FORBIDDEN => retry_after.is_some() || used_up || documented,
        _ => false,
    };
    let reset = || number("x-ratelimit-reset").filter(|_| used_up).map(|reset| reset.saturating_sub(now));
    limited.then(|| retry_after.or_else(reset).unwrap_or(UNNAMED).clamp(1, LONGEST))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
        pairs.iter().map(|(name, value)| (http::HeaderName::from_static(name), value.parse().expect("text"))).collect()
    }

    #[test]
    fn each_way_to_say_it_is_understood() {
        let at = |status: u16, pairs: &[(&'static str, &str)], documented| {
            wait(StatusCode::from_u16(status).expect("a status"), &headers(pairs), 1000, documented)
        };
        assert_eq!(at(429, &[("retry-after", "7")], false), Some(7));
        assert_eq!(at(403, &[("retry-after", "7")], false), Some(7));
        assert_eq!(at(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "1042")], false), Some(42));
        assert_eq!(at(403, &[("x-ratelimit-remaining", "0"), ("x-ratelimit-reset", "900")], false), Some(1));
        assert_eq!(at(429, &[("x-ratelimit-remaining", "5"), ("x-ratelimit-reset", "1042")], false), Some(60));
        assert_eq!(at(403, &[], true), Some(60));
        assert_eq!(at(429, &[("retry-after", "99999999999999999999")], false), Some(60));
        assert_eq!(at(429, &[("retry-after", "999999")], false), Some(3600));
        assert_eq!(at(403, &[("x-ratelimit-remaining", "12")], false), None);
        assert_eq!(at(401, &[("retry-after", "7")], false), None);
    }

    #[test]
    fn a_limit_is_kept_to() {
        let limits = Limits::default();
        limits.learn(Resource::Search, &GithubError::RateLimited { retry_after_s: Some(30) });
        let refused = limits.check(Resource::Search);
        assert!(matches!(refused, Err(GithubError::RateLimited { retry_after_s: Some(1..=30) })), "{refused:?}");
        assert_eq!(limits.check(Resource::Core), Ok(()));
    }
}
