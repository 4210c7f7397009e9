//! How `octocrab` reaches the server: one request, its redirects, and a bounded answer.
//!
//! `octocrab` brings HTTP clients of its own; this takes their place, as git's does in [`crate::repository`], because it
//! must honour an [`OperationContext`] at any moment, bound what a server can send, and keep the token to one origin. Only
//! a request that changes nothing follows a redirect, never from https to http, and to another origin without the token.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::task::{Context, Poll};
use std::time::SystemTime;

use http::header::{ACCEPT, AUTHORIZATION, CONTENT_LENGTH, CONTENT_TYPE, DATE, LOCATION};
use http::{HeaderValue, Method, Request, Response};
use http_body_util::{BodyExt as _, Full};
use octocrab::OctoBody;
use reqwest::Url;
use tower::Service;

use super::error::{GithubError, Silence};
use crate::operations::OperationContext;
use crate::repository::Secret;

/// Largest answer that is read, in bytes. A hundred repositories are about 600 KB.
const ANSWER_BYTES: usize = 4 << 20;
/// As many redirects as anyone needs.
const REDIRECTS: usize = 5;
/// What the API asks clients to say.
const MEDIA_TYPE: HeaderValue = HeaderValue::from_static("application/vnd.github+json");

/// The body `octocrab` reads: whole, as it has been counted already.
type Body = Full<bytes::Bytes>;

/// Carries requests for one operation.
#[derive(Clone)]
pub(super) struct Transport {
    pub(super) client: reqwest::Client,
    /// The address of the API.
    pub(super) base: Url,
    /// Bearer token, for that address's origin only.
    pub(super) token: Option<Secret>,
    pub(super) context: OperationContext,
    /// The server's own time in seconds since 1970, once it has told it.
    pub(super) clock: Arc<Clock>,
}

/// The server's time as its last answer had it; until then, ours.
#[derive(Debug, Default)]
pub(super) struct Clock(AtomicU64);

impl Clock {
    /// Seconds since 1970.
    pub(super) fn now(&self) -> u64 {
        match self.0.load(Ordering::Relaxed) {
            0 => SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs()),
            told => told,
        }
    }

    fn set(&self, date: &HeaderValue) {
        if let Some(seconds) = super::limits::date(date) {
            self.0.store(seconds, Ordering::Relaxed);
        }
    }
}

impl Service<Request<OctoBody>> for Transport {
    type Response = Response<Body>;
    type Error = GithubError;
    type Future = Pin<Box<dyn Future<Output = Result<Self::Response, GithubError>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), GithubError>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: Request<OctoBody>) -> Self::Future {
        let transport = self.clone();
        Box::pin(async move {
            let context = transport.context.clone();
            let ended = crate::operations::ended(&context);
            tokio::select! {
                biased;
                error = ended => Err(GithubError::Stopped(error)),
                outcome = transport.exchange(request) => outcome,
            }
        })
    }
}

impl Transport {
    async fn exchange(self, request: Request<OctoBody>) -> Result<Response<Body>, GithubError> {
        let (parts, body) = request.into_parts();
        let broken = || GithubError::Unavailable(Silence::NotTheApi);
        let content_type = parts.headers.get(CONTENT_TYPE).cloned();
        let body = body.collect().await.map_err(|_| broken())?.to_bytes();
        let mut url = self.resolve(parts.uri.path(), parts.uri.query());
        for _ in 0..=REDIRECTS {
            let mut request = self.client.request(parts.method.clone(), url.clone()).header(ACCEPT, MEDIA_TYPE);
            for (name, value) in &parts.headers {
                // Ours are set here, and the length with the body.
                if ![CONTENT_LENGTH, CONTENT_TYPE, AUTHORIZATION, ACCEPT].contains(name) {
                    request = request.header(name, value);
                }
            }
            if let Some(content_type) = &content_type {
                request = request.header(CONTENT_TYPE, content_type).body(body.clone());
            }
            if let Some(header) = self.authorization().filter(|_| url.origin() == self.base.origin()) {
                request = request.header(AUTHORIZATION, header);
            }
            let answer = request.send().await.map_err(|error| unreached(&error))?;
            if let Some(date) = answer.headers().get(DATE).filter(|_| url.origin() == self.base.origin()) {
                self.clock.set(date);
            }
            if !answer.status().is_redirection() {
                return read(answer).await;
            }
            let location = answer.headers().get(LOCATION).and_then(|value| value.to_str().ok());
            let next = location.and_then(|location| url.join(location).ok()).ok_or_else(broken)?;
            let safe = next.scheme() == "https" || (next.scheme() == "http" && url.scheme() == "http");
            if !safe || parts.method != Method::GET {
                return Err(broken());
            }
            url = next;
        }
        Err(broken())
    }

    /// The address of a route; the route never leads to another server.
    fn resolve(&self, path: &str, query: Option<&str>) -> Url {
        let mut url = self.base.clone();
        url.set_path(&format!("{}{path}", self.base.path().trim_end_matches('/')));
        url.set_query(query);
        url
    }

    fn authorization(&self) -> Option<HeaderValue> {
        let mut value = HeaderValue::try_from(format!("Bearer {}", self.token.as_ref()?.expose())).ok()?;
        value.set_sensitive(true);
        Some(value)
    }
}

fn unreached(error: &reqwest::Error) -> GithubError {
    GithubError::Unavailable(if error.is_timeout() {
        Silence::NoAnswer
    } else if error.is_connect() {
        Silence::NoConnection
    } else {
        Silence::NotTheApi
    })
}

/// Reads an answer to its end, or gives up where it is too long.
async fn read(mut answer: reqwest::Response) -> Result<Response<Body>, GithubError> {
    let mut bytes = Vec::new();
    while let Some(chunk) = answer.chunk().await.map_err(|error| unreached(&error))? {
        if bytes.len() + chunk.len() > ANSWER_BYTES {
            return Err(GithubError::Unavailable(Silence::NotTheApi));
        }
        bytes.extend_from_slice(&chunk);
    }
    let mut response = Response::new(Full::from(bytes));
    *response.status_mut() = answer.status();
    std::mem::swap(response.headers_mut(), answer.headers_mut());
    Ok(response)
}
