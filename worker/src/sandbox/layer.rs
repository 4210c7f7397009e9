//! The layers as data: name, whether it is required, what it stops. `docs/sandbox.md` and `wit doctor` come from here.

use std::fmt::Write as _;

/// One step of the lockdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Layer {
    /// Dies with its parent.
    ParentDeath,
    /// Leaves no core dump and lets no process of the same user attach.
    NotDumpable,
    /// Holds descriptors 0, 1 and 2 only.
    Descriptors,
    /// Kernel resource limits.
    Rlimits,
    /// User and group of nobody.
    Identity,
    /// No capability in any set.
    Capabilities,
    /// No privilege by exec.
    NoNewPrivs,
    /// No file, no TCP port, no abstract socket, no signal to others.
    Landlock,
    /// The system call allow-list.
    Seccomp,
}

/// Whether Code Mode starts without a layer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// Never.
    Required,
    /// Only where the kernel does not have it at all.
    WhenOffered,
    /// Only where the process is not root, or is a root that may not change its user or signal another's processes.
    WhenRoot,
}

impl Requirement {
    /// In words, for tables.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Required => "required",
            Self::WhenOffered => "required when the kernel has it",
            Self::WhenRoot => "when started as root",
        }
    }
}

/// One row of the layer table.
#[derive(Debug)]
pub struct LayerEntry {
    /// Which layer.
    pub layer: Layer,
    /// Its name in `ready`, in `wit doctor` and in the documents.
    pub name: &'static str,
    /// Whether Code Mode starts without it.
    pub requirement: Requirement,
    /// How it is done.
    pub mechanism: &'static str,
    /// What a compromised engine can no longer do.
    pub stops: &'static str,
}

/// The layers in the order in which they are applied.
pub const LAYERS: &[LayerEntry] = &[
    LayerEntry {
        layer: Layer::ParentDeath,
        name: "parent_death",
        requirement: Requirement::Required,
        mechanism: "prctl(PR_SET_PDEATHSIG, SIGKILL), then the parent and the pipe are looked at again; repeated after a change of user",
        stops: "A worker that outlives a killed server and goes on burning CPU (I10).",
    },
    LayerEntry {
        layer: Layer::NotDumpable,
        name: "not_dumpable",
        requirement: Requirement::Required,
        mechanism: "prctl(PR_SET_DUMPABLE, 0)",
        stops: "Core dumps of a script's data, and ptrace or /proc access by other processes of the same user, a sibling worker's included.",
    },
    LayerEntry {
        layer: Layer::Descriptors,
        name: "descriptors",
        requirement: Requirement::Required,
        mechanism: "close_range(3, ~0)",
        stops: "Use of anything the parent had open and leaked: sockets, the cache, another worker's pipes (I2).",
    },
    LayerEntry {
        layer: Layer::Rlimits,
        name: "rlimits",
        requirement: Requirement::Required,
        mechanism: "setrlimit, hard and soft; descriptors go to 0 once Landlock no longer needs one",
        stops: "Filling memory, disk, process table or CPU of the host (I5).",
    },
    LayerEntry {
        layer: Layer::Identity,
        name: "identity",
        requirement: Requirement::WhenRoot,
        mechanism: "setgroups([]), setresgid and setresuid to 65534",
        stops: "Root's ownership of files and processes, should another layer fail.",
    },
    LayerEntry {
        layer: Layer::Capabilities,
        name: "capabilities",
        requirement: Requirement::Required,
        mechanism: "bounding and ambient sets emptied; effective, permitted and inheritable cleared by capset",
        stops: "mount, raw sockets, module loading, and everything else a capability opens.",
    },
    LayerEntry {
        layer: Layer::NoNewPrivs,
        name: "no_new_privs",
        requirement: Requirement::Required,
        mechanism: "prctl(PR_SET_NO_NEW_PRIVS, 1)",
        stops: "Gaining privilege by executing a set-user-id program or one with file capabilities.",
    },
    LayerEntry {
        layer: Layer::Landlock,
        name: "landlock",
        requirement: Requirement::WhenOffered,
        mechanism: "a ruleset without one rule, handling every file system and TCP right and every scope the kernel knows",
        stops: "Opening, making or executing any file; TCP bind and connect; abstract sockets and signals outside the sandbox.",
    },
    LayerEntry {
        layer: Layer::Seccomp,
        name: "seccomp",
        requirement: Requirement::Required,
        mechanism: "seccomp(SECCOMP_SET_MODE_FILTER), default KILL_PROCESS, architecture checked",
        stops: "Every system call outside the table below, so most of the kernel's attack surface.",
    },
];

/// The table of `docs/sandbox.md`, in Markdown.
#[must_use]
pub fn markdown() -> String {
    let mut table = String::from(
        "| | layer | required | how | what a compromised engine can no longer do |\n|---:|---|---|---|---|\n",
    );
    for (index, row) in LAYERS.iter().enumerate() {
        let (name, requirement) = (row.name, row.requirement.as_str());
        let _ = writeln!(table, "| {} | `{name}` | {requirement} | {} | {} |", index + 1, row.mechanism, row.stops);
    }
    table
}

impl Layer {
    /// Its name in `ready`, in `wit doctor` and in the documents.
    #[must_use]
    pub const fn name(self) -> &'static str {
        LAYERS[self as usize].name
    }

    /// The layer of a name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        LAYERS.iter().find(|row| row.name == name).map(|row| row.layer)
    }
}

/// A set of layers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Layers(u16);

impl Layers {
    /// What the worker has.
    pub const ALL: Self = Self((1 << LAYERS.len()) - 1);

    /// Whether the set has a layer.
    #[must_use]
    pub const fn contains(self, layer: Layer) -> bool {
        self.0 & (1 << layer as u16) != 0
    }

    /// The set without a layer.
    #[must_use]
    pub const fn without(self, layer: Layer) -> Self {
        Self(self.0 & !(1 << layer as u16))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_stand_at_their_own_index_and_names_lead_back() {
        for (index, row) in LAYERS.iter().enumerate() {
            assert_eq!(row.layer as usize, index);
            assert_eq!(Layer::from_name(row.name), Some(row.layer));
            assert!(Layers::ALL.contains(row.layer));
            assert!(!Layers::ALL.without(row.layer).contains(row.layer));
        }
    }
}
