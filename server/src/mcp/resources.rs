//! Resources: the guide, the types, and any file of an open snapshot.

use rmcp::model::{
    CompleteRequestParams, CompleteResult, CompletionInfo, ErrorData, ReadResourceResult, Reference, Resource,
    ResourceContents, ResourceTemplate,
};
use serde::Deserialize;
use serde_json::json;
use serde_json::value::RawValue;
use wit_worker::registry::{Code, OperationId};

use super::Mode;
use crate::operations::{Asker, HostOperations, OperationContext, OperationError, Surface, in_slot};
use crate::schema::typescript;

const GUIDE: &str = include_str!("guide.md");
const GUIDE_URI: &str = "wit://guide";
const TYPES_URI: &str = "wit://types";
const TEMPLATE: &str = "wit://{snapshot_id}/{path}";
/// Longest file a resource carries, in bytes of text; longer ones are read in pages with the tool.
const MAX_FILE_BYTES: usize = 1024 * 1024;

/// What a client is told when it connects.
pub(super) fn instructions(mode: Mode) -> &'static str {
    match mode {
        Mode::Direct => {
            "Read GitHub and local repositories. Open one with wit_open, then list, search and read its snapshot_id. \
             The resource wit://guide has more."
        }
        Mode::Code => {
            "Read GitHub and local repositories by running JavaScript with the code tool: compose codemode.wit calls \
             and return one small JSON value. The resources wit://guide and wit://types have more."
        }
    }
}

pub(super) fn list() -> Vec<Resource> {
    vec![
        Resource::new(GUIDE_URI, "guide")
            .with_title("How to use wit")
            .with_mime_type("text/markdown")
            .with_size(GUIDE.len() as u64),
        Resource::new(TYPES_URI, "codemode.wit.d.ts")
            .with_title("Types of codemode.wit")
            .with_mime_type("application/typescript"),
    ]
}

pub(super) fn templates() -> Vec<ResourceTemplate> {
    vec![ResourceTemplate::new(TEMPLATE, "file").with_title("A file of an open snapshot").with_mime_type("text/plain")]
}

/// What a request needs of the server: operations, run in slots as a tool's are, within their time (I5).
pub(super) struct Surroundings<'a> {
    pub(super) operations: &'a dyn HostOperations,
    pub(super) asker: Asker,
    pub(super) context: OperationContext,
}

/// Reads a resource.
pub(super) async fn read(uri: &str, around: &Surroundings<'_>) -> Result<ReadResourceResult, ErrorData> {
    let contents = match uri {
        GUIDE_URI => ResourceContents::text(GUIDE, uri).with_mime_type("text/markdown"),
        TYPES_URI => ResourceContents::text(typescript::declarations(), uri).with_mime_type("application/typescript"),
        _ => {
            let (snapshot_id, path) = parse(uri).ok_or_else(|| {
                ErrorData::resource_not_found("there is no such resource; resources/list names them", None)
            })?;
            ResourceContents::text(file(&snapshot_id, &path, around).await?, uri)
        }
    };
    Ok(ReadResourceResult::new(vec![contents]))
}

/// The parts of a page of `read` that matter here.
#[derive(Deserialize)]
struct Page {
    text: String,
    next_cursor: Option<String>,
}

/// The whole text of a file, page after page: a resource is never a part of one.
async fn file(snapshot_id: &str, path: &str, around: &Surroundings<'_>) -> Result<String, ErrorData> {
    let text = in_slot(&around.asker, &around.context, pages(snapshot_id, path, around)).await.map_err(refusal)?;
    if text.len() > MAX_FILE_BYTES {
        return Err(ErrorData::invalid_params("the file is too large for a resource; read it in pages", None));
    }
    Ok(text)
}

/// As much of a file as tells whether it is too large.
async fn pages(snapshot_id: &str, path: &str, around: &Surroundings<'_>) -> Result<String, OperationError> {
    let mut text = String::new();
    let mut cursor: Option<String> = None;
    loop {
        let mut arguments =
            json!({"snapshot_id": snapshot_id, "path": path, "format": "text", "max_bytes": 256 * 1024});
        if let Some(cursor) = cursor {
            arguments["cursor"] = cursor.into();
        }
        let page: Page = call(OperationId::Read, &arguments, around).await?;
        text.push_str(&page.text);
        cursor = page.next_cursor;
        if cursor.is_none() || text.len() > MAX_FILE_BYTES {
            return Ok(text);
        }
    }
}

