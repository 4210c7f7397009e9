//! `codemode`: the only way out of the VM, native from end to end (I4, I6).
//!
//! Each method serializes its arguments, queues one host call and gives a native promise; [`super::drive`] sends what
//! is queued after each job, and settles the promises as answers arrive. Calls queued when the script's outcome is
//! fixed are never sent. No JavaScript of ours runs: there is nothing a script could replace.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::VecDeque;
use std::rc::Rc;

use rquickjs::function::{Constructor, Rest};
use rquickjs::object::Property;
use rquickjs::{Ctx, Function, Object, Persistent, Value};

use super::clock::Clock;
use super::console::{self, ConsoleBuffer};
use super::errors::{Branded, host_error};
use super::intrinsics::Intrinsics;
use super::raw::{self, Heap};
use super::serialize::{Refusal, Surrogates, serialize};
use super::{help, suggest, text};
use crate::protocol::message::HostError;
use crate::protocol::{CallId, MAX_FRAME_BYTES};
use crate::registry::operations::OPERATIONS;
use crate::registry::{Code, Limits, OperationId};

/// Bytes of a `host_call` frame that are not arguments, with room to spare.
const CALL_ENVELOPE_BYTES: usize = 256;
/// Longest part of an unknown name repeated to the script, in bytes.
const MAX_NAME_BYTES: usize = 64;
/// UTF-16 units beyond which a name is not even looked at.
const MAX_NAME_UNITS: u64 = 64 * 1024;
/// What every object inherits: reading these from `codemode.wit` is the language's doing, not a method call.
const OBJECT_PROTOTYPE_NAMES: &[&str] = &[
    "constructor",
    "hasOwnProperty",
    "isPrototypeOf",
    "propertyIsEnumerable",
    "toLocaleString",
    "toString",
    "valueOf",
    "__proto__",
    "__defineGetter__",
    "__defineSetter__",
    "__lookupGetter__",
    "__lookupSetter__",
];
/// Names the language asks any object for: a promise resolution, and JSON.
const PROTOCOL_NAMES: &[&str] = &["then", "toJSON"];

/// A call the script has made and the parent has not answered.
struct Outstanding {
    call: CallId,
    operation: OperationId,
    resolve: Persistent<Function<'static>>,
    reject: Persistent<Function<'static>>,
    /// What this side found wrong with the arguments; the parent, sent `null` instead, decides the code (I6).
    complaint: Option<String>,
}

/// A call to send.
pub(super) struct Queued {
    pub(super) call: CallId,
    pub(super) operation: OperationId,
    /// Strict JSON.
    pub(super) arguments: String,
}

/// The state that native functions share with the VM's loop.
pub(super) struct Bridge {
    pub(super) heap: Rc<Heap>,
    pub(super) clock: Rc<Clock>,
    pub(super) console: RefCell<ConsoleBuffer>,
    limits: Cell<Limits>,
    intrinsics: OnceCell<Intrinsics>,
    calls_made: Cell<u32>,
    outstanding: RefCell<Vec<Outstanding>>,
    queue: RefCell<VecDeque<Queued>>,
}

impl Bridge {
    /// Builds `codemode` and `console`, captures intrinsics and removes what scripts do not get.
    pub(super) fn install(ctx: &Ctx<'_>, heap: Rc<Heap>, clock: Rc<Clock>) -> rquickjs::Result<Rc<Self>> {
        let bridge = Rc::new(Self {
            heap,
            clock,
            console: RefCell::default(),
            limits: Cell::new(Limits::default()),
            intrinsics: OnceCell::new(),
            calls_made: Cell::new(0),
            outstanding: RefCell::default(),
            queue: RefCell::default(),
        });
        let freeze: Function<'_> = ctx.eval("Object.freeze")?;
        let proxy: Constructor<'_> = ctx.eval("Proxy")?;
        let intrinsics = Intrinsics::capture(ctx)?;
        if bridge.intrinsics.set(intrinsics).is_err() {
            return Err(rquickjs::Error::Unknown);
        }

        let methods = Object::new(ctx.clone())?;
        for operation in OPERATIONS {
            let (shared, id) = (Rc::clone(&bridge), operation.id);
            let call = native(move |ctx, arguments| native_call(&ctx, &shared, id, arguments));
            define_method(&freeze, &methods, operation.method, Function::new(ctx.clone(), call)?)?;
        }
        let shared = Rc::clone(&bridge);
        let help = native(move |ctx, arguments| native_help(&ctx, &shared, arguments));
        define_method(&freeze, &methods, suggest::HELP, Function::new(ctx.clone(), help)?)?;
        freeze.call::<_, ()>((methods.clone(),))?;

        let handler = Object::new_proto(ctx.clone(), None)?;
        let shared = Rc::clone(&bridge);
        let read = native(move |ctx, arguments| native_read(&ctx, &shared, arguments));
        handler.prop("get", Property::from(Function::new(ctx.clone(), read)?))?;
        freeze.call::<_, ()>((handler.clone(),))?;

        let wit: Value<'_> = proxy.construct((methods, handler))?;
        let codemode = Object::new(ctx.clone())?;
        codemode.prop("wit", Property::from(wit).enumerable())?;
        freeze.call::<_, ()>((codemode.clone(),))?;
        ctx.globals().prop("codemode", Property::from(codemode).enumerable())?;
        console::install(ctx, &bridge)?;
        Ok(bridge)
    }

