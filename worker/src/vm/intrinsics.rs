//! Intrinsics captured before any untrusted script, and the globals a script does not get (I4).
//!
//! The bridge uses only these captured functions, and only natively; what a script does to the globals, their
//! prototypes or to `Object.prototype` reaches none of it (I6).

use rquickjs::function::This;
use rquickjs::{Ctx, Function, Object, Persistent, Value};

use super::classes::Classes;
use super::raw;

/// Host-ish globals and what else is not ECMAScript. `queueMicrotask` stays: it starts nothing but a job.
const REMOVED_GLOBALS: &[&str] = &[
    "SharedArrayBuffer",
    "performance",
    "navigator",
    "DOMException",
    "atob",
    "btoa",
    "print",
    "console",
    "gc",
    "scriptArgs",
    "std",
    "os",
    "bjson",
];
/// Properties of globals that a script does not get: the stack hooks hand out trusted closures and swallow the
/// interrupt, `rawJSON` can make JSON that is not.
const REMOVED_PROPERTIES: &[(&str, &[&str])] =
    &[("Error", &["prepareStackTrace", "captureStackTrace", "stackTraceLimit"]), ("JSON", &["rawJSON", "isRawJSON"])];

/// See the module.
pub(super) struct Intrinsics {
    brands: Persistent<Object<'static>>,
    brand_of: Persistent<Function<'static>>,
    set_brand: Persistent<Function<'static>>,
    function_text: Persistent<Function<'static>>,
    error_stack: Option<Persistent<Function<'static>>>,
    range_error: Persistent<Value<'static>>,
    internal_error: Persistent<Value<'static>>,
    /// The engine's class numbers.
    pub(super) classes: Classes,
}

impl Intrinsics {
    /// Captures what the bridge needs and removes what a script must not have.
    pub(super) fn capture<'js>(ctx: &Ctx<'js>) -> rquickjs::Result<Self> {
        let globals = ctx.globals();
        let captured = Self {
            brands: Persistent::save(ctx, ctx.eval::<Object<'js>, _>("new WeakMap")?),
            brand_of: Persistent::save(ctx, ctx.eval::<Function<'js>, _>("WeakMap.prototype.get")?),
            set_brand: Persistent::save(ctx, ctx.eval::<Function<'js>, _>("WeakMap.prototype.set")?),
            function_text: Persistent::save(ctx, ctx.eval::<Function<'js>, _>("Function.prototype.toString")?),
            error_stack: ctx
                .eval::<Option<Function<'js>>, _>(
                    "(Object.getOwnPropertyDescriptor(Error.prototype, 'stack') ?? {}).get ?? null",
                )?
                .map(|getter| Persistent::save(ctx, getter)),
            range_error: Persistent::save(ctx, ctx.eval::<Value<'js>, _>("RangeError.prototype")?),
            internal_error: Persistent::save(ctx, ctx.eval::<Value<'js>, _>("InternalError.prototype")?),
            classes: Classes::learn(ctx)?,
        };
        for name in REMOVED_GLOBALS {
            globals.remove(*name)?;
        }
        for (holder, names) in REMOVED_PROPERTIES {
            let holder: Object<'_> = globals.get(*holder)?;
            for name in *names {
                holder.remove(*name)?;
            }
        }
        Ok(captured)
    }

    /// Marks an object as an error of the host's, in a map no script can reach.
    pub(super) fn brand<'js>(&self, ctx: &Ctx<'js>, error: &Value<'js>, brand: &str) -> rquickjs::Result<()> {
        let brands = self.brands.clone().restore(ctx)?;
        self.set_brand.clone().restore(ctx)?.call((This(brands), error.clone(), brand))
    }

    /// The mark of a genuine host error.
    pub(super) fn brand_of<'js>(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> Option<String> {
        let brands = self.brands.clone().restore(ctx).ok()?;
        let brand_of = self.brand_of.clone().restore(ctx).ok()?;
        let brand: rquickjs::Result<Value<'js>> = brand_of.call((This(brands), value.clone()));
        let brand = brand.inspect_err(|_| drop(ctx.catch())).ok()?;
        raw::with_text(&brand, |bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Whether the text the engine keeps of a function is exactly `expected`.
    pub(super) fn function_is<'js>(&self, ctx: &Ctx<'js>, function: &Value<'js>, expected: &str) -> bool {
        let Ok(to_string) = self.function_text.clone().restore(ctx) else {
            return false;
        };
        let text: rquickjs::Result<Value<'js>> = to_string.call((This(function.clone()),));
        match text {
            Ok(text) => raw::with_text(&text, |bytes| bytes == expected.as_bytes()).unwrap_or(false),
            Err(_) => {
                ctx.catch();
                false
            }
        }
    }

    /// The stack trace the engine recorded in a genuine error object. Runs nothing of the script's.
    pub(super) fn stack_of<'js>(&self, ctx: &Ctx<'js>, error: &Value<'js>) -> Option<String> {
        if !self.classes.is_error(error) {
            return None;
        }
        let getter = self.error_stack.clone()?.restore(ctx).ok()?;
        let stack: rquickjs::Result<Value<'js>> = getter.call((This(error.clone()),));
        let stack = stack.inspect_err(|_| drop(ctx.catch())).ok()?;
        raw::with_text(&stack, |bytes| String::from_utf8_lossy(bytes).into_owned())
    }

    /// Whether a value is a genuine error object with the engine's `InternalError` prototype.
    pub(super) fn is_internal_error<'js>(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> bool {
        self.has_prototype(ctx, value, &self.internal_error)
    }

    /// Whether a value is a genuine error object with the engine's `RangeError` prototype.
    pub(super) fn is_range_error<'js>(&self, ctx: &Ctx<'js>, value: &Value<'js>) -> bool {
        self.has_prototype(ctx, value, &self.range_error)
    }

    fn has_prototype<'js>(&self, ctx: &Ctx<'js>, value: &Value<'js>, captured: &Persistent<Value<'static>>) -> bool {
        self.classes.is_error(value)
            && captured.clone().restore(ctx).is_ok_and(|captured| raw::prototype(value) == Some(captured))
    }
}
