//! `findRepositories` and the credentials of a GitHub App, against a GitHub on loopback with faults on demand.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod support;

use std::sync::Arc;
use std::time::Duration;

use conformance::double::git_http::{Fault, GitServer, Request, Stage};
use conformance::double::rest::{APP_KEY, APP_KEY_PKCS8, EC_KEY, Installed, Listed, SHORT_KEY};
use proptest::prelude::*;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use support::{Fixture, Host, git};
use tokio_util::sync::CancellationToken;
use wit::github::{App, AppError};
use wit::operations::{HostOperations as _, OperationContext, OperationError, OperationsOptions, Surface};
use wit::repository::Secret;
use wit_worker::registry::{Code, OperationId};

const TOKEN: &str = "token-canary-77ab";

/// A GitHub with repositories to find, and one to open.
struct World {
    server: GitServer,
    root: tempfile::TempDir,
}

impl World {
    fn new() -> Self {
        let root = tempfile::tempdir().expect("a directory");
        let server = GitServer::start(root.path()).expect("a server");
        server.list(vec![
            Listed::new("acme/rocket", Some("Rust"), 900),
            Listed::new("acme/rocket-docs", None, 20),
            Listed::new("acme/anvil", Some("C++"), 700),
            Listed::new("Zorg/Rocket", Some("Jupyter Notebook"), 800),
            Listed::new("zorg/secret-plans", Some("Rust"), 5000),
        ]);
        Self { server, root }
    }

    fn host(&self) -> Host {
        self.host_with(|_| {})
    }

    fn host_with(&self, change: impl FnOnce(&mut OperationsOptions)) -> Host {
        Host::with(|options| {
            options.github_url = self.server.url().parse().expect("an address");
            change(options);
        })
    }

    /// Puts a repository there to open.
    fn publish(&self) {
        let fixture = Fixture::empty();
        fixture.write("a.txt", "one\n");
        fixture.commit("one");
        let bare = self.root.path().join("demo/repo.git");
        std::fs::create_dir_all(&bare).expect("created");
        git(&bare, &["init", "-q", "--bare", "-b", "main", "."]);
        git(&bare, &["fetch", "-q", fixture.path().to_str().expect("UTF-8"), "+refs/*:refs/*"]);
    }

    fn searches(&self) -> Vec<Request> {
        self.server.requests().into_iter().filter(|request| request.stage == Some(Stage::Search)).collect()
    }

    /// The searches as they were sent, decoded.
    fn sent(&self) -> Vec<String> {
        let decode = |request: &Request| {
            let url = format!("http://x{}", request.target);
            let url = reqwest::Url::parse(&url).expect("an address");
            url.query_pairs().find(|(name, _)| name == "q").expect("a search").1.into_owned()
        };
        self.searches().iter().map(decode).collect()
    }
}

async fn find(host: &Host, arguments: Value) -> Result<Value, OperationError> {
    host.call(OperationId::FindRepositories, arguments).await
}

async fn names(host: &Host, arguments: Value) -> Vec<String> {
    let items = host.walk(OperationId::FindRepositories, &arguments, "items").await;
    items.iter().map(|item| item["full_name"].as_str().expect("a name").to_owned()).collect()
}

async fn code(host: &Host, arguments: Value) -> Code {
    find(host, arguments).await.expect_err("a failure").code
}

