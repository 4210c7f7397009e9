//! `open`: pins one commit of a repository and says where it came from.
//!
//! `cache.state` is `fresh` when this call made the snapshot, `cached` when it was there and the ref was looked up just
//! now (or a full commit id left nothing to look up), `stale` when an earlier look-up was relied on: then the server is
//! asked behind the caller's back, for the next one. Under [`Refresh::First`] it is asked before instead, and the earlier
//! look-up serves only when it can't be reached. A local repository is always looked up: no network is asked for it.

use std::sync::Arc;
use std::time::SystemTime;

use serde::Serialize;
use serde_json::value::RawValue;
use wit_worker::registry::Code;

use super::arguments::{Arguments, refused};
use super::host::{Shared, blocking, ended};
use super::{OperationContext, OperationError, Refresh, Surface};
use crate::repository::{LocalRepository, Record, RefRequest, RepoName, RepositoryError, Resolved};
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
    last_error: Option<String>,
}

#[derive(Serialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
enum State {
    Fresh,
    Cached,
    Stale,
}

#[derive(Serialize)]
struct Totals {
    files: u64,
    bytes: u64,
}

/// What every snapshot supports.
const CAPABILITIES: &[&str] = &["list", "searchCode", "read", "context"];

/// What one call is about.
#[derive(Clone)]
struct Wish {
    repo: RepoName,
    request: RefRequest,
    require_fresh: bool,
    /// Milliseconds since 1970 when the call came in.
    arrived: u64,
}

struct Pinned {
    snapshot: Arc<Snapshot>,
    resolved: Resolved,
    state: State,
    /// Milliseconds since 1970.
    checked_at: u64,
    updated_at: u64,
    last_error: Option<String>,
}

pub(super) async fn open(
    shared: Arc<Shared>,
    arguments: &Arguments,
    surface: Surface,
    context: OperationContext,
) -> Result<Box<RawValue>, OperationError> {
    let repo = shared.repository(arguments.text_or_empty("repo"))?;
    let requested = arguments.text("ref").map(str::to_owned);
    let request = RefRequest::parse(requested.as_deref()).map_err(|error| refused(format!("`ref`: {error}")))?;
    shared.allow(&repo)?;
    let require_fresh = arguments.text("freshness") == Some("require_fresh");
    let wish = Wish { repo, request, require_fresh, arrived: now() };
    let flight = shared.flight(&format!("{} {:?}", wish.repo.folded(), wish.request));
    let pinned = {
        let _turn = tokio::select! {
            turn = flight.lock() => turn,
            error = ended(&context) => return Err(error),
        };
        let (shared, wish) = (Arc::clone(&shared), wish.clone());
        let runtime = tokio::runtime::Handle::current();
        blocking(context, move |context| Ok(pin(&shared, &wish, &runtime, context)?)).await?
    };
    if pinned.state == State::Stale && shared.options.refresh == Refresh::Behind {
        refresh_behind(&shared, wish);
    }
    let Pinned { snapshot, resolved, state, checked_at, updated_at, last_error } = pinned;
    let opened = Opened {
        snapshot_id: snapshot.id().to_string(),
        repo: snapshot.repo().to_string(),
        requested_ref: requested,
        resolved_ref: resolved.name,
        commit_sha: snapshot.commit().to_string(),
        cache: Cache {
            state,
            last_checked_at: timestamp(checked_at),
            last_updated_at: timestamp(updated_at),
            // What happened to an earlier call is no business of a script.
            last_error: last_error.filter(|_| surface == Surface::Direct),
        },
        totals: Totals { files: snapshot.total_files(), bytes: snapshot.total_bytes() },
        capabilities: CAPABILITIES,
    };
    serde_json::value::to_raw_value(&opened)
        .map_err(|_| OperationError::new(Code::OperationFailed, "the result has no JSON form"))
}

fn pin(
    shared: &Shared,
    wish: &Wish,
    runtime: &tokio::runtime::Handle,
    context: &OperationContext,
) -> Result<Pinned, RepositoryError> {
    if let Some(mapping) = shared.local(&wish.repo) {
        let local = LocalRepository::open(&mapping.path, context)?;
        let resolved = local.resolve(&wish.request)?;
        let now = now();
        let pinned = |snapshot, state| Pinned {
            snapshot,
            resolved: resolved.clone(),
            state,
            checked_at: now,
            updated_at: now,
            last_error: None,
        };
        let id = SnapshotId::of(&wish.repo, &resolved.commit);
        if let Some(snapshot) = shared.store.get(id)? {
            return Ok(pinned(snapshot, State::Cached));
        }
        let _turn = shared.store.turn(id, context)?;
        if let Some(snapshot) = shared.store.get(id)? {
            return Ok(pinned(snapshot, State::Cached));
        }
        let scratch = shared.store.scratch();
        let file = local.assemble(&mapping.name, resolved.commit, scratch, shared.options.caps, context)?;
        return Ok(pinned(shared.store.insert(id, file)?, State::Fresh));
    }
    let record = shared.records.load(&wish.repo, &wish.request);
    let ask_first = wish.require_fresh || shared.options.refresh == Refresh::First;
    if let Some(pinned) = remembered(shared, wish, record.as_ref(), !ask_first)? {
        return Ok(pinned);
    }
    match ask(shared, wish, record, runtime, context) {
        Err(error @ (RepositoryError::Unavailable | RepositoryError::RateLimited { .. })) if !wish.require_fresh => {
            let record = shared.records.load(&wish.repo, &wish.request);
            remembered(shared, wish, record.as_ref(), true)?.ok_or(error)
        }
        outcome => outcome,
    }
}

