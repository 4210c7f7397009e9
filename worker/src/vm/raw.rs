//! The one module that talks to the engine below `rquickjs` (DESIGN §1), and everything here that is `unsafe`.
//!
//! Each function is safe to call: it takes live handles whose lifetime `rquickjs` guards, and gives back owned ones.
//! None of them runs JavaScript unless its documentation says so; that is what makes them fit for judging values a
//! hostile script prepared (I6).
#![allow(unsafe_code)]
// The engine's sizes are `u64` in the bindings and `size_t` in fact.
#![allow(clippy::cast_possible_truncation)]

mod allocator;

use std::ffi::CStr;
use std::ptr;
use std::slice;

use rquickjs::{Ctx, Value, qjs};

pub(super) use allocator::{CountingAllocator, Heap};

/// What the engine calls the script in stack traces. Says nothing of the host.
pub(super) const SCRIPT_NAME: &str = "script";
const SCRIPT_NAME_C: &CStr = c"script";

/// The engine's own version, such as `0.16.2`.
pub(super) fn engine_version() -> &'static str {
    // SAFETY: gives a constant of the library, terminated by a zero byte.
    let text = unsafe { CStr::from_ptr(qjs::JS_GetVersion()) };
    text.to_str().unwrap_or("unknown")
}

/// Parses `program` as a strict global script and gives its bytecode; nothing of it runs.
///
/// `program` must end in U+0000 (which is not part of it), and hold none before. `line` numbers its first line and
/// must not be zero. `None` means that an exception is pending.
pub(super) fn compile<'js>(ctx: &Ctx<'js>, program: &CStr, line: i32) -> Option<Value<'js>> {
    let mut options = qjs::JSEvalOptions {
        version: qjs::JS_EVAL_OPTIONS_VERSION as _,
        eval_flags: (qjs::JS_EVAL_TYPE_GLOBAL | qjs::JS_EVAL_FLAG_STRICT | qjs::JS_EVAL_FLAG_COMPILE_ONLY) as _,
        filename: SCRIPT_NAME_C.as_ptr(),
        line_num: line,
    };
    // SAFETY: `ctx` is live; the program is readable for its length and terminated by a zero byte; `options` and the
    // file name outlive the call, which copies what it keeps. The result is owned by us and given to `Value`.
    let value = unsafe {
        let raw = qjs::JS_Eval2(ctx.as_raw().as_ptr(), program.as_ptr(), program.count_bytes() as _, &raw mut options);
        Value::from_raw(ctx.clone(), raw)
    };
    (!value.is_exception()).then_some(value)
}

/// Runs what [`compile`] gave. `None` means that an exception is pending.
pub(super) fn run_compiled<'js>(ctx: &Ctx<'js>, code: Value<'js>) -> Option<Value<'js>> {
    // SAFETY: `code` holds a FUNCTION_BYTECODE value of this context. `JS_EvalFunction` takes a reference of its own,
    // so one is duplicated for it while `code` keeps, and later frees, the other. The result is owned by us.
    let value = unsafe {
        let owned = qjs::JS_DupValue(ctx.as_raw().as_ptr(), code.as_raw());
        Value::from_raw(ctx.clone(), qjs::JS_EvalFunction(ctx.as_raw().as_ptr(), owned))
    };
    (!value.is_exception()).then_some(value)
}

/// The engine's class of an object; 0 for anything else.
pub(super) fn class_of(value: &Value<'_>) -> u32 {
    // SAFETY: reads a tag and, for an object, a field of a live object.
    unsafe { qjs::JS_GetClassID(value.as_raw()) as u32 }
}