#[tokio::test]
async fn what_is_found_and_how_it_is_told() {
    let world = World::new();
    let host = world.host();
    let page = find(&host, json!({ "query": "rocket" })).await.expect("a page");
    assert_eq!(
        page["items"][0],
        json!({
            "full_name": "acme/rocket", "name": "rocket", "description": "About acme/rocket", "language": "Rust",
            "stars": 900, "html_url": format!("{}/acme/rocket", world.server.url()),
        })
    );
    assert_eq!(page["items"][2]["language"], Value::Null);
    assert_eq!((&page["has_more"], &page["returned_items"]), (&json!(false), &json!(3)));
    for (arguments, sent, expected) in [
        (json!({ "pattern": "rock" }), "\"rock\" in:name", &["acme/rocket", "Zorg/Rocket", "acme/rocket-docs"][..]),
        (json!({ "pattern": "ACME/rock" }), "user:\"ACME\" \"rock\" in:name", &["acme/rocket", "acme/rocket-docs"]),
        (json!({ "pattern": "acme/" }), "user:\"acme\"", &["acme/rocket", "acme/anvil", "acme/rocket-docs"]),
        (json!({ "pattern": "/anv" }), "\"anv\" in:name", &["acme/anvil"]),
        (json!({ "pattern": "me/rocket*doc" }), "user:\"me\" \"rocket\" \"doc\" in:name", &[]),
        (json!({ "pattern": "*me/roc*doc" }), "\"roc\" \"doc\" in:name", &["acme/rocket-docs"]),
        (json!({ "lang": "C++" }), "language:\"C++\"", &["acme/anvil"]),
        (json!({ "lang": "Jupyter Notebook" }), "language:\"Jupyter Notebook\"", &["Zorg/Rocket"]),
        (json!({ "lang": "rust", "query": "about" }), "language:\"rust\" about", &["zorg/secret-plans", "acme/rocket"]),
        (
            json!({ "lang": "rust", "pattern": "o", "query": "user:acme" }),
            "\"o\" in:name language:\"rust\" user:acme",
            &["acme/rocket"],
        ),
    ] {
        assert_eq!(names(&host, arguments.clone()).await, expected, "{arguments}");
        assert_eq!(world.sent().last().expect("a search"), sent, "{arguments}");
    }
    assert!(world.searches().iter().all(|request| request.authorization.is_none()));
}

#[tokio::test]
async fn nothing_in_pattern_or_lang_can_add_a_qualifier() {
    let world = World::new();
    let host = world.host();
    for pattern in ["x user:zorg", "x\"user:zorg", "user:zorg", "a/b/c", "\\\"x", "x\ny", "x+user", "ä", "x in:readme"]
    {
        let error = find(&host, json!({ "pattern": pattern })).await.expect_err(pattern);
        assert_eq!(error.code, Code::InvalidArguments, "{pattern}");
        assert!(error.message.starts_with("`pattern`") && !error.message.contains("zorg"), "{}", error.message);
    }
    for lang in ["rust\" user:zorg \"", "rust\\", "rust\nuser:zorg"] {
        let error = find(&host, json!({ "lang": lang })).await.expect_err(lang);
        assert_eq!(error.code, Code::InvalidArguments, "{lang}");
        assert!(error.message.starts_with("`lang`"), "{}", error.message);
    }
    for query in ["\"open", "x\u{7}"] {
        let error = find(&host, json!({ "query": query })).await.expect_err(query);
        assert!(error.message.starts_with("`query`"), "{}", error.message);
    }
    for nothing in
        [json!({}), json!({ "query": "  ", "pattern": "" }), json!({ "pattern": "*" }), json!({ "pattern": "-" })]
    {
        assert_eq!(code(&host, nothing.clone()).await, Code::InvalidArguments, "{nothing}");
    }
    assert!(world.searches().is_empty(), "refused before any use of the network");
    // Between quotation marks a qualifier is a word like any other; a bare operator is one too.
    assert!(names(&host, json!({ "lang": "rust user:zorg" })).await.is_empty());
    assert!(names(&host, json!({ "pattern": "OR" })).await.is_empty());
    assert_eq!(world.sent(), ["language:\"rust user:zorg\"", "\"OR\" in:name"]);
}

