//! [`Github`]: the REST API of the operator's server, asked through `octocrab`.
//!
//! A conversation is one `octocrab` client over a [`Transport`] of its own: it costs a few allocations, and so each has
//! the context, the token and the facts of just one operation.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use octocrab::{AuthState, Octocrab, OctocrabBuilder};
use reqwest::Url;
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::address;
use super::app::App;
use super::credentials::Credentials;
use super::error::{GithubError, Silence};
use super::limits::{Limits, Resource, wait};
use super::search::Cache;
use super::transport::{Clock, Transport};
use crate::operations::OperationContext;
use crate::repository::{GithubUrl, Secret};

/// A server that can't be connected to in this time is unavailable.
const CONNECT: Duration = Duration::from_secs(10);
/// A server that sends nothing for so long is unavailable; git servers send a sign of life every few seconds.
const SILENCE: Duration = Duration::from_secs(45);

/// The REST API of the operator's server, with the operator's credentials.
pub(crate) struct Github {
    server: GithubUrl,
    base: Option<Url>,
    client: OnceLock<reqwest::Client>,
    credentials: Credentials,
    limits: Limits,
    /// Pages of searches asked for lately.
    pub(super) cache: Cache,
}

impl Github {
    /// Connects to nothing yet. An app goes before a token.
    pub(crate) fn new(server: GithubUrl, token: Option<Secret>, app: Option<App>) -> Self {
        let carries = server.may_carry_credentials();
        let credentials = Credentials::new(token.filter(|_| carries), app.filter(|_| carries));
        Self {
            base: address::api(&server),
            server,
            client: OnceLock::new(),
            credentials,
            limits: Limits::default(),
            cache: Cache::default(),
        }
    }

    /// The server whose API this is.
    pub(crate) fn server(&self) -> &GithubUrl {
        &self.server
    }

    /// The address of the API; none if the server's own is none that has one.
    pub(crate) fn base(&self) -> Option<&Url> {
        self.base.as_ref()
    }

    /// The token for a request to this server, by REST or git; none if the operator gave no credentials, or the server's
    /// address may not carry them.
    ///
    /// # Errors
    /// When an app's token is needed and can't be had.
    pub(crate) async fn token(&self, context: &OperationContext) -> Result<Option<Secret>, GithubError> {
        self.credentials.token(self, context).await
    }

    /// To be told when the server refused the token: one of an app is not used again.
    pub(crate) fn token_refused(&self) {
        self.credentials.forget();
    }

    /// Asks for something with the operator's credentials.
    pub(super) async fn get<T: DeserializeOwned>(
        &self,
        resource: Resource,
        route: &str,
        parameters: &(impl Serialize + Sync),
        context: &OperationContext,
    ) -> Result<T, GithubError> {
        self.limits.check(resource)?;
        let token = self.token(context).await?;
        let (client, clock) = self.conversation(token, context)?;
        let outcome = client.get(route, Some(parameters)).await.map_err(|error| classify(&error, &clock));
        outcome.inspect_err(|error| {
            self.limits.learn(resource, error);
            if *error == GithubError::Authentication {
                self.token_refused();
            }
        })
    }

    /// Asks for something to be made, in the name of `token`. Gives also the server's time in seconds since 1970.
    pub(super) async fn post<T: DeserializeOwned>(
        &self,
        route: &str,
        token: Secret,
        context: &OperationContext,
    ) -> Result<(T, u64), GithubError> {
        self.limits.check(Resource::Core)?;
        let (client, clock) = self.conversation(Some(token), context)?;
        let outcome = client.post(route, None::<&()>).await.map_err(|error| classify(&error, &clock));
        let made = outcome.inspect_err(|error| self.limits.learn(Resource::Core, error))?;
        Ok((made, clock.now()))
    }

    /// Whether the API answers at all, without credentials: whatever status it has for them.
    ///
    /// # Errors
    /// How it is of no use.
    pub(crate) async fn reach(&self, context: &OperationContext) -> Result<(), GithubError> {
        let (client, clock) = self.conversation(None, context)?;
        let answer = client._get("/rate_limit").await.map_err(|error| classify(&error, &clock))?;
        match answer.status() {
            status if status.is_server_error() => Err(GithubError::Unavailable(Silence::Failing)),
            _ => Ok(()),
        }
    }

    /// The HTTP client, also of the git transport; none if the system denies what it needs.
    pub(crate) fn client(&self) -> Option<reqwest::Client> {
        if let Some(client) = self.client.get() {
            return Some(client.clone());
        }
        let made = client().ok()?;
        Some(self.client.get_or_init(|| made).clone())
    }

    fn conversation(
        &self,
        token: Option<Secret>,
        context: &OperationContext,
    ) -> Result<(Octocrab, Arc<Clock>), GithubError> {
        let unavailable = GithubError::Unavailable(Silence::NoConnection);
        let base = self.base.clone().ok_or_else(|| unavailable.clone())?;
        let client = self.client().ok_or(unavailable)?;
        let clock = Arc::new(Clock::default());
        let transport = Transport { client, base, token, context: context.clone(), clock: Arc::clone(&clock) };
        let built = OctocrabBuilder::new_empty().with_service(transport).with_auth(AuthState::None).build();
        built.map(|client| (client, clock)).map_err(|never| match never {})
    }
}

/// Makes the client that all conversations share; git's say who they are themselves.
fn client() -> reqwest::Result<reqwest::Client> {
    // Fails only if one is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    reqwest::Client::builder()
        .no_proxy()
        .redirect(reqwest::redirect::Policy::none())
        .connect_timeout(CONNECT)
        .read_timeout(SILENCE)
        .user_agent(concat!("wit/", env!("CARGO_PKG_VERSION")))
        .build()
}

/// What a failure means: what the transport knows, or what status and headers say.
fn classify(error: &octocrab::Error, clock: &Clock) -> GithubError {
    let nonsense = GithubError::Unavailable(Silence::NotTheApi);
    match error {
        octocrab::Error::Service { source, .. } => source.downcast_ref().cloned().unwrap_or(nonsense),
        octocrab::Error::GitHub { source, .. } => {
            // A link, not words: the only sign of a secondary limit that has no header.
            let documented = source.documentation_url.as_deref().is_some_and(|link| link.contains("rate-limit"));
            let headers = source.headers.clone().unwrap_or_default();
            if let Some(seconds) = wait(source.status_code, &headers, clock.now(), documented) {
                return GithubError::RateLimited { retry_after_s: Some(seconds) };
            }
            match source.status_code.as_u16() {
                401 | 403 => GithubError::Authentication,
                404 => GithubError::NotFound,
                422 => GithubError::Refused,
                500.. => GithubError::Unavailable(Silence::Failing),
                _ => nonsense,
            }
        }
        _ => nonsense,
    }
}
