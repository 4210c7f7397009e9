//! The script's local console: bounded text, nothing else.

use rquickjs::{Ctx, Function, Object, Value};

use std::cell::RefCell;
use std::rc::Rc;

use super::bridge::{Bridge, native};
use super::inspect::Inspector;
use super::text;
use crate::protocol::Console;

/// All five print alike: there is one console, and a reader that cares can say so in the text.
const METHODS: [&str; 5] = ["log", "info", "warn", "error", "debug"];

/// What was printed, within the limit. Bytes are those of `text` as a JSON string, quotes included.
#[derive(Debug, Default)]
pub(super) struct ConsoleBuffer {
    text: String,
    serialized: usize,
    truncated: bool,
}

impl ConsoleBuffer {
    /// Bytes of the quotes around the text.
    const QUOTES: usize = 2;

    fn room(&self, limit: usize) -> usize {
        if self.truncated { 0 } else { limit.saturating_sub(self.serialized + Self::QUOTES) }
    }

    /// Appends a line, or as much of it as fits; from then on nothing more.
    fn push_line(&mut self, line: &str, whole: bool, limit: usize) {
        for character in line.chars().chain(std::iter::once('\n')) {
            let bytes = text::escaped_length(character);
            if bytes > self.room(limit) {
                self.truncated = true;
                return;
            }
            self.text.push(character);
            self.serialized += bytes;
        }
        self.truncated |= !whole;
    }

    /// What goes into the result.
    pub(super) fn take(&mut self) -> Console {
        let buffer = std::mem::take(self);
        Console { text: buffer.text, truncated: buffer.truncated }
    }
}

/// Makes `console` a binding of the global lexical scope, so that it is not a property of `globalThis`. A script may
/// replace it; nothing of ours goes through it.
pub(super) fn install(ctx: &Ctx<'_>, bridge: &Rc<Bridge>) -> rquickjs::Result<()> {
    const HANDOVER: &str = "console handover";
    let console = Object::new(ctx.clone())?;
    for name in METHODS {
        let bridge = Rc::clone(bridge);
        let print = native(move |ctx, arguments| {
            print(&bridge, &arguments.0);
            Ok(Value::new_undefined(ctx))
        });
        console.prop(
            name,
            rquickjs::object::Property::from(Function::new(ctx.clone(), print)?.with_name(name)?)
                .writable()
                .enumerable()
                .configurable(),
        )?;
    }
    // No untrusted code has run yet: the binding is made by the engine itself, and the way there is taken away.
    ctx.globals().set(HANDOVER, console)?;
    ctx.eval::<(), _>(format!("let console = globalThis['{HANDOVER}'];"))?;
    ctx.globals().remove(HANDOVER)
}

fn print(bridge: &Bridge, arguments: &[Value<'_>]) {
    let limit = usize::try_from(bridge.limits().console_bytes).unwrap_or(usize::MAX);
    let console: &RefCell<ConsoleBuffer> = &bridge.console;
    let room = console.borrow().room(limit);
    if room == 0 {
        console.borrow_mut().truncated = true;
        return;
    }
    let mut inspector = Inspector::new(room, &bridge.intrinsics().classes, &bridge.heap);
    for (index, argument) in arguments.iter().enumerate() {
        if index > 0 {
            inspector.push(" ");
        }
        inspector.top(argument);
    }
    let (line, whole) = inspector.finish();
    console.borrow_mut().push_line(&line, whole, limit);
}
