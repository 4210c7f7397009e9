//! Names parsed once: after this a [`RepoName`], [`CommitId`] or [`GithubUrl`] is safe to put into a URL or a file name.

use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Why a name was refused. The words are ours and hold nothing of the input but what the variant says.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NameError {
    /// Not `owner/name`, and not an address of one.
    #[error("expected owner/name or the repository's https, ssh or git@ address")]
    NotARepository,
    /// An address on a server other than the operator's.
    #[error("the address names another server than the one this wit was started for")]
    OtherServer,
    /// An address of a page inside a repository.
    #[error("the address leads to a page inside the repository; give owner/name, and the branch as ref")]
    NotTheRoot,
    /// Not `owner/*` or `owner/name`.
    #[error("expected owner/name or owner/*")]
    NotAPattern,
    /// Not `owner/name=PATH`.
    #[error("expected owner/name=PATH")]
    NotAMapping,
    /// Not an http(s) address without user, query or fragment.
    #[error("expected an http or https address without user, query or fragment")]
    NotAnAddress,
}

/// `owner/name`, each of letters, digits, `-`, `_` and `.`, at most 100 bytes, and never `.` or `..`.
///
/// Equality ignores ASCII case, as GitHub does; the spelling is kept for display.
#[derive(Clone)]
pub struct RepoName {
    text: String,
    slash: usize,
}

impl RepoName {
    /// The owner.
    #[must_use]
    pub fn owner(&self) -> &str {
        &self.text[..self.slash]
    }

    /// The name without the owner.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.text[self.slash + 1..]
    }

    /// `owner/name`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// The form that is equal for equal names.
    #[must_use]
    pub fn folded(&self) -> String {
        self.text.to_ascii_lowercase()
    }

    /// Reads what a caller may give as `repo`: `owner/name`, or an address of one on `server`.
    ///
    /// Understood: `https://host/owner/name[.git][/]`, `http://…`, `host/owner/name`, `ssh://git@host/owner/name.git`,
    /// `git@host:owner/name.git`.
    ///
    /// # Errors
    /// When it is neither, or leads elsewhere.
    pub fn parse_argument(text: &str, server: &GithubUrl) -> Result<Self, NameError> {
        let text = text.trim();
        if let Ok(name) = text.parse() {
            return Ok(name);
        }
        let (address, has_scheme) = match text.split_once("://") {
            Some(("https" | "http" | "ssh" | "git" | "git+ssh", rest)) => (rest, true),
            Some(_) => return Err(NameError::NotARepository),
            None => (text, false),
        };
        let address = address.split(['?', '#']).next().unwrap_or_default();
        let scp = if has_scheme { None } else { address.split_once(':').filter(|(host, _)| !host.contains('/')) };
        let (host, path) = scp.or_else(|| address.split_once('/')).ok_or(NameError::NotARepository)?;
        let host = host.rsplit_once('@').map_or(host, |(_, host)| host);
        let path = path.trim_start_matches('/');
        if !server.is_host(host) {
            let dotted = is_component(host) && !host.starts_with('.') && host.contains('.');
            let looks_like_a_host = has_scheme || scp.is_some() || dotted;
            return Err(if looks_like_a_host { NameError::OtherServer } else { NameError::NotARepository });
        }
        let path = path.trim_end_matches('/');
        let mut parts = path.splitn(3, '/');
        let (Some(owner), Some(name)) = (parts.next(), parts.next()) else { return Err(NameError::NotARepository) };
        if parts.next().is_some() {
            return Err(NameError::NotTheRoot);
        }
        format!("{owner}/{}", name.strip_suffix(".git").unwrap_or(name)).parse()
    }
}

fn is_component(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 100
        && text != "."
        && text != ".."
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.'))
}

impl FromStr for RepoName {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        match text.split_once('/') {
            Some((owner, name)) if is_component(owner) && is_component(name) => {
                Ok(Self { text: text.to_owned(), slash: owner.len() })
            }
            _ => Err(NameError::NotARepository),
        }
    }
}

impl PartialEq for RepoName {
    fn eq(&self, other: &Self) -> bool {
        self.text.eq_ignore_ascii_case(&other.text)
    }
}

impl Eq for RepoName {}

impl fmt::Display for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for RepoName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RepoName({})", self.text)
    }
}

