//! The HTTP under git's protocol: gix speaks git, this speaks to the server, and every fact about a failure is known here.
//!
//! gix brings an HTTP client of its own; this one takes its place because it must honour an [`OperationContext`] at any
//! moment (a stalled server included), keep the token to one origin, and tell a refusal from an outage by its status (I6)
//! instead of by text. No proxy, cookie, netrc or other setting of the environment is read.
//!
//! The token stands in a request header and nowhere else: not in an address, an error or a log line (I7). It goes to the
//! operator's own server only. A redirect is followed only on the first request of a conversation, as git does, only to
//! the same path below another address, never from https to http, and to another origin without the token.

use std::any::Any;
use std::io::{self, BufRead, Read, Write};
use std::sync::{Arc, Mutex, PoisonError};

use base64::Engine as _;
use gix::protocol::transport::client::blocking_io::http::{GetResponse, Http, PostBodyDataKind, PostResponse};
use reqwest::StatusCode;
use reqwest::header::{AUTHORIZATION, HeaderMap, HeaderName, HeaderValue, LOCATION};

use super::error::RepositoryError;
use super::name::GithubUrl;
use super::secret::Secret;
use crate::github;
use crate::operations::{OperationContext, ended};

/// A git server says what it can do in a kilobyte or two.
const CAPABILITIES_BYTES: u64 = 1 << 20;
/// A list of refs, a million of them or so; older protocols begin with one.
const REFS_BYTES: u64 = 64 << 20;
/// Where the beginning of the first answer says that it is protocol version 2.
const HEAD_BYTES: usize = 64;
/// As many redirects as anyone needs.
const REDIRECTS: usize = 5;

/// What a conversation shares between its requests.
pub(super) struct Conversation {
    pub(super) client: reqwest::Client,
    pub(super) runtime: tokio::runtime::Handle,
    pub(super) server: GithubUrl,
    pub(super) token: Option<Secret>,
    pub(super) context: OperationContext,
    facts: Mutex<Facts>,
}

struct Facts {
    /// Why the conversation failed, decided once.
    failure: Option<RepositoryError>,
    /// Where redirects have led.
    base: Option<String>,
    received: u64,
    /// Most bytes that may have been received when the current answer ends.
    most: u64,
    /// How the first answer begins.
    head: Vec<u8>,
}

impl Facts {
    /// Counts what came; gives the number received so far and, if that is too much, the limit.
    fn count(&mut self, chunk: &[u8]) -> (u64, Option<u64>) {
        self.received += chunk.len() as u64;
        let room = HEAD_BYTES - self.head.len();
        if room > 0 {
            self.head.extend(chunk.iter().take(room));
            if memchr::memmem::find(&self.head, b"version 2\n").is_some() {
                self.most = self.most.min(CAPABILITIES_BYTES);
            }
        }
        (self.received, (self.received > self.most).then_some(self.most))
    }
}

impl Conversation {
    pub(super) fn new(
        client: reqwest::Client,
        runtime: tokio::runtime::Handle,
        server: GithubUrl,
        token: Option<Secret>,
        context: OperationContext,
    ) -> Arc<Self> {
        let facts = Facts { failure: None, base: None, received: 0, most: REFS_BYTES, head: Vec::new() };
        Arc::new(Self { client, runtime, server, token, context, facts: Mutex::new(facts) })
    }

    /// Says that a list of refs is asked for next.
    pub(super) fn expect_refs(&self) {
        self.expect(REFS_BYTES);
    }

    /// Says how many bytes the next answer may have.
    pub(super) fn expect(&self, bytes: u64) {
        let mut facts = self.facts();
        facts.most = facts.received.saturating_add(bytes);
    }

    /// The first failure, if there was one.
    pub(super) fn failure(&self) -> Option<RepositoryError> {
        self.facts().failure.take()
    }

    fn facts(&self) -> std::sync::MutexGuard<'_, Facts> {
        self.facts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Remembers a failure, and gives what gix needs to stop.
    fn fail(&self, failure: RepositoryError) -> io::Error {
        self.facts().failure.get_or_insert(failure);
        io::Error::from(io::ErrorKind::ConnectionAborted)
    }

