//! `open`: pins one commit of a repository and says where it came from.
//!
//! `cache.state` is `fresh` when this call made the snapshot, `cached` when it was there and the ref was looked up just
//! now (or a full commit id left nothing to look up), `stale` when an earlier look-up was relied on. A local repository
//! is always looked up: that costs nothing.

use std::sync::Arc;
use std::time::SystemTime;

use serde::Serialize;
use serde_json::value::RawValue;
use wit_worker::registry::Code;

use super::arguments::{Arguments, refused};
use super::host::{Shared, blocking, ended};
use super::{OperationContext, OperationError, Surface};
use crate::repository::{LocalRepository, RefRequest, RepoName, RepositoryError, Resolved};
use crate::snapshot::{Snapshot, SnapshotId};

#[derive(Serialize)]
struct Opened {
    snapshot_id: String,
    repo: String,
    requested_ref: Option<String>,
    resolved_ref: Option<String>,
    commit_sha: String,
    cache: Cache,
    totals: Totals,
    capabilities: &'static [&'static str],
}

#[derive(Serialize)]
struct Cache {
    state: State,
    last_checked_at: Option<String>,
    last_updated_at: Option<String>,
    last_error: Option<&'static str>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum State {
    Fresh,
    Cached,
}

#[derive(Serialize)]
struct Totals {
    files: u64,
    bytes: u64,
}

/// What every snapshot supports.
const CAPABILITIES: &[&str] = &["list", "searchCode", "read"];

pub(super) async fn open(
    shared: Arc<Shared>,
    arguments: &Arguments,
    _surface: Surface,
    context: OperationContext,
) -> Result<Box<RawValue>, OperationError> {
    let repo = shared.repository(arguments.text_or_empty("repo"))?;
    let requested = arguments.text("ref").map(str::to_owned);
    let request = RefRequest::parse(requested.as_deref()).map_err(|error| refused(format!("`ref`: {error}")))?;
    shared.allow(&repo)?;
    let flight = shared.flight(&format!("{} {request:?}", repo.folded()));
    let _turn = tokio::select! {
        turn = flight.lock() => turn,
        error = ended(&context) => return Err(error),
    };
    let work = move |context: &OperationContext| {
        let (snapshot, resolved, state) = pin_local(&shared, &repo, &request, context)?;
        let now = timestamp(SystemTime::now());
        let opened = Opened {
            snapshot_id: snapshot.id().to_string(),
            repo: snapshot.repo().to_string(),
            requested_ref: requested,
            resolved_ref: resolved.name,
            commit_sha: snapshot.commit().to_string(),
            cache: Cache { state, last_checked_at: now.clone(), last_updated_at: now, last_error: None },
            totals: Totals { files: snapshot.total_files(), bytes: snapshot.total_bytes() },
            capabilities: CAPABILITIES,
        };
        serde_json::value::to_raw_value(&opened)
            .map_err(|_| OperationError::new(Code::OperationFailed, "the result has no JSON form"))
    };
    blocking(context, work).await
}

fn pin_local(
    shared: &Shared,
    repo: &RepoName,
    request: &RefRequest,
    context: &OperationContext,
) -> Result<(Arc<Snapshot>, Resolved, State), RepositoryError> {
    let Some(mapping) = shared.local(repo) else { return Err(RepositoryError::Unavailable) };
    let local = LocalRepository::open(&mapping.path)?;
    let resolved = local.resolve(request)?;
    let id = SnapshotId::of(repo, &resolved.commit);
    if let Some(snapshot) = shared.store.get(id)? {
        return Ok((snapshot, resolved, State::Cached));
    }
    let file = local.assemble(&mapping.name, resolved.commit, &shared.store.scratch(), shared.options.caps, context)?;
    Ok((shared.store.insert(id, file)?, resolved, State::Fresh))
}

/// RFC 3339, in UTC, to the second.
fn timestamp(time: SystemTime) -> Option<String> {
    let seconds = time.duration_since(SystemTime::UNIX_EPOCH).ok()?.as_secs();
    let days = i64::try_from(seconds / 86_400).ok()?;
    let clock = seconds % 86_400;
    // Days to a date of the proleptic Gregorian calendar, with years that begin in March.
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted_month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted_month + 2) / 5 + 1;
    let month = if shifted_month < 10 { shifted_month + 3 } else { shifted_month - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    let (hour, minute, second) = (clock / 3600, clock / 60 % 60, clock % 60);
    Some(format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;

    #[test]
    fn timestamps() {
        let at = |seconds| timestamp(SystemTime::UNIX_EPOCH + Duration::from_secs(seconds)).expect("a time");
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_796_126_613), "2026-12-01T12:03:33Z");
    }
}
