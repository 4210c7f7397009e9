//! What lies outside the sandbox: the temporary directory, the cache directory and the git server.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::path::Path;
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use tokio_util::sync::CancellationToken;

use super::super::exit::Exit;
use super::Check;
use crate::github::{App, Github, GithubError};
use crate::operations::OperationContext;
use crate::repository::GithubUrl;

/// Longest wait for the resolution of a name, and then for an answer.
const PATIENCE: Duration = Duration::from_secs(2);
const NO_ANSWER: &str = "no answer within 2 s";
const NO_NAME: &str = "its name cannot be resolved here: offline, or there is no such host";

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
    let (roots, made) = {
        let roots = crate::codemode::place::roots();
        let made = crate::codemode::place::make(&roots).map(drop);
        (roots, made)
    };
    #[cfg(not(target_os = "linux"))]
    let (roots, made) = (vec![std::env::temp_dir()], tempfile::tempdir().and_then(tempfile::TempDir::close));
    let (ok, detail) = match made {
        Ok(()) => (true, "can be used".to_owned()),
        Err(error) => (false, format!("cannot be used: {}", error.kind())),
    };
    let shown: Vec<_> = roots.iter().map(|root| root.display().to_string()).collect();
    Check { what: shown.join(", else "), ok, required: true, detail }
}

/// Whether the git server takes a connection, and whether its REST API answers. Being offline is not a fault: local
/// repositories and the cache work.
pub(super) fn reach(url: &GithubUrl) -> (Check, Check) {
    let github = Github::new(url.clone(), None, None);
    let api = github.base().map(ToString::to_string).unwrap_or_default();
    let server = url.to_string();
    // Each may take its whole time when nobody answers.
    let ((ok, detail), (api_ok, api_detail)) = thread::scope(|scope| {
        let asked = scope.spawn(|| ask(&github, &api));
        (probe(&server), asked.join().unwrap_or((false, "could not be tried".to_owned())))
    });
    let check = |what, ok, detail| Check { what, ok, required: false, detail };
    (check(server, ok, detail), check(api, api_ok, api_detail))
}

/// Whether the operator's GitHub App could be used; of its key only that it is one.
pub(super) fn app(app: &Result<Option<App>, Exit>) -> Check {
    let (ok, detail) = match app {
        Ok(None) => (true, "not set".to_owned()),
        Ok(Some(_)) => (true, "set, with a private key that can sign; used instead of a token".to_owned()),
        Err(Exit::Usage(line)) => (false, line.clone()),
        Err(_) => (false, "cannot be used".to_owned()),
    };
    Check { what: String::new(), ok, required: true, detail }
}

/// Host and port of an `http` or `https` URL.
fn address(url: &str) -> Option<(String, u16)> {
    let url = reqwest::Url::parse(url).ok()?;
    Some((url.host_str()?.trim_matches(['[', ']']).to_owned(), url.port_or_known_default()?))
}

/// Tries a TCP connection.
fn probe(url: &str) -> (bool, String) {
    let started = Instant::now();
    match resolve(url) {
        Ok(addresses) => match connect(&addresses) {
            Ok(()) => (true, format!("takes connections, in {} ms", started.elapsed().as_millis())),
            Err(kind) => (false, words(kind).to_owned()),
        },
        Err(words) => (false, words.to_owned()),
    }
}

/// Asks the REST API, without credentials. Whatever it answers shows that it is there.
fn ask(github: &Github, url: &str) -> (bool, String) {
    let started = Instant::now();
    if let Err(words) = resolve(url) {
        return (false, words.to_owned());
    }
    let Ok(runtime) = tokio::runtime::Builder::new_current_thread().enable_all().build() else {
        return (false, "could not be tried".to_owned());
    };
    let context = OperationContext::new(PATIENCE, CancellationToken::new());
    let reached = runtime.block_on(github.reach(&context));
    // The client resolves the name once more, on a thread that cannot be interrupted.
    runtime.shutdown_background();
    match reached {
        Ok(()) => (true, format!("answers, in {} ms", started.elapsed().as_millis())),
        Err(GithubError::Unavailable(silence)) => (false, silence.to_string()),
        Err(_) => (false, NO_ANSWER.to_owned()),
    }
}

/// Resolving a name cannot be given a deadline, so a thread does it and is left behind when it takes too long.
fn resolve(url: &str) -> Result<Vec<SocketAddr>, &'static str> {
    let (host, port) = address(url).ok_or("it has no host and port to try")?;
    let (sender, answer) = mpsc::channel();
    thread::spawn(move || {
        let found = (host.as_str(), port).to_socket_addrs().map(Vec::from_iter).unwrap_or_default();
        // Nobody listens any more when it took too long.
        let _ = sender.send(found);
    });
    match answer.recv_timeout(PATIENCE) {
        Ok(addresses) if addresses.is_empty() => Err(NO_NAME),
        Ok(addresses) => Ok(addresses),
        Err(_) => Err(NO_NAME),
    }
}

fn connect(addresses: &[SocketAddr]) -> Result<(), ErrorKind> {
    let share = PATIENCE / u32::try_from(addresses.len().max(1)).unwrap_or(1);
    let mut last = ErrorKind::AddrNotAvailable;
    for address in addresses {
        match TcpStream::connect_timeout(address, share) {
            Ok(_) => return Ok(()),
            Err(error) => last = error.kind(),
        }
    }
    Err(last)
}

/// The same words on every system, whatever the system calls it.
const fn words(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::ConnectionRefused => "it refuses connections",
        ErrorKind::TimedOut | ErrorKind::WouldBlock => NO_ANSWER,
        ErrorKind::NetworkUnreachable | ErrorKind::HostUnreachable | ErrorKind::NetworkDown => {
            "no network leads there from here"
        }
        _ => "it cannot be connected to",
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
        assert!(probe(&format!("http://127.0.0.1:{port}")).0);
        drop(listener);
        let closed = format!("http://127.0.0.1:{port}");
        assert_eq!(probe(&closed), (false, "it refuses connections".to_owned()));
        let github = Github::new(closed.parse().unwrap_or_default(), None, None);
        assert_eq!(ask(&github, &closed), (false, "no connection can be made".to_owned()));
        assert_eq!(probe("http://name.invalid"), (false, NO_NAME.to_owned()));
    }
}