    /// Waits for the network, or for the end of the context.
    fn wait<T>(&self, work: impl Future<Output = reqwest::Result<T>>) -> io::Result<T> {
        self.runtime.block_on(async {
            tokio::select! {
                biased;
                error = ended(&self.context) => Err(self.fail(RepositoryError::Stopped(error))),
                outcome = work => outcome.map_err(|_| self.fail(RepositoryError::Unavailable)),
            }
        })
    }

    /// Sends a request with the token if its address is the server's own.
    fn send(&self, mut request: reqwest::Request) -> io::Result<reqwest::Response> {
        self.context.check().map_err(|error| self.fail(RepositoryError::Stopped(error)))?;
        let own =
            reqwest::Url::parse(self.server.as_str()).is_ok_and(|server| server.origin() == request.url().origin());
        let mut sent_token = false;
        if let Some(token) = self.token.as_ref().filter(|_| own && self.server.may_carry_credentials()) {
            let pair = base64::engine::general_purpose::STANDARD.encode(format!("x-access-token:{}", token.expose()));
            if let Ok(mut value) = HeaderValue::try_from(format!("Basic {pair}")) {
                value.set_sensitive(true);
                request.headers_mut().insert(AUTHORIZATION, value);
                sent_token = true;
            }
        }
        let response = self.wait(self.client.execute(request))?;
        match refusal(response.status(), response.headers(), sent_token) {
            Some(failure) => Err(self.fail(failure)),
            None => Ok(response),
        }
    }

    /// The first request of a conversation, which may be redirected.
    fn get(&self, url: &str, base: &str, headers: &HeaderMap) -> io::Result<reqwest::Response> {
        let unavailable = || self.fail(RepositoryError::Unavailable);
        let tail = url.strip_prefix(base).ok_or_else(unavailable)?;
        let mut url = reqwest::Url::parse(url).map_err(|_| unavailable())?;
        for _ in 0..=REDIRECTS {
            let request = self.client.get(url.clone()).headers(headers.clone()).build().map_err(|_| unavailable())?;
            let response = self.send(request)?;
            if !response.status().is_redirection() {
                return Ok(response);
            }
            let location = response.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            let next = location.and_then(|location| url.join(location).ok()).ok_or_else(unavailable)?;
            let safe = match next.scheme() {
                "https" => true,
                "http" => url.scheme() == "http",
                _ => false,
            };
            let base = next.as_str().strip_suffix(tail).filter(|_| safe).ok_or_else(unavailable)?;
            self.facts().base = Some(base.to_owned());
            url = next;
        }
        Err(unavailable())
    }
}

/// What a status means, decided by the status and by what was sent.
fn refusal(status: StatusCode, headers: &HeaderMap, sent_token: bool) -> Option<RepositoryError> {
    if let Some(seconds) = github::wait(status, headers, github::server_time(headers), false) {
        return Some(RepositoryError::RateLimited { retry_after_s: Some(seconds) });
    }
    match status {
        status if status.is_success() || status.is_redirection() => None,
        // Without a token the server only says that it doesn't show such a repository to everyone.
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN if sent_token => Some(RepositoryError::Authentication),
        StatusCode::UNAUTHORIZED | StatusCode::FORBIDDEN | StatusCode::NOT_FOUND | StatusCode::GONE => {
            Some(RepositoryError::NotFound)
        }
        _ => Some(RepositoryError::Unavailable),
    }
}

/// gix's view of the conversation.
pub(super) struct Client(pub(super) Arc<Conversation>);

impl Http for Client {
    type Headers = HeaderLines;
    type ResponseBody = Body;
    type PostBody = PostBody;

