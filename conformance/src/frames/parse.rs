//! Reads a script. Strict: a word too many, a step the direction does not have, or a modifier without a send is an
//! error with its line number, so that a typing mistake can't turn a case into one that tests nothing.
//!
//! Pure: no file, no clock, and memory bounded by the text (a fuzzer drives it).

use std::time::Duration;

use super::Direction;
use super::expect::{ExitKind, Pattern};
use super::script::{Channel, Line, Lockdown, Pace, Script, Send, Signal, Step};
use super::template::{self, Template};
use super::words;

/// The line that opens the front-matter, and the one that closes it.
pub const FRONT_MATTER: (&str, &str) = ("/*---", "---*/");

/// Where a text stops being a script.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct ParseError {
    /// 1-based.
    pub line: usize,
    /// What is wrong.
    pub message: String,
}

/// Reads a script for one direction. Front-matter at the beginning is passed over; line numbers are the file's.
///
/// # Errors
/// The first line that is not part of the language.
pub fn parse(text: &str, direction: Direction) -> Result<Script, ParseError> {
    let mut parser = Parser { direction, modifiers: Modifiers::default(), holding: false, script: Script::default() };
    let mut lines = text.lines().enumerate().map(|(index, line)| (index + 1, line.trim())).peekable();
    let at = |line: usize| move |message: String| ParseError { line, message };
    if lines.next_if(|(_, line)| *line == FRONT_MATTER.0).is_some()
        && !lines.by_ref().any(|(_, line)| line == FRONT_MATTER.1)
    {
        return Err(at(1)("the front-matter has no end".to_owned()));
    }
    let mut last = 1;
    for (number, line) in lines {
        last = number;
        if !line.is_empty() && !line.starts_with('#') {
            parser.line(number, line).map_err(at(number))?;
        }
    }
    parser.finish().map_err(at(last))?;
    Ok(parser.script)
}

struct Parser {
    direction: Direction,
    modifiers: Modifiers,
    holding: bool,
    script: Script,
}

/// What `length`, `split` and `drip` said about the next send.
#[derive(Default)]
struct Modifiers {
    length: Option<u32>,
    pace: Option<Pace>,
}

