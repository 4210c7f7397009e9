//! Answers MCP requests: dispatch, arguments, results and failures.
//!
//! A tool that fails answers with `isError` and the error envelope, structured and as text, so that the model sees
//! it; a JSON-RPC error is for what is not a call of one of our tools. A panic becomes the failure of its request.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use rmcp::model::{
    CacheScope, CallToolRequestParams, CallToolResponse, CallToolResult, CompleteRequestParams, CompleteResult,
    CustomRequest, CustomResult, ErrorCode, ErrorData, Implementation, ListResourceTemplatesResult,
    ListResourcesResult, ListToolsResult, PaginatedRequestParams, ProtocolVersion, ReadResourceRequestParams,
    ReadResourceResponse, ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::RequestContext;
use rmcp::{RoleServer, ServerHandler};
use serde::Serialize;
use serde_json::value::RawValue;
use wit_worker::registry::{Code, OperationId};

use super::catch::CatchPanic;
use super::tools::{CODE_ARGUMENT, CODE_TOOL};
use super::transport::{RawArguments, RawResult};
use super::{Mode, ServerOptions, progress, resources, tools};
use crate::codemode::CodeMode;
use crate::envelope::ErrorEnvelope;
use crate::operations::{HostOperations, OperationContext, OperationError, Slots, Surface, cancelled, in_slot};

/// How long a client may keep what cannot change while this process lives, in milliseconds.
const STATIC_TTL_MS: u64 = 3_600_000;

/// The server of one mode.
pub struct Server {
    operations: Arc<dyn HostOperations>,
    codemode: Option<Arc<CodeMode>>,
    operation_time: Duration,
    slots: Arc<Slots>,
}

impl Server {
    /// A server; in Code Mode if it was given one.
    #[must_use]
    pub fn new(options: ServerOptions) -> Self {
        // Scripts and the resources beside them share one server's slots.
        let slots = match &options.codemode {
            Some(codemode) => Arc::clone(codemode.slots()),
            None => Slots::new(options.host_operations, 1),
        };
        Self {
            operations: options.operations,
            codemode: options.codemode,
            operation_time: options.operation_time,
            slots,
        }
    }

    fn tools(&self) -> Vec<Tool> {
        self.codemode.as_ref().map_or_else(tools::direct, |codemode| tools::code(codemode.policy()))
    }

    fn surroundings(&self, context: &RequestContext<RoleServer>) -> resources::Surroundings<'_> {
        resources::Surroundings {
            operations: &*self.operations,
            asker: self.slots.asker(),
            context: OperationContext::new(self.operation_time, context.ct.clone()),
        }
    }

    fn mode(&self) -> Mode {
        if self.codemode.is_some() { Mode::Code } else { Mode::Direct }
    }

    /// Calls a tool of this mode, or `None` when it has no such tool.
    async fn call(&self, name: &str, arguments: &RawValue, context: &RequestContext<RoleServer>) -> Option<RawResult> {
        match &self.codemode {
            Some(codemode) if name == CODE_TOOL => Some(run_script(codemode, arguments, context).await),
            Some(_) => None,
            None => {
                let operation = OperationId::from_tool(name)?;
                let outcome = self.operate(operation, arguments, context).await;
                Some(outcome.map_or_else(|error| failure(&envelope(operation, error)), success))
            }
        }
    }

    /// Runs one operation in direct mode: waits for a slot, then for the result, within the operation's time.
    async fn operate(
        &self,
        operation: OperationId,
        arguments: &RawValue,
        context: &RequestContext<RoleServer>,
    ) -> Result<Box<RawValue>, OperationError> {
        let mut operation_context = OperationContext::new(self.operation_time, context.ct.clone());
        let notify = context.meta.get_progress_token().map(|token| {
            let (report, reports) = progress::channel();
            (report, progress::notify(&context.peer, token, reports))
        });
        let reports = match notify {
            None => None,
            Some((report, notify)) => {
                operation_context = operation_context.with_progress(report);
                Some(notify)
            }
        };
        let call = async {
            let outcome = self.operations.call(operation, arguments, Surface::Direct, &operation_context);
            match reports {
                None => outcome.await,
                Some(notify) => tokio::select! {
                    biased;
                    outcome = outcome => outcome,
                    () = notify => Err(cancelled()),
                },
            }
        };
        in_slot(&self.slots.asker(), &operation_context, call).await
    }
}

