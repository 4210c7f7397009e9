//! Corpus cases that need a host which answers with an exact number of bytes, or never: the real parent and the
//! real worker process, with an in-process host in place of the operations.
//!
//! The host: `snapshot_id: "BYTES:n"` gives `{"pad":"xx…"}` of exactly n bytes of JSON, `"JSON:…"` gives that text,
//! `"HANG"` never answers, `repo: "FAIL:…"` fails as a backend does; anything else is echoed as `{method, args}`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Instant;

use conformance::corpus::{self, Case, Expectation, Host, Kind, Observed};
use libtest_mimic::{Arguments, Failed, Trial};
use serde_json::value::RawValue;
use tokio_util::sync::CancellationToken;
use wit::codemode::{CodeMode, CodeModeOptions, CodeModePolicy};
use wit::operations::{HostOperations, OperationContext, OperationError, OperationFuture, Surface};
use wit_worker::registry::{Code, OperationId};

fn main() -> ExitCode {
    let arguments = Arguments::from_args();
    let corpus = match corpus::load(&corpus::directory()) {
        Ok(corpus) => corpus,
        Err(error) => {
            eprintln!("{error}");
            return ExitCode::FAILURE;
        }
    };
    let trials: Vec<Trial> = corpus
        .cases
        .into_iter()
        .filter(|case| case.kind == Kind::Script && case.setup.host == Host::Mock)
        .map(|case| Trial::test(case.id.clone(), move || check(&case)))
        .collect();
    if trials.is_empty() {
        eprintln!("the corpus has no case for the in-process host");
        return ExitCode::FAILURE;
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

fn check(case: &Case) -> Result<(), Failed> {
    if !case.background.is_empty() {
        return Err("the session level runs one call after another; this case needs the real binary".into());
    }
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        let policy = CodeModePolicy::parse(&case.setup.policy.to_string()).map_err(|error| error.to_string())?;
        let codemode = CodeMode::start(CodeModeOptions {
            policy,
            worker: Some(PathBuf::from(env!("CARGO_BIN_EXE_wit"))),
            unsandboxed: false,
            operations: Arc::new(MockHost),
        })
        .map_err(|error| error.to_string())?;
        let mut checked = run(&codemode, &case.source(), &case.expect).await;
        for step in &case.then {
            checked = match checked {
                Ok(()) => run(&codemode, &step.source, &step.expect).await,
                failed => failed,
            };
        }
        codemode.shutdown().await;
        checked
    });
    outcome.map_err(|difference| format!("{difference}\n  file: {}", case.path.display()).into())
}

async fn run(codemode: &CodeMode, source: &str, expect: &Expectation) -> Result<(), String> {
    let began = Instant::now();
    let observed = match codemode.run(source, CancellationToken::new()).await {
        Ok(success) => serde_json::to_value(success).map(Observed::Success),
        Err(envelope) => serde_json::to_value(*envelope).map(Observed::Failure),
    };
    expect.check(&observed.map_err(|error| error.to_string())?, began.elapsed())
}

struct MockHost;

impl HostOperations for MockHost {
    fn call<'a>(
        &'a self,
        operation: OperationId,
        arguments: &'a RawValue,
        _: Surface,
        _: &'a OperationContext,
    ) -> OperationFuture<'a> {
        Box::pin(async move {
            let failed = || OperationError::new(Code::OperationFailed, "the operation failed");
            let args: serde_json::Value = serde_json::from_str(arguments.get()).map_err(|_| failed())?;
            check_arguments(operation, &args)?;
            let text = |name: &str| args.get(name).and_then(serde_json::Value::as_str).unwrap_or_default();
            if text("repo").starts_with("FAIL:") {
                return Err(failed());
            }
            let snapshot = text("snapshot_id");
            if snapshot == "HANG" {
                std::future::pending::<()>().await;
            }
            let answer = if let Some(json) = snapshot.strip_prefix("JSON:") {
                json.to_owned()
            } else if let Some(bytes) = snapshot.strip_prefix("BYTES:") {
                let bytes: usize = bytes.parse().map_err(|_| failed())?;
                format!("{{\"pad\":\"{}\"}}", "x".repeat(bytes - "{\"pad\":\"\"}".len()))
            } else {
                serde_json::json!({ "method": operation.entry().tool, "args": args }).to_string()
            };
            RawValue::from_string(answer).map_err(|_| failed())
        })
    }
}

/// As the operations do: required fields there, none unknown, text where text is meant.
fn check_arguments(operation: OperationId, args: &serde_json::Value) -> Result<(), OperationError> {
    let fields = operation.entry().arguments;
    let bad = |name: &str| Err(OperationError::new(Code::InvalidArguments, format!("{name} is not as it must be")));
    let Some(given) = args.as_object() else { return bad("the argument") };
    if let Some(name) = given.keys().find(|name| fields.iter().all(|field| field.name != name.as_str())) {
        return bad(name);
    }
    for field in fields.iter().filter(|field| field.required) {
        let fits = match given.get(field.name) {
            Some(serde_json::Value::String(_)) => matches!(field.ty, wit_worker::registry::Type::String { .. }),
            Some(serde_json::Value::Array(_)) => matches!(field.ty, wit_worker::registry::Type::Array { .. }),
            _ => false,
        };
        if !fits {
            return bad(field.name);
        }
    }
    Ok(())
}