    /// The captured intrinsics.
    #[expect(clippy::expect_used, reason = "set by `install` before a `Bridge` can be had")]
    pub(super) fn intrinsics(&self) -> &Intrinsics {
        self.intrinsics.get().expect("intrinsics are captured when the bridge is installed")
    }

    /// The limits of this invocation.
    pub(super) const fn limits(&self) -> Limits {
        self.limits.get()
    }

    /// Sets the limits before the script runs.
    pub(super) fn set_limits(&self, limits: Limits) {
        self.limits.set(limits);
    }

    /// The next call to send.
    pub(super) fn next_queued(&self) -> Option<Queued> {
        self.queue.borrow_mut().pop_front()
    }

    /// Whether the parent owes an answer, or would once what is queued is sent.
    pub(super) fn is_waiting(&self) -> bool {
        !self.outstanding.borrow().is_empty()
    }

    /// Settles the promise of a call with the parent's answer. `false` when no such call is outstanding.
    pub(super) fn settle(&self, ctx: &Ctx<'_>, call: CallId, answer: Result<&str, HostError>) -> bool {
        let outstanding = {
            let mut all = self.outstanding.borrow_mut();
            let Some(index) = all.iter().position(|outstanding| outstanding.call == call) else {
                return false;
            };
            all.swap_remove(index)
        };
        let tool = outstanding.operation.entry().tool;
        let (settle, value) = match answer {
            Ok(json) if outstanding.complaint.is_none() => match ctx.json_parse(json) {
                Ok(value) => (outstanding.resolve, value),
                Err(_) => (outstanding.reject, thrown(ctx)),
            },
            // A parent that accepts `null` for arguments it was never shown gives no code to reject with.
            Ok(_) => (outstanding.reject, Value::new_undefined(ctx.clone())),
            Err(error) => {
                let message = match outstanding.complaint {
                    Some(complaint) => format!("{} ({complaint})", error.message),
                    None => error.message,
                };
                let what = Branded { code: error.code, operation: tool.to_owned(), message };
                (outstanding.reject, host_error(ctx, self.intrinsics(), &what))
            }
        };
        let settled = settle.restore(ctx).and_then(|settle| settle.call::<_, ()>((value,)));
        if settled.is_err() {
            // Only the deadline can interrupt here, and the clock remembers that by itself.
            ctx.catch();
        }
        true
    }

    /// Queues a call, unless a budget forbids it.
    fn queue(
        &self,
        operation: OperationId,
        arguments: String,
        complaint: Option<String>,
        resolve: Persistent<Function<'static>>,
        reject: Persistent<Function<'static>>,
    ) -> Result<(), Branded> {
        let limits = self.limits.get();
        let tool = operation.entry().tool;
        let refuse = |code: Code, limit: u64, what: &str| {
            let message = format!("{tool}: this would exceed {limit} {what}. {}", code.entry().next);
            Err(Branded { code, operation: tool.to_owned(), message })
        };
        if u64::from(self.calls_made.get()) >= limits.host_calls {
            return refuse(Code::HostCallsLimit, limits.host_calls, "host calls in one invocation");
        }
        let mut outstanding = self.outstanding.borrow_mut();
        if outstanding.len() as u64 >= limits.host_concurrency {
            return refuse(Code::HostConcurrencyLimit, limits.host_concurrency, "host calls at once");
        }
        let number = self.calls_made.get() + 1;
        let Some(call) = CallId::new(u64::from(number)) else {
            return refuse(Code::HostCallsLimit, limits.host_calls, "host calls in one invocation");
        };
        self.calls_made.set(number);
        outstanding.push(Outstanding { call, operation, resolve, reject, complaint });
        self.queue.borrow_mut().push_back(Queued { call, operation, arguments });
        Ok(())
    }
}

/// Helps inference: the closure is generic over the context's lifetime.
pub(super) fn native<F>(f: F) -> F
where
    F: for<'js> Fn(Ctx<'js>, Rest<Value<'js>>) -> rquickjs::Result<Value<'js>>,
{
    f
}

fn define_method<'js>(
    freeze: &Function<'js>,
    methods: &Object<'js>,
    name: &str,
    function: Function<'js>,
) -> rquickjs::Result<()> {
    function.set_name(name)?;
    freeze.call::<_, ()>((function.clone(),))?;
    methods.prop(name, Property::from(function).enumerable())
}

/// The pending exception, fit to be handed on: never the engine's internal *uninitialized* value.
fn thrown<'js>(ctx: &Ctx<'js>) -> Value<'js> {
    let exception = ctx.catch();
    if raw::is_ordinary(&exception) { exception } else { Value::new_null(ctx.clone()) }
}

