//! Repositories on a git server, over smart HTTP: `ls-refs` to resolve, a shallow `fetch` of one commit to read.
//!
//! Protocol version 2 is asked for, older ones are understood. Nothing of git's own configuration or credential helpers
//! takes part. A pack is received into a scratch directory that disappears with the operation, checked object by object
//! while it is indexed, turned into a snapshot file, and forgotten.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use gix::odb::pack::Bundle;
use gix::protocol::fetch::{Arguments, Response};
use gix::protocol::handshake::Ref;
use gix::protocol::ls_refs::RefPrefixes;
use gix::protocol::transport::client::blocking_io::http::Transport;
use gix::protocol::transport::{Protocol, Service};
use gix::protocol::{Command, Handshake, LsRefsCommand};
use tempfile::NamedTempFile;

use super::assemble::{Ids, OBJECT_BYTES, assemble, commit_id, object_id, objects, peel};
use super::error::RepositoryError;
use super::http::{Client, Conversation};
use super::name::{CommitId, GithubUrl, RepoName};
use super::revision::{RefEntry, RefRequest, Resolved};
use crate::github::Github;
use crate::operations::{Caps, OperationContext};

/// What a pack may have beyond the contents of the repository: trees, protocol.
const OVERHEAD_BYTES: u64 = 256 << 20;

/// The operator's git server.
pub(crate) struct Server {
    url: GithubUrl,
    /// Has the credentials.
    github: Arc<Github>,
}

impl Server {
    /// Connects to nothing yet.
    pub(crate) fn new(url: GithubUrl, github: Arc<Github>) -> Self {
        Self { url, github }
    }

    /// Begins a conversation about one repository. Must be called on a blocking thread of the runtime, as everything
    /// that follows.
    pub(crate) fn repository(
        &self,
        repo: &RepoName,
        caps: Caps,
        runtime: tokio::runtime::Handle,
        context: &OperationContext,
    ) -> Result<RemoteRepository, RepositoryError> {
        let shared = self.github.client().ok_or(RepositoryError::Unavailable)?;
        let (server, token) = (self.url.clone(), runtime.block_on(self.github.token(context))?);
        let conversation = Conversation::new(shared, runtime, server, token, context.clone());
        let address = self.url.repository(repo);
        let url = gix::url::parse(address.as_str()).map_err(|_| RepositoryError::Unavailable)?;
        let mut transport = Transport::new_http(Client(Arc::clone(&conversation)), url, Protocol::V2, false);
        let handshake = gix::protocol::handshake(
            &mut transport,
            Service::UploadPack,
            // The token is in the request's header already; no helper is ever asked.
            |_| Ok(None),
            Vec::new(),
            &mut gix::progress::Discard,
        );
        let handshake = handshake.map_err(|_| {
            let failure = conversation.failure().unwrap_or(RepositoryError::Unavailable);
            if matches!(failure, RepositoryError::Authentication) {
                self.github.token_refused();
            }
            failure
        })?;
        let format =
            handshake.capabilities.capability("object-format").and_then(|format| Some(format.value()?.to_vec()));
        if format.is_some_and(|format| format != b"sha1") {
            return Err(RepositoryError::Unsupported("SHA-256 object ids"));
        }
        Ok(RemoteRepository { transport, handshake, conversation, caps, repo: repo.clone() })
    }
}

/// A repository whose server has answered.
pub(crate) struct RemoteRepository {
    transport: Transport<Client>,
    handshake: Handshake,
    conversation: Arc<Conversation>,
    caps: Caps,
    repo: RepoName,
}

fn agent() -> (&'static str, Option<String>) {
    ("agent", Some(concat!("git/wit-", env!("CARGO_PKG_VERSION")).to_owned()))
}

