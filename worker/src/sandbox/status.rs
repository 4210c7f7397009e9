//! What the parent reads of a worker before it sends a script: `/proc/<pid>/status`, written by the kernel (I3, I5).
//!
//! A worker that only claims to be locked down is found out here. The text cannot be forged from inside: the one field
//! a process chooses, its name, is escaped by the kernel, and a field that appears twice is refused anyway.

/// A field that is not as a locked-down worker has it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StatusViolation {
    /// The kernel does not report the field, or reports it twice.
    #[error("the kernel does not say {0} exactly once")]
    Absent(&'static str),
    /// The field has another value than a locked-down process has.
    #[error("{field} is not {expected}")]
    Differs {
        /// The field's name.
        field: &'static str,
        /// What it must be.
        expected: &'static str,
    },
}

/// Fields with the one value they may have.
const EXACT: &[(&str, &str)] = &[
    ("Seccomp", "2"),
    ("NoNewPrivs", "1"),
    ("Threads", "1"),
    ("CapInh", NO_CAPABILITY),
    ("CapPrm", NO_CAPABILITY),
    ("CapEff", NO_CAPABILITY),
    ("CapAmb", NO_CAPABILITY),
];
const NO_CAPABILITY: &str = "0000000000000000";

/// Judges the text of `/proc/<pid>/status`.
///
/// Required: seccomp in filter mode, no_new_privs, one thread, no inheritable, permitted, effective or ambient
/// capability; real, effective, saved and file system user and group the same; and, if that user is root, an empty
/// bounding set.
///
/// # Errors
/// The first field that is absent or differs.
pub fn verify_status(text: &str) -> Result<(), StatusViolation> {
    for &(field, expected) in EXACT {
        if value(text, field)? != expected {
            return Err(StatusViolation::Differs { field, expected });
        }
    }
    let user = sole_id(text, "Uid")?;
    sole_id(text, "Gid")?;
    if user == "0" && value(text, "CapBnd")? != NO_CAPABILITY {
        return Err(StatusViolation::Differs { field: "CapBnd", expected: "empty for root" });
    }
    Ok(())
}

/// The one id behind the four of a `Uid` or `Gid` line.
fn sole_id<'t>(text: &'t str, field: &'static str) -> Result<&'t str, StatusViolation> {
    let mut ids = value(text, field)?.split_ascii_whitespace();
    let first = ids.next().ok_or(StatusViolation::Absent(field))?;
    let rest: Vec<_> = ids.collect();
    if rest != [first; 3] {
        return Err(StatusViolation::Differs { field, expected: "one id four times" });
    }
    Ok(first)
}

/// The value of the only line that begins with `field:`.
fn value<'t>(text: &'t str, field: &'static str) -> Result<&'t str, StatusViolation> {
    let mut values = text.lines().filter_map(|line| line.strip_prefix(field)?.strip_prefix(':'));
    match (values.next(), values.next()) {
        (Some(value), None) => Ok(value.trim()),
        _ => Err(StatusViolation::Absent(field)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LOCKED: &str = "Name:\twit\nUmask:\t0022\nState:\tS (sleeping)\nTgid:\t7\nNgid:\t0\nPid:\t7\nPPid:\t1\nTracerPid:\t0\n\
        Uid:\t65534\t65534\t65534\t65534\nGid:\t65534\t65534\t65534\t65534\nFDSize:\t64\nGroups:\t \nThreads:\t1\n\
        CapInh:\t0000000000000000\nCapPrm:\t0000000000000000\nCapEff:\t0000000000000000\nCapBnd:\t0000000000000000\n\
        CapAmb:\t0000000000000000\nNoNewPrivs:\t1\nSeccomp:\t2\nSeccomp_filters:\t1\n";

    #[test]
    fn a_locked_down_worker_passes_whoever_started_it() {
        assert_eq!(verify_status(LOCKED), Ok(()));
        // Started by a user: the bounding set cannot shrink, and means nothing.
        let user = LOCKED.replace("65534", "1000").replace("CapBnd:\t0000000000000000", "CapBnd:\t000001ffffffffff");
        assert_eq!(verify_status(&user), Ok(()));
    }

    #[test]
    fn each_field_counts() {
        let wrong = |from: &str, to: &str| verify_status(&LOCKED.replace(from, to));
        let differs = |outcome: Result<(), StatusViolation>, name: &str| {
            assert!(
                matches!(outcome, Err(StatusViolation::Differs { field, .. }) if field == name),
                "{name}: {outcome:?}"
            );
        };
        differs(wrong("Seccomp:\t2", "Seccomp:\t0"), "Seccomp");
        differs(wrong("Seccomp:\t2", "Seccomp:\t1"), "Seccomp");
        differs(wrong("NoNewPrivs:\t1", "NoNewPrivs:\t0"), "NoNewPrivs");
        differs(wrong("Threads:\t1", "Threads:\t2"), "Threads");
        for field in ["CapInh", "CapPrm", "CapEff", "CapAmb"] {
            differs(wrong(&format!("{field}:\t0000000000000000"), &format!("{field}:\t0000000000000080")), field);
        }
        differs(wrong("Uid:\t65534\t65534\t65534", "Uid:\t65534\t65534\t0"), "Uid");
        differs(wrong("Gid:\t65534", "Gid:\t0"), "Gid");
        let root = LOCKED.replace("65534", "0");
        assert_eq!(verify_status(&root), Ok(()));
        differs(verify_status(&root.replace("CapBnd:\t0000000000000000", "CapBnd:\t00000000a80425fb")), "CapBnd");
    }

    #[test]
    fn absent_and_repeated_fields_are_refused() {
        assert_eq!(verify_status(""), Err(StatusViolation::Absent("Seccomp")));
        let twice = format!("{LOCKED}Seccomp:\t2\n");
        assert_eq!(verify_status(&twice), Err(StatusViolation::Absent("Seccomp")));
        assert_eq!(
            verify_status(&LOCKED.replace("Gid:\t65534\t65534\t65534\t65534\n", "")),
            Err(StatusViolation::Absent("Gid"))
        );
    }
}