/// Runs the script of a `code` call.
async fn run_script(codemode: &CodeMode, arguments: &RawValue, context: &RequestContext<RoleServer>) -> RawResult {
    let source = match script(arguments) {
        Ok(source) => source,
        Err(error) => return failure(&error),
    };
    match codemode.run(&source, context.ct.clone()).await {
        Ok(outcome) => match serde_json::to_string(&outcome) {
            Ok(structured) => RawResult { structured, text: Some(outcome.value.get().to_owned()), is_error: false },
            Err(_) => failure(&ErrorEnvelope::new(Code::OperationFailed, "the result could not be written")),
        },
        Err(error) => failure(&error),
    }
}

/// The one argument of the `code` tool.
fn script(arguments: &RawValue) -> Result<String, ErrorEnvelope> {
    let invalid = |message: String| ErrorEnvelope::new(Code::InvalidArguments, message);
    let Ok(fields) = serde_json::from_str::<BTreeMap<String, &RawValue>>(arguments.get()) else {
        return Err(invalid(format!("the arguments must be an object; got {}", kind(arguments))));
    };
    if let Some(unknown) = fields.keys().find(|name| *name != CODE_ARGUMENT) {
        let unknown = shown(unknown);
        return Err(invalid(format!("{unknown} is not an argument of {CODE_TOOL}; there is {CODE_ARGUMENT}")));
    }
    let Some(value) = fields.get(CODE_ARGUMENT) else {
        return Err(invalid(format!("`{CODE_ARGUMENT}` is missing: a string of JavaScript")));
    };
    serde_json::from_str(value.get())
        .map_err(|_| invalid(format!("`{CODE_ARGUMENT}` must be a string of JavaScript; got {}", kind(value))))
}

/// The type of a JSON value, which is all an error says about it.
fn kind(value: &RawValue) -> &'static str {
    match value.get().trim_start().bytes().next() {
        Some(b'{') => "an object",
        Some(b'[') => "a list",
        Some(b'"') => "a string",
        Some(b't' | b'f') => "a boolean",
        Some(b'n') => "null",
        _ => "a number",
    }
}

/// A name the caller made up, as far as it is fit to be shown.
fn shown(name: &str) -> String {
    let plain = name.len() <= 64 && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain { format!("`{name}`") } else { "a field".to_owned() }
}

fn envelope(operation: OperationId, error: OperationError) -> ErrorEnvelope {
    let envelope = ErrorEnvelope::new(error.code, error.message).with_operation(operation.entry().tool);
    ErrorEnvelope { retry_after_s: error.retry_after_s, ..envelope }
}

fn success(result: Box<RawValue>) -> RawResult {
    RawResult { structured: String::from(Box::<str>::from(result)), text: None, is_error: false }
}

fn failure(error: &impl Serialize) -> RawResult {
    // Strings and numbers always have a JSON form.
    let structured = serde_json::to_string(error).unwrap_or_else(|_| "{\"code\":\"operation_failed\"}".to_owned());
    RawResult { structured, text: None, is_error: true }
}

