//! The REST endpoints of GitHub that wit uses, as an enterprise server has them below `/api/v3`.
//!
//! A search is understood as far as wit can say it: words and quoted words, `in:`, `user:`, `org:`, `repo:`, `language:`
//! and exclusion. What GitHub refuses is refused: no words at all, an open quotation mark, a result beyond the first
//! thousand. An app's proof is verified with the public half of [`APP_KEY`], its times included. Any text that must not
//! leave the server under test carries `upstream-body-canary`.

use std::time::SystemTime;

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use ring::signature::{KeyPair as _, RSA_PKCS1_2048_8192_SHA256, RsaKeyPair, UnparsedPublicKey};
use serde_json::{Value, json};

use crate::report::date;

/// The test app's private key, as GitHub hands keys out.
pub const APP_KEY: &str = include_str!("keys/app-pkcs1.pem");
/// The same in the other form keys come in.
pub const APP_KEY_PKCS8: &str = include_str!("keys/app-pkcs8.pem");
/// A private key that isn't RSA.
pub const EC_KEY: &str = include_str!("keys/ec.pem");
/// An RSA key that is too short to be safe.
pub const SHORT_KEY: &str = include_str!("keys/short.pem");

/// GitHub gives only so many results of a search.
const FIRST_RESULTS: usize = 1000;
/// A proof must end within ten minutes.
const PROOF_SECONDS: u64 = 600;

/// A repository that searches find.
#[derive(Debug, Clone)]
pub struct Listed {
    /// `owner/name`.
    pub full_name: String,
    /// What it is for.
    pub description: Option<String>,
    /// Its language.
    pub language: Option<String>,
    /// How many like it; searches list the most liked first.
    pub stars: u64,
}

impl Listed {
    /// A repository with a description and language that follow from its name and place.
    #[must_use]
    pub fn new(full_name: &str, language: Option<&str>, stars: u64) -> Self {
        let description = Some(format!("About {full_name}"));
        Self { full_name: full_name.to_owned(), description, language: language.map(str::to_owned), stars }
    }
}

/// An app that may ask for tokens of its installation.
#[derive(Debug, Clone)]
pub struct Installed {
    /// What its proofs must name as their issuer.
    pub id: Value,
    /// The installation.
    pub installation: u64,
    /// Seconds a token lives.
    pub seconds: i64,
}

/// What the REST side knows.
#[derive(Default)]
pub(super) struct Api {
    pub(super) repositories: Vec<Listed>,
    pub(super) app: Option<Installed>,
    /// Tokens given out and not revoked.
    pub(super) issued: Vec<String>,
    pub(super) issued_ever: usize,
    pub(super) incomplete: bool,
}