/// What a proxy stands for, or `None` when it is revoked or no proxy. Runs no trap.
pub(super) fn proxy_target<'js>(value: &Value<'js>) -> Option<Value<'js>> {
    let ctx = value.ctx();
    if !value.is_proxy() {
        return None;
    }
    // SAFETY: `value` is a live proxy of this context; the result is owned by us.
    let target = unsafe { Value::from_raw(ctx.clone(), qjs::JS_GetProxyTarget(ctx.as_raw().as_ptr(), value.as_raw())) };
    if target.is_exception() {
        ctx.catch();
        return None;
    }
    target.is_object().then_some(target)
}

/// The prototype of an object that is not a proxy. Runs no JavaScript.
pub(super) fn prototype<'js>(value: &Value<'js>) -> Option<Value<'js>> {
    let ctx = value.ctx();
    if !value.is_object() || value.is_proxy() {
        return None;
    }
    // SAFETY: `value` is a live object of this context; the result is owned by us.
    let prototype =
        unsafe { Value::from_raw(ctx.clone(), qjs::JS_GetPrototype(ctx.as_raw().as_ptr(), value.as_raw())) };
    if prototype.is_exception() {
        ctx.catch();
        return None;
    }
    prototype.is_object().then_some(prototype)
}

/// An object's own data property. `None` for accessors, absent properties and proxies: no JavaScript runs.
pub(super) fn own_data<'js>(value: &Value<'js>, name: &str) -> Option<Value<'js>> {
    let ctx = value.ctx();
    if !value.is_object() || value.is_proxy() {
        return None;
    }
    let undefined = qjs::JS_UNDEFINED;
    let mut descriptor = qjs::JSPropertyDescriptor { flags: 0, value: undefined, getter: undefined, setter: undefined };
    // SAFETY: `value` is a live object that is no proxy, the atom is freed once used, and the descriptor is ours to
    // fill. On success its three values are owned by us; each goes into a `Value`, which frees it.
    unsafe {
        let atom = qjs::JS_NewAtomLen(ctx.as_raw().as_ptr(), name.as_ptr().cast(), name.len() as _);
        let found = qjs::JS_GetOwnProperty(ctx.as_raw().as_ptr(), &raw mut descriptor, value.as_raw(), atom);
        qjs::JS_FreeAtom(ctx.as_raw().as_ptr(), atom);
        if found < 0 {
            ctx.catch();
        }
        if found <= 0 {
            return None;
        }
        let _getter = Value::from_raw(ctx.clone(), descriptor.getter);
        let _setter = Value::from_raw(ctx.clone(), descriptor.setter);
        let value = Value::from_raw(ctx.clone(), descriptor.value);
        (descriptor.flags & qjs::JS_PROP_GETSET as i32 == 0).then_some(value)
    }
}

/// Gives `read` a string's bytes: UTF-8, save that an unpaired surrogate stands as its own three bytes (WTF-8).
///
/// `None` when `value` is no string, or there is no memory to convert it. Runs no JavaScript.
pub(super) fn with_text<T>(value: &Value<'_>, read: impl FnOnce(&[u8]) -> T) -> Option<T> {
    if !value.is_string() {
        return None;
    }
    let ctx = value.ctx();
    let mut length: qjs::size_t = 0;
    // SAFETY: `value` is a live string, so no conversion method runs. The engine gives a buffer of `length` bytes that
    // stays valid until it is freed below; `read` gets it for the duration of the call only.
    unsafe {
        let text = qjs::JS_ToCStringLen2(ctx.as_raw().as_ptr(), &raw mut length, value.as_raw(), false);
        if text.is_null() {
            ctx.catch();
            return None;
        }
        let result = read(slice::from_raw_parts(text.cast(), length as usize));
        qjs::JS_FreeCString(ctx.as_raw().as_ptr(), text);
        Some(result)
    }
}

/// The number of UTF-16 units of a string; 0 for anything else. Runs no JavaScript.
pub(super) fn string_units(value: &Value<'_>) -> u64 {
    if !value.is_string() {
        return 0;
    }
    let mut length: i64 = 0;
    // SAFETY: `value` is a live primitive string, whose `length` is its own and cannot be replaced.
    let status = unsafe { qjs::JS_GetLength(value.ctx().as_raw().as_ptr(), value.as_raw(), &raw mut length) };
    if status < 0 { 0 } else { u64::try_from(length).unwrap_or(0) }
}