#[tokio::test]
async fn nothing_outside_the_allow_list_is_asked_for_or_returned() {
    let world = World::new();
    let allow = |patterns: &'static [&'static str]| {
        world.host_with(|options| {
            options.allow = patterns.iter().map(|pattern| pattern.parse().expect("a pattern")).collect();
        })
    };
    let host = allow(&["acme/*"]);
    for outside in [
        json!({ "pattern": "zorg/rocket" }),
        json!({ "query": "user:zorg" }),
        json!({ "query": "x org:\"Zorg\"" }),
        json!({ "query": "repo:zorg/secret-plans" }),
        json!({ "query": "user:acme repo:zorg/secret-plans" }),
        json!({ "query": "user:@me" }),
    ] {
        assert_eq!(code(&host, outside.clone()).await, Code::RepositoryDenied, "{outside}");
    }
    assert!(world.searches().is_empty(), "decided before any use of the network");
    assert_eq!(names(&host, json!({ "query": "about" })).await, ["acme/rocket", "acme/anvil", "acme/rocket-docs"]);
    assert_eq!(names(&host, json!({ "query": "-user:zorg rocket" })).await, ["acme/rocket", "acme/rocket-docs"]);
    assert_eq!(names(&host, json!({ "pattern": "*" })).await.len(), 3, "the list alone is a search");
    assert_eq!(world.sent(), ["user:acme about", "user:acme -user:zorg rocket", "user:acme"]);

    let host = allow(&["zorg/rocket", "acme/anv*"]);
    assert_eq!(names(&host, json!({ "query": "about" })).await, ["Zorg/Rocket", "acme/anvil"]);
    assert_eq!(names(&host, json!({ "query": "user:zorg" })).await, ["Zorg/Rocket"]);
    assert_eq!(code(&host, json!({ "query": "repo:zorg/secret-plans" })).await, Code::RepositoryDenied);
    let sent = world.sent();
    assert_eq!(sent[sent.len() - 2..], ["repo:zorg/rocket user:acme about", "user:zorg"]);

    // A wildcard owner can't be said in GitHub's language: then only the results are held to it.
    let host = allow(&["ac*/*"]);
    assert_eq!(names(&host, json!({ "query": "about" })).await, ["acme/rocket", "acme/anvil", "acme/rocket-docs"]);
    assert_eq!(world.sent().last().expect("a search"), "about");
    // A server that answers with what was not asked for changes nothing.
    let items = ["zorg/secret-plans", "acme/rocket", "../etc", "acme/a b"].map(|name| json!({ "full_name": name }));
    let forged = json!({ "total_count": 4, "items": items }).to_string();
    world.server.fail(Stage::Search, Fault::Answer(200, Vec::new(), forged));
    assert_eq!(names(&allow(&["acme/*"]), json!({ "query": "about" })).await, ["acme/rocket"]);
}

/// `count` repositories, the first the most liked.
fn many(count: usize) -> Vec<Listed> {
    let listed = |index: usize| Listed::new(&format!("many/item{index:04}"), None, (count - index) as u64);
    (0..count).map(listed).collect()
}

#[tokio::test]
async fn the_thousandth_result_is_the_last_and_says_so() {
    let world = World::new();
    world.server.list(many(1500));
    let host = world.host();
    let mut arguments = json!({ "pattern": "item", "max_items": 999, "max_bytes": 262_144 });
    let found = names(&host, arguments.clone()).await;
    assert_eq!((found.len(), found[999].as_str()), (1000, "many/item0999"));
    assert_eq!(world.searches().len(), 10, "each hundred is asked for once");
    let first = find(&host, arguments.clone()).await.expect("a page");
    assert_eq!((&first["returned_items"], &first["budget"]["warning"]), (&json!(999), &Value::Null));
    arguments["cursor"] = first["next_cursor"].clone();
    while arguments["cursor"].is_string() {
        let page = find(&host, arguments.clone()).await.expect("a page");
        arguments["cursor"] = page["next_cursor"].clone();
        if arguments["cursor"].is_null() {
            let warning = page["budget"]["warning"].as_str().expect("a warning");
            assert!(warning.contains("first 1000 results"), "{warning}");
        }
    }
    assert_eq!(world.searches().len(), 10, "pages are kept for the walk");
    world.server.search_incompletely();
    world.server.list(many(3));
    let page = find(&world.host(), json!({ "pattern": "item" })).await.expect("a page");
    assert!(page["budget"]["warning"].as_str().expect("a warning").contains("ran out of time"));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_walk_gives_the_unpaged_answer(count in 0usize..330, max_items in 1u64..140, max_bytes in 1024u64..20_000, third in any::<bool>()) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let world = World::new();
            let mut repositories = many(count);
            repositories.iter_mut().step_by(3).for_each(|listed| listed.description = Some("ä\"\\\n".repeat(40)));
            world.server.list(repositories);
            // With a wildcard owner every third is left out behind the search.
            let host = world.host_with(|options| {
                if third {
                    options.allow = ["m*/item*0", "m*/item*5"].map(|pattern| pattern.parse().expect("a pattern")).into();
                }
            });
            let whole = json!({ "pattern": "item", "max_items": 1000, "max_bytes": 262_144 });
            let expected = host.walk(OperationId::FindRepositories, &whole, "items").await;
            assert_eq!(expected.len(), if third { count.div_ceil(5) } else { count });
            let paged = json!({ "pattern": "item", "max_items": max_items, "max_bytes": max_bytes });
            let items = host.walk(OperationId::FindRepositories, &paged, "items").await;
            assert_eq!(items, expected);
        });
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whatever_pattern_and_lang_are_the_search_is_theirs(pattern in "(.{0,12}|[a-zA-Z*/_. -]{1,12})", lang in "(.{0,12}|[ -~]{0,12})") {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let world = World::new();
            let outcome = find(&world.host(), json!({ "pattern": pattern, "lang": lang, "query": "tail" })).await;
            let form = "^(user:\"[A-Za-z0-9._-]+\" )?((\"[A-Za-z0-9._-]+\" )+in:name )?(language:\"[^\"\\\\\\p{Cc}]+\" )?tail$";
            let form = regex::Regex::new(form).expect("a pattern");
            match outcome {
                Ok(_) => assert!(form.is_match(&world.sent()[0]), "{:?}", world.sent()),
                Err(error) => {
                    assert_eq!(error.code, Code::InvalidArguments);
                    assert!(world.searches().is_empty());
                }
            }
        });
    }

    #[test]
    fn whatever_the_query_is_only_what_is_allowed_comes_back(words in prop::collection::vec(prop::sample::select(vec![
        "user:zorg", "user:acme", "USER:Zorg", "org:zorg", "repo:zorg/rocket", "repo:acme/anvil", "-user:acme", "NOT", "OR",
        "(user:zorg", ")", "\"user:zorg\"", "user:\"zorg\"", "rocket", "about", "language:rust", "in:name", "user:", "repo:x",
    ]), 1..6), owner in any::<bool>()) {
        let runtime = tokio::runtime::Runtime::new().expect("a runtime");
        runtime.block_on(async {
            let world = World::new();
            let allowed = if owner { "acme/*" } else { "*cme/*" };
            let host = world.host_with(|options| options.allow = vec![allowed.parse().expect("a pattern")]);
            match find(&host, json!({ "query": words.join(" ") })).await {
                Ok(page) => {
                    let items = page["items"].as_array().expect("items");
                    assert!(items.iter().all(|item| item["full_name"].as_str().expect("a name").starts_with("acme/")));
                }
                Err(error) => {
                    assert_eq!(error.code, Code::RepositoryDenied);
                    assert!(world.searches().is_empty());
                }
            }
        });
    }
}

