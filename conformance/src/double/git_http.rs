//! A GitHub on loopback: git's own `git http-backend` behind a small HTTP/1.1 front end, and the REST API of [`super::rest`].
//!
//! It serves every bare repository below a directory, speaks protocol version 2 (and 0, if the client asks for nothing),
//! takes chunked and compressed request bodies, can require a token, logs what was asked, and fails on demand in the ways
//! servers and networks do. Needs nothing but `git`. Nothing here sleeps: a stalled answer waits for the client to hang up.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use base64::Engine as _;

use super::rest::{self, Api, Installed, Listed};

/// The request that a fault applies to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// `GET …/info/refs`: the first request.
    Handshake,
    /// `POST …/git-upload-pack` that lists refs (protocol version 2).
    ListRefs,
    /// `POST …/git-upload-pack` that fetches objects.
    Fetch,
    /// `GET /api/v3/search/repositories`.
    Search,
    /// `POST /api/v3/app/installations/…/access_tokens`.
    Token,
}

/// What goes wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fault {
    /// This status, with a body that must not leak: `upstream-body-canary`.
    Status(u16),
    /// Status 429 with `Retry-After` in seconds.
    RateLimited(u64),
    /// This status, headers and body.
    Answer(u16, Vec<(&'static str, String)>, String),
    /// Status 302 to the same path below another address.
    Redirect(String),
    /// The request is read and never answered.
    Stall,
    /// The answer stops after this many bytes of its body, and the connection stays open.
    StallAfter(usize),
    /// The connection is closed after this many bytes of the body.
    TruncateAfter(usize),
    /// The byte at this offset of the body is changed.
    Corrupt(usize),
    /// The pack says that it has one object more than it has.
    MissingObject,
    /// The pack says that its first object has about 2^60 bytes.
    HugeObject,
    /// A body that isn't git's protocol, with status 200.
    Nonsense,
}

/// What a client asked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    /// `GET` or `POST`.
    pub method: String,
    /// Path and query.
    pub target: String,
    /// The `Authorization` header, if there was one.
    pub authorization: Option<String>,
    /// The `Git-Protocol` header, if there was one.
    pub git_protocol: Option<String>,
    /// The stage, if it is one of a clone.
    pub stage: Option<Stage>,
}

#[derive(Default)]
struct Settings {
    token: Option<String>,
    api: Api,
    /// Old and new paths of repositories that have moved.
    moved: Vec<(String, String)>,
    /// Each with how many requests of its stage pass first.
    faults: Vec<(Stage, usize, Fault)>,
    log: Vec<Request>,
    connections: Vec<TcpStream>,
}

impl Settings {
    /// Whether a request may see what isn't public.
    fn admits(&self, request: &Incoming) -> bool {
        let nobody = self.token.is_none() && self.api.app.is_none();
        nobody || self.token.iter().chain(&self.api.issued).any(|token| presents(request, token))
    }
}

struct Shared {
    root: PathBuf,
    settings: Mutex<Settings>,
    closing: AtomicBool,
}

impl Shared {
    fn settings(&self) -> MutexGuard<'_, Settings> {
        self.settings.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The running server; dropping it closes every connection and ends every thread.
pub struct GitServer {
    address: SocketAddr,
    shared: Arc<Shared>,
    acceptor: Option<JoinHandle<()>>,
}

impl GitServer {
    /// Serves the bare repositories below a directory: `root/owner/name.git` as `/owner/name.git`.
    ///
    /// # Errors
    /// When no port can be had.
    pub fn start(root: &Path) -> io::Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", 0))?;
        let address = listener.local_addr()?;
        let shared =
            Arc::new(Shared { root: root.to_owned(), settings: Mutex::default(), closing: AtomicBool::new(false) });
        let own = Arc::clone(&shared);
        let acceptor = std::thread::spawn(move || accept(&listener, &own));
        Ok(Self { address, shared, acceptor: Some(acceptor) })
    }

    /// The address without a trailing slash, as for `--github-url`.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The same server under another host name, so another origin.
    #[must_use]
    pub fn other_url(&self) -> String {
        format!("http://localhost:{}", self.address.port())
    }

    /// Answers 401 to whoever doesn't present this token (as bearer, or as the password of basic authentication).
    pub fn require_token(&self, token: &str) {
        self.shared.settings().token = Some(token.to_owned());
    }

    /// Answers requests for one repository, given as `owner/name`, by 301 to the same below another, as GitHub does when it
    /// was renamed.
    pub fn rename(&self, from: &str, to: &str) {
        self.shared.settings().moved.push((format!("/{from}.git/"), format!("/{to}.git/")));
    }

    /// Lists repositories for searches.
    pub fn list(&self, repositories: Vec<Listed>) {
        self.shared.settings().api.repositories = repositories;
    }