/// `--allow owner/*` or `--allow owner/name`; `*` stands for any run of characters in either part.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AllowPattern {
    owner: String,
    name: String,
}

impl AllowPattern {
    /// Whether the pattern covers the repository, ignoring ASCII case.
    #[must_use]
    pub fn allows(&self, repo: &RepoName) -> bool {
        self.covers_owner(repo.owner()) && wildcard(self.name.as_bytes(), repo.name().to_ascii_lowercase().as_bytes())
    }

    /// Whether the pattern covers some repository of an owner.
    pub(crate) fn covers_owner(&self, owner: &str) -> bool {
        wildcard(self.owner.as_bytes(), owner.to_ascii_lowercase().as_bytes())
    }

    /// The owner's part, in lower case.
    pub(crate) fn owner(&self) -> &str {
        &self.owner
    }

    /// The name's part, in lower case.
    pub(crate) fn name(&self) -> &str {
        &self.name
    }
}

/// Matches `*` greedily with one point of return: linear in practice, quadratic at worst on 100 bytes.
pub(crate) fn wildcard(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t, mut star) = (0, 0, None);
    while t < text.len() {
        if pattern.get(p) == Some(&b'*') {
            star = Some((p, t));
            p += 1;
        } else if pattern.get(p) == text.get(t) {
            (p, t) = (p + 1, t + 1);
        } else if let Some((star_p, star_t)) = star {
            star = Some((star_p, star_t + 1));
            (p, t) = (star_p + 1, star_t + 1);
        } else {
            return false;
        }
    }
    pattern[p..].iter().all(|byte| *byte == b'*')
}

impl FromStr for AllowPattern {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let valid = |part: &str| is_component(&part.replace('*', "x"));
        match text.trim().split_once('/') {
            Some((owner, name)) if valid(owner) && valid(name) => {
                Ok(Self { owner: owner.to_ascii_lowercase(), name: name.to_ascii_lowercase() })
            }
            _ => Err(NameError::NotAPattern),
        }
    }
}

/// `--local owner/name=PATH`: the operator's word that this repository on disk may be read under that name.
#[derive(Debug, Clone)]
pub struct LocalMapping {
    /// The name callers use.
    pub name: RepoName,
    /// The repository, bare or with a working tree.
    pub path: PathBuf,
}

impl FromStr for LocalMapping {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let (name, path) = text.split_once('=').ok_or(NameError::NotAMapping)?;
        if path.is_empty() {
            return Err(NameError::NotAMapping);
        }
        Ok(Self { name: name.parse().map_err(|_| NameError::NotAMapping)?, path: PathBuf::from(path) })
    }
}

/// The git server for every repository that is not mapped locally (`--github-url`).
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GithubUrl {
    base: String,
    host: String,
}

impl GithubUrl {
    /// The address without a trailing slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.base
    }

    /// The address of a repository's git service.
    #[must_use]
    pub fn repository(&self, repo: &RepoName) -> String {
        format!("{}/{}.git", self.base, repo.as_str())
    }

    /// Whether credentials may travel to it: always over TLS, in the clear only on this machine's own loopback.
    #[must_use]
    pub fn may_carry_credentials(&self) -> bool {
        self.base.starts_with("https://") || is_loopback(&self.host)
    }

    fn is_host(&self, host: &str) -> bool {
        let plain = |host: &str| host.trim_start_matches("www.").to_ascii_lowercase();
        let bare = self.host.rsplit_once(':').map_or(self.host.as_str(), |(bare, _)| bare);
        plain(host) == plain(&self.host) || plain(host) == plain(bare)
    }
}

fn is_loopback(host: &str) -> bool {
    let bare = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    bare == "localhost" || bare.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl Default for GithubUrl {
    fn default() -> Self {
        Self { base: "https://github.com".to_owned(), host: "github.com".to_owned() }
    }
}

impl FromStr for GithubUrl {
    type Err = NameError;

    fn from_str(text: &str) -> Result<Self, NameError> {
        let base = text.trim().trim_end_matches('/');
        let rest = base.strip_prefix("https://").or_else(|| base.strip_prefix("http://"));
        let rest = rest.ok_or(NameError::NotAnAddress)?;
        let host = rest.split('/').next().unwrap_or_default();
        let plain =
            |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'@' | b'?' | b'#' | b'\\' | b'"' | b'<' | b'>');
        if host.is_empty() || !rest.bytes().all(plain) || rest.split('/').any(|part| part == ".." || part == ".") {
            return Err(NameError::NotAnAddress);
        }
        Ok(Self { base: base.to_owned(), host: host.to_ascii_lowercase() })
    }
}