impl RemoteRepository {
    /// Finds the commit a ref leads to.
    pub(crate) fn resolve(&mut self, request: &RefRequest) -> Result<Resolved, RepositoryError> {
        if let RefRequest::Commit(commit) = request {
            // Only the fetch can tell whether it exists.
            return Ok(Resolved { name: None, commit: *commit });
        }
        let candidates = request.candidates();
        let refs = self.ls_refs(&candidates)?;
        for candidate in &candidates {
            for reference in &refs {
                let (name, object) = match reference {
                    Ref::Peeled { full_ref_name, object, .. } | Ref::Direct { full_ref_name, object } => {
                        (full_ref_name.clone(), object)
                    }
                    Ref::Symbolic { full_ref_name, target, object, .. } if full_ref_name == candidate.as_str() => {
                        return Ok(Resolved { name: Some(target.to_string()), commit: commit_id(object)? });
                    }
                    Ref::Symbolic { full_ref_name, object, .. } => (full_ref_name.clone(), object),
                    Ref::Unborn { full_ref_name, .. } if full_ref_name == candidate.as_str() => {
                        return Err(RepositoryError::Empty);
                    }
                    Ref::Unborn { .. } => continue,
                };
                if name == candidate.as_str() {
                    let name = if candidate == "HEAD" { None } else { Some(candidate.clone()) };
                    return Ok(Resolved { name, commit: commit_id(object)? });
                }
            }
        }
        match request.abbreviation() {
            Some(digits) => self.abbreviated(&digits),
            None if *request == RefRequest::Default => Err(RepositoryError::Empty),
            None => Err(RepositoryError::RefNotFound),
        }
    }

    /// Every branch, tag and pull request in name order, and the name of the default branch.
    pub(crate) fn refs(&mut self) -> Result<(Vec<RefEntry>, Option<String>), RepositoryError> {
        let wanted = ["HEAD", "refs/heads/", "refs/tags/", "refs/pull/"].map(str::to_owned);
        let (mut entries, mut default) = (Vec::new(), None);
        for reference in self.ls_refs(&wanted)? {
            let (name, object) = match reference {
                Ref::Symbolic { full_ref_name, target, .. } if full_ref_name == "HEAD" => {
                    default = Some(target.to_string());
                    continue;
                }
                Ref::Peeled { full_ref_name, object, .. }
                | Ref::Direct { full_ref_name, object }
                | Ref::Symbolic { full_ref_name, object, .. } => (full_ref_name.to_string(), object),
                Ref::Unborn { .. } => continue,
            };
            entries.push(RefEntry { name, commit: commit_id(&object)? });
        }
        entries.sort_by(|a, b| a.name.cmp(&b.name));
        Ok((entries, default))
    }

    /// Fetches one commit without its history and writes its snapshot; gives also the commit that the id led to. `exact`
    /// says that the id is the caller's and not the server's. `directory` is for the pack.
    pub(crate) fn fetch(
        mut self,
        commit: CommitId,
        exact: bool,
        scratch: &Path,
        directory: &Path,
    ) -> Result<(CommitId, NamedTempFile), RepositoryError> {
        let packs = directory.join("pack");
        std::fs::create_dir(&packs)?;
        self.receive(commit, exact, &packs)?;
        let objects = objects(directory).map_err(|_| RepositoryError::Unavailable)?;
        let commit = peel(&objects, object_id(commit))?.ok_or(RepositoryError::Unavailable)?;
        let context = &self.conversation.context;
        let file =
            assemble(&objects, Ids::Hashed, &self.repo, commit, scratch, self.caps, context).map_err(|error| {
                match error {
                    RepositoryError::Damaged => RepositoryError::Unavailable,
                    error => error,
                }
            })?;
        Ok((commit, file))
    }

