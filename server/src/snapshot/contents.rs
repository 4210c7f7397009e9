//! What a file's bytes are, decided once when a snapshot is written.

/// The UTF-8 byte order mark. Like ripgrep we search the text behind it; `read` gives it back.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

const LFS_HEADER: &[u8] = b"version https://git-lfs.github.com/spec/v1\n";
/// Git LFS itself looks no further.
const LFS_POINTER_BYTES: usize = 1024;

/// Facts about a file's contents.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Contents {
    /// Whether there is a NUL byte: what ripgrep calls binary.
    pub binary: bool,
    /// Whether text isn't UTF-8 throughout.
    pub lossy: bool,
    /// Whether the text begins with a byte order mark.
    pub byte_order_mark: bool,
    /// Lines of text: newlines, and one more for a last line without one.
    pub lines: u64,
    /// The LFS pointer it is, if it is one.
    pub lfs: Option<LfsPointer>,
}

/// What a Git LFS pointer points to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LfsPointer {
    /// SHA-256 of the contents, in hexadecimal.
    pub oid: String,
    /// Bytes of the contents.
    pub size: u64,
}

impl Contents {
    /// Looks at the bytes once.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        if memchr::memchr(0, bytes).is_some() {
            return Self { binary: true, lossy: false, byte_order_mark: false, lines: 0, lfs: None };
        }
        Self {
            binary: false,
            lossy: std::str::from_utf8(bytes).is_err(),
            byte_order_mark: bytes.starts_with(BYTE_ORDER_MARK),
            lines: count_lines(bytes),
            lfs: LfsPointer::parse(bytes),
        }
    }
}

/// Lines as `git` and `rg` number them: `\n` ends a line, a lone `\r` doesn't.
#[must_use]
pub(crate) fn count_lines(bytes: &[u8]) -> u64 {
    let ended = memchr::memchr_iter(b'\n', bytes).count() as u64;
    ended + u64::from(bytes.last().is_some_and(|last| *last != b'\n'))
}

impl LfsPointer {
    /// Reads a pointer file as git-lfs does.
    #[must_use]
    pub fn parse(bytes: &[u8]) -> Option<Self> {
        if bytes.len() > LFS_POINTER_BYTES || !bytes.starts_with(LFS_HEADER) {
            return None;
        }
        let text = std::str::from_utf8(bytes).ok()?;
        let field = |name: &str| text.lines().find_map(|line| line.strip_prefix(name));
        let oid = field("oid sha256:")?;
        if oid.len() != 64 || !oid.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return None;
        }
        Some(Self { oid: oid.to_owned(), size: field("size ")?.parse().ok()? })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_lines_as_git_does() {
        for (text, lines) in [("", 0), ("a", 1), ("a\n", 1), ("a\nb", 2), ("\n\n", 2), ("a\r\nb\r\n", 2), ("a\rb", 1)] {
            assert_eq!(Contents::of(text.as_bytes()).lines, lines, "{text:?}");
        }
    }

    #[test]
    fn tells_text_from_binary() {
        assert!(Contents::of(b"a\0b").binary);
        assert!(Contents::of(b"\xff\n").lossy);
        assert!(Contents::of(b"\xef\xbb\xbfx").byte_order_mark);
        assert!(!Contents::of("grüße".as_bytes()).lossy);
    }

    #[test]
    fn recognises_lfs_pointers() {
        let oid = "4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393";
        let text = format!("version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize 12345\n");
        assert_eq!(LfsPointer::parse(text.as_bytes()), Some(LfsPointer { oid: oid.to_owned(), size: 12345 }));
        assert_eq!(LfsPointer::parse(text.replace("4d7a", "4d7").as_bytes()), None);
        assert_eq!(LfsPointer::parse(b"version https://git-lfs.github.com/spec/v1\n"), None);
    }
}