#[tokio::test]
async fn cursors_belong_to_their_search() {
    let world = World::new();
    world.server.list(many(40));
    let host = world.host();
    let page = find(&host, json!({ "pattern": "item", "max_items": 7 })).await.expect("a page");
    let cursor = page["next_cursor"].as_str().expect("a cursor");
    let next = find(&host, json!({ "pattern": "item", "max_items": 2, "cursor": cursor })).await.expect("a page");
    assert_eq!(next["items"][0]["full_name"], "many/item0007");
    for other in [json!({ "pattern": "ite" }), json!({ "query": "item" }), json!({ "pattern": "item", "lang": "C" })] {
        let mut arguments = other.clone();
        arguments["cursor"] = cursor.into();
        assert_eq!(code(&host, arguments).await, Code::InvalidCursor, "{other}");
    }
    let elsewhere = World::new();
    elsewhere.server.list(many(40));
    let cache = host.cache.clone();
    let other = elsewhere.host_with(|options| options.cache_dir = cache);
    assert_eq!(code(&other, json!({ "pattern": "item", "cursor": cursor })).await, Code::InvalidCursor);
}

/// An answer that must not leave the process but for its facts.
fn answer(status: u16, headers: &[(&'static str, &str)], body: &str) -> Fault {
    let headers = headers.iter().map(|(name, value)| (*name, (*value).to_owned())).collect();
    Fault::Answer(status, headers, body.to_owned())
}

#[tokio::test]
async fn every_fault_has_its_code_and_no_text() {
    let world = World::new();
    let canary =
        "{\"message\":\"upstream-body-canary\",\"errors\":[{\"field\":\"q\",\"message\":\"upstream-body-canary\"}]}";
    let documented = "{\"message\":\"canary\",\"documentation_url\":\"https://docs.github.com/rest/overview/rate-limits-for-the-rest-api#about-secondary-rate-limits\"}";
    let date = ("Date", "Tue, 01 Dec 2026 14:00:00 GMT");
    let reset = [("X-RateLimit-Remaining", "0"), ("X-RateLimit-Reset", "1796133642"), date];
    let huge = format!("{{\"total_count\":0,\"items\":[],\"x\":\"{}\"}}", "canary".repeat(800_000));
    let cases = [
        (answer(401, &[], canary), Code::AuthenticationFailed, None),
        (answer(403, &[], canary), Code::AuthenticationFailed, None),
        (answer(403, &reset, canary), Code::RateLimited, Some(42)),
        (answer(429, &[("Retry-After", "17")], canary), Code::RateLimited, Some(17)),
        (answer(403, &[("Retry-After", "9")], canary), Code::RateLimited, Some(9)),
        (answer(403, &[], documented), Code::RateLimited, Some(60)),
        (answer(422, &[], canary), Code::InvalidArguments, None),
        (answer(404, &[], canary), Code::UpstreamUnavailable, None),
        (answer(418, &[], canary), Code::UpstreamUnavailable, None),
        (answer(500, &[], canary), Code::UpstreamUnavailable, None),
        (answer(503, &[], "<html>canary"), Code::UpstreamUnavailable, None),
        (answer(204, &[], ""), Code::UpstreamUnavailable, None),
        (answer(200, &[], "{\"canary\":1}"), Code::UpstreamUnavailable, None),
        (answer(200, &[], "{\"total_count\":\"canary\",\"items\":[]}"), Code::UpstreamUnavailable, None),
        (answer(200, &[], &huge), Code::UpstreamUnavailable, None),
        (answer(401, &[], &huge), Code::UpstreamUnavailable, None),
        (Fault::Nonsense, Code::UpstreamUnavailable, None),
        (answer(302, &[], ""), Code::UpstreamUnavailable, None),
        (answer(302, &[("Location", "ftp://canary.invalid/")], ""), Code::UpstreamUnavailable, None),
        (Fault::Redirect(world.server.url()), Code::UpstreamUnavailable, None),
    ];
    for (fault, expected, wait) in cases {
        world.server.heal();
        world.server.fail(Stage::Search, fault.clone());
        let host = world.host_with(|options| options.token = Secret::new(TOKEN));
        let error = find(&host, json!({ "query": "rocket" })).await.expect_err("a fault");
        let shown = format!("{fault:?}").chars().take(200).collect::<String>();
        assert_eq!((error.code, error.retry_after_s), (expected, wait), "{shown}");
        assert!(!error.message.contains("canary") && !error.message.contains("127.0.0.1"), "{}", error.message);
        if expected == Code::InvalidArguments {
            assert!(error.message.starts_with("`query`"), "{}", error.message);
        }
        world.server.heal();
        // A limit is kept to; everything else is over when it is over.
        let again = find(&host, json!({ "query": "rocket" })).await;
        assert_eq!(again.err().map(|error| error.code), (expected == Code::RateLimited).then_some(expected), "{shown}");
    }
    world.server.fail(Stage::Search, answer(422, &[], canary));
    for (arguments, named) in [(json!({ "pattern": "x/y" }), "`pattern`"), (json!({ "lang": "x" }), "`lang`")] {
        let error = find(&world.host(), arguments).await.expect_err("refused");
        assert!(error.code == Code::InvalidArguments && error.message.starts_with(named), "{}", error.message);
    }
    let gone = Host::with(|options| options.github_url = "http://127.0.0.1:1".parse().expect("an address"));
    assert_eq!(code(&gone, json!({ "query": "x" })).await, Code::UpstreamUnavailable);
}

#[tokio::test]
async fn a_limit_is_kept_to_without_asking() {
    let world = World::new();
    world.server.fail(Stage::Search, answer(429, &[("Retry-After", "300")], ""));
    let host = world.host();
    assert_eq!(code(&host, json!({ "query": "rocket" })).await, Code::RateLimited);
    let asked = world.searches().len();
    world.server.heal();
    let error = find(&host, json!({ "query": "anvil" })).await.expect_err("limited");
    assert!(matches!(error.retry_after_s, Some(290..=300)), "{error:?}");
    assert_eq!(world.searches().len(), asked);
    assert!(find(&world.host(), json!({ "query": "anvil" })).await.is_ok(), "another server's affair");
}

#[tokio::test]
async fn a_redirect_is_followed_without_the_token() {
    let world = World::new();
    let other = World::new();
    world.server.require_token(TOKEN);
    let host = || world.host_with(|options| options.token = Secret::new(TOKEN));
    assert_eq!(names(&host(), json!({ "query": "rocket" })).await.len(), 3);
    assert!(
        world.searches().iter().all(|request| request.authorization.as_deref() == Some("Bearer token-canary-77ab"))
    );
    for target in [other.server.url(), world.server.other_url()] {
        world.server.heal();
        world.server.fail(Stage::Search, Fault::Redirect(target));
        // Under its other name the first server redirects for ever, so only the count of requests tells.
        let _ = find(&host(), json!({ "query": "rocket" })).await;
    }
    assert_eq!(other.searches().len(), 1);
    let bare = |request: &&Request| request.authorization.is_none();
    assert!(other.searches().iter().all(|request| bare(&request)));
    assert_eq!(world.searches().iter().filter(bare).count(), 5, "another name is another origin");
    // Over plain http to another machine a token never travels; nothing answers there, so none is seen to.
    let far = Host::with(|options| {
        options.github_url = "http://name.invalid".parse().expect("an address");
        options.token = Secret::new(TOKEN);
    });
    assert_eq!(code(&far, json!({ "query": "x" })).await, Code::UpstreamUnavailable);
}

#[tokio::test]
async fn a_silent_server_outlives_neither_deadline_nor_cancellation() {
    let world = World::new();
    world.server.fail(Stage::Search, Fault::Stall);
    let host = world.host();
    let raw = RawValue::from_string(r#"{"query":"rocket"}"#.to_owned()).expect("JSON");
    let context = OperationContext::new(Duration::from_millis(200), CancellationToken::new());
    let outcome = host.operations.call(OperationId::FindRepositories, &raw, Surface::Direct, &context).await;
    assert_eq!(outcome.expect_err("late").code, Code::DeadlineExceeded);
    let token = CancellationToken::new();
    let context = OperationContext::new(Duration::from_secs(60), token.clone());
    let before = world.server.count(Stage::Search);
    let call = host.operations.call(OperationId::FindRepositories, &raw, Surface::Direct, &context);
    let cancel = async {
        while world.server.count(Stage::Search) == before {
            tokio::task::yield_now().await;
        }
        token.cancel();
    };
    let (outcome, ()) = tokio::join!(call, cancel);
    assert_eq!(outcome.expect_err("cancelled").code, Code::Cancelled);
}

fn app(key: &str) -> App {
    App::new("4711", "99", key.as_bytes()).expect("an app")
}

fn installed(seconds: i64) -> Installed {
    Installed { id: json!(4711), installation: 99, seconds }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_apps_token_serves_searches_and_git_and_is_fetched_once() {
    let world = World::new();
    world.publish();
    world.server.install(installed(3600));
    assert_eq!(
        code(&world.host_with(|options| options.token = Secret::new("wrong")), json!({ "query": "x" })).await,
        Code::AuthenticationFailed
    );
    for key in [APP_KEY, APP_KEY_PKCS8] {
        let before = world.server.count(Stage::Token);
        // The app goes before a token that happens to stand in the environment.
        let host = Arc::new(world.host_with(|options| {
            options.app = Some(app(key));
            options.token = Secret::new("wrong");
        }));
        let calls: Vec<_> = (0..10)
            .map(|index| {
                let host = Arc::clone(&host);
                tokio::spawn(async move {
                    match index % 2 {
                        0 => find(&host, json!({ "query": format!("about {}", "x".repeat(index)) })).await,
                        _ => host.call(OperationId::Refs, json!({ "repo": "demo/repo" })).await,
                    }
                })
            })
            .collect();
        for call in calls {
            call.await.expect("no panic").expect("answered");
        }
        host.open(None).await;
        assert_eq!(world.server.count(Stage::Token) - before, 1);
    }
    // The proof goes to the token's endpoint only, and the token nowhere but in its header.
    for request in world.server.requests() {
        let proof = request.authorization.as_deref().is_some_and(|header| header.starts_with("Bearer ey"));
        assert_eq!(proof, request.stage == Some(Stage::Token), "{}", request.target);
        assert!(!request.target.contains("canary"), "{}", request.target);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_apps_token_is_fetched_again_before_it_ends_and_after_it_was_refused() {
    let world = World::new();
    world.publish();
    world.server.install(installed(240));
    let host = world.host_with(|options| options.app = Some(app(APP_KEY)));
    for expected in 1..=3 {
        find(&host, json!({ "query": "rocket", "lang": format!("l{expected}") })).await.expect("a page");
        assert_eq!(world.server.count(Stage::Token), expected, "one that ends within minutes is used once");
    }
    world.server.install(installed(3600));
    let host = world.host_with(|options| options.app = Some(app(APP_KEY)));
    host.open(None).await;
    world.server.revoke();
    let refs = || host.call(OperationId::Refs, json!({ "repo": "demo/repo" }));
    assert_eq!(refs().await.expect_err("revoked").code, Code::AuthenticationFailed);
    refs().await.expect("with a new token");
    world.server.revoke();
    assert_eq!(code(&host, json!({ "query": "anvil" })).await, Code::AuthenticationFailed);
    find(&host, json!({ "query": "anvil" })).await.expect("with a new token");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_app_that_gets_no_token_has_its_code() {
    let world = World::new();
    world.publish();
    world.server.install(installed(3600));
    let stranger = App::new("4712", "99", APP_KEY.as_bytes()).expect("an app");
    let elsewhere = App::new("4711", "98", APP_KEY.as_bytes()).expect("an app");
    for (app, expected) in [(stranger, Code::AuthenticationFailed), (elsewhere, Code::AuthenticationFailed)] {
        let host = world.host_with(|options| options.app = Some(app));
        assert_eq!(code(&host, json!({ "query": "x" })).await, expected);
        assert_eq!(host.open_failure(None).await, expected);
    }
    let created = |body: &str| answer(201, &[], body);
    for (fault, expected) in [
        (answer(500, &[], "canary"), Code::UpstreamUnavailable),
        (answer(403, &[], "{\"message\":\"suspended canary\"}"), Code::AuthenticationFailed),
        (answer(422, &[], "{}"), Code::AuthenticationFailed),
        (answer(429, &[("Retry-After", "5")], ""), Code::RateLimited),
        (answer(307, &[("Location", "/elsewhere")], ""), Code::UpstreamUnavailable),
        (created("{}"), Code::UpstreamUnavailable),
        (created("{\"token\":\"a\\nb\",\"expires_at\":\"2030-01-01T00:00:00Z\"}"), Code::UpstreamUnavailable),
        (created("{\"token\":\"canary\",\"expires_at\":\"soon\"}"), Code::UpstreamUnavailable),
        (Fault::Nonsense, Code::UpstreamUnavailable),
    ] {
        world.server.heal();
        world.server.fail(Stage::Token, fault.clone());
        let host = world.host_with(|options| options.app = Some(app(APP_KEY)));
        let error = find(&host, json!({ "query": "x" })).await.expect_err("no token");
        assert_eq!(error.code, expected, "{fault:?}");
        assert!(!error.message.contains("canary"), "{}", error.message);
        assert_eq!(host.open_failure(None).await, expected, "{fault:?}");
    }
    // A server that goes silent while one caller fetches keeps none of them beyond its own time.
    world.server.heal();
    world.server.fail(Stage::Token, Fault::Stall);
    let host = world.host_with(|options| options.app = Some(app(APP_KEY)));
    let raw = RawValue::from_string(r#"{"query":"rocket"}"#.to_owned()).expect("JSON");
    let late = || async {
        let context = OperationContext::new(Duration::from_millis(200), CancellationToken::new());
        host.operations.call(OperationId::FindRepositories, &raw, Surface::Direct, &context).await
    };
    let (first, second) = tokio::join!(late(), late());
    assert_eq!([first, second].map(|outcome| outcome.expect_err("late").code), [Code::DeadlineExceeded; 2]);
}

#[test]
fn what_is_no_app() {
    let refused = |id: &str, installation: &str, key: &str| App::new(id, installation, key.as_bytes()).err();
    assert_eq!(refused("", "1", APP_KEY), Some(AppError::Id));
    assert_eq!(refused("12\",\"x\":\"", "1", APP_KEY), Some(AppError::Id));
    assert_eq!(refused("12", "x", APP_KEY), Some(AppError::Installation));
    assert_eq!(refused("12", "1/../2", APP_KEY), Some(AppError::Installation));
    assert_eq!(refused("12", "1", "no key"), Some(AppError::NotAKey));
    assert_eq!(refused("12", "1", EC_KEY), Some(AppError::NotRsa));
    assert_eq!(refused("12", "1", SHORT_KEY), Some(AppError::NotRsa));
    let app = App::new("Iv23abc.1", "1", APP_KEY.as_bytes()).expect("an app");
    let shown = format!("{app:?}");
    assert!(shown.contains("Iv23abc.1") && shown.len() < 80, "{shown}");
}
