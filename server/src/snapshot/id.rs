//! The handle callers hold.

use std::fmt;
use std::str::FromStr;

use crate::repository::{CommitId, RepoName};

const ALPHABET: &[u8; 32] = b"abcdefghijklmnopqrstuvwxyz234567";
/// 160 bits in base32.
const LENGTH: usize = 32;

/// Names a snapshot: a hash of the repository's name and the commit, so that it can be worked out again after a
/// restart, and so that equal handles mean equal contents whichever server or mapping they came from.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct SnapshotId([u8; LENGTH]);

impl SnapshotId {
    /// The handle of a commit of a repository.
    #[must_use]
    pub fn of(repo: &RepoName, commit: &CommitId) -> Self {
        let mut hasher = blake3::Hasher::new_derive_key("wit snapshot handle v1");
        hasher.update(repo.folded().as_bytes());
        hasher.update(&[0]);
        hasher.update(commit.as_bytes());
        let hash = hasher.finalize();
        let mut text = [b'a'; LENGTH];
        for (index, letter) in text.iter_mut().enumerate() {
            // Each group of 5 bytes gives 8 letters.
            let bit = index * 5;
            let pair = u16::from_be_bytes([hash.as_bytes()[bit / 8], hash.as_bytes()[bit / 8 + 1]]);
            *letter = ALPHABET[usize::from((pair >> (11 - bit % 8)) & 31)];
        }
        Self(text)
    }

    /// The handle as text: 32 letters and digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        std::str::from_utf8(&self.0).unwrap_or_default()
    }
}

impl FromStr for SnapshotId {
    type Err = ();

    /// Reads a handle; anything else can't name a snapshot.
    fn from_str(text: &str) -> Result<Self, ()> {
        let bytes: [u8; LENGTH] = text.as_bytes().try_into().map_err(|_| ())?;
        if bytes.iter().all(|byte| ALPHABET.contains(byte)) { Ok(Self(bytes)) } else { Err(()) }
    }
}

impl fmt::Display for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.as_str())
    }
}

impl fmt::Debug for SnapshotId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SnapshotId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depends_on_name_and_commit_only() {
        let repo = |text: &str| text.parse::<RepoName>().expect("a name");
        let commit = CommitId::from_bytes([7; 20]);
        let id = SnapshotId::of(&repo("a/b"), &commit);
        assert_eq!(id, SnapshotId::of(&repo("A/b"), &commit));
        assert_ne!(id, SnapshotId::of(&repo("a/c"), &commit));
        assert_ne!(id, SnapshotId::of(&repo("a/b"), &CommitId::from_bytes([8; 20])));
        assert_eq!(id.as_str().parse(), Ok(id));
        assert_eq!("../../../../etc/passwd".parse::<SnapshotId>(), Err(()));
        assert_eq!("A".repeat(32).parse::<SnapshotId>(), Err(()));
    }
}
