//! The real binary against a GitHub on loopback: searches in both modes, a GitHub App from arguments and environment, what
//! is refused at start, what the doctor says, and that no secret or word of the server's comes out (I7).

#![allow(clippy::expect_used, clippy::unwrap_used, reason = "a test fails by panicking")]

mod process;

use std::path::{Path, PathBuf};
use std::process::Command;

use conformance::double::git_http::{Fault, GitServer, Stage};
use conformance::double::rest::{APP_KEY, EC_KEY, Installed, Listed};
use process::{Client, outcome, wit, with_snapshots};
use serde_json::json;

const FIND: &str = "return (await codemode.wit.findRepositories({ query: 'rocket' })).items.map(r => r.full_name)";

fn github(home: &Path) -> GitServer {
    let server = GitServer::start(home).unwrap();
    server.list(vec![Listed::new("acme/rocket", Some("Rust"), 3), Listed::new("zorg/rocket", None, 2)]);
    server
}

/// `wit run` of the search, with the most talkative log there is.
fn search(home: &Path, server: &GitServer) -> Command {
    let mut command = wit(home);
    command.args(["run", "-e", FIND, "--github-url", &server.url()]).env("WIT_LOG", "trace");
    command
}

fn key(home: &Path) -> PathBuf {
    let path = home.join("app.pem");
    std::fs::write(&path, APP_KEY).unwrap();
    path
}

/// The stdout part of an outcome.
fn stdout(text: &str) -> &str {
    text.split("--- stdout\n").nth(1).and_then(|rest| rest.split("--- stderr\n").next()).unwrap_or_default()
}

#[test]
fn a_search_by_token_and_by_app() {
    let home = tempfile::tempdir().unwrap();
    let server = github(home.path());
    server.require_token("ghp_canaryOne");
    let text = outcome(search(home.path(), &server).env("GITHUB_TOKEN", "ghp_canaryOne"), b"", home.path());
    assert!(text.starts_with("exit: 0\n") && stdout(&text) == "[\"acme/rocket\",\"zorg/rocket\"]\n", "{text}");
    assert!(!text.contains("canary"), "{text}");

    server.install(Installed { id: json!("Iv1.abc"), installation: 5, seconds: 3600 });
    let path = key(home.path());
    let mut flags = search(home.path(), &server);
    flags.args(["--app-id", "Iv1.abc", "--app-installation-id", "5", "--app-private-key-path"]).arg(&path);
    let mut variables = search(home.path(), &server);
    variables.env("WIT_APP_ID", "Iv1.abc").env("WIT_APP_INSTALLATION_ID", "5").env("WIT_APP_PRIVATE_KEY_PATH", &path);
    let mut mixed = search(home.path(), &server);
    mixed.args(["--app-id", "Iv1.abc"]).env("WIT_APP_ID", "7").env("WIT_APP_INSTALLATION_ID", "5");
    mixed.env("WIT_APP_PRIVATE_KEY_PATH", &path).env("GITHUB_TOKEN", "wrong");
    for mut command in [flags, variables, mixed] {
        let before = server.count(Stage::Token);
        let text = outcome(&mut command, b"", home.path());
        assert!(text.starts_with("exit: 0\n") && stdout(&text) == "[\"acme/rocket\",\"zorg/rocket\"]\n", "{text}");
        assert!(!text.contains("canary") && !text.contains("eyJ") && !text.contains("PRIVATE"), "{text}");
        assert_eq!(server.count(Stage::Token), before + 1);
    }
}

#[test]
fn an_apps_token_opens_a_private_repository() {
    let home = tempfile::tempdir().unwrap();
    let server = github(home.path());
    let source = process::repository(home.path());
    let bare = home.path().join("demo/repo.git");
    let status = Command::new("git").args(["clone", "--quiet", "--bare"]).args([&source, &bare]).status().unwrap();
    assert!(status.success());
    server.install(Installed { id: json!(4), installation: 5, seconds: 3600 });
    let path = key(home.path());
    let open = |app: bool| {
        let mut command = wit(home.path());
        let script = "return (await codemode.wit.open({ repo: 'demo/repo' })).totals.files";
        command.args(["run", "-e", script, "--github-url", &server.url()]).env("WIT_LOG", "trace");
        if app {
            command.args(["--app-id", "4", "--app-installation-id", "5", "--app-private-key-path"]).arg(&path);
        }
        outcome(&mut command, b"", home.path())
    };
    let text = open(false);
    assert!(text.starts_with("exit: 1\n") && text.contains("repository_not_found"), "{text}");
    let text = open(true);
    assert!(text.starts_with("exit: 0\n") && stdout(&text) == "2\n", "{text}");
    assert!(!text.contains("canary") && !text.contains("eyJ"), "{text}");
    assert_eq!(server.count(Stage::Token), 1);
}

