//! Every stable error code, once (DESIGN §4).
//!
//! A code is decided where the fact is known and never from text (I6): this table says what a code means and
//! who may say it, it never classifies.

use std::fmt;

/// Whose fault a failure is: what an operator or a model should change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fault {
    /// The script, or the caller's arguments.
    Caller,
    /// The operator's policy or command line.
    Operator,
    /// The worker process: crashed, hostile or not lockable.
    Worker,
    /// The repository, its server or the network.
    Upstream,
    /// Momentary load on this server.
    Capacity,
    /// wit itself.
    Server,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Caller => "caller",
            Self::Operator => "operator",
            Self::Worker => "worker",
            Self::Upstream => "upstream",
            Self::Capacity => "capacity",
            Self::Server => "server",
        })
    }
}

/// One row of the error ledger.
#[derive(Debug)]
pub struct CodeEntry {
    /// The code itself.
    pub code: Code,
    /// Its stable spelling.
    pub name: &'static str,
    /// When it is given, in one sentence.
    pub meaning: &'static str,
    /// Who can do something about it.
    pub fault: Fault,
    /// Whether a script can catch it as an `Error` with `code` and `operation`.
    pub catchable: bool,
    /// What to do next, in one sentence.
    pub next: &'static str,
}

macro_rules! codes {
    ($( $variant:ident $name:literal $fault:ident $catchable:literal $meaning:literal => $next:literal )*) => {
        /// A stable error code. The set only grows; a spelling never changes.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[non_exhaustive]
        pub enum Code { $( #[doc = $meaning] $variant, )* }

        /// The ledger, in documentation order.
        pub const CODES: &[CodeEntry] = &[ $( CodeEntry {
            code: Code::$variant, name: $name, meaning: $meaning, fault: Fault::$fault, catchable: $catchable, next: $next,
        }, )* ];

        impl Code {
            /// The row of the ledger.
            #[must_use]
            pub const fn entry(self) -> &'static CodeEntry { &CODES[self as usize] }
        }
    };
}

codes! {
    CodeRejected "code_rejected" Caller false
        "The script failed; `reason` says how." => "Fix the script: the message names the place and the cause."
    SourceBytesLimit "source_bytes_limit" Caller false
        "The JavaScript source is larger than the limit." => "Send a shorter script."
    FinalResultBytesLimit "final_result_bytes_limit" Caller false
        "The value returned by the script is larger than the limit." => "Return fewer fields, or read and list in the compact formats."
    HostCallsLimit "host_calls_limit" Caller true
        "The script made more host calls than one invocation may." => "Combine calls, or continue in another invocation."
    HostConcurrencyLimit "host_concurrency_limit" Caller true
        "The script had more host calls outstanding at once than allowed." => "Await some calls before starting more."
    PagesLimit "pages_limit" Caller true
        "The script asked for more pages than one invocation may." => "Ask for larger pages, or continue in another invocation."
    SnapshotsLimit "snapshots_limit" Caller true
        "The script opened more snapshots than one invocation may." => "Reuse a snapshot_id; it stays valid across invocations."
    HostResultBytesLimit "host_result_bytes_limit" Caller true
        "One host result is larger than the limit; its value was withheld." => "Ask for less: lower max_items, max_lines or max_bytes."
    CumulativeHostBytesLimit "cumulative_host_bytes_limit" Caller true
        "The host results of this invocation together are larger than the limit." => "Ask for less, or continue in another invocation."
    ServerHostOperationsLimit "server_host_operations_limit" Capacity true
        "No server slot for a host operation became free in time." => "Try again later."
    UnknownMethod "unknown_method" Caller true
        "There is no such method on codemode.wit." => "Use the name the message suggests, or codemode.wit.help()."
    DeadlineExceeded "deadline_exceeded" Caller true
        "The JavaScript time, or the time of a host operation, is used up." => "Do less in one invocation."
    Cancelled "cancelled" Caller true
        "The client cancelled the request." => "Nothing: the request was withdrawn."
    WorkerProtocolError "worker_protocol_error" Worker false
        "The worker sent something the protocol does not allow." => "Report it: a genuine worker never does."
    CapabilityDenied "capability_denied" Worker false
        "The worker named an operation outside the registry." => "Report it: a genuine worker never does."
    WorkerExited "worker_exited" Worker false
        "The worker process died; `reason` says how." => "Simplify the script; report it when it repeats."
    WorkerStartFailed "worker_start_failed" Worker false
        "The worker could not be started or locked down; `reason` says which." => "Run `wit doctor` on the server's machine."
    ServerWorkersLimit "server_workers_limit" Capacity false
        "All workers are busy." => "Try again when a running invocation has ended."
    ServerInvocationsLimit "server_invocations_limit" Capacity false
        "All invocation slots are busy." => "Try again when a running invocation has ended."
    InvalidPolicy "invalid_policy" Operator false
        "The operator's policy is outside what is allowed." => "Correct the field the message names."
    InvalidArguments "invalid_arguments" Caller true
        "An argument is missing, unknown, or not of an accepted form." => "Correct the field the message names."
    RepositoryNotFound "repository_not_found" Caller true
        "There is no such repository, or it is not visible with these credentials." => "Check the name, or give the server a token that may read it."
    RefNotFound "ref_not_found" Caller true
        "The repository has no such branch, tag, commit or pull request." => "List what there is with refs."
    PathNotFound "path_not_found" Caller true
        "The snapshot has no such path." => "List what there is with list."
    NotAFile "not_a_file" Caller true
        "The path is a directory, a submodule or a symbolic link, not a file." => "List it, or read the file it leads to."
    NotText "not_text" Caller true
        "The file is binary, or over the operator's cap on one file." => "Use its size and blob_sha; its contents cannot be read as text."
    SnapshotNotFound "snapshot_not_found" Caller true
        "The snapshot is not in the cache." => "Open the repository again."
    InvalidCursor "invalid_cursor" Caller true
        "The cursor was not issued for this operation, snapshot and arguments." => "Start again without a cursor."
    InvalidPattern "invalid_pattern" Caller true
        "A regular expression or glob cannot be used." => "Correct the pattern: the message says what is wrong."
    RepositoryDenied "repository_denied" Operator true
        "The repository is outside the operator's allow list." => "Ask the operator to allow it."
    RepositoryTooLarge "repository_too_large" Operator true
        "The repository is over the operator's size cap." => "Ask the operator to raise the cap."
    AuthenticationFailed "authentication_failed" Operator true
        "The server refused the credentials." => "Check the token the server was started with."
    RateLimited "rate_limited" Upstream true
        "GitHub asks to slow down." => "Wait retry_after_s seconds."
    UpstreamUnavailable "upstream_unavailable" Upstream true
        "The repository's server cannot be reached or does not answer properly." => "Try again later."
    OperationFailed "operation_failed" Server true
        "The operation failed for a reason that is not the caller's to know." => "Try again; see the server's log."
}

impl Code {
    /// The stable spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        self.entry().name
    }

    /// The code with this spelling.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        CODES.iter().find(|entry| entry.name == name).map(|entry| entry.code)
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

macro_rules! reasons {
    ($( $variant:ident $name:literal $code:ident $meaning:literal )*) => {
        /// How a `code_rejected`, `worker_exited` or `worker_start_failed` came about.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Reason { $( #[doc = $meaning] $variant, )* }

        /// Every reason: spelling, the code it belongs to, meaning.
        pub const REASONS: &[(Reason, &str, Code, &str)] = &[ $( (Reason::$variant, $name, Code::$code, $meaning), )* ];
    };
}

reasons! {
    SyntaxError "syntax_error" CodeRejected "The source does not parse as the body of an async function."
    UncaughtException "uncaught_exception" CodeRejected "The script threw, or returned a rejected promise."
    HeapLimit "heap_limit" CodeRejected "The JavaScript heap is full."
    StackLimit "stack_limit" CodeRejected "The JavaScript stack is full."
    NotJson "not_json" CodeRejected "The returned value has no JSON form; the message names the path."
    NeverSettles "never_settles" CodeRejected "The script awaits a promise that nothing can settle."
    Crashed "crashed" WorkerExited "The process ended abnormally."
    SandboxViolation "sandbox_violation" WorkerExited "The process attempted a forbidden system call (SIGSYS)."
    SpawnFailed "spawn_failed" WorkerStartFailed "The process could not be created."
    SandboxUnavailable "sandbox_unavailable" WorkerStartFailed "A required sandbox layer could not be had."
}

impl Reason {
    /// The stable spelling.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        REASONS[self as usize].1
    }

    /// The code this reason refines.
    #[must_use]
    pub const fn code(self) -> Code {
        REASONS[self as usize].2
    }

    /// The reason with this spelling.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        REASONS.iter().find(|row| row.1 == name).map(|row| row.0)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index() {
        for (index, entry) in CODES.iter().enumerate() {
            assert_eq!(entry.code as usize, index);
            assert_eq!(Code::parse(entry.name), Some(entry.code));
        }
        for (index, row) in REASONS.iter().enumerate() {
            assert_eq!(row.0 as usize, index);
            assert_eq!(Reason::parse(row.1), Some(row.0));
        }
    }

    #[test]
    fn spellings_are_unique() {
        let names: std::collections::BTreeSet<_> = CODES.iter().map(|entry| entry.name).collect();
        assert_eq!(names.len(), CODES.len());
    }
}