impl fmt::Display for GithubUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.base)
    }
}

/// A full SHA-1 commit id.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct CommitId([u8; 20]);

impl CommitId {
    /// From its bytes.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 20]) -> Self {
        Self(bytes)
    }

    /// Its bytes.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 20] {
        &self.0
    }

    /// From 40 hexadecimal digits.
    #[must_use]
    pub fn from_hex(text: &str) -> Option<Self> {
        let digits = text.as_bytes();
        if digits.len() != 40 {
            return None;
        }
        let mut bytes = [0; 20];
        for (byte, pair) in bytes.iter_mut().zip(digits.chunks_exact(2)) {
            let nibble = |digit: u8| char::from(digit).to_digit(16).and_then(|value| u8::try_from(value).ok());
            *byte = nibble(pair[0])? << 4 | nibble(pair[1])?;
        }
        Some(Self(bytes))
    }
}

impl fmt::Display for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for CommitId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "CommitId({self})")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repositories_are_understood_in_every_usual_form() {
        let github = GithubUrl::default();
        for text in [
            "rust-lang/cargo",
            "https://github.com/rust-lang/cargo",
            "https://www.github.com/rust-lang/cargo.git",
            "http://github.com/rust-lang/cargo/",
            "github.com/rust-lang/cargo",
            "ssh://git@github.com/rust-lang/cargo.git",
            "git@github.com:rust-lang/cargo.git",
            "https://token@github.com/rust-lang/cargo?tab=readme#x",
        ] {
            let name = RepoName::parse_argument(text, &github).expect(text);
            assert_eq!(name.as_str(), "rust-lang/cargo", "{text}");
        }
    }

    #[test]
    fn what_is_not_a_repository_is_refused() {
        let github = GithubUrl::default();
        let refused = |text: &str| RepoName::parse_argument(text, &github).expect_err(text);
        for text in ["", "x", "a/b/c", "../b", "a/..", "a/.", "a b/c", "a/\u{0}b", "file:///etc/passwd", "/etc/passwd"]
        {
            assert_eq!(refused(text), NameError::NotARepository, "{text:?}");
        }
        assert_eq!(refused("https://evil.example/a/b"), NameError::OtherServer);
        assert_eq!(refused("git@evil.example:a/b"), NameError::OtherServer);
        assert_eq!(refused("https://github.com/a/b/tree/main"), NameError::NotTheRoot);
        assert_eq!(refused("https://github.com/a/.."), NameError::NotARepository);
    }

    #[test]
    fn allow_patterns() {
        let allows = |pattern: &str, repo: &str| {
            pattern.parse::<AllowPattern>().expect("a pattern").allows(&repo.parse().expect("a name"))
        };
        assert!(allows("acme/*", "Acme/thing"));
        assert!(allows("acme/x*y*", "acme/xayb"));
        assert!(!allows("acme/*", "acme2/thing"));
        assert!(!allows("acme/thing", "acme/things"));
        assert!("acme".parse::<AllowPattern>().is_err());
        assert!("*/*".parse::<AllowPattern>().is_ok());
    }

    #[test]
    fn servers() {
        assert!("https://ghe.example/".parse::<GithubUrl>().expect("an address").may_carry_credentials());
        assert!("http://127.0.0.1:8080".parse::<GithubUrl>().expect("an address").may_carry_credentials());
        assert!("http://[::1]:8080".parse::<GithubUrl>().expect("an address").may_carry_credentials());
        assert!(!"http://ghe.example".parse::<GithubUrl>().expect("an address").may_carry_credentials());
        for bad in ["", "ghe.example", "ftp://x", "https://user@x", "https://x?y", "https://", "https://x/../y"] {
            assert!(bad.parse::<GithubUrl>().is_err(), "{bad}");
        }
    }

    #[test]
    fn commit_ids() {
        let text = "0123456789abcdef0123456789abcdef01234567";
        assert_eq!(CommitId::from_hex(text).expect("an id").to_string(), text);
        assert!(CommitId::from_hex(&text[1..]).is_none());
        assert!(CommitId::from_hex(&text.replace('0', "g")).is_none());
    }
}