    /// Says of each search that it ran out of time.
    pub fn search_incompletely(&self) {
        self.shared.settings().api.incomplete = true;
    }

    /// Installs an app; from now on git and searches want a token, its own or that of [`Self::require_token`].
    pub fn install(&self, app: Installed) {
        self.shared.settings().api.app = Some(app);
    }

    /// Refuses from now on all tokens given to the app so far.
    pub fn revoke(&self) {
        self.shared.settings().api.issued.clear();
    }

    /// Makes a stage fail from now on.
    pub fn fail(&self, stage: Stage, fault: Fault) {
        self.fail_after(stage, 0, fault);
    }

    /// Makes a stage fail once this many requests of it have been answered.
    pub fn fail_after(&self, stage: Stage, answered: usize, fault: Fault) {
        self.shared.settings().faults.push((stage, answered, fault));
    }

    /// Everything works again.
    pub fn heal(&self) {
        self.shared.settings().faults.clear();
    }

    /// What was asked since the start.
    #[must_use]
    pub fn requests(&self) -> Vec<Request> {
        self.shared.settings().log.clone()
    }

    /// How often a stage was asked for since the start.
    #[must_use]
    pub fn count(&self, stage: Stage) -> usize {
        self.shared.settings().log.iter().filter(|request| request.stage == Some(stage)).count()
    }
}

impl Drop for GitServer {
    fn drop(&mut self) {
        self.shared.closing.store(true, Ordering::SeqCst);
        for connection in self.shared.settings().connections.drain(..) {
            let _ = connection.shutdown(Shutdown::Both);
        }
        // Wakes the acceptor, which then sees that it is over.
        let _ = TcpStream::connect(self.address);
        if let Some(acceptor) = self.acceptor.take() {
            let _ = acceptor.join();
        }
    }
}

fn accept(listener: &TcpListener, shared: &Arc<Shared>) {
    let mut threads = Vec::new();
    for stream in listener.incoming().flatten() {
        if shared.closing.load(Ordering::SeqCst) {
            break;
        }
        if let Ok(own) = stream.try_clone() {
            shared.settings().connections.push(own);
        }
        let shared = Arc::clone(shared);
        threads.push(std::thread::spawn(move || {
            // A client that hangs up in the middle is what some tests are about.
            let _ = converse(&stream, &shared);
            let _ = stream.shutdown(Shutdown::Both);
        }));
    }
    for connection in shared.settings().connections.drain(..) {
        let _ = connection.shutdown(Shutdown::Both);
    }
    for thread in threads {
        let _ = thread.join();
    }
}

/// A request as it came in.
struct Incoming {
    method: String,
    target: String,
    headers: Vec<(String, String)>,
    body: Vec<u8>,
}

impl Incoming {
    fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(key, _)| key.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    fn stage(&self) -> Option<Stage> {
        let path = self.target.split('?').next().unwrap_or_default();
        if path == rest::SEARCH {
            return Some(Stage::Search);
        }
        if rest::asks_for_token(path) {
            return Some(Stage::Token);
        }
        if path.ends_with("/info/refs") {
            return Some(Stage::Handshake);
        }
        let lists = memmem(&self.body, b"command=ls-refs");
        path.ends_with("/git-upload-pack").then_some(if lists { Stage::ListRefs } else { Stage::Fetch })
    }
}

fn memmem(haystack: &[u8], needle: &[u8]) -> bool {
    haystack.windows(needle.len()).any(|window| window == needle)
}