/// Status, headers and body.
pub(super) type Answer = (u16, Vec<(&'static str, String)>, String);

/// Where the API begins.
pub(super) const PREFIX: &str = "/api/v3";
pub(super) const SEARCH: &str = "/api/v3/search/repositories";

/// Whether a path asks for an installation's token.
pub(super) fn asks_for_token(path: &str) -> bool {
    path.starts_with("/api/v3/app/installations/") && path.ends_with("/access_tokens")
}

impl Api {
    /// Answers a request; `authorization` is its header, `known` says whether it presents a valid token.
    pub(super) fn answer(&mut self, method: &str, target: &str, authorization: Option<&str>, known: bool) -> Answer {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if method == "POST" && asks_for_token(path) {
            return self.token(path, authorization);
        }
        if path == "/api/v3/rate_limit" {
            return json_answer(200, &json!({ "resources": {} }));
        }
        if authorization.is_some() && !known {
            return refusal(401, "Bad credentials");
        }
        match (method, path) {
            ("GET", SEARCH) => self.search(query),
            _ => refusal(404, "Not Found"),
        }
    }

    fn search(&self, query: &str) -> Answer {
        let parameters: Vec<(String, String)> =
            query.split('&').filter_map(|pair| pair.split_once('=')).map(decode).collect();
        let text = |name: &str| parameters.iter().find(|(key, _)| key == name).map(|(_, value)| value.as_str());
        let number = |name: &str, default: usize| text(name).and_then(|text| text.parse().ok()).unwrap_or(default);
        let (page, per_page) = (number("page", 1).max(1), number("per_page", 30).clamp(1, 100));
        let Some(search) = text("q").and_then(Search::parse) else { return refusal(422, "Validation Failed") };
        if page * per_page > FIRST_RESULTS {
            return refusal(422, "Only the first 1000 search results are available");
        }
        let mut found: Vec<&Listed> = self.repositories.iter().filter(|listed| search.finds(listed)).collect();
        found.sort_by(|a, b| b.stars.cmp(&a.stars).then(a.full_name.cmp(&b.full_name)));
        let shown = |listed: &&Listed| {
            let name = listed.full_name.rsplit('/').next().unwrap_or_default();
            json!({
                "id": 1, "name": name, "full_name": listed.full_name, "private": false,
                "description": listed.description, "language": listed.language,
                "stargazers_count": listed.stars, "html_url": "https://upstream-body-canary.invalid/",
            })
        };
        let items: Vec<Value> = found.iter().skip((page - 1) * per_page).take(per_page).map(shown).collect();
        let whole = json!({ "total_count": found.len(), "incomplete_results": self.incomplete, "items": items });
        json_answer(200, &whole)
    }

    fn token(&mut self, path: &str, authorization: Option<&str>) -> Answer {
        let proof = authorization.and_then(|header| header.strip_prefix("Bearer ")).unwrap_or_default();
        let Some(app) = self.app.clone() else { return refusal(404, "Not Found") };
        if !proves(proof, &app.id) {
            return refusal(401, "A JSON web token could not be decoded");
        }
        if path != format!("{PREFIX}/app/installations/{}/access_tokens", app.installation) {
            return refusal(404, "Not Found");
        }
        self.issued_ever += 1;
        let token = format!("ghs_canary{}", self.issued_ever);
        self.issued.push(token.clone());
        let expires_at = date::written(now().saturating_add_signed(app.seconds));
        json_answer(201, &json!({ "token": token, "expires_at": expires_at, "permissions": {} }))
    }
}

fn json_answer(status: u16, body: &Value) -> Answer {
    (status, vec![("Content-Type", "application/json".to_owned())], body.to_string())
}

fn refusal(status: u16, message: &str) -> Answer {
    let body =
        json!({ "message": format!("{message} upstream-body-canary"), "documentation_url": "https://docs.example" });
    json_answer(status, &body)
}

/// Seconds since 1970.
fn now() -> u64 {
    SystemTime::UNIX_EPOCH.elapsed().map_or(0, |elapsed| elapsed.as_secs())
}

/// Whether a JWT is signed by the test app, names this issuer, and is valid now and not for long.
fn proves(proof: &str, id: &Value) -> bool {
    let verified = || {
        let (signed, signature) = proof.rsplit_once('.')?;
        let (head, claims) = signed.split_once('.')?;
        let part = |text: &str| URL_SAFE_NO_PAD.decode(text).ok();
        let der: String = APP_KEY
            .lines()
            .skip_while(|line| !line.starts_with("-----"))
            .filter(|line| !line.starts_with('-'))
            .collect();
        let key = RsaKeyPair::from_der(&STANDARD.decode(der).ok()?).ok()?;
        let public = UnparsedPublicKey::new(&RSA_PKCS1_2048_8192_SHA256, key.public_key().as_ref().to_vec());
        public.verify(signed.as_bytes(), &part(signature)?).ok()?;
        let head: Value = serde_json::from_slice(&part(head)?).ok()?;
        let claims: Value = serde_json::from_slice(&part(claims)?).ok()?;
        let (from, to) = (claims.get("iat")?.as_u64()?, claims.get("exp")?.as_u64()?);
        Some(
            head.get("alg")? == "RS256"
                && claims.get("iss")? == id
                && from <= now()
                && to > now()
                && to <= now() + PROOF_SECONDS,
        )
    };
    verified().unwrap_or(false)
}

/// One name and value of an address's query.
fn decode((name, value): (&str, &str)) -> (String, String) {
    let plain = |text: &str| {
        let mut bytes = Vec::new();
        let mut rest = text.as_bytes();
        while let Some((first, after)) = rest.split_first() {
            let digits = after.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
            match (first, digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
                (b'%', Some(byte)) => {
                    bytes.push(byte);
                    rest = after.get(2..).unwrap_or_default();
                }
                (b'+', _) => {
                    bytes.push(b' ');
                    rest = after;
                }
                _ => {
                    bytes.push(*first);
                    rest = after;
                }
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    };
    (plain(name), plain(value))
}

/// A search, understood.
#[derive(Default)]
struct Search {
    words: Vec<String>,
    name_only: bool,
    owners: Vec<String>,
    repositories: Vec<String>,
    excluded: Vec<String>,
    language: Option<String>,
}

impl Search {
    fn parse(text: &str) -> Option<Self> {
        if text.trim().is_empty() || !text.matches('"').count().is_multiple_of(2) {
            return None;
        }
        let mut inside = false;
        let words = text.split(|c: char| {
            inside ^= c == '"';
            c == ' ' && !inside
        });
        let mut search = Self::default();
        for word in words.filter(|word| !word.is_empty()) {
            // A word that begins with a quotation mark is never a qualifier.
            let pair = if word.starts_with('"') { None } else { word.split_once(':') };
            let folded = |text: &str| text.replace('"', "").to_lowercase();
            match pair {
                Some(("user" | "org", owner)) => search.owners.push(folded(owner)),
                Some(("-user", owner)) => search.excluded.push(folded(owner)),
                Some(("repo", name)) => search.repositories.push(folded(name)),
                Some(("language", language)) => search.language = Some(folded(language)),
                Some(("in", place)) => search.name_only = place == "name",
                _ => search.words.push(folded(word)),
            }
        }
        Some(search)
    }

    fn finds(&self, listed: &Listed) -> bool {
        let full = listed.full_name.to_lowercase();
        let (owner, name) = full.split_once('/').unwrap_or(("", &full));
        let somewhere = (self.owners.is_empty() && self.repositories.is_empty())
            || self.owners.iter().any(|wanted| wanted == owner)
            || self.repositories.contains(&full);
        let text = if self.name_only {
            name.to_owned()
        } else {
            format!("{name} {}", listed.description.as_deref().unwrap_or_default().to_lowercase())
        };
        let language = listed.language.as_deref().unwrap_or_default().to_lowercase();
        somewhere
            && !self.excluded.iter().any(|excluded| excluded == owner)
            && self.words.iter().all(|word| text.contains(word.as_str()))
            && self.language.as_ref().is_none_or(|wanted| *wanted == language)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn searches_are_understood() {
        let listed = Listed::new("Acme/Thing", Some("Jupyter Notebook"), 1);
        let finds = |text: &str| Search::parse(text).map(|search| search.finds(&listed));
        assert_eq!(finds("\"thin\" in:name language:\"jupyter notebook\" user:\"acme\""), Some(true));
        assert_eq!(finds("about"), Some(true));
        assert_eq!(finds("about in:name"), Some(false));
        assert_eq!(finds("thing repo:a/b user:acme"), Some(true));
        assert_eq!(finds("thing -user:acme"), Some(false));
        assert_eq!(finds("\"user:acme\""), Some(false));
        assert_eq!(finds("\"open"), None);
        assert_eq!(finds(" "), None);
    }

    #[test]
    fn only_a_valid_proof_is_one() {
        assert!(!proves("", &json!(1)));
        assert!(!proves("a.b.c", &json!(1)));
    }
}
