//! What kind of object a value is, by the engine's class numbers and not by anything a script can set.
//!
//! The numbers are private to the engine, so they are learned from samples when the engine is built.

use rquickjs::{Array, Ctx, Value};

use super::raw;

/// What the serializer and the printer tell apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A plain object or an instance of a class written in JavaScript.
    Plain,
    /// An array.
    Array,
    /// A genuine error object.
    Error,
    /// Anything callable.
    Function,
    /// A promise.
    Promise,
    /// A date.
    Date,
    /// Any other built-in, by name.
    Exotic(&'static str),
}

/// The engine's class numbers.
#[derive(Debug, Default)]
pub(super) struct Classes {
    plain: u32,
    array: u32,
    error: u32,
    promise: u32,
    date: u32,
    exotic: Vec<(u32, &'static str)>,
}

/// Exotic classes and an expression that makes one.
const SAMPLES: &[(&str, &str)] = &[
    ("Map", "new Map"),
    ("Set", "new Set"),
    ("WeakMap", "new WeakMap"),
    ("WeakSet", "new WeakSet"),
    ("WeakRef", "new WeakRef({})"),
    ("FinalizationRegistry", "new FinalizationRegistry(() => {})"),
    ("RegExp", "/x/"),
    ("ArrayBuffer", "new ArrayBuffer(0)"),
    ("DataView", "new DataView(new ArrayBuffer(0))"),
    ("Int8Array", "new Int8Array"),
    ("Uint8Array", "new Uint8Array"),
    ("Uint8ClampedArray", "new Uint8ClampedArray"),
    ("Int16Array", "new Int16Array"),
    ("Uint16Array", "new Uint16Array"),
    ("Int32Array", "new Int32Array"),
    ("Uint32Array", "new Uint32Array"),
    ("Float32Array", "new Float32Array"),
    ("Float64Array", "new Float64Array"),
    ("BigInt64Array", "new BigInt64Array"),
    ("BigUint64Array", "new BigUint64Array"),
    ("Number object", "new Number(0)"),
    ("String object", "new String"),
    ("Boolean object", "new Boolean(false)"),
    ("Symbol object", "Object(Symbol())"),
    ("BigInt object", "Object(0n)"),
    ("generator", "(function* () {})()"),
    ("async generator", "(async function* () {})()"),
    ("array iterator", "[].values()"),
    ("Map iterator", "new Map().values()"),
    ("Set iterator", "new Set().values()"),
    ("arguments object", "(function () { return arguments })()"),
];

impl Classes {
    /// Learns the numbers. Must run before any untrusted script.
    pub(super) fn learn(ctx: &Ctx<'_>) -> rquickjs::Result<Self> {
        const COMMON: [&str; 5] = ["{}", "[]", "new Error", "Promise.resolve()", "new Date(0)"];
        // One array of samples, so that there is one program to compile.
        let expressions: Vec<&str> = COMMON.into_iter().chain(SAMPLES.iter().map(|(_, sample)| *sample)).collect();
        let samples: Array<'_> = ctx.eval(format!("[{}]", expressions.join(", ")))?;
        let class = |index: usize| Ok::<_, rquickjs::Error>(raw::class_of(&samples.get::<Value<'_>>(index)?));
        let exotic = SAMPLES
            .iter()
            .enumerate()
            .map(|(index, (name, _))| Ok((class(COMMON.len() + index)?, *name)))
            .collect::<rquickjs::Result<_>>()?;
        Ok(Self { plain: class(0)?, array: class(1)?, error: class(2)?, promise: class(3)?, date: class(4)?, exotic })
    }

    /// Classifies an object; a proxy is what it stands for. Runs no JavaScript.
    pub(super) fn kind(&self, object: &Value<'_>) -> Kind {
        if object.is_function() {
            return Kind::Function;
        }
        if !object.is_proxy() {
            return self.kind_of_class(raw::class_of(object));
        }
        // A chain of proxies is as long as the script's heap allows; it cannot be a cycle.
        let mut target = raw::proxy_target(object);
        while let Some(proxy) = target.as_ref().filter(|value| value.is_proxy()) {
            target = raw::proxy_target(proxy);
        }
        target.map_or(Kind::Exotic("revoked Proxy"), |target| self.kind_of_class(raw::class_of(&target)))
    }

    /// Whether a value is a genuine error object, not a proxy for one.
    pub(super) fn is_error(&self, value: &Value<'_>) -> bool {
        raw::class_of(value) == self.error
    }

    fn kind_of_class(&self, class: u32) -> Kind {
        match class {
            _ if class == self.plain => Kind::Plain,
            _ if class == self.array => Kind::Array,
            _ if class == self.error => Kind::Error,
            _ if class == self.promise => Kind::Promise,
            _ if class == self.date => Kind::Date,
            _ => self
                .exotic
                .iter()
                .find(|(number, _)| *number == class)
                .map_or(Kind::Exotic("built-in object"), |(_, name)| Kind::Exotic(name)),
        }
    }
}

/// An object's data property, its own or inherited, as long as nothing on the way is a proxy or an accessor. Runs no
/// JavaScript.
pub(super) fn data_property<'js>(object: &Value<'js>, name: &str) -> Option<Value<'js>> {
    const LONGEST_CHAIN: usize = 16;
    let mut holder = object.clone();
    for _ in 0..LONGEST_CHAIN {
        if let Some(value) = raw::own_data(&holder, name) {
            return Some(value);
        }
        holder = raw::prototype(&holder)?;
    }
    None
}