fn converse(stream: &TcpStream, shared: &Shared) -> io::Result<()> {
    stream.set_nodelay(true)?;
    let mut reader = BufReader::new(stream);
    while let Some(request) = receive(&mut reader)? {
        let stage = request.stage();
        let fault = {
            let mut settings = shared.settings();
            settings.log.push(Request {
                method: request.method.clone(),
                target: request.target.clone(),
                authorization: request.header("authorization").map(str::to_owned),
                git_protocol: request.header("git-protocol").map(str::to_owned),
                stage,
            });
            let admitted = settings.admits(&request);
            let is_rest = request.target.starts_with(rest::PREFIX);
            if is_rest && !settings.faults.iter().any(|(at, ..)| Some(*at) == stage) {
                let authorization = request.header("authorization").map(str::to_owned);
                let (method, target) = (request.method.as_str(), request.target.as_str());
                let (status, headers, body) = settings.api.answer(method, target, authorization.as_deref(), admitted);
                drop(settings);
                simple(stream, status, &headers, body.as_bytes())?;
                continue;
            }
            if !is_rest && !admitted {
                drop(settings);
                let challenge = [("WWW-Authenticate", "Basic realm=\"double\"".to_owned())];
                simple(stream, 401, &challenge, b"upstream-body-canary")?;
                continue;
            }
            let moved = settings.moved.iter().find(|(old, _)| request.target.starts_with(old));
            if let Some(target) = moved.map(|(old, new)| request.target.replacen(old, new, 1)) {
                drop(settings);
                simple(stream, 301, &[("Location", target)], b"")?;
                continue;
            }
            let asked = settings.log.iter().filter(|request| request.stage == stage).count();
            let due = settings.faults.iter().find(|(at, after, _)| Some(*at) == stage && asked > *after);
            due.map(|(.., fault)| fault.clone())
        };
        match fault {
            Some(Fault::Status(status)) => simple(stream, status, &[], b"upstream-body-canary")?,
            Some(Fault::Answer(status, headers, body)) => simple(stream, status, &headers, body.as_bytes())?,
            Some(Fault::RateLimited(seconds)) => {
                simple(stream, 429, &[("Retry-After", seconds.to_string())], b"upstream-body-canary")?;
            }
            Some(Fault::Redirect(base)) => {
                simple(stream, 302, &[("Location", format!("{base}{}", request.target))], b"")?;
            }
            Some(Fault::Nonsense) => simple(stream, 200, &[("Content-Type", "text/html".to_owned())], b"<html>")?,
            Some(Fault::Stall) => return wait_for_hang_up(stream),
            fault => {
                if !run_backend(stream, shared, &request, fault.as_ref())? {
                    return Ok(());
                }
            }
        }
    }
    Ok(())
}

/// Reads one request with its whole body; none when the client has hung up.
fn receive(reader: &mut BufReader<&TcpStream>) -> io::Result<Option<Incoming>> {
    let mut line = String::new();
    if reader.read_line(&mut line)? == 0 {
        return Ok(None);
    }
    let mut words = line.split_whitespace().map(str::to_owned);
    let (Some(method), Some(target)) = (words.next(), words.next()) else { return Ok(None) };
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        match line.trim_end().split_once(':') {
            Some((name, value)) => headers.push((name.to_owned(), value.trim().to_owned())),
            None => break,
        }
    }
    let mut request = Incoming { method, target, headers, body: Vec::new() };
    if request.header("transfer-encoding").is_some_and(|coding| coding.eq_ignore_ascii_case("chunked")) {
        loop {
            let mut size = String::new();
            reader.read_line(&mut size)?;
            let size = u64::from_str_radix(size.trim(), 16).map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
            reader.take(size).read_to_end(&mut request.body)?;
            let mut end = String::new();
            reader.read_line(&mut end)?;
            if size == 0 {
                break;
            }
        }
    } else if let Some(length) = request.header("content-length").and_then(|length| length.parse().ok()) {
        reader.take(length).read_to_end(&mut request.body)?;
    }
    Ok(Some(request))
}

fn presents(request: &Incoming, token: &str) -> bool {
    let Some((scheme, value)) = request.header("authorization").and_then(|header| header.split_once(' ')) else {
        return false;
    };
    if scheme.eq_ignore_ascii_case("bearer") {
        return value == token;
    }
    let decoded = base64::engine::general_purpose::STANDARD.decode(value).unwrap_or_default();
    scheme.eq_ignore_ascii_case("basic")
        && decoded.iter().position(|byte| *byte == b':').is_some_and(|colon| &decoded[colon + 1..] == token.as_bytes())
}

