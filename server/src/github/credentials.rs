//! The token for a request: the operator's own, or an installation's, fetched by one caller for all who wait.

use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde::Deserialize;

use super::app::App;
use super::error::{GithubError, Silence};
use super::rest::Github;
use crate::operations::{OperationContext, ended};
use crate::repository::Secret;

/// A token is not used in the last stretch of its hour, so that no fetch begins with one that ends before it.
const MARGIN: Duration = Duration::from_secs(5 * 60);
/// A life that no token of GitHub's has; one that claims it is used for so long only.
const LONGEST: Duration = Duration::from_secs(60 * 60);

/// Who the operator is to the server.
pub(crate) struct Credentials {
    source: Source,
    /// Held by the one caller that fetches a token.
    flight: tokio::sync::Mutex<()>,
    held: Mutex<Option<Held>>,
}

enum Source {
    Nobody,
    Token(Secret),
    App(App),
}

struct Held {
    token: Secret,
    until: Instant,
}

/// GitHub's answer, as far as it matters.
#[derive(Deserialize)]
struct Issued {
    token: String,
    expires_at: chrono::DateTime<chrono::Utc>,
}

impl Credentials {
    pub(super) fn new(token: Option<Secret>, app: Option<App>) -> Self {
        let source = match (app, token) {
            (Some(app), _) => Source::App(app),
            (None, Some(token)) => Source::Token(token),
            (None, None) => Source::Nobody,
        };
        Self { source, flight: tokio::sync::Mutex::default(), held: Mutex::default() }
    }

    pub(super) async fn token(
        &self,
        github: &Github,
        context: &OperationContext,
    ) -> Result<Option<Secret>, GithubError> {
        let app = match &self.source {
            Source::Nobody => return Ok(None),
            Source::Token(token) => return Ok(Some(token.clone())),
            Source::App(app) => app,
        };
        if let Some(token) = self.held() {
            return Ok(Some(token));
        }
        let _flight = tokio::select! {
            biased;
            error = ended(context) => return Err(GithubError::Stopped(error)),
            flight = self.flight.lock() => flight,
        };
        // Whoever held the lock before may have brought one.
        if let Some(token) = self.held() {
            return Ok(Some(token));
        }
        let own = app.jwt().ok_or(GithubError::Authentication)?;
        let asked = Instant::now();
        let (issued, server_now) =
            github.post::<Issued>(&app.route(), own, context).await.map_err(|error| match error {
                // No such app or installation, or one that is suspended: to the operator the same as a wrong key.
                GithubError::Refused | GithubError::NotFound => GithubError::Authentication,
                error => error,
            })?;
        let token = Secret::new(&issued.token).ok_or(GithubError::Unavailable(Silence::NotTheApi))?;
        let left = u64::try_from(issued.expires_at.timestamp()).unwrap_or_default().saturating_sub(server_now);
        let life = Duration::from_secs(left).min(LONGEST).saturating_sub(MARGIN);
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Held { token: token.clone(), until: asked + life });
        Ok(Some(token))
    }

    /// Drops a token that the server has refused.
    pub(super) fn forget(&self) {
        *self.held.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    fn held(&self) -> Option<Secret> {
        let held = self.held.lock().unwrap_or_else(PoisonError::into_inner);
        held.as_ref().filter(|held| Instant::now() < held.until).map(|held| held.token.clone())
    }
}
