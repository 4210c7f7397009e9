//! Errors a script can catch, made natively and branded, so that a genuine one is told from a look-alike (I6).

use rquickjs::object::Property;
use rquickjs::{Ctx, Value};

use super::intrinsics::Intrinsics;
use super::{raw, text};
use crate::protocol::message::MAX_MESSAGE_BYTES;
use crate::registry::Code;

/// What the host said, as the brand keeps it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Branded {
    /// The stable code.
    pub(super) code: Code,
    /// The operation's tool name, or `codemode.wit.<name>`.
    pub(super) operation: String,
    /// The message.
    pub(super) message: String,
}

impl Branded {
    fn encode(&self) -> String {
        serde_json::Value::from(vec![self.code.as_str(), &self.operation, &self.message]).to_string()
    }

    fn decode(brand: &str) -> Option<Self> {
        let (code, operation, message): (String, String, String) = serde_json::from_str(brand).ok()?;
        Some(Self { code: Code::parse(&code)?, operation, message })
    }
}

/// An `Error` with own `message`, `code` and `operation`, none of them writable; defined, never assigned, so that no
/// setter of the script's runs. Under memory pressure this is whatever the engine could still make.
pub(super) fn host_error<'js>(ctx: &Ctx<'js>, intrinsics: &Intrinsics, what: &Branded) -> Value<'js> {
    build(ctx, intrinsics, what).unwrap_or_else(|| Value::new_null(ctx.clone()))
}

fn build<'js>(ctx: &Ctx<'js>, intrinsics: &Intrinsics, what: &Branded) -> Option<Value<'js>> {
    let error = raw::new_error(ctx)?;
    let object = error.as_object()?;
    let defined = object
        .prop("message", Property::from(text::cut(&what.message, MAX_MESSAGE_BYTES)))
        .and_then(|()| object.prop("code", Property::from(what.code.as_str()).enumerable()))
        .and_then(|()| object.prop("operation", Property::from(what.operation.as_str()).enumerable()))
        .and_then(|()| intrinsics.brand(ctx, &error, &what.encode()));
    match defined {
        Ok(()) => Some(error),
        Err(_) => {
            ctx.catch();
            None
        }
    }
}

/// What the host said, when a value is a genuine host error, whatever the script did to its properties.
pub(super) fn branded<'js>(ctx: &Ctx<'js>, intrinsics: &Intrinsics, value: &Value<'js>) -> Option<Branded> {
    Branded::decode(&intrinsics.brand_of(ctx, value)?)
}