    fn get(
        &mut self,
        url: &str,
        base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> gix::Result<GetResponse<HeaderLines, Body>> {
        let response = self.0.get(url, base_url, &header_map(headers)).map_err(gix::Error::from_error)?;
        let exchange = Exchange::answered(&self.0, response);
        Ok(GetResponse { headers: HeaderLines::of(&exchange), body: Body::of(&exchange) })
    }

    fn post(
        &mut self,
        url: &str,
        _base_url: &str,
        headers: impl IntoIterator<Item = impl AsRef<str>>,
        _body: PostBodyDataKind,
    ) -> gix::Result<PostResponse<HeaderLines, Body, PostBody>> {
        let exchange = Exchange::pending(&self.0, url, header_map(headers));
        Ok(PostResponse {
            post_body: PostBody(Arc::clone(&exchange)),
            headers: HeaderLines::of(&exchange),
            body: Body::of(&exchange),
        })
    }

    fn configure(&mut self, _config: &dyn Any) -> gix::Result {
        Ok(())
    }

    fn redirected_base_url(&self) -> Option<String> {
        self.0.facts().base.clone()
    }
}

fn header_map(lines: impl IntoIterator<Item = impl AsRef<str>>) -> HeaderMap {
    let mut map = HeaderMap::new();
    for line in lines {
        let pair = line.as_ref().split_once(':');
        let pair = pair.and_then(|(name, value)| Some((name.parse::<HeaderName>().ok()?, value.trim().parse().ok()?)));
        if let Some((name, value)) = pair {
            map.insert(name, value);
        }
    }
    map
}

/// One request and its answer, which is asked for when somebody reads it.
struct Exchange {
    conversation: Arc<Conversation>,
    state: Mutex<State>,
}

enum State {
    Pending { url: String, headers: HeaderMap, body: Vec<u8> },
    Answered(Box<reqwest::Response>),
    Over,
}

impl Exchange {
    fn answered(conversation: &Arc<Conversation>, response: reqwest::Response) -> Arc<Self> {
        let state = Mutex::new(State::Answered(Box::new(response)));
        Arc::new(Self { conversation: Arc::clone(conversation), state })
    }

    fn pending(conversation: &Arc<Conversation>, url: &str, headers: HeaderMap) -> Arc<Self> {
        let state = Mutex::new(State::Pending { url: url.to_owned(), headers, body: Vec::new() });
        Arc::new(Self { conversation: Arc::clone(conversation), state })
    }

    fn state(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs something on the answer, asking for it first if need be.
    fn with<T>(&self, run: impl FnOnce(&mut reqwest::Response) -> io::Result<T>) -> io::Result<Option<T>> {
        let mut state = self.state();
        if let State::Pending { .. } = *state {
            let State::Pending { url, headers, body } = std::mem::replace(&mut *state, State::Over) else {
                return Ok(None);
            };
            let unavailable = || self.conversation.fail(RepositoryError::Unavailable);
            let request = self.conversation.client.post(url).headers(headers).body(body).build();
            let response = self.conversation.send(request.map_err(|_| unavailable())?)?;
            if response.status().is_redirection() {
                return Err(unavailable());
            }
            *state = State::Answered(Box::new(response));
        }
        match &mut *state {
            State::Answered(response) => run(response).map(Some),
            _ => Ok(None),
        }
    }

    /// The next bytes of the answer; none at its end.
    fn chunk(&self) -> io::Result<Option<impl AsRef<[u8]> + use<>>> {
        let conversation = &self.conversation;
        let chunk = self.with(|response| conversation.wait(response.chunk()))?.flatten();
        if let Some(chunk) = &chunk {
            let (received, limit) = conversation.facts().count(chunk);
            if let Some(limit) = limit {
                return Err(conversation.fail(RepositoryError::TooLarge { measured: received, limit, paths: false }));
            }
            conversation.context.report("receiving bytes", received, None);
        } else {
            *self.state() = State::Over;
        }
        Ok(chunk)
    }
}

/// Collects a request's body.
pub(super) struct PostBody(Arc<Exchange>);

impl Write for PostBody {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut *self.0.state() {
            State::Pending { body, .. } => {
                body.extend_from_slice(bytes);
                Ok(bytes.len())
            }
            _ => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Bytes that come piece by piece.
struct Pieces {
    bytes: Vec<u8>,
    at: usize,
}

impl Pieces {
    fn fill(&mut self, next: impl FnOnce() -> io::Result<Option<Vec<u8>>>) -> io::Result<&[u8]> {
        if self.at >= self.bytes.len() {
            (self.bytes, self.at) = (next()?.unwrap_or_default(), 0);
        }
        Ok(self.bytes.get(self.at..).unwrap_or_default())
    }
}

/// The answer's headers, as lines.
pub(super) struct HeaderLines {
    exchange: Arc<Exchange>,
    pieces: Pieces,
    asked: bool,
}

impl HeaderLines {
    fn of(exchange: &Arc<Exchange>) -> Self {
        Self { exchange: Arc::clone(exchange), pieces: Pieces { bytes: Vec::new(), at: 0 }, asked: false }
    }
}

impl BufRead for HeaderLines {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let (exchange, asked) = (&self.exchange, std::mem::replace(&mut self.asked, true));
        self.pieces.fill(|| {
            if asked {
                return Ok(None);
            }
            exchange.with(|response| {
                let mut lines = Vec::new();
                for (name, value) in response.headers() {
                    lines.extend_from_slice(name.as_str().as_bytes());
                    lines.push(b':');
                    lines.extend_from_slice(value.as_bytes());
                    lines.push(b'\n');
                }
                Ok(lines)
            })
        })
    }