impl ServerHandler for Server {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().enable_resources().enable_completions().build();
        ServerConfig::new(capabilities)
            .with_protocol_version(ProtocolVersion::LATEST_WITH_INITIALIZE)
            .with_server_info(Implementation::new("wit", env!("CARGO_PKG_VERSION")).with_title("wit"))
            .with_instructions(resources::instructions(self.mode()))
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let list = ListToolsResult::with_all_items(self.tools());
        Ok(if is_cacheable(&context) {
            list.with_ttl_ms(STATIC_TTL_MS).with_cache_scope(CacheScope::Public)
        } else {
            list
        })
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let started = Instant::now();
        let arguments = arguments(&request, &context)?;
        let outcome = CatchPanic::new(self.call(&request.name, &arguments, &context)).await;
        let result = match outcome {
            Ok(Some(result)) => result,
            Ok(None) => return Err(ErrorData::invalid_params("there is no such tool; tools/list names them", None)),
            Err(_) => failure(&ErrorEnvelope::new(Code::OperationFailed, "the request failed; see the server's log")),
        };
        let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
        tracing::debug!(tool = %request.name, failed = result.is_error, bytes = result.structured.len(), ms, "called");
        Ok(CallToolResult::from(result).into())
    }

    async fn list_resources(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        let list = ListResourcesResult::with_all_items(resources::list());
        Ok(if is_cacheable(&context) {
            list.with_ttl_ms(STATIC_TTL_MS).with_cache_scope(CacheScope::Public)
        } else {
            list
        })
    }

    async fn list_resource_templates(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        let list = ListResourceTemplatesResult::with_all_items(resources::templates());
        Ok(if is_cacheable(&context) {
            list.with_ttl_ms(STATIC_TTL_MS).with_cache_scope(CacheScope::Public)
        } else {
            list
        })
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let around = self.surroundings(&context);
        match CatchPanic::new(resources::read(&request.uri, &around)).await {
            Ok(result) => result.map(ReadResourceResponse::from),
            Err(_) => Err(ErrorData::internal_error("the request failed; see the server's log", None)),
        }
    }

    async fn complete(
        &self,
        request: CompleteRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CompleteResult, ErrorData> {
        let around = self.surroundings(&context);
        Ok(CatchPanic::new(resources::complete(&request, &around)).await.unwrap_or_default())
    }

    async fn on_custom_request(
        &self,
        request: CustomRequest,
        _: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        // A known method arrives here when its parameters were not what the method takes.
        let known = ["tools/", "resources/", "completion/", "initialize", "server/"];
        Err(if known.iter().any(|prefix| request.method.starts_with(prefix)) {
            ErrorData::invalid_params("the parameters are not what this method takes", None)
        } else {
            ErrorData::new(ErrorCode::METHOD_NOT_FOUND, "there is no such method", None)
        })
    }
}

/// The arguments as the client sent them; an object without fields where it sent none.
fn arguments(
    request: &CallToolRequestParams,
    context: &RequestContext<RoleServer>,
) -> Result<Box<RawValue>, ErrorData> {
    match (context.extensions.get::<RawArguments>(), &request.arguments) {
        (Some(RawArguments(Some(arguments))), _) => Ok(arguments.clone()),
        (_, parsed) => serde_json::value::to_raw_value(&parsed.clone().unwrap_or_default())
            .map_err(|_| ErrorData::invalid_params("the arguments cannot be read", None)),
    }
}

/// Whether the client's protocol has words for how long an answer stays fresh.
fn is_cacheable(context: &RequestContext<RoleServer>) -> bool {
    context.protocol_version().is_some_and(|version| !version.has_initialize())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outcome(arguments: &str) -> Result<String, (Code, String)> {
        let raw = RawValue::from_string(arguments.to_owned()).unwrap_or_else(|e| panic!("{e}"));
        script(&raw).map_err(|error| (error.code, error.message))
    }

    #[test]
    fn the_code_tool_takes_one_string_and_nothing_else() {
        assert_eq!(outcome(r#"{"code":"return 1"}"#), Ok("return 1".into()));
        for (arguments, names) in [
            ("{}", "`code` is missing"),
            ("[]", "got a list"),
            ("\"x\"", "got a string"),
            (r#"{"code":1}"#, "got a number"),
            (r#"{"code":null}"#, "got null"),
            (r#"{"code":"x","wall_ms":1}"#, "`wall_ms` is not an argument of code"),
        ] {
            let Err((code, message)) = outcome(arguments) else { panic!("{arguments} was accepted") };
            assert_eq!(code, Code::InvalidArguments, "{arguments}");
            assert!(message.contains(names), "{message}");
        }
    }
}