    fn receive(&mut self, commit: CommitId, exact: bool, packs: &Path) -> Result<(), RepositoryError> {
        let version = self.handshake.server_protocol_version;
        let mut features = Command::Fetch.default_features(version, &self.handshake.capabilities);
        features.push(agent());
        let sideband_all = features.iter().any(|(name, _)| *name == "sideband-all");
        let mut arguments = Arguments::new(version, features, false);
        arguments.want(object_id(commit));
        if arguments.can_use_shallow() {
            arguments.deepen(1);
        }
        let conversation = Arc::clone(&self.conversation);
        let failed = || conversation.failure().unwrap_or(RepositoryError::Unavailable);
        conversation.expect(self.caps.repository_bytes.saturating_add(OVERHEAD_BYTES));
        let stop = Stop::when_ended(&conversation);
        let mut reader = arguments.send(&mut self.transport, true).map_err(|_| failed())?;
        // The handler also tells the reader to take the side bands apart; what the server says there is not for us.
        let handler = || Some(Box::new(|_: bool, _: &[u8]| std::ops::ControlFlow::Continue(())) as Box<_>);
        if sideband_all {
            reader.set_progress_handler(handler());
        }
        // A packet that begins with `ERR ` is git's own way to say that it doesn't have what was asked for.
        reader.reset(version);
        let refused = matches!(reader.peek_data_line(), Some(Ok(Ok(line))) if line.starts_with(b"ERR "));
        if refused && exact {
            return Err(RepositoryError::RefNotFound);
        }
        let response = Response::from_line_reader(version, &mut reader, true, false).map_err(|_| failed())?;
        if !response.has_pack() {
            return Err(failed());
        }
        reader.set_progress_handler(handler());
        let options = gix::odb::pack::bundle::write::Options {
            alloc_limit_bytes: Some(OBJECT_BYTES),
            // Every object is hashed when it is indexed, and found by its hash from the commit on: the checksum over the
            // whole pack would say nothing that these don't.
            iteration_mode: gix::odb::pack::data::input::Mode::AsIs,
            ..Default::default()
        };
        let outcome = Bundle::write_to_directory(
            &mut reader,
            Some(packs),
            &mut gix::progress::Discard,
            &stop.flag,
            None::<gix::objs::find::Never>,
            gix::hash::Kind::Sha1,
            options,
        );
        match outcome {
            Ok(_) => Ok(()),
            Err(error) => Err(match (conversation.context.check(), conversation.failure()) {
                (Err(stopped), _) => RepositoryError::Stopped(stopped),
                (Ok(()), Some(failure)) => failure,
                (Ok(()), None) if of_the_system(error.iter_errors()) => {
                    RepositoryError::Io(std::io::ErrorKind::StorageFull.into())
                }
                (Ok(()), None) if error.is_resource_exhausted() => {
                    let limit = OBJECT_BYTES as u64;
                    RepositoryError::TooLarge { measured: limit + 1, limit, paths: false }
                }
                (Ok(()), None) => RepositoryError::Unavailable,
            }),
        }
    }

    fn abbreviated(&mut self, digits: &str) -> Result<Resolved, RepositoryError> {
        let mut commits: Vec<CommitId> = self.refs()?.0.into_iter().map(|entry| entry.commit).collect();
        commits.sort_unstable();
        commits.dedup();
        commits.retain(|commit| commit.to_string().starts_with(digits));
        match commits[..] {
            [commit] => Ok(Resolved { name: None, commit }),
            [] => Err(RepositoryError::UnknownAbbreviation),
            _ => Err(RepositoryError::AmbiguousCommit),
        }
    }

    fn ls_refs(&mut self, prefixes: &[String]) -> Result<Vec<Ref>, RepositoryError> {
        // Older protocols send all refs with the handshake.
        if let Some(refs) = &self.handshake.refs {
            return Ok(refs.clone());
        }
        let mut wanted = RefPrefixes::new();
        wanted.extend(prefixes.iter().map(|prefix| prefix.as_str().into()));
        self.conversation.expect_refs();
        LsRefsCommand::new(Some(wanted), &self.handshake.capabilities, agent())
            .invoke_blocking(&mut self.transport, &mut gix::progress::Discard, false)
            .map_err(|_| self.conversation.failure().unwrap_or(RepositoryError::Unavailable))
    }
}

/// Whether the system refused something. What the network refuses is known to the conversation, so this was the disk.
fn of_the_system<'a>(mut errors: impl Iterator<Item = &'a (dyn std::error::Error + 'static)>) -> bool {
    errors.any(|error| {
        let mut causes = std::iter::successors(Some(error), |error| error.source());
        // The kind survives where the number is wrapped in words.
        let is_refusal = |error: &std::io::Error| {
            use std::io::ErrorKind as Kind;
            let kinds = [Kind::StorageFull, Kind::QuotaExceeded, Kind::FileTooLarge, Kind::ReadOnlyFilesystem];
            error.raw_os_error().is_some() || kinds.contains(&error.kind())
        };
        causes.any(|cause| cause.downcast_ref::<std::io::Error>().is_some_and(is_refusal))
    })
}

/// A flag for gix that is raised when the context ends, also while no byte moves.
struct Stop {
    flag: Arc<AtomicBool>,
    watch: tokio::task::AbortHandle,
}

impl Stop {
    fn when_ended(conversation: &Conversation) -> Self {
        let flag = Arc::new(AtomicBool::new(false));
        let (own, context) = (Arc::clone(&flag), conversation.context.clone());
        let watch = conversation.runtime.spawn(async move {
            tokio::select! {
                () = context.cancellation().cancelled() => {}
                () = tokio::time::sleep_until(context.deadline().into()) => {}
            }
            own.store(true, Ordering::Relaxed);
        });
        Self { flag, watch: watch.abort_handle() }
    }
}

impl Drop for Stop {
    fn drop(&mut self) {
        self.watch.abort();
    }
}