#[test]
fn failures_keep_their_words_to_themselves() {
    let home = tempfile::tempdir().unwrap();
    let server = github(home.path());
    for (name, status, headers) in [
        ("authentication_failed", 401, vec![]),
        ("rate_limited", 403, vec![("retry-after", "11".to_owned()), ("x-note", "canary".to_owned())]),
        ("upstream_unavailable", 502, vec![("server", "canary".to_owned())]),
        ("invalid_arguments", 422, vec![]),
    ] {
        server.heal();
        server.fail(Stage::Search, Fault::Answer(status, headers, "{\"message\":\"canary\"}".to_owned()));
        let text = outcome(search(home.path(), &server).env("GH_TOKEN", "ghp_canaryTwo"), b"", home.path());
        assert!(text.starts_with("exit: 1\n") && text.contains(name), "{text}");
        assert!(!text.contains("canary"), "{text}");
        assert_eq!(text.contains("\"retry_after_s\":11"), name == "rate_limited", "{text}");
    }
}

#[test]
fn direct_mode_walks_and_keeps_to_the_allow_list() {
    let home = tempfile::tempdir().unwrap();
    let server = github(home.path());
    let mut client = Client::initialized(wit(home.path()), &["--github-url", &server.url(), "--allow", "acme/*"]);
    let result = client.call("wit_find_repositories", json!({ "query": "rocket", "max_items": 1 }));
    let page = &result["structuredContent"];
    assert_eq!((&page["items"][0]["full_name"], &page["has_more"]), (&json!("acme/rocket"), &json!(false)), "{result}");
    let result = client.call("wit_find_repositories", json!({ "pattern": "zorg/rocket" }));
    assert_eq!(result["structuredContent"]["code"], "repository_denied", "{result}");
    assert_eq!(server.count(Stage::Search), 1);
}

#[test]
fn what_is_no_app_is_refused_at_start() {
    let home = tempfile::tempdir().unwrap();
    key(home.path());
    std::fs::write(home.path().join("ec.pem"), EC_KEY).unwrap();
    std::fs::write(home.path().join("canary.txt"), "canary, not a key").unwrap();
    let all = |id: &'static str, installation: &'static str, path: &'static str| {
        vec!["--app-id", id, "--app-installation-id", installation, "--app-private-key-path", path]
    };
    for (name, arguments) in [
        ("id_alone", vec!["--app-id", "5"]),
        ("no_id", vec!["--app-installation-id", "5", "--app-private-key-path", "app.pem"]),
        ("no_installation", vec!["--app-id", "5", "--app-private-key-path", "app.pem"]),
        ("bad_id", all("five\"", "5", "app.pem")),
        ("bad_installation", all("5", "acme", "app.pem")),
        ("no_such_key", all("5", "5", "absent.pem")),
        ("not_a_key", all("5", "5", "canary.txt")),
        ("not_rsa", all("5", "5", "ec.pem")),
    ] {
        let text = outcome(wit(home.path()).args(["mcp"]).args(&arguments), b"", home.path());
        assert!(text.starts_with("exit: 2\n") && !text.contains("canary, "), "{text}");
        assert_eq!(text.lines().count(), 4, "{text}");
        with_snapshots(|| insta::assert_snapshot!(format!("cli_app_{name}"), text));
    }
    let from_environment = outcome(wit(home.path()).arg("mcp").env("WIT_APP_ID", "5"), b"", home.path());
    assert!(from_environment.starts_with("exit: 2\n"), "{from_environment}");
}

#[test]
fn the_doctor_says_plainly_what_is_there() {
    let home = tempfile::tempdir().unwrap();
    let server = github(home.path());
    let path = key(home.path());
    let doctor = |url: &str, arguments: &[&str]| {
        let mut command = wit(home.path());
        command.args(["doctor", "--github-url", url]).args(arguments).env("GITHUB_TOKEN", "ghp_canaryThree");
        let text = outcome(&mut command, b"", home.path());
        assert!(!text.contains("canary") && !text.contains("uncategorized"), "{text}");
        text
    };
    let path = path.to_str().unwrap();
    let app = ["--app-id", "5", "--app-installation-id", "6", "--app-private-key-path", path];
    let text = doctor(&server.url(), &app);
    assert!(text.contains("git server    ok: takes connections, in "), "{text}");
    assert!(text.contains("GitHub API    ok: answers, in ") && text.contains("/api/v3)"), "{text}");
    assert!(text.contains("GitHub App    ok: set, with a private key that can sign"), "{text}");
    assert!(server.requests().iter().all(|request| request.authorization.is_none()), "the doctor shows no credentials");
    let text = doctor("http://127.0.0.1:1", &[]);
    assert!(text.contains("git server    warning: it refuses connections"), "{text}");
    assert!(text.contains("GitHub API    warning: no connection can be made"), "{text}");
    assert!(text.contains("GitHub App    ok: not set"), "{text}");
    let text = doctor("http://name.invalid", &["--app-id", "5"]);
    assert!(text.contains("git server    warning: its name cannot be resolved here"), "{text}");
    assert!(text.contains("GitHub App    FAILED: --app-installation-id is missing"), "{text}");
    assert!(text.starts_with("exit: 3\n"), "{text}");
}
