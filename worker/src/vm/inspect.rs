//! Values as text for people: console lines and the messages of uncaught exceptions.
//!
//! Native and passive: no getter, trap, `toString` or `toJSON` of the script's runs, and depth, items and bytes are
//! bounded, so that printing can neither hang nor run away.

use std::fmt::Write as _;

use rquickjs::{Atom, Filter, Value};

use super::classes::{Classes, Kind, data_property};
use super::raw::{self, Heap};
use super::text;

const MAX_DEPTH: usize = 4;
const MAX_ITEMS: u64 = 100;

/// Prints values within a number of bytes.
pub(super) struct Inspector<'a> {
    out: String,
    budget: usize,
    classes: &'a Classes,
    heap: &'a Heap,
}

impl<'a> Inspector<'a> {
    /// An empty text that stops growing soon after `budget` bytes.
    pub(super) const fn new(budget: usize, classes: &'a Classes, heap: &'a Heap) -> Self {
        Self { out: String::new(), budget, classes, heap }
    }

    /// The text; a little over the budget at most, and then cut.
    pub(super) fn finish(self) -> (String, bool) {
        let whole = self.out.len() <= self.budget;
        (text::cut(&self.out, self.budget).to_owned(), whole)
    }

    /// Appends text as it is.
    pub(super) fn push(&mut self, text: &str) {
        if !self.is_full() {
            self.out.push_str(text::cut(text, (self.budget + 4).saturating_sub(self.out.len())));
        }
    }

    /// Appends a value; a string as it is.
    pub(super) fn top(&mut self, value: &Value<'_>) {
        if value.is_string() { self.string(value, false) } else { self.value(value, 0) }
    }

    const fn is_full(&self) -> bool {
        self.out.len() > self.budget
    }

    fn value(&mut self, value: &Value<'_>, depth: usize) {
        if self.is_full() {
        } else if value.is_string() {
            self.string(value, true);
        } else if let Some(boolean) = value.as_bool() {
            self.push(if boolean { "true" } else { "false" });
        } else if let Some(number) = value.as_number() {
            self.push(ryu_js::Buffer::new().format(number));
        } else if value.is_null() {
            self.push("null");
        } else if value.is_undefined() {
            self.push("undefined");
        } else if value.is_symbol() {
            let description = raw::key_text(value);
            self.push(&format!("Symbol({})", text::cut(&description, 64)));
        } else if value.is_big_int() {
            // Printing a large one is quadratic in its size and cannot be interrupted.
            match raw::small_big_int(value) {
                Some(number) => self.push(&format!("{number}n")),
                None => self.push("[BigInt]"),
            }
        } else if value.is_object() {
            self.object(value, depth);
        } else {
            self.push("[internal]");
        }
    }

    fn object(&mut self, object: &Value<'_>, depth: usize) {
        if object.is_proxy() {
            return self.push("[Proxy]");
        }
        match self.classes.kind(object) {
            Kind::Error => self.error(object),
            Kind::Function => {
                self.push("[Function");
                if let Some(name) = raw::own_data(object, "name").filter(|name| raw::string_units(name) > 0) {
                    self.push(": ");
                    self.string(&name, false);
                }
                self.push("]");
            }
            Kind::Promise => self.push("[Promise]"),
            Kind::Date => self.push("[Date]"),
            Kind::Exotic(name) => self.push(&format!("[{name}]")),
            Kind::Array if depth >= MAX_DEPTH => self.push("[…]"),
            Kind::Plain if depth >= MAX_DEPTH => self.push("{…}"),
            Kind::Array => self.array(object, depth),
            Kind::Plain => self.plain(object, depth),
        }
    }

    /// `Name: message`.
    pub(super) fn error(&mut self, error: &Value<'_>) {
        let text = |name| data_property(error, name).filter(|value| raw::string_units(value) > 0);
        match text("name") {
            Some(name) => self.string(&name, false),
            None => self.push("Error"),
        }
        if let Some(message) = text("message") {
            self.push(": ");
            self.string(&message, false);
        }
    }

    fn array(&mut self, array: &Value<'_>, depth: usize) {
        let length = raw::own_data(array, "length").and_then(|length| length.as_number()).unwrap_or(0.0);
        self.push("[");
        let mut index = 0_u64;
        while (index as f64) < length && !self.is_full() {
            self.push(if index == 0 { " " } else { ", " });
            if index == MAX_ITEMS {
                self.push(&format!("… {} more", length - index as f64));
                break;
            }
            match raw::own_data(array, &index.to_string()) {
                Some(element) => self.value(&element, depth + 1),
                None => self.push("<empty>"),
            }
            index += 1;
        }
        self.push(if index == 0 { "]" } else { " ]" });
    }

    fn plain(&mut self, object: &Value<'_>, depth: usize) {
        let Some(properties) = object.as_object() else { return };
        self.push("{");
        let mut count = 0;
        for atom in properties.own_keys::<Atom<'_>>(Filter::new().string().enum_only()) {
            let name = self.heap.unlimited(|| atom.and_then(|atom| atom.to_value()));
            let Ok(name) = name else {
                object.ctx().catch();
                break;
            };
            self.push(if count == 0 { " " } else { ", " });
            if count == MAX_ITEMS || self.is_full() {
                self.push("…");
                break;
            }
            count += 1;
            let name = if raw::string_units(&name) > 256 { "…".to_owned() } else { raw::key_text(&name) };
            self.push(&name);
            self.push(": ");
            match raw::own_data(object, &name) {
                Some(value) => self.value(&value, depth + 1),
                None => self.push("[accessor]"),
            }
        }
        self.push(if count == 0 { "}" } else { " }" });
    }

    fn string(&mut self, string: &Value<'_>, quoted: bool) {
        // Converting takes memory in proportion; what cannot fit anyway is not looked at.
        if raw::string_units(string) > 1024 * 1024 {
            return self.push("[string of more than 1048576 characters]");
        }
        let room = (self.budget + 4).saturating_sub(self.out.len());
        let text = self.heap.unlimited(|| {
            raw::with_text(string, |bytes| {
                // Room for what surrogates may add; the final cut is exact.
                text::replace_surrogates(&bytes[..bytes.len().min(room + 4)]).into_owned()
            })
        });
        let text = text.unwrap_or_default();
        if quoted {
            let mut quoted = String::new();
            let _ = write!(quoted, "{}", serde_json::Value::from(text));
            self.push(&quoted);
        } else {
            self.push(&text);
        }
    }
}
