//! A GitHub App's installation: who the app is, and the proof of it that GitHub asks for.
//!
//! The proof is a JWT, signed with RS256 by the app's private key and valid for nine minutes; a server gives a token for
//! it. `octocrab` can sign too, but only with a library that needs cmake or with one that has an open advisory
//! (RUSTSEC-2023-0071), so the thirty lines are here, over the `ring` that TLS uses. The key never leaves this file (I7).

use std::fmt;
use std::sync::Arc;
use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use ring::rand::SystemRandom;
use ring::signature::{RSA_PKCS1_SHA256, RsaKeyPair};
use rustls::pki_types::PrivateKeyDer;
use rustls::pki_types::pem::PemObject as _;

use crate::repository::Secret;

/// Seconds that the proof is dated back, for a clock that goes before the server's.
const BACK: u64 = 60;
/// Seconds that the proof is valid; GitHub takes ten minutes at most.
const LIFE: u64 = 9 * 60;
/// Longest app id or client id, in bytes.
const ID_BYTES: usize = 64;

/// Why an app can't be used. One line each, for the operator's eyes on stderr; nothing of a key is in it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum AppError {
    /// Neither a number nor a client id.
    #[error("the app's id must be its number or its client id")]
    Id,
    /// Not a number.
    #[error("the installation's id must be a number")]
    Installation,
    /// No private key in PEM.
    #[error("the file holds no private key in PEM form")]
    NotAKey,
    /// A key that RS256 can't use.
    #[error("the private key must be an RSA key of at least 2048 bits")]
    NotRsa,
}

/// An app's installation on an account, with the app's private key.
#[derive(Clone)]
pub struct App {
    id: String,
    installation: u64,
    key: Arc<RsaKeyPair>,
}

impl App {
    /// Takes what the operator gave: the app's number or client id, the installation's number, and the private key as
    /// GitHub hands it out, in PEM form.
    ///
    /// # Errors
    /// When one of them can't be what it should.
    pub fn new(id: &str, installation: &str, pem: &[u8]) -> Result<Self, AppError> {
        let (id, installation) = (id.trim(), installation.trim());
        let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'.';
        if id.is_empty() || id.len() > ID_BYTES || !id.bytes().all(plain) {
            return Err(AppError::Id);
        }
        let installation = installation.parse().map_err(|_| AppError::Installation)?;
        let key = PrivateKeyDer::from_pem_slice(pem).map_err(|_| AppError::NotAKey)?;
        let key = match &key {
            PrivateKeyDer::Pkcs1(der) => RsaKeyPair::from_der(der.secret_pkcs1_der()),
            PrivateKeyDer::Pkcs8(der) => RsaKeyPair::from_pkcs8(der.secret_pkcs8_der()),
            _ => return Err(AppError::NotRsa),
        };
        Ok(Self { id: id.to_owned(), installation, key: Arc::new(key.map_err(|_| AppError::NotRsa)?) })
    }

    /// Where a token of the installation is asked for.
    pub(super) fn route(&self) -> String {
        format!("/app/installations/{}/access_tokens", self.installation)
    }

    /// A fresh proof; none if the system has no randomness to give.
    pub(super) fn jwt(&self) -> Option<Secret> {
        let now = SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs());
        self.jwt_at(now)
    }

    fn jwt_at(&self, now: u64) -> Option<Secret> {
        // A number is sent as one.
        let issuer = if self.id.bytes().all(|byte| byte.is_ascii_digit()) && !self.id.starts_with('0') {
            self.id.clone()
        } else {
            format!("\"{}\"", self.id)
        };
        let claims =
            format!("{{\"iat\":{},\"exp\":{},\"iss\":{issuer}}}", now.saturating_sub(BACK), now.saturating_add(LIFE));
        let head = URL_SAFE_NO_PAD.encode(r#"{"alg":"RS256","typ":"JWT"}"#);
        let signed = format!("{head}.{}", URL_SAFE_NO_PAD.encode(claims));
        let mut signature = vec![0; self.key.public().modulus_len()];
        self.key.sign(&RSA_PKCS1_SHA256, &SystemRandom::new(), signed.as_bytes(), &mut signature).ok()?;
        Secret::new(&format!("{signed}.{}", URL_SAFE_NO_PAD.encode(signature)))
    }
}

impl fmt::Debug for App {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("App").field("id", &self.id).field("installation", &self.installation).finish_non_exhaustive()
    }
}
