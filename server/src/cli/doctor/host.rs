//! What lies outside the sandbox: the temporary directory, the cache directory and the git server.

use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use super::Check;
use crate::repository::GithubUrl;

/// Longest wait for the git server, name resolution included.
const PATIENCE: Duration = Duration::from_secs(2);

/// Whether the cache directory can be written to; if it does not exist, whether it can be made.
pub(super) fn cache(directory: Option<&Path>) -> Check {
    let Some(directory) = directory else {
        let detail = "none: give --cache-dir, or set WIT_CACHE_DIR or HOME".to_owned();
        return Check { what: "cache directory".to_owned(), ok: false, required: true, detail };
    };
    // The nearest part of the path that exists; nothing is made here.
    let existing = directory.ancestors().find(|part| part.exists()).unwrap_or(Path::new("."));
    let (ok, detail) = match tempfile::tempfile_in(existing) {
        Ok(_) if existing == directory => (true, "can be written".to_owned()),
        Ok(_) => (true, "does not exist yet and can be made".to_owned()),
        Err(error) => (false, format!("cannot be written: {}", error.kind())),
    };
    Check { what: directory.display().to_string(), ok, required: true, detail }
}

/// Whether a worker's private directory can be made and removed, as each start of one does.
pub(super) fn temporary() -> Check {
    #[cfg(target_os = "linux")]
    let root = crate::codemode::place::root();
    #[cfg(not(target_os = "linux"))]
    let root = std::env::temp_dir();
    let made = tempfile::Builder::new().prefix("wit-worker-").tempdir_in(&root).and_then(tempfile::TempDir::close);
    let (ok, detail) = match made {
        Ok(()) => (true, "can be used".to_owned()),
        Err(error) => (false, format!("cannot be used: {}", error.kind())),
    };
    Check { what: root.display().to_string(), ok, required: true, detail }
}

/// Whether the git server takes a TCP connection. Being offline is not a fault: local repositories and the cache work.
pub(super) fn reach(url: &GithubUrl) -> Check {
    let what = url.to_string();
    let (ok, detail) = match address(&what) {
        None => (false, "has no host and port to try".to_owned()),
        Some((host, port)) => connect(host, port),
    };
    Check { what, ok, required: false, detail }
}

/// Host and port of an `http` or `https` URL.
fn address(url: &str) -> Option<(String, u16)> {
    let url = reqwest::Url::parse(url).ok()?;
    Some((url.host_str()?.trim_matches(['[', ']']).to_owned(), url.port_or_known_default()?))
}

/// Resolving a name cannot be given a deadline, so a thread does it all and is left behind when it takes too long.
fn connect(host: String, port: u16) -> (bool, String) {
    let (sender, answer) = mpsc::channel();
    let started = Instant::now();
    thread::spawn(move || {
        let outcome = (host.as_str(), port).to_socket_addrs().and_then(|addresses| {
            let mut last = std::io::Error::from(std::io::ErrorKind::AddrNotAvailable);
            for address in addresses {
                match TcpStream::connect_timeout(&address, PATIENCE) {
                    Ok(_) => return Ok(()),
                    Err(error) => last = error,
                }
            }
            Err(last)
        });
        // Nobody listens any more when it took too long.
        let _ = sender.send(outcome.map_err(|error| error.kind()));
    });
    match answer.recv_timeout(PATIENCE) {
        Ok(Ok(())) => (true, format!("reachable in {} ms", started.elapsed().as_millis())),
        Ok(Err(kind)) => (false, format!("not reachable directly: {kind}")),
        Err(_) => (false, "no answer within 2 s".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cache_check_makes_nothing() {
        let parent = tempfile::tempdir().unwrap_or_else(|error| panic!("{error}"));
        let wanted = parent.path().join("a/b");
        let check = cache(Some(&wanted));
        assert!(check.ok, "{check:?}");
        assert!(!parent.path().join("a").exists());
        assert!(!cache(None).ok);
        let file = parent.path().join("file");
        std::fs::write(&file, "").unwrap_or_else(|error| panic!("{error}"));
        assert!(!cache(Some(&file)).ok);
    }

    #[test]
    fn addresses_come_from_urls() {
        assert_eq!(address("https://github.com"), Some(("github.com".to_owned(), 443)));
        assert_eq!(address("http://[::1]:8080/git"), Some(("::1".to_owned(), 8080)));
        assert_eq!(address("nonsense"), None);
    }

    #[test]
    fn a_closed_port_is_a_warning_and_an_open_one_is_reached() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap_or_else(|error| panic!("{error}"));
        let port = listener.local_addr().map_or(0, |address| address.port());
        assert!(connect("127.0.0.1".to_owned(), port).0);
        drop(listener);
        assert!(!connect("127.0.0.1".to_owned(), port).0);
    }
}