/// Completes the `path` of the template within a snapshot that is already named.
pub(super) async fn complete(request: &CompleteRequestParams, around: &Surroundings<'_>) -> CompleteResult {
    #[derive(Deserialize)]
    struct Paths {
        paths: Vec<String>,
    }
    let asked = matches!(&request.r#ref, Reference::Resource(reference) if reference.uri == TEMPLATE)
        && request.argument.name == "path";
    let snapshot = request.context.as_ref().and_then(|known| known.get_argument("snapshot_id"));
    let Some(snapshot_id) = snapshot.filter(|_| asked) else { return CompleteResult::default() };
    let typed = request.argument.value.as_str();
    let directory = typed.rsplit_once('/').map_or("", |(directory, _)| directory);
    let arguments = json!({
        "snapshot_id": snapshot_id, "path": directory, "depth": 1, "format": "paths", "max_items": 1000
    });
    let listing = call(OperationId::List, &arguments, around);
    let listed: Result<Paths, _> = in_slot(&around.asker, &around.context, listing).await;
    let matching = listed.map(|list| list.paths).unwrap_or_default().into_iter().filter(|path| path.starts_with(typed));
    let values: Vec<String> = matching.take(CompletionInfo::MAX_VALUES).collect();
    CompletionInfo::new(values).map(CompleteResult::new).unwrap_or_default()
}

/// Calls an operation and reads the fields of its result that are asked for.
async fn call<T: serde::de::DeserializeOwned>(
    operation: OperationId,
    arguments: &serde_json::Value,
    around: &Surroundings<'_>,
) -> Result<T, OperationError> {
    let failed = |_| OperationError::new(Code::OperationFailed, "the result could not be read");
    let arguments: Box<RawValue> = serde_json::value::to_raw_value(arguments).map_err(failed)?;
    let result = around.operations.call(operation, &arguments, Surface::Direct, &around.context).await?;
    serde_json::from_str(result.get()).map_err(failed)
}

/// An operation's failure as a failure of `resources/read`.
fn refusal(error: OperationError) -> ErrorData {
    let data = Some(json!({"code": error.code.as_str()}));
    match error.code {
        Code::PathNotFound | Code::SnapshotNotFound | Code::InvalidArguments => {
            ErrorData::resource_not_found(error.message, data)
        }
        Code::NotAFile | Code::NotText => ErrorData::invalid_params(error.message, data),
        _ => ErrorData::internal_error(error.message, data),
    }
}

/// The snapshot and path of `wit://{snapshot_id}/{path}`.
fn parse(uri: &str) -> Option<(String, String)> {
    let (snapshot_id, path) = uri.strip_prefix("wit://")?.split_once('/')?;
    let (snapshot_id, path) = (percent_decoded(snapshot_id)?, percent_decoded(path)?);
    (!snapshot_id.is_empty() && !path.is_empty()).then_some((snapshot_id, path))
}

fn percent_decoded(text: &str) -> Option<String> {
    let mut bytes = text.bytes();
    let mut out = Vec::with_capacity(text.len());
    while let Some(byte) = bytes.next() {
        let byte = match byte {
            b'%' => {
                let mut digit = || char::from(bytes.next()?).to_digit(16);
                u8::try_from(digit()? * 16 + digit()?).ok()?
            }
            byte => byte,
        };
        out.push(byte);
    }
    String::from_utf8(out).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn uris_are_decoded_and_nonsense_is_not_a_file() {
        assert_eq!(parse("wit://abc/src%2Flib%20a.rs"), Some(("abc".into(), "src/lib a.rs".into())));
        assert_eq!(parse("wit://abc/src/lib.rs"), Some(("abc".into(), "src/lib.rs".into())));
        for bad in [
            "wit://abc",
            "wit:///x",
            "wit://abc/",
            "file:///etc/passwd",
            "wit://abc/%f",
            "wit://abc/%zz",
            "wit://a/%ff",
        ] {
            assert_eq!(parse(bad), None, "{bad}");
        }
    }
}