    fn consume(&mut self, amount: usize) {
        self.pieces.at += amount;
    }
}

/// The answer's body.
pub(super) struct Body {
    exchange: Arc<Exchange>,
    pieces: Pieces,
}

impl Body {
    fn of(exchange: &Arc<Exchange>) -> Self {
        Self { exchange: Arc::clone(exchange), pieces: Pieces { bytes: Vec::new(), at: 0 } }
    }
}

impl BufRead for Body {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let exchange = &self.exchange;
        self.pieces.fill(|| Ok(exchange.chunk()?.map(|chunk| chunk.as_ref().to_vec())))
    }

    fn consume(&mut self, amount: usize) {
        self.pieces.at += amount;
    }
}

macro_rules! read_by_buffer {
    ($($reader:ty),*) => { $(
        impl Read for $reader {
            fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
                let available = self.fill_buf()?;
                let len = available.len().min(buffer.len());
                buffer[..len].copy_from_slice(&available[..len]);
                self.consume(len);
                Ok(len)
            }
        }
    )* };
}

read_by_buffer!(HeaderLines, Body);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_answer_has_its_own_limit() {
        let facts = || Facts { failure: None, base: None, received: 0, most: REFS_BYTES, head: Vec::new() };
        let megabyte = vec![b'x'; 1 << 20];
        let mut old = facts();
        assert!((0..64).all(|_| old.count(&megabyte).1.is_none()));
        assert_eq!(old.count(b"x"), (REFS_BYTES + 1, Some(REFS_BYTES)));
        // However the answer is cut to pieces, the version is seen.
        let mut new = facts();
        let head = b"001e# service=git-upload-pack\n0000000eversion 2\n";
        assert!(head.iter().all(|byte| new.count(&[*byte]).1.is_none()));
        assert_eq!(new.count(&megabyte).1, Some(CAPABILITIES_BYTES));
    }

    #[test]
    fn statuses_decide() {
        let headers = |pairs: &[(&'static str, &str)]| {
            let pair =
                |(name, value): &(&'static str, &str)| (HeaderName::from_static(name), value.parse().expect("a value"));
            pairs.iter().map(pair).collect::<HeaderMap>()
        };
        let decide = |status: u16, pairs: &[(&'static str, &str)], token| {
            refusal(StatusCode::from_u16(status).expect("a status"), &headers(pairs), token)
        };
        assert!(decide(200, &[], false).is_none());
        assert!(matches!(decide(401, &[], true), Some(RepositoryError::Authentication)));
        assert!(matches!(decide(401, &[], false), Some(RepositoryError::NotFound)));
        assert!(matches!(decide(404, &[], true), Some(RepositoryError::NotFound)));
        assert!(matches!(decide(500, &[], false), Some(RepositoryError::Unavailable)));
        assert!(matches!(
            decide(429, &[("retry-after", "7")], false),
            Some(RepositoryError::RateLimited { retry_after_s: Some(7) })
        ));
        assert!(matches!(
            decide(403, &[("x-ratelimit-remaining", "0")], true),
            Some(RepositoryError::RateLimited { retry_after_s: Some(60) })
        ));
        assert!(matches!(
            decide(429, &[("retry-after", "soon")], false),
            Some(RepositoryError::RateLimited { retry_after_s: Some(60) })
        ));
    }
}
