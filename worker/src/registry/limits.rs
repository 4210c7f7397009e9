//! Every limit, once (DESIGN §3): name, unit, default, absolute maximum, who enforces it, which code it gives.

use serde::{Deserialize, Serialize};

use super::codes::Code;

const KIB: u64 = 1024;
const MIB: u64 = 1024 * KIB;

/// What a limit counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unit {
    /// Bytes; of serialized JSON where values are meant.
    Bytes,
    /// Milliseconds.
    Milliseconds,
    /// Things.
    Count,
}

impl Unit {
    /// The unit as it stands in tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Bytes => "bytes",
            Self::Milliseconds => "ms",
            Self::Count => "count",
        }
    }
}

/// One row of the budget table.
#[derive(Debug)]
pub struct LimitEntry {
    /// Which limit.
    pub id: LimitId,
    /// The key in a policy file, in `help()` and in `wit policy`.
    pub name: &'static str,
    /// The resource in words.
    pub title: &'static str,
    /// What is counted.
    pub unit: Unit,
    /// The value when the operator says nothing.
    pub default: u64,
    /// The value no operator can exceed.
    pub maximum: u64,
    /// The smallest value a policy may set.
    pub minimum: u64,
    /// Who enforces it, and how.
    pub enforcer: &'static str,
    /// The code an excess gives; none where the excess is dropped or only bounds something.
    pub code: Option<Code>,
    /// Why the number is what it is.
    pub why: &'static str,
}

macro_rules! limits {
    ($( $variant:ident $name:literal $title:literal $unit:ident $default:expr, $maximum:expr, $minimum:expr; $enforcer:literal $code:expr; $why:literal )*) => {
        /// Names a limit.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum LimitId { $( #[doc = $title] $variant, )* }

        /// The budget table, in documentation order.
        pub const LIMITS: &[LimitEntry] = &[ $( LimitEntry {
            id: LimitId::$variant, name: $name, title: $title, unit: Unit::$unit, default: $default, maximum: $maximum,
            minimum: $minimum, enforcer: $enforcer, code: $code, why: $why,
        }, )* ];
    };
}

limits! {
    SourceBytes "source_bytes" "JavaScript source" Bytes 32 * KIB, 32 * KIB, 1;
        "parent and worker" Some(Code::SourceBytesLimit); "Longer than any script a model writes; short enough to parse in a few milliseconds."
    FrameBytes "frame_bytes" "IPC frame" Bytes 72 * KIB, 72 * KIB, 72 * KIB;
        "both endpoints" Some(Code::WorkerProtocolError); "One full host result, or one full final result and console, with their envelope. Fixed: a policy cannot move it."
    WallMs "wall_ms" "JavaScript time" Milliseconds 10_000, 10_000, 1;
        "QuickJS interrupt, kernel CPU limit, parent kill" Some(Code::DeadlineExceeded); "JavaScript composes calls; heavy work is the host's. Time spent waiting for a host result does not count."
    HeapBytes "heap_bytes" "QuickJS heap" Bytes 16 * MIB, 64 * MIB, 1;
        "VM" Some(Code::CodeRejected); "Many times the host results one invocation may receive."
    StackBytes "stack_bytes" "QuickJS stack" Bytes 256 * KIB, MIB, 1;
        "VM" Some(Code::CodeRejected); "Deep enough for honest recursion, far below the thread's real stack."
    HostCalls "host_calls" "host calls" Count 16, 16, 1;
        "worker and parent" Some(Code::HostCallsLimit); "A script that needs more is a crawl."
    HostConcurrency "host_concurrency" "concurrent host calls per invocation" Count 4, 4, 1;
        "worker guard and parent" Some(Code::HostConcurrencyLimit); "Keeps one invocation from taking every server slot."
    Pages "pages" "page-producing operations" Count 8, 16, 1;
        "parent before dispatch" Some(Code::PagesLimit); "Bounds what one invocation can read."
    Snapshots "snapshots" "snapshot opens" Count 2, 4, 1;
        "parent before dispatch" Some(Code::SnapshotsLimit); "An open can cost a network fetch."
    HostResultBytes "host_result_bytes" "one host result" Bytes 64 * KIB, 64 * KIB, 1;
        "parent before IPC" Some(Code::HostResultBytesLimit); "Fits in one frame with its envelope."
    CumulativeHostBytes "cumulative_host_bytes" "cumulative host results" Bytes 256 * KIB, 256 * KIB, 1;
        "parent before IPC" Some(Code::CumulativeHostBytesLimit); "Bounds what enters the worker in one invocation."
    FinalResultBytes "final_result_bytes" "final result" Bytes 48 * KIB, 48 * KIB, 1;
        "worker and parent" Some(Code::FinalResultBytesLimit); "About 12 000 tokens: more does not help a model."
    DiagnosticsBytes "diagnostics_bytes" "captured worker diagnostics (stderr)" Bytes 8 * KIB, 8 * KIB, 1;
        "parent drain" None; "Only the capped byte count and a truncation bit survive; the text never does."
    ConsoleBytes "console_bytes" "script console output" Bytes 8 * KIB, 8 * KIB, 1;
        "worker; parent checks" None; "Beyond it output is dropped and a truncation bit set. Counted as serialized JSON."
    Workers "workers" "simultaneous workers" Count 4, 16, 1;
        "parent" Some(Code::ServerWorkersLimit); "Idle spare workers count, and give way."
    Invocations "invocations" "simultaneous invocations" Count 4, 16, 1;
        "parent" Some(Code::ServerInvocationsLimit); "Fails at once, never queues without bound."
    HostOperations "host_operations" "simultaneous host operations" Count 8, 32, 1;
        "parent semaphore" Some(Code::ServerHostOperationsLimit); "Waits within its own deadline for a slot."
    OperationMs "operation_ms" "time of one host operation" Milliseconds 120_000, 120_000, 1;
        "OperationContext" Some(Code::DeadlineExceeded); "A cold open of a large repository takes a while; nothing takes longer."
    SpareWorkers "spare_workers" "workers kept ready" Count 1, 16, 0;
        "parent" None; "An invocation then does not pay for process start. Zero turns it off."
}