/// The `length` of an array or of a proxy for one, read once. May run a trap; `None` means an exception is pending.
pub(super) fn array_length(value: &Value<'_>) -> Option<u64> {
    let mut length: i64 = 0;
    // SAFETY: `value` is a live object of this context and `length` is ours to fill.
    let status = unsafe { qjs::JS_GetLength(value.ctx().as_raw().as_ptr(), value.as_raw(), &raw mut length) };
    (status >= 0).then(|| u64::try_from(length).unwrap_or(0))
}

/// One element of an array or of a proxy for one. May run JavaScript; `None` means an exception is pending.
pub(super) fn element<'js>(value: &Value<'js>, index: u64) -> Option<Value<'js>> {
    let ctx = value.ctx();
    let index = i64::try_from(index).unwrap_or(i64::MAX);
    // SAFETY: `value` is a live object of this context; the result is owned by us.
    let element =
        unsafe { Value::from_raw(ctx.clone(), qjs::JS_GetPropertyInt64(ctx.as_raw().as_ptr(), value.as_raw(), index)) };
    (!element.is_exception()).then_some(element)
}

/// A property of any value, primitives included. May run JavaScript; `None` means an exception is pending.
pub(super) fn property<'js>(value: &Value<'js>, name: &CStr) -> Option<Value<'js>> {
    let ctx = value.ctx();
    // SAFETY: `value` is live, the name is terminated by a zero byte; the result is owned by us.
    let property = unsafe {
        Value::from_raw(ctx.clone(), qjs::JS_GetPropertyStr(ctx.as_raw().as_ptr(), value.as_raw(), name.as_ptr()))
    };
    (!property.is_exception()).then_some(property)
}

/// Whether a value is one a script can hold. Out of memory while it builds an exception, the engine throws `null` or
/// its internal *uninitialized* value; the latter must not be handed on.
pub(super) fn is_ordinary(value: &Value<'_>) -> bool {
    value.is_object()
        || value.is_string()
        || value.is_number()
        || value.is_bool()
        || value.is_null()
        || value.is_undefined()
        || value.is_symbol()
        || value.is_big_int()
}

/// A fresh `Error` with the engine's own prototype and no message, whatever the script did to `Error`.
pub(super) fn new_error<'js>(ctx: &Ctx<'js>) -> Option<Value<'js>> {
    // SAFETY: `ctx` is live; the result is owned by us.
    let error = unsafe { Value::from_raw(ctx.clone(), qjs::JS_NewError(ctx.as_raw().as_ptr())) };
    if error.is_exception() {
        ctx.catch();
        return None;
    }
    Some(error)
}

/// The text of a property key or the description of a symbol, unpaired surrogates as U+FFFD. Runs no JavaScript.
pub(super) fn key_text(value: &Value<'_>) -> String {
    if value.is_string() {
        return with_text(value, |bytes| super::text::replace_surrogates(bytes).into_owned()).unwrap_or_default();
    }
    if !value.is_symbol() {
        return String::new();
    }
    let ctx = value.ctx();
    let mut length: qjs::size_t = 0;
    // SAFETY: `value` is a live symbol, whose atom names its description; atom and buffer are freed once read.
    unsafe {
        let atom = qjs::JS_ValueToAtom(ctx.as_raw().as_ptr(), value.as_raw());
        let text = qjs::JS_AtomToCStringLen(ctx.as_raw().as_ptr(), &raw mut length, atom);
        qjs::JS_FreeAtom(ctx.as_raw().as_ptr(), atom);
        if text.is_null() {
            ctx.catch();
            return String::new();
        }
        let bytes = slice::from_raw_parts(text.cast(), length as usize);
        let owned = super::text::replace_surrogates(bytes).into_owned();
        qjs::JS_FreeCString(ctx.as_raw().as_ptr(), text);
        owned
    }
}