/// What the cache alone can answer; whether an earlier look-up will do is said by `stale`.
fn remembered(
    shared: &Shared,
    wish: &Wish,
    record: Option<&Record>,
    stale: bool,
) -> Result<Option<Pinned>, RepositoryError> {
    let (resolved, state) = match (&wish.request, record) {
        // A commit never changes: having it is knowing it.
        (RefRequest::Commit(commit), _) => (Resolved { name: None, commit: *commit }, State::Cached),
        (_, Some(record)) => match record.resolved() {
            // Somebody asked while this call waited for its turn.
            Some(resolved) if record.checked_at > wish.arrived => (resolved, State::Cached),
            Some(resolved) if stale => (resolved, State::Stale),
            _ => return Ok(None),
        },
        (_, None) => return Ok(None),
    };
    let snapshot = shared.store.get(SnapshotId::of(&wish.repo, &resolved.commit))?;
    Ok(snapshot.map(|snapshot| Pinned {
        snapshot,
        resolved,
        state,
        checked_at: record.map_or(wish.arrived, |record| record.checked_at),
        updated_at: record.map_or(wish.arrived, |record| record.updated_at),
        last_error: record.and_then(|record| record.last_error.clone()),
    }))
}

/// Asks the server, and remembers what it said, be it a failure.
fn ask(
    shared: &Shared,
    wish: &Wish,
    record: Option<Record>,
    runtime: &tokio::runtime::Handle,
    context: &OperationContext,
) -> Result<Pinned, RepositoryError> {
    match look_up(shared, wish, runtime, context) {
        Ok((snapshot, resolved, state)) => {
            let record = Record::after(record.as_ref(), &resolved, now());
            shared.records.save(&wish.repo, &wish.request, &record);
            let Record { checked_at, updated_at, .. } = record;
            Ok(Pinned { snapshot, resolved, state, checked_at, updated_at, last_error: None })
        }
        Err(error) => {
            if let (Some(record), false) = (record, matches!(error, RepositoryError::Stopped(_))) {
                let code = error.code().as_str().to_owned();
                shared.records.save(&wish.repo, &wish.request, &Record { last_error: Some(code), ..record });
            }
            Err(error)
        }
    }
}

fn look_up(
    shared: &Shared,
    wish: &Wish,
    runtime: &tokio::runtime::Handle,
    context: &OperationContext,
) -> Result<(Arc<Snapshot>, Resolved, State), RepositoryError> {
    let mut remote = shared.server.repository(&wish.repo, shared.options.caps, runtime.clone(), context)?;
    let mut resolved = remote.resolve(&wish.request)?;
    let id = SnapshotId::of(&wish.repo, &resolved.commit);
    if let Some(snapshot) = shared.store.get(id)? {
        return Ok((snapshot, resolved, State::Cached));
    }
    // One fetch for all servers that share the cache.
    let _turn = shared.store.turn(id, context)?;
    if let Some(snapshot) = shared.store.get(id)? {
        return Ok((snapshot, resolved, State::Cached));
    }
    let exact = matches!(wish.request, RefRequest::Commit(_));
    let directory = shared.store.scratch_directory()?;
    let (commit, file) = remote.fetch(resolved.commit, exact, shared.store.scratch(), directory.path())?;
    resolved.commit = commit;
    let snapshot = shared.store.insert(SnapshotId::of(&wish.repo, &commit), file)?;
    Ok((snapshot, resolved, State::Fresh))
}

/// Asks the server for the next caller's sake; one at a time for each ref, and never longer than an operation may take.
fn refresh_behind(shared: &Arc<Shared>, wish: Wish) {
    let flight = shared.flight(&format!("refresh {} {:?}", wish.repo.folded(), wish.request));
    let Ok(turn) = flight.try_lock_owned() else { return };
    let shared = Arc::clone(shared);
    let context = shared.background_context();
    let runtime = tokio::runtime::Handle::current();
    tokio::task::spawn_blocking(move || {
        let _turn = turn;
        let record = shared.records.load(&wish.repo, &wish.request);
        if let Err(error) = ask(&shared, &wish, record, &runtime, &context) {
            tracing::debug!(code = error.code().as_str(), "a refresh behind a stale answer failed");
        }
    });
}

fn now() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| u64::try_from(since.as_millis()).unwrap_or(u64::MAX))
}

/// Milliseconds since 1970 as RFC 3339, in UTC, to the second.
pub(crate) fn timestamp(milliseconds: u64) -> Option<String> {
    let seconds = i64::try_from(milliseconds / 1000).ok()?;
    Some(chrono::DateTime::from_timestamp(seconds, 0)?.to_rfc3339_opts(chrono::SecondsFormat::Secs, true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timestamps() {
        let at = |seconds: u64| timestamp(seconds * 1000 + 999).expect("a time");
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_796_126_613), "2026-12-01T12:03:33Z");
    }
}
