//! Cursors: where a walk goes on, signed so that only what we issued is accepted.
//!
//! A cursor holds a [`Position`] and a keyed BLAKE3 hash over operation, snapshot (or repository), the arguments that
//! decide what the walk is over, and that position. The key is random and stays in the cache directory, so cursors
//! survive a restart and can't be made up or moved to another walk.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use wit_worker::registry::{Code, OperationId};

use super::OperationError;

const MAC_BYTES: usize = 16;
const NUMBERS: usize = 2;
/// Longest cursor, in bytes of text.
pub(crate) const CURSOR_BYTES: usize = (NUMBERS * 8 + MAC_BYTES).div_ceil(3) * 4;

/// Where a walk goes on; what the numbers mean is up to the operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct Position(pub(crate) u64, pub(crate) u64);

/// What a cursor belongs to.
pub(crate) struct Walk<'a> {
    /// The cache's key.
    pub(crate) key: &'a [u8; 32],
    /// The operation.
    pub(crate) operation: OperationId,
    /// The snapshot's handle, or the repository's name.
    pub(crate) subject: &'a str,
    /// The arguments that decide what the walk is over.
    pub(crate) fingerprint: String,
}

impl Walk<'_> {
    /// The cursor of a position.
    pub(crate) fn issue(&self, position: Position) -> String {
        let mut bytes = [position.0.to_be_bytes(), position.1.to_be_bytes()].concat();
        let mac = self.mac(&bytes);
        bytes.extend_from_slice(&mac);
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// The position of a cursor that this walk issued.
    pub(crate) fn accept(&self, cursor: &str) -> Result<Position, OperationError> {
        self.read(cursor).ok_or_else(|| {
            let words = "the cursor was not issued for this operation, snapshot and arguments; start again without one";
            OperationError::new(Code::InvalidCursor, words)
        })
    }

    fn read(&self, cursor: &str) -> Option<Position> {
        let bytes = URL_SAFE_NO_PAD.decode(cursor).ok()?;
        let (position, mac) = bytes.split_at_checked(NUMBERS * 8)?;
        let mac: [u8; MAC_BYTES] = mac.try_into().ok()?;
        // `blake3::Hash` compares in constant time; pad both to its length.
        let pad = |mac: [u8; MAC_BYTES]| {
            let mut hash = [0; 32];
            hash[..MAC_BYTES].copy_from_slice(&mac);
            blake3::Hash::from_bytes(hash)
        };
        if pad(mac) != pad(self.mac(position)) {
            return None;
        }
        let (first, second) = position.split_at_checked(8)?;
        Some(Position(u64::from_be_bytes(first.try_into().ok()?), u64::from_be_bytes(second.try_into().ok()?)))
    }

    fn mac(&self, position: &[u8]) -> [u8; MAC_BYTES] {
        let mut hasher = blake3::Hasher::new_keyed(self.key);
        for part in
            [self.operation.entry().tool.as_bytes(), self.subject.as_bytes(), self.fingerprint.as_bytes(), position]
        {
            hasher.update(&(part.len() as u64).to_be_bytes());
            hasher.update(part);
        }
        let mut mac = [0; MAC_BYTES];
        mac.copy_from_slice(&hasher.finalize().as_bytes()[..MAC_BYTES]);
        mac
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn walk<'a>(key: &'a [u8; 32], operation: OperationId, subject: &'a str, fingerprint: &str) -> Walk<'a> {
        Walk { key, operation, subject, fingerprint: fingerprint.to_owned() }
    }

    #[test]
    fn only_its_own_walk_accepts_it() {
        let (key, other) = ([1; 32], [2; 32]);
        let position = Position(7, u64::MAX);
        let mine = walk(&key, OperationId::List, "s", "{}");
        let cursor = mine.issue(position);
        assert_eq!(cursor.len().div_ceil(4) * 4, CURSOR_BYTES);
        assert_eq!(mine.accept(&cursor), Ok(position));
        for foreign in [
            walk(&other, OperationId::List, "s", "{}"),
            walk(&key, OperationId::Read, "s", "{}"),
            walk(&key, OperationId::List, "t", "{}"),
            walk(&key, OperationId::List, "s", "{ }"),
        ] {
            assert_eq!(foreign.accept(&cursor).map_err(|error| error.code), Err(Code::InvalidCursor));
        }
    }

    #[test]
    fn any_changed_character_is_noticed() {
        let key = [1; 32];
        let mine = walk(&key, OperationId::List, "s", "{}");
        let cursor = mine.issue(Position(1, 2));
        for index in 0..cursor.len() {
            let mut changed = cursor.clone().into_bytes();
            changed[index] = if changed[index] == b'A' { b'B' } else { b'A' };
            assert!(mine.accept(std::str::from_utf8(&changed).expect("ASCII")).is_err(), "{index}");
        }
        for bad in ["", "A", "%", &cursor[1..], &format!("{cursor}A")] {
            assert!(mine.accept(bad).is_err());
        }
    }
}
