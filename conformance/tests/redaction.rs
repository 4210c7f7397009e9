//! Nothing the server holds comes out in direct mode either (I7): every error path of the seven tools, with the log at
//! its most talkative. In Code Mode every case of the gate holds it to the same.
#![cfg(unix)]

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context as _, Result, ensure};
use conformance::binary;
use conformance::canary::Canary;
use conformance::client::Server;
use conformance::corpus::Upstream;
use conformance::fixture;
use conformance::parallel::{side_by_side, twice_the_processors};
use conformance::upstream::Listener;
use serde_json::{Value, json};

/// The longest wait for an answer: beyond the time of an operation, as the policy here has it.
const PATIENCE: Duration = Duration::from_secs(20);

/// Builds a repository in a directory.
type Build = fn(&Path) -> Result<()>;

/// Local repositories by name.
const REPOSITORIES: [(&str, Build); 3] =
    [("fixture", fixture::build), ("corrupt", fixture::build_corrupt), ("gone", fixture::build)];

/// A direct-mode server with a canary in everything it holds.
struct Planted {
    server: Server,
    canaries: Vec<Canary>,
    /// Where its repositories are.
    local: PathBuf,
    _upstream: Listener,
    home: tempfile::TempDir,
}

impl Planted {
    /// With these repositories of [`REPOSITORIES`], which are there when the server starts.
    fn start(upstream: Upstream, repositories: &[(&str, Build)], more: &[&str]) -> Result<Self> {
        let places = [
            "GITHUB_TOKEN",
            "variable",
            "cache path",
            "temporary path",
            "home path",
            "local path",
            "text of the server",
        ];
        let canaries = places.into_iter().map(Canary::new).collect::<std::io::Result<Vec<_>>>()?;
        let text = |index: usize| canaries.get(index).map_or("", |canary| &canary.text);
        let home = tempfile::tempdir()?;
        let [cache, temporary, house, local] = [2, 3, 4, 5].map(|index| home.path().join(text(index)));
        for directory in [&cache, &temporary, &house, &local] {
            fs::create_dir_all(directory)?;
        }
        for (name, build) in repositories {
            build(&local.join(name))?;
        }
        fs::write(home.path().join("policy.toml"), "operation_ms = 1000\n")?;
        let listener = Listener::start(upstream, text(6))?;
        let mut arguments: Vec<OsString> = ["mcp", "--github-url"].map(OsString::from).into();
        arguments.push(listener.url().into());
        arguments.extend(["--policy".into(), home.path().join("policy.toml").into_os_string()]);
        for (name, _) in repositories {
            arguments.extend(["--local".into(), format!("demo/{name}={}", local.join(name).display()).into()]);
        }
        arguments.extend(more.iter().map(OsString::from));
        let environment: Vec<(OsString, OsString)> = vec![
            ("GITHUB_TOKEN".into(), format!("ghp_{}", text(0)).into()),
            ("WIT_CANARY".into(), text(1).into()),
            ("WIT_CACHE_DIR".into(), cache.into()),
            ("TMPDIR".into(), temporary.into()),
            ("HOME".into(), house.into()),
            ("WIT_LOG".into(), "trace".into()),
        ];
        let mut server = Server::start(&binary::locate()?, &arguments, &environment, home.path())?;
        server.initialize(PATIENCE)?;
        Ok(Self { server, canaries, local, _upstream: listener, home })
    }

    /// The whole answer to one call.
    fn answer(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let id = self.server.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        Ok(self.server.wait(id, PATIENCE).with_context(|| format!("{tool} {arguments}: no answer"))?.0)
    }

    /// A call that must fail with this code.
    fn fails(&mut self, tool: &str, arguments: &Value, code: &str) -> Result<()> {
        let answer = self.answer(tool, arguments)?;
        let got = answer.pointer("/result/structuredContent/code").and_then(Value::as_str);
        ensure!(got == Some(code), "{tool} {arguments}: expected {code}, got {answer}");
        Ok(())
    }

    /// Ends the server, and searches every byte it wrote.
    fn finish(self) -> Result<()> {
        let ended = self.server.finish(Duration::from_secs(5))?;
        for canary in &self.canaries {
            for (stream, bytes) in [("stdout", &ended.stdout), ("stderr", &ended.stderr)] {
                let found = canary.found_in(bytes);
                ensure!(
                    found.is_none(),
                    "{stream} holds the canary of the {}: {}",
                    canary.place,
                    found.unwrap_or_default()
                );
            }
        }
        let content = Canary { place: "repository", text: fixture::CONTENT_CANARY.to_owned() };
        ensure!(content.found_in(&ended.stderr).is_none(), "the log holds contents of the repository");
        ensure!(!ended.stderr.is_empty(), "the log is off, so this test has shown nothing");
        ensure!(ended.impurities.is_empty(), "{:?}", ended.impurities);
        Ok(self.home.close()?)
    }
}