impl LimitId {
    /// The row of the table.
    #[must_use]
    pub const fn entry(self) -> &'static LimitEntry {
        &LIMITS[self as usize]
    }

    /// The key in a policy file.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.entry().name
    }
}

/// The worker's share of the limits, as it crosses in `execute`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Limits {
    /// Bytes of source.
    pub source_bytes: u64,
    /// Milliseconds of JavaScript.
    pub wall_ms: u64,
    /// Bytes of heap.
    pub heap_bytes: u64,
    /// Bytes of stack.
    pub stack_bytes: u64,
    /// Host calls.
    pub host_calls: u64,
    /// Host calls outstanding at once.
    pub host_concurrency: u64,
    /// Serialized bytes of the final result.
    pub final_result_bytes: u64,
    /// Serialized bytes of console output.
    pub console_bytes: u64,
}

/// A limit outside what its row allows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("{name} is {value}; {accepted}", accepted = self.accepted())]
pub struct LimitOutOfRange {
    /// The key.
    pub name: &'static str,
    /// What was given; it may be negative.
    pub value: i128,
    /// The least accepted.
    pub minimum: u64,
    /// The most accepted.
    pub maximum: u64,
    /// What is counted.
    pub unit: Unit,
}

impl LimitOutOfRange {
    /// What would do, in words.
    fn accepted(&self) -> String {
        let Self { minimum, maximum, unit, .. } = self;
        let unit = match unit {
            Unit::Count => String::new(),
            unit => format!(" {}", unit.as_str()),
        };
        if minimum == maximum {
            return format!("it is fixed at {maximum}{unit}");
        }
        format!("accepted are {minimum} to {maximum}{unit}")
    }
}

impl LimitEntry {
    /// The refusal of a value for this row.
    #[must_use]
    pub const fn out_of_range(&self, value: i128) -> LimitOutOfRange {
        LimitOutOfRange { name: self.name, value, minimum: self.minimum, maximum: self.maximum, unit: self.unit }
    }

    /// Checks a value against this row.
    ///
    /// # Errors
    /// When it is below the minimum or above the absolute maximum.
    pub const fn check(&self, value: u64) -> Result<(), LimitOutOfRange> {
        if value < self.minimum || value > self.maximum {
            return Err(self.out_of_range(value as i128));
        }
        Ok(())
    }
}

impl Limits {
    /// Each field with the row that bounds it.
    #[must_use]
    pub const fn fields(&self) -> [(LimitId, u64); 8] {
        [
            (LimitId::SourceBytes, self.source_bytes),
            (LimitId::WallMs, self.wall_ms),
            (LimitId::HeapBytes, self.heap_bytes),
            (LimitId::StackBytes, self.stack_bytes),
            (LimitId::HostCalls, self.host_calls),
            (LimitId::HostConcurrency, self.host_concurrency),
            (LimitId::FinalResultBytes, self.final_result_bytes),
            (LimitId::ConsoleBytes, self.console_bytes),
        ]
    }

    /// Checks the share against the absolute maxima; done on both sides of the pipe (I5).
    ///
    /// # Errors
    /// The first field out of range.
    pub fn validate(&self) -> Result<(), LimitOutOfRange> {
        self.fields().into_iter().try_for_each(|(id, value)| id.entry().check(value))
    }
}

impl Default for Limits {
    fn default() -> Self {
        let of = |id: LimitId| id.entry().default;
        Self {
            source_bytes: of(LimitId::SourceBytes),
            wall_ms: of(LimitId::WallMs),
            heap_bytes: of(LimitId::HeapBytes),
            stack_bytes: of(LimitId::StackBytes),
            host_calls: of(LimitId::HostCalls),
            host_concurrency: of(LimitId::HostConcurrency),
            final_result_bytes: of(LimitId::FinalResultBytes),
            console_bytes: of(LimitId::ConsoleBytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index_and_hold_their_own_default() {
        for (index, entry) in LIMITS.iter().enumerate() {
            assert_eq!(entry.id as usize, index);
            assert_eq!(entry.check(entry.default), Ok(()));
            assert!(entry.check(entry.maximum + 1).is_err());
        }
    }

    #[test]
    fn each_field_is_checked_on_its_own() {
        assert_eq!(Limits::default().validate(), Ok(()));
        let zero = Limits { wall_ms: 0, ..Limits::default() };
        assert_eq!(zero.validate().map_err(|e| e.name), Err("wall_ms"));
        let huge = Limits { heap_bytes: u64::MAX, ..Limits::default() };
        assert_eq!(huge.validate().map_err(|e| e.name), Err("heap_bytes"));
    }
}
