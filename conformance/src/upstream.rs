//! What listens behind `--github-url` in a case: servers that refuse, hang, talk nonsense, or answer with a status.

use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::corpus::Upstream;
use crate::double::git_http::{Fault, GitServer, Stage};

/// A listener on a loopback port, until it is dropped.
pub struct Listener {
    address: SocketAddr,
    shared: Arc<Shared>,
    /// The git server in the listener's place.
    git: Option<GitServer>,
}

struct Shared {
    stop: AtomicBool,
    asked: Mutex<usize>,
    changed: Condvar,
}

impl Listener {
    /// Starts what the case asks for. `canary` stands in every answer that has a text.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(upstream: Upstream, canary: &str) -> std::io::Result<Self> {
        let shared = Arc::new(Shared { stop: AtomicBool::new(false), asked: Mutex::new(0), changed: Condvar::new() });
        if upstream == Upstream::Refuse {
            // A port of the privileged range that nothing uses; a free port of the other range could be taken by
            // the next case.
            return Ok(Self { address: SocketAddr::from(([127, 0, 0, 1], 1)), shared, git: None });
        }
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let (theirs, canary) = (Arc::clone(&shared), canary.to_owned());
        std::thread::spawn(move || accept(&listener, &theirs, upstream, &canary));
        Ok(Self { address, shared, git: None })
    }

    /// A git server with what lies below `root`, which fails after the first conversation.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn failing_later(root: &Path) -> std::io::Result<Self> {
        let mut listener = Self::start(Upstream::Refuse, "")?;
        let git = GitServer::start(root)?;
        git.fail_after(Stage::Handshake, 1, Fault::Status(503));
        listener.git = Some(git);
        Ok(listener)
    }

    /// The address for `--github-url`.
    #[must_use]
    pub fn url(&self) -> String {
        self.git.as_ref().map_or_else(|| format!("http://{}", self.address), GitServer::url)
    }

    /// Waits until somebody has connected this often.
    #[must_use]
    pub fn wait_until_asked(&self, count: usize, timeout: Duration) -> bool {
        let end = Instant::now() + timeout;
        let mut asked = self.shared.asked.lock().unwrap_or_else(PoisonError::into_inner);
        while *asked < count {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            asked = self.shared.changed.wait_timeout(asked, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

impl Drop for Listener {
    fn drop(&mut self) {
        self.shared.stop.store(true, Ordering::SeqCst);
        // Wakes the thread out of accept; when nobody listens there is no thread to wake.
        drop(TcpStream::connect_timeout(&self.address, Duration::from_millis(200)));
    }
}

fn accept(listener: &TcpListener, shared: &Shared, upstream: Upstream, canary: &str) {
    // Kept open so that a peer sees silence and not an end.
    let mut open = Vec::new();
    for stream in listener.incoming() {
        if shared.stop.load(Ordering::SeqCst) {
            return;
        }
        let Ok(mut stream) = stream else { continue };
        *shared.asked.lock().unwrap_or_else(PoisonError::into_inner) += 1;
        shared.changed.notify_all();
        if upstream == Upstream::Hang {
            open.push(stream);
            continue;
        }
        // A peer that has gone is its own affair.
        drop(answer(&mut stream, upstream, canary));
    }
}

fn answer(stream: &mut TcpStream, upstream: Upstream, canary: &str) -> std::io::Result<()> {
    stream.set_read_timeout(Some(Duration::from_secs(5)))?;
    let mut head: Vec<u8> = Vec::new();
    let mut buffer = [0; 4096];
    while !head.windows(4).any(|window| window == b"\r\n\r\n") {
        match stream.read(&mut buffer)? {
            0 => return Ok(()),
            read => head.extend(buffer.iter().take(read)),
        }
    }
    let text = match upstream {
        Upstream::Status(status) => format!(
            "HTTP/1.1 {status} Because {canary}\r\nx-detail: {canary}\r\nretry-after: 7\r\n\
             www-authenticate: Basic realm=\"{canary}\"\r\ncontent-type: text/plain\r\n\
             content-length: {}\r\nconnection: close\r\n\r\n{canary}",
            canary.len()
        ),
        _ => format!("\x01\x02 {canary} this is not HTTP\r\n\r\n"),
    };
    stream.write_all(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ask(listener: &Listener) -> std::io::Result<String> {
        let mut stream = TcpStream::connect(listener.address)?;
        stream.write_all(b"GET / HTTP/1.1\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        Ok(text)
    }

    #[test]
    fn each_kind_does_what_its_name_says() -> std::io::Result<()> {
        let status = Listener::start(Upstream::Status(404), "bird")?;
        assert!(!status.wait_until_asked(1, Duration::ZERO));
        let text = ask(&status)?;
        assert!(text.starts_with("HTTP/1.1 404 ") && text.matches("bird").count() == 4, "{text}");
        assert!(status.wait_until_asked(1, Duration::ZERO));
        assert!(ask(&Listener::start(Upstream::Garbage, "bird")?)?.contains("bird"));
        assert!(ask(&Listener::start(Upstream::Refuse, "bird")?).is_err());
        Ok(())
    }
}