impl Parser {
    fn line(&mut self, number: usize, line: &str) -> Result<(), String> {
        let (word, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        if self.modifier(word, rest)? {
            return Ok(());
        }
        let (times, word, rest) = if word == "times" {
            let (count, rest) = rest.split_once(' ').ok_or("times takes a count and a send")?;
            let count = words::number(count)?;
            let count = u32::try_from(count).ok().filter(|n| (1..=100_000).contains(n));
            let (word, rest) = rest.split_once(' ').ok_or("times repeats a send")?;
            (Some(count.ok_or("times counts from 1 to 100000")?), word, rest.trim())
        } else {
            (None, word, rest)
        };
        let step = if let Some((framed, template)) = self.bytes(word, rest)? {
            let modifiers = std::mem::take(&mut self.modifiers);
            if !framed && modifiers.length.is_some() {
                return Err("raw bytes have no length to override".to_owned());
            }
            if self.holding && modifiers.pace.is_some() {
                return Err("between hold and flush the cut belongs before flush".to_owned());
            }
            Step::Send(Send {
                template,
                framed,
                length: modifiers.length,
                pace: modifiers.pace.unwrap_or(Pace::Whole),
                times: times.unwrap_or(1),
            })
        } else if times.is_some() {
            return Err("times repeats a send".to_owned());
        } else {
            self.other(word, rest)?
        };
        self.modifiers.nothing_left()?;
        self.script.steps.push(Line { number, step });
        Ok(())
    }

    /// Takes `length`, `split` and `drip`, which speak of the next send.
    fn modifier(&mut self, word: &str, rest: &str) -> Result<bool, String> {
        match word {
            "length" => {
                let length = words::number(rest)?;
                let length = u32::try_from(length).map_err(|_| "a length has 32 bits".to_owned())?;
                if self.modifiers.length.replace(length).is_some() {
                    return Err("two lengths for one send".to_owned());
                }
            }
            "split" => self.pace(split(rest)?)?,
            "drip" => self.pace(Pace::Every { bytes: 1, pause: words::duration(rest)? })?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    fn pace(&mut self, pace: Pace) -> Result<(), String> {
        if self.modifiers.pace.replace(pace).is_some() { Err("two cuts for one send".to_owned()) } else { Ok(()) }
    }

    /// The steps that write: whether a length stands in front, and the bytes.
    fn bytes(&self, word: &str, rest: &str) -> Result<Option<(bool, Template)>, String> {
        let json = |text: String| Template::parse(&text).map(|template| Some((true, template)));
        match (word, self.direction) {
            ("send" | "raw", _) => Ok(Some((word == "send", payload(rest)?))),
            ("ready", Direction::ToParent) => {
                none(rest)?;
                json(r#"{"type":"ready","version":1,"layers":["no_new_privs","seccomp"]}"#.to_owned())
            }
            ("call", Direction::ToParent) => {
                let [call, operation, arguments] = three(rest)?;
                json(format!(
                    r#"{{"type":"host_call","invocation":$INVOCATION,"call":{call},"operation":"{operation}","arguments":{arguments}}}"#
                ))
            }
            ("result", Direction::ToParent) => json(format!(
                r#"{{"type":"result","invocation":$INVOCATION,"ok":true,"value_present":true,"value":{},"console":$CONSOLE,"usage":$USAGE}}"#,
                some(rest)?
            )),
            ("failure", Direction::ToParent) => json(format!(
                r#"{{"type":"result","invocation":$INVOCATION,"ok":false,"value_present":false,"error":{},"console":$CONSOLE,"usage":$USAGE}}"#,
                some(rest)?
            )),
            ("execute", Direction::ToWorker) => json(format!(
                r#"{{"type":"execute","version":1,"invocation":$INVOCATION,"source_bytes":{},"limits":$LIMITS}}"#,
                words::number(rest)?
            )),
            ("answer", Direction::ToWorker) => {
                let (call, value) = rest.split_once(' ').ok_or("answer takes a call and a value")?;
                json(format!(
                    r#"{{"type":"host_result","invocation":$INVOCATION,"call":{call},"ok":true,"value_present":true,"value":{value}}}"#
                ))
            }
            ("refuse", Direction::ToWorker) => {
                let (call, error) = rest.split_once(' ').ok_or("refuse takes a call and an error")?;
                json(format!(
                    r#"{{"type":"host_result","invocation":$INVOCATION,"call":{call},"ok":false,"value_present":false,"error":{error}}}"#
                ))
            }
            _ => Ok(None),
        }
    }

    fn other(&mut self, word: &str, rest: &str) -> Result<Step, String> {
        match word {
            "hold" | "flush" => return self.hold(word, rest),
            "pause" => return words::duration(rest).map(Step::Pause),
            "close" => return self.close(rest),
            "keep" => return keep(rest),
            "expect" => return self.expect(rest),
            _ => {}
        }
        if self.direction == Direction::ToWorker {
            return Err(format!("{word} is not a step of a script to the worker"));
        }
        match (word, rest) {
            ("lockdown", _) if !self.script.steps.is_empty() => Err("lockdown is the first step".to_owned()),
            ("lockdown", "none") => Ok(Step::Lockdown(Lockdown::None)),
            ("lockdown", "without seccomp") => Ok(Step::Lockdown(Lockdown::WithoutSeccomp)),
            ("lockdown", "without capabilities") => Ok(Step::Lockdown(Lockdown::WithoutCapabilities)),
            ("lockdown", "with thread") => Ok(Step::Lockdown(Lockdown::WithThread)),
            ("wait", "execute") => Ok(Step::WaitExecute),
            ("wait", "input") => Ok(Step::WaitInput),
            ("wait", "eof") => Ok(Step::WaitEof),
            ("choose", "") => Ok(Step::Choose),
            ("stderr", _) => payload(rest).map(Step::Stderr),
            ("exit", _) => {
                let status = words::number(rest)?;
                u8::try_from(status).map(Step::Exit).map_err(|_| "a status is 0 to 255".to_owned())
            }
            ("signal", "ignore TERM") => Ok(Step::IgnoreTerm),
            ("signal", name) => Signal::parse(name).map(Step::Signal).ok_or(format!("{name} is not a signal we raise")),
            ("fork-hold", "") => Ok(Step::ForkHold { detached: false }),
            ("fork-hold", "detached") => Ok(Step::ForkHold { detached: true }),
            ("hang", "") => Ok(Step::Hang),
            _ => Err(format!("{word} {rest:?} is not a step")),
        }
    }

    fn hold(&mut self, word: &str, rest: &str) -> Result<Step, String> {
        none(rest)?;
        if self.holding == (word == "hold") {
            return Err("hold and flush alternate".to_owned());
        }
        self.holding = word == "hold";
        if self.holding {
            return Ok(Step::Hold);
        }
        // A cut before `flush` is the cut of what was collected.
        Ok(Step::Flush(self.modifiers.pace.take().unwrap_or(Pace::Whole)))
    }

    fn close(&self, rest: &str) -> Result<Step, String> {
        match (rest, self.direction) {
            ("" | "stdout", Direction::ToParent) => Ok(Step::Close(Channel::Stdout)),
            ("" | "stdin", Direction::ToWorker) | ("stdin", Direction::ToParent) => Ok(Step::Close(Channel::Stdin)),
            ("stderr", Direction::ToParent) => Ok(Step::Close(Channel::Stderr)),
            _ => Err(format!("close {rest} is not a channel of this direction")),
        }
    }

    fn expect(&self, rest: &str) -> Result<Step, String> {
        let (what, rest) = rest.split_once(' ').unwrap_or((rest, ""));
        let frame = |kind| Pattern::parse(kind, rest.trim()).map(Step::ExpectFrame);
        match (what, self.direction) {
            ("frame", _) => frame(None),
            ("ready" | "host_call" | "result", Direction::ToWorker) | ("host_result", Direction::ToParent) => {
                frame(Some(what))
            }
            ("eof", _) => none(rest).map(|()| Step::ExpectEof),
            ("exit", Direction::ToWorker) => exit(rest.trim()).map(Step::ExpectExit),
            _ => Err(format!("expect {what} is not an expectation of this direction")),
        }
    }

    fn finish(&self) -> Result<(), String> {
        if self.holding {
            return Err("hold without flush".to_owned());
        }
        if self.script.steps.is_empty() {
            return Err("the script has no step".to_owned());
        }
        self.modifiers.nothing_left()
    }
}

impl Modifiers {
    fn nothing_left(&self) -> Result<(), String> {
        if self.length.is_none() && self.pace.is_none() {
            Ok(())
        } else {
            Err("length, split and drip stand before a send".to_owned())
        }
    }
}

fn split(text: &str) -> Result<Pace, String> {
    let size = |text: &str| match words::number(text)? {
        0 => Err("a piece has at least one byte".to_owned()),
        n => usize::try_from(n).map_err(|e| e.to_string()),
    };
    if let Some(every) = text.strip_prefix("every ") {
        return Ok(Pace::Every { bytes: size(every)?, pause: Duration::ZERO });
    }
    text.split(',').map(|part| size(part.trim())).collect::<Result<_, _>>().map(Pace::Chunks)
}

fn payload(text: &str) -> Result<Template, String> {
    let (form, rest) = text.split_once(' ').ok_or("a send takes json, text, source, hex or repeat, and bytes")?;
    let rest = rest.trim();
    match form {
        "json" => Template::parse(rest),
        "text" | "source" => words::quoted(rest).map(Template::literal),
        "hex" => words::hex(rest).map(Template::literal),
        "repeat" => template::repeat(rest).map(|piece| Template { pieces: vec![piece] }),
        _ => Err(format!("{form} is not one of json, text, source, hex, repeat")),
    }
}

fn keep(rest: &str) -> Result<Step, String> {
    let (name, path) = rest.split_once(' ').ok_or("keep takes a name and a path of fields")?;
    let path: Vec<String> = path.split('.').map(str::to_owned).collect();
    if !words::is_name(name) || path.iter().any(String::is_empty) {
        return Err("a name is in capitals, a path is field.field".to_owned());
    }
    Ok(Step::Keep { name: name.to_owned(), path })
}

fn exit(text: &str) -> Result<ExitKind, String> {
    if let Some(name) = text.strip_prefix("signal ") {
        return Signal::parse(name).map(ExitKind::Signal).ok_or(format!("{name} is not a signal"));
    }
    match text {
        "failure" => Ok(ExitKind::Failure),
        _ => u8::try_from(words::number(text)?).map(ExitKind::Status).map_err(|_| "a status is 0 to 255".to_owned()),
    }
}

fn none(rest: &str) -> Result<(), String> {
    if rest.is_empty() { Ok(()) } else { Err(format!("{rest:?} is too much")) }
}

fn some(rest: &str) -> Result<&str, String> {
    if rest.is_empty() { Err("a JSON value is missing".to_owned()) } else { Ok(rest) }
}

fn three(rest: &str) -> Result<[&str; 3], String> {
    let mut parts = rest.splitn(3, ' ');
    match (parts.next(), parts.next(), parts.next()) {
        (Some(a), Some(b), Some(c)) if !b.is_empty() => Ok([a, b, c.trim()]),
        _ => Err("call takes a number, an operation and its arguments".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::frames::template::{Piece, Variables};

    fn steps(text: &str, direction: Direction) -> Vec<Step> {
        let script = parse(text, direction).unwrap_or_else(|e| panic!("{e}\n{text}"));
        script.steps.into_iter().map(|line| line.step).collect()
    }

    fn error(text: &str, direction: Direction) -> ParseError {
        match parse(text, direction) {
            Ok(script) => panic!("{text} was read as {script:?}"),
            Err(error) => error,
        }
    }

    #[test]
    fn line_numbers_are_those_of_the_file() {
        let text = "/*---\nid = \"x\"\n---*/\n\n# words\nready\nwait execute\n";
        let script = parse(text, Direction::ToParent).unwrap_or_else(|e| panic!("{e}"));
        assert_eq!(script.steps.iter().map(|line| line.number).collect::<Vec<_>>(), [6, 7]);
        assert_eq!(error("ready\n\nreadi\n", Direction::ToParent).line, 3);
        assert_eq!(error("/*---\nready\n", Direction::ToParent).line, 1);
    }

    #[test]
    fn shorthands_are_frames_written_out() {
        let steps = steps("execute 8\nanswer 1 null\n", Direction::ToWorker);
        let [Step::Send(execute), Step::Send(answer)] = &steps[..] else { panic!("{steps:?}") };
        let variables = Variables { invocation: 5, ..Variables::default() };
        for send in [execute, answer] {
            let body = send.template.expand(&variables).unwrap_or_else(|e| panic!("{e}"));
            assert!(wit_worker::protocol::ToWorker::parse(&body).is_ok(), "{}", String::from_utf8_lossy(&body));
        }
        let text = "ready\ncall 1 wit_list {}\nresult null\nfailure {\"code\":\"code_rejected\",\"message\":\"x\"}";
        for step in self::steps(text, Direction::ToParent) {
            let Step::Send(send) = step else { panic!("{step:?}") };
            let body = send.template.expand(&variables).unwrap_or_else(|e| panic!("{e}"));
            assert!(wit_worker::protocol::FromWorker::parse(&body).is_ok(), "{}", String::from_utf8_lossy(&body));
        }
    }

    #[test]
    fn modifiers_speak_of_the_next_send() {
        let steps = steps("length 5\nsplit 1,3\nsend hex 41\ntimes 3 raw repeat 42 9\n", Direction::ToParent);
        let [Step::Send(first), Step::Send(second)] = &steps[..] else { panic!("{steps:?}") };
        assert_eq!((first.length, first.framed, first.times), (Some(5), true, 1));
        assert_eq!(first.pace, Pace::Chunks(vec![1, 3]));
        assert_eq!(second.template.pieces, [Piece::Repeat { byte: 0x42, count: 9 }]);
        assert_eq!((second.length, second.framed, second.times), (None, false, 3));
    }

    #[test]
    fn mistakes_are_refused() {
        for bad in [
            "",
            "# only words",
            "ready now",
            "length 5",
            "length 5\nraw hex 41",
            "length 4294967296\nsend hex 41",
            "split 0\nsend hex 41",
            "split 1\nsplit 2\nsend hex 41",
            "split 1\npause 5ms",
            "drip 1ms\npause 5ms",
            "hold\nready",
            "flush",
            "hold\nhold\nflush",
            "hold\nsplit 1\nready\nflush",
            "send {}",
            "send json",
            "pause 5",
            "pause 61s",
            "exit 256",
            "exit",
            "signal HUP",
            "ready\nlockdown none",
            "lockdown partly",
            "wait",
            "wait output",
            "expect result {}",
            "expect exit 0",
            "times 0 ready",
            "times 3 pause 5ms",
            "keep x a",
            "keep X a..b",
            "call 1 wit_list",
            "execute 5",
            "close pipe",
            "fork-hold twice",
        ] {
            error(bad, Direction::ToParent);
        }
        for bad in [
            "ready",
            "wait input",
            "signal KILL",
            "exit 3",
            "stderr text \"x\"",
            "lockdown none",
            "expect host_result",
            "execute x",
        ] {
            error(bad, Direction::ToWorker);
        }
    }
}