#[test]
fn failures_on_the_machine_tell_nothing() -> Result<()> {
    let mut planted = Planted::start(Upstream::Refuse, &REPOSITORIES, &["--allow", "demo/*"])?;
    fs::remove_dir_all(planted.local.join("gone"))?;
    let opened = planted.answer("wit_open", &json!({ "repo": "demo/fixture" }))?;
    let snapshot = opened.pointer("/result/structuredContent/snapshot_id").and_then(Value::as_str);
    let snapshot = snapshot.with_context(|| format!("not opened: {opened}"))?.to_owned();
    let of = |more: Value| {
        let mut arguments = json!({ "snapshot_id": snapshot });
        if let (Some(all), Value::Object(more)) = (arguments.as_object_mut(), more) {
            all.extend(more);
        }
        arguments
    };
    for (tool, arguments, code) in [
        ("wit_open", json!({ "repo": 5 }), "invalid_arguments"),
        ("wit_open", json!({ "repo": "demo/fixture", "surprise": 1 }), "invalid_arguments"),
        ("wit_open", json!({ "repo": "other/private" }), "repository_denied"),
        ("wit_open", json!({ "repo": "demo/gone" }), "repository_not_found"),
        ("wit_open", json!({ "repo": "demo/corrupt" }), "operation_failed"),
        ("wit_open", json!({ "repo": "demo/fixture", "ref": "no-such-ref" }), "ref_not_found"),
        ("wit_refs", json!({ "repo": "demo/gone" }), "repository_not_found"),
        ("wit_list", json!({ "snapshot_id": "snap_none" }), "snapshot_not_found"),
        ("wit_list", of(json!({ "path": "no/such/path" })), "path_not_found"),
        ("wit_list", of(json!({ "cursor": "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA" })), "invalid_cursor"),
        ("wit_read", of(json!({ "path": "docs" })), "not_a_file"),
        ("wit_read", of(json!({ "path": "data/blob.bin" })), "not_text"),
        ("wit_read", of(json!({ "path": "../../etc/passwd" })), "path_not_found"),
        ("wit_search_code", of(json!({ "queries": ["(unclosed"] })), "invalid_pattern"),
        ("wit_context", of(json!({ "queries": [] })), "invalid_arguments"),
    ] {
        planted.fails(tool, &arguments, code)?;
    }
    // What the protocol itself refuses.
    planted.answer("wit_nothing", &json!({}))?;
    let id = planted.server.request_raw("tools/call", "{\"name\":5}")?;
    planted.server.wait(id, PATIENCE).context("a malformed call was not answered")?;
    // Contents may be read, and are then in the answer and nowhere else.
    let read = planted.answer("wit_read", &of(json!({ "path": "secrets/example.env" })))?;
    ensure!(read.to_string().contains(fixture::CONTENT_CANARY), "{read}");
    planted.finish()
}

#[test]
fn failures_of_a_server_tell_nothing() -> Result<()> {
    let upstreams = [
        (Upstream::Refuse, "upstream_unavailable"),
        (Upstream::Garbage, "upstream_unavailable"),
        (Upstream::Hang, "deadline_exceeded"),
        (Upstream::Status(401), "authentication_failed"),
        (Upstream::Status(404), "repository_not_found"),
        (Upstream::Status(429), "rate_limited"),
        (Upstream::Status(500), "upstream_unavailable"),
    ];
    side_by_side(twice_the_processors(), &upstreams, |&(upstream, code)| {
        let mut planted = Planted::start(upstream, &[], &[])?;
        for tool in ["wit_open", "wit_refs"] {
            planted
                .fails(tool, &json!({ "repo": "some/repository" }), code)
                .with_context(|| format!("{upstream:?}"))?;
        }
        // The API has codes of its own; that it tells nothing is what counts here.
        planted.answer("wit_find_repositories", &json!({ "query": "some" }))?;
        if upstream == Upstream::Hang {
            let id = planted
                .server
                .request("tools/call", &json!({ "name": "wit_open", "arguments": { "repo": "some/other" } }))?;
            planted.server.cancel(id)?;
        }
        planted.finish()
    })
    .map(drop)
}