fn simple(mut stream: &TcpStream, status: u16, headers: &[(&str, String)], body: &[u8]) -> io::Result<()> {
    let mut head = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
    for (name, value) in headers {
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    stream.write_all(head.as_bytes())?;
    stream.write_all(b"\r\n")?;
    stream.write_all(body)
}

fn wait_for_hang_up(mut stream: &TcpStream) -> io::Result<()> {
    let mut byte = [0];
    while stream.read(&mut byte)? > 0 {}
    Ok(())
}

/// Runs git's own program for the request, and says whether the connection can go on.
fn run_backend(mut stream: &TcpStream, shared: &Shared, request: &Incoming, fault: Option<&Fault>) -> io::Result<bool> {
    let (path, query) = request.target.split_once('?').unwrap_or((&request.target, ""));
    let mut command = Command::new("git");
    command
        .arg("http-backend")
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("GIT_PROJECT_ROOT", &shared.root)
        .env("GIT_HTTP_EXPORT_ALL", "1")
        .env("GIT_CONFIG_NOSYSTEM", "1")
        .env("PATH_INFO", path)
        .env("QUERY_STRING", query)
        .env("REQUEST_METHOD", &request.method)
        .env("CONTENT_TYPE", request.header("content-type").unwrap_or_default())
        .env("CONTENT_LENGTH", request.body.len().to_string());
    // As GitHub has it: any commit can be asked for by id, and the repository's owner doesn't matter.
    let settings =
        [("safe.directory", "*"), ("uploadpack.allowAnySHA1InWant", "true"), ("uploadpack.allowFilter", "true")];
    command.env("GIT_CONFIG_COUNT", settings.len().to_string());
    for (index, (name, value)) in settings.iter().enumerate() {
        command.env(format!("GIT_CONFIG_KEY_{index}"), name).env(format!("GIT_CONFIG_VALUE_{index}"), value);
    }
    for (header, variable) in [("git-protocol", "GIT_PROTOCOL"), ("content-encoding", "HTTP_CONTENT_ENCODING")] {
        if let Some(value) = request.header(header) {
            command.env(variable, value);
        }
    }
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null()).spawn()?;
    if let Some(mut stdin) = child.stdin.take() {
        // The program may not want all of it.
        let _ = stdin.write_all(&request.body);
    }
    let mut output = BufReader::with_capacity(64 << 10, child.stdout.take().ok_or(io::ErrorKind::BrokenPipe)?);
    let mut status = 200;
    let mut head = String::new();
    loop {
        let mut line = String::new();
        if output.read_line(&mut line)? == 0 || line.trim_end().is_empty() {
            break;
        }
        match line.strip_prefix("Status: ") {
            Some(text) => status = text.split_whitespace().next().and_then(|code| code.parse().ok()).unwrap_or(500),
            None => head.push_str(&format!("{}\r\n", line.trim_end())),
        }
    }
    stream.write_all(format!("HTTP/1.1 {status} Status\r\n{head}Transfer-Encoding: chunked\r\n\r\n").as_bytes())?;
    let outcome = relay(stream, &mut output, fault);
    // When the client or a fault has ended the answer early, git has nobody left to write to.
    drop(output);
    let _ = child.kill();
    let _ = child.wait();
    outcome
}

/// Bytes of a packet line before its data: four of length, one that names the channel.
const PACKET_HEAD: usize = 5;

/// Changes what a pack says of itself where it begins; says whether it begins here, with all that is changed.
fn lie(piece: &mut Vec<u8>, fault: Option<&Fault>) -> bool {
    const HEADER: &[u8] = b"PACK\0\0\0\x02";
    let Some(at) = piece.windows(HEADER.len()).position(|window| window == HEADER) else { return false };
    if at < PACKET_HEAD || piece.len() <= at + HEADER.len() + 4 {
        return false;
    }
    let first = at + HEADER.len() + 4;
    if fault == Some(&Fault::MissingObject) {
        piece[first - 1] = piece[first - 1].wrapping_add(1);
        return true;
    }
    // A size goes on as long as the high bit is set; the packet around it grows with it.
    let goes_on = piece[first] & 0x80 != 0;
    piece[first] |= 0x80;
    let more: &[u8] = if goes_on { &[0xff; 7] } else { &[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f] };
    piece.splice(first + 1..first + 1, more.iter().copied());
    let length = at - PACKET_HEAD..at - 1;
    let text = std::str::from_utf8(&piece[length.clone()]).ok().and_then(|text| usize::from_str_radix(text, 16).ok());
    if let Some(old) = text {
        piece.splice(length, format!("{:04x}", old + more.len()).into_bytes());
    }
    true
}

fn relay(mut stream: &TcpStream, output: &mut impl BufRead, fault: Option<&Fault>) -> io::Result<bool> {
    let (mut sent, mut lied) = (0, false);
    // git writes where it likes: what is not yet enough to be changed is held back.
    let mut held = Vec::new();
    loop {
        let mut piece = output.fill_buf()?.to_vec();
        output.consume(piece.len());
        let last = piece.is_empty();
        let mut stop = false;
        match fault {
            Some(Fault::StallAfter(limit) | Fault::TruncateAfter(limit)) if sent + piece.len() >= *limit => {
                piece.truncate(limit.saturating_sub(sent));
                stop = true;
            }
            Some(Fault::MissingObject | Fault::HugeObject) if !lied => {
                held.append(&mut piece);
                lied = lie(&mut held, fault);
                if lied || last {
                    piece = std::mem::take(&mut held);
                }
            }
            Some(Fault::Corrupt(offset)) => {
                if let Some(byte) = offset.checked_sub(sent).and_then(|offset| piece.get_mut(offset)) {
                    *byte ^= 0x5a;
                }
            }
            _ => {}
        }
        if !piece.is_empty() {
            stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes())?;
            stream.write_all(&piece)?;
            stream.write_all(b"\r\n")?;
        }
        sent += piece.len();
        if stop {
            if matches!(fault, Some(Fault::StallAfter(_))) {
                wait_for_hang_up(stream)?;
            }
            return Ok(false);
        }
        if last {
            stream.write_all(b"0\r\n\r\n")?;
            return Ok(true);
        }
    }
}