/// `codemode.wit.<operation>(arguments)`.
fn native_call<'js>(
    ctx: &Ctx<'js>,
    bridge: &Bridge,
    operation: OperationId,
    arguments: Rest<Value<'js>>,
) -> rquickjs::Result<Value<'js>> {
    let (promise, resolve, reject) = ctx.promise()?;
    let argument = arguments.0.into_iter().next().filter(|argument| !argument.is_undefined());
    let serialized = argument.map_or_else(
        || Ok("{}".to_owned()),
        |argument| {
            let budget = MAX_FRAME_BYTES - CALL_ENVELOPE_BYTES;
            let classes = &bridge.intrinsics().classes;
            serialize(&argument, budget, Surrogates::Refuse, classes, &bridge.heap, &bridge.clock)
        },
    );
    let (json, complaint) = match serialized {
        Ok(json) => (json, None),
        Err(Refusal::NotJson { path, hint }) => ("null".to_owned(), Some(format!("at {path}: {hint}"))),
        Err(Refusal::TooLarge(bytes)) => {
            ("null".to_owned(), Some(format!("the arguments are {bytes} bytes of JSON or more, too large to send")))
        }
        Err(Refusal::Thrown) => {
            reject.call::<_, ()>((thrown(ctx),))?;
            return Ok(promise.into_value());
        }
        // Nothing after the deadline counts; the interrupt ends the script at its next step.
        Err(Refusal::Deadline) => return Ok(promise.into_value()),
    };
    let queued =
        bridge.queue(operation, json, complaint, Persistent::save(ctx, resolve), Persistent::save(ctx, reject.clone()));
    if let Err(refused) = queued {
        reject.call::<_, ()>((host_error(ctx, bridge.intrinsics(), &refused),))?;
    }
    Ok(promise.into_value())
}

/// `codemode.wit.help(name?)`.
fn native_help<'js>(ctx: &Ctx<'js>, bridge: &Bridge, arguments: Rest<Value<'js>>) -> rquickjs::Result<Value<'js>> {
    let json = match arguments.0.first().filter(|name| !name.is_undefined()) {
        None => help::overview(&bridge.limits()),
        Some(name) if name.is_string() => {
            let name = bounded_name(bridge, name);
            match help::method(&name) {
                Some(json) => json,
                None => return Err(unknown_method(ctx, bridge, &format!("codemode.wit.{name}"), &name)),
            }
        }
        Some(_) => {
            let what = Branded {
                code: Code::UnknownMethod,
                operation: "codemode.wit.help".to_owned(),
                message: "codemode.wit.help takes the name of a method as a string, or nothing.".to_owned(),
            };
            return Err(ctx.throw(host_error(ctx, bridge.intrinsics(), &what)));
        }
    };
    ctx.json_parse(json.to_string())
}

/// The `get` trap of `codemode.wit`.
fn native_read<'js>(ctx: &Ctx<'js>, bridge: &Bridge, arguments: Rest<Value<'js>>) -> rquickjs::Result<Value<'js>> {
    let mut arguments = arguments.0.into_iter();
    let (Some(target), Some(key)) = (arguments.next(), arguments.next()) else {
        return Ok(Value::new_undefined(ctx.clone()));
    };
    let Some(methods) = target.as_object() else {
        return Ok(Value::new_undefined(ctx.clone()));
    };
    if key.is_string() {
        let name = bounded_name(bridge, &key);
        let known = suggest::methods().any(|method| method == name)
            || PROTOCOL_NAMES.contains(&name.as_str())
            || OBJECT_PROTOTYPE_NAMES.contains(&name.as_str());
        if !known {
            return Err(unknown_method(ctx, bridge, &format!("codemode.wit.{name}"), &name));
        }
    }
    methods.get(key)
}

/// A name as text, cut so that what is made of it stays small.
fn bounded_name(bridge: &Bridge, name: &Value<'_>) -> String {
    if raw::string_units(name) > MAX_NAME_UNITS {
        // Converting it would flatten a rope of any size outside the script's limit.
        return "…".to_owned();
    }
    let whole = bridge.heap.unlimited(|| {
        raw::with_text(name, |bytes| {
            let end = bytes.len().min(MAX_NAME_BYTES * 2);
            let whole = end == bytes.len();
            let name = text::replace_surrogates(&bytes[..end]).into_owned();
            if whole && name.len() <= MAX_NAME_BYTES {
                name
            } else {
                format!("{}…", text::cut(&name, MAX_NAME_BYTES))
            }
        })
    });
    whole.unwrap_or_default()
}

fn unknown_method(ctx: &Ctx<'_>, bridge: &Bridge, operation: &str, name: &str) -> rquickjs::Error {
    let advice = match suggest::nearest(name) {
        Some(method) => format!("Did you mean codemode.wit.{method}?"),
        None => format!("There are {}.", suggest::methods().collect::<Vec<_>>().join(", ")),
    };
    let message = format!("{operation} is not a method. {advice}");
    let what = Branded { code: Code::UnknownMethod, operation: operation.to_owned(), message };
    ctx.throw(host_error(ctx, bridge.intrinsics(), &what))
}