/// A BigInt that fits 64 bits. Runs no JavaScript.
pub(super) fn small_big_int(value: &Value<'_>) -> Option<i64> {
    let ctx = value.ctx();
    if !value.is_big_int() {
        return None;
    }
    let mut number: i64 = 0;
    // SAFETY: `value` is a live BigInt, so no conversion method runs; the BigInt made to compare with is freed by
    // its `Value`. The conversion keeps the low 64 bits, hence the comparison.
    unsafe {
        let converted = qjs::JS_ToBigInt64(ctx.as_raw().as_ptr(), &raw mut number, value.as_raw());
        let same = Value::from_raw(ctx.clone(), qjs::JS_NewBigInt64(ctx.as_raw().as_ptr(), number));
        let equal = converted >= 0 && qjs::JS_IsStrictEqual(ctx.as_raw().as_ptr(), value.as_raw(), same.as_raw());
        equal.then_some(number)
    }
}

/// Tells the engine that its stack budget is measured from the caller's frame.
pub(super) fn measure_stack_from_here(ctx: &Ctx<'_>) {
    // SAFETY: both calls only read and set fields of the live runtime.
    unsafe { qjs::JS_UpdateStackTop(qjs::JS_GetRuntime(ctx.as_raw().as_ptr())) }
}

/// A band of the thread's stack around the depth where the engine refuses to go on, filled with a pattern before the
/// script runs: overwritten, it proves that the stack was really used that far, whatever the script's exception says
/// (I6). It covers both sides of the limit, because the refusal is noticed a frame before it and reported below it.
///
/// What it does not see: one call with thousands of arguments is refused for the room they would take, far above the
/// limit. And budgets under 16 KiB, which not even the compiler runs in, are not measured but taken as used up.
#[derive(Debug, Clone, Copy)]
pub(super) struct StackBand {
    low: usize,
    words: usize,
}

impl StackBand {
    const PATTERN: u64 = 0x7769_745f_7374_6b21;
    const ABOVE: usize = 8 * 1024;
    const BELOW: usize = 8 * 1024;
    /// Nothing closer to our own frame than this is touched.
    const CLEAR: usize = 8 * 1024;

    /// Paints the band for a limit of `stack_bytes` measured from the caller's frame.
    #[inline(never)]
    pub(super) fn paint(stack_bytes: usize) -> Self {
        let here = ptr::from_ref(&stack_bytes).addr();
        let limit = here.saturating_sub(stack_bytes) & !7;
        let measurable = cfg!(unix) && stack_bytes >= Self::ABOVE + Self::CLEAR;
        let words = if measurable { (Self::ABOVE + Self::BELOW) / 8 } else { 0 };
        let band = Self { low: limit.saturating_sub(Self::BELOW), words };
        for index in 0..band.words {
            // SAFETY: the band is far below every live frame of this thread and its red zone, and no signal handler is
            // installed. It lies within the thread's stack: the absolute maximum of the budget (1 MiB) is below the
            // 2 MiB of the smallest stack wit runs on, and the kernel (since 4.20) grows a main thread's stack on any
            // touch. Where guard pages forbid touching the stack ahead of use there are no words.
            unsafe { ptr::with_exposed_provenance_mut::<u64>(band.low + index * 8).write_volatile(Self::PATTERN) };
        }
        band
    }

    /// Whether anything has been written into the band; always, where there is none.
    #[inline(never)]
    pub(super) fn was_reached(self) -> bool {
        self.words == 0
            || (0..self.words).any(|index| {
                // SAFETY: reads what `paint` initialised, or what frames that are gone left there; never a live frame.
                let word = unsafe { ptr::with_exposed_provenance::<u64>(self.low + index * 8).read_volatile() };
                word != Self::PATTERN
            })
    }
}
