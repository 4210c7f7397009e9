//! Where the REST API of a git server is.

use reqwest::Url;

use crate::repository::GithubUrl;

/// The address of the API, without a trailing slash: `api.github.com`, `api.NAME.ghe.com`, or `/api/v3` of an enterprise
/// server.
pub(super) fn api(server: &GithubUrl) -> Option<Url> {
    let url = Url::parse(server.as_str()).ok()?;
    let host = url.host_str()?.to_ascii_lowercase();
    let at_root = url.path() == "/" && url.port().is_none();
    let host = host.strip_prefix("www.").unwrap_or(&host);
    let address = if at_root && (host == "github.com" || host.ends_with(".ghe.com")) {
        format!("{}://api.{host}", url.scheme())
    } else {
        format!("{}/api/v3", server.as_str())
    };
    Url::parse(&address).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_of_server_has_its_place() {
        for (server, expected) in [
            ("https://github.com", "https://api.github.com/"),
            ("https://www.github.com/", "https://api.github.com/"),
            ("https://acme.ghe.com", "https://api.acme.ghe.com/"),
            ("https://git.example", "https://git.example/api/v3"),
            ("https://git.example:8443/github", "https://git.example:8443/github/api/v3"),
            ("http://127.0.0.1:9", "http://127.0.0.1:9/api/v3"),
            ("https://notgithub.com", "https://notgithub.com/api/v3"),
        ] {
            let server: GithubUrl = server.parse().expect("an address");
            assert_eq!(api(&server).expect("an address").as_str(), expected);
        }
    }
}
