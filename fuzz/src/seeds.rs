//! Seeds from the corpus: every message that a frames case sends, the texts of the cases themselves, and a few inputs
//! in the targets' own encodings.

use std::path::{Path, PathBuf};
use std::{fs, io};

use conformance::frames::script::Step;
use conformance::frames::template::Variables;
use conformance::frames::{Direction, generate, parse};
use wit_worker::registry::operations::OPERATIONS;

/// The largest seed worth keeping; the big ones differ only in padding.
const MAX_SEED: usize = 4096;

/// A target and its seeds.
pub type Seeds = Vec<(&'static str, Vec<Vec<u8>>)>;

/// The texts of the corpus, in order of their paths.
#[derive(Debug, Default)]
pub struct Texts {
    /// Frames cases to the parent.
    pub to_parent: Vec<String>,
    /// Frames cases to the worker.
    pub to_worker: Vec<String>,
    /// Cases that are scripts.
    pub scripts: Vec<String>,
}

/// Reads the corpus of the checkout at `root`.
///
/// # Errors
/// When a directory or a file cannot be read.
pub fn read(root: &Path) -> io::Result<Texts> {
    let corpus = root.join("adversarial-scripts");
    let texts = |mut paths: Vec<PathBuf>| -> io::Result<Vec<String>> {
        paths.sort();
        paths.iter().map(fs::read_to_string).collect()
    };
    let mut scripts = Vec::new();
    for family in entries(&corpus)?.into_iter().filter(|path| path.is_dir()) {
        scripts.extend(entries(&family)?.into_iter().filter(|path| path.extension().is_some_and(|end| end == "js")));
    }
    let frames = |folder: &str| entries(&corpus.join("frames").join(folder));
    Ok(Texts {
        to_parent: texts(frames("to-parent")?)?,
        to_worker: texts(frames("to-worker")?)?,
        scripts: texts(scripts)?,
    })
}

fn entries(directory: &Path) -> io::Result<Vec<PathBuf>> {
    fs::read_dir(directory)?.map(|entry| Ok(entry?.path())).collect()
}

/// All seeds that need nothing of the server.
#[must_use]
pub fn all(texts: &Texts) -> Seeds {
    let Texts { to_parent, to_worker, scripts } = texts;
    let mut generated = [Vec::new(), Vec::new()];
    for (texts, direction) in generated.iter_mut().zip([Direction::ToParent, Direction::ToWorker]) {
        texts.extend(generate::cases(direction).into_iter().map(|case| case.text));
        texts.extend(generate::controls(direction).into_iter().map(|control| control.text));
    }
    let texts: Vec<Vec<u8>> = to_parent.iter().chain(to_worker).map(|text| text.clone().into_bytes()).collect();
    let from_worker = messages(to_parent.iter().chain(&generated[0]), Direction::ToParent);
    let to_worker = messages(to_worker.iter().chain(&generated[1]), Direction::ToWorker);
    let session = from_worker.iter().map(|message| session_step(message)).collect();
    let streams = from_worker.iter().chain(&to_worker).map(|message| stream(message)).collect();
    let json = from_worker.iter().chain(&to_worker).cloned().collect();
    vec![
        ("from_worker", from_worker),
        ("to_worker", to_worker),
        ("decoder", streams),
        ("strict_json", json),
        ("frames_text", texts),
        ("session", session),
        ("accounting", vec![(0..64).collect(), vec![0, 0, 0, 0, 0, 0, 3, 0, 2, 200, 1, 1]]),
        ("front_end", sources(scripts)),
        ("arguments", arguments()),
        ("cursors", cursors()),
        ("policy", vec![b"wall_ms = 300\nhost_calls = 4\n".to_vec(), b"heap_bytes = 67108865\n".to_vec()]),
    ]
}

/// The scripts of the corpus, and the same in a fence.
fn sources(scripts: &[String]) -> Vec<Vec<u8>> {
    let bodies = scripts.iter().filter_map(|text| text.split_once("\n---*/\n")).map(|(_, body)| body);
    let short = bodies.filter(|body| !body.is_empty() && body.len() <= MAX_SEED);
    short.flat_map(|body| [body.as_bytes().to_vec(), format!("```js\n{body}\n```\n").into_bytes()]).collect()
}

/// For each operation: nothing, what it needs, and each of its fields as numbers, texts, lists and null.
fn arguments() -> Vec<Vec<u8>> {
    let mut out = Vec::new();
    for (which, operation) in (0_u8..).zip(OPERATIONS) {
        let input = |text: String| [&[which][..], text.as_bytes()].concat();
        let required: Vec<String> = operation
            .arguments
            .iter()
            .filter(|field| field.required)
            .map(|field| format!("\"{}\":\"x\"", field.name))
            .collect();
        out.push(input("{}".to_owned()));
        out.push(input(format!("{{{}}}", required.join(","))));
        for field in operation.arguments {
            for value in ["1", "\"10\"", "true", "null", "[\"a\",\"b\"]", "\"[\\\"a\\\"]\"", "1e3", "-1", "{}"] {
                let others = required.iter().filter(|pair| !pair.starts_with(&format!("\"{}\"", field.name)));
                let pairs: Vec<String> = others.cloned().chain([format!("\"{}\":{value}", field.name)]).collect();
                out.push(input(format!("{{{}}}", pairs.join(","))));
            }
        }
    }
    out
}

/// Texts that look like cursors, and positions.
fn cursors() -> Vec<Vec<u8>> {
    let texts = ["", "A", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", "subject", "{}", "%%%", "AAAA=", "\u{fffd}"];
    let all = texts.iter().flat_map(|text| (0_u8..7).map(move |which| [&[which][..], text.as_bytes()].concat()));
    all.chain([vec![3, 0, 0, 0, 0, 0, 0, 0, 7, 255, 255, 255, 255, 255, 255, 255, 255]]).collect()
}

/// The bodies of every send of every script that parses.
fn messages<'a>(texts: impl Iterator<Item = &'a String>, direction: Direction) -> Vec<Vec<u8>> {
    let variables = Variables { invocation: 1, counter: 1, ..Variables::default() };
    let mut out: Vec<Vec<u8>> = Vec::new();
    for script in texts.filter_map(|text| parse(text, direction).ok()) {
        for line in script.steps {
            if let Step::Send(send) = line.step {
                out.extend(send.template.expand(&variables).ok().filter(|body| body.len() <= MAX_SEED));
            }
        }
    }
    out.sort();
    out.dedup();
    out
}

/// The message as the target `session` takes a frame.
fn session_step(message: &[u8]) -> Vec<u8> {
    let mut out =
        vec![0, u8::try_from(message.len() / 16).unwrap_or(u8::MAX), u8::try_from(message.len() % 16).unwrap_or(0)];
    out.extend_from_slice(message);
    out
}

/// The message as the target `decoder` takes a stream: cut after 1 and 3 bytes.
fn stream(message: &[u8]) -> Vec<u8> {
    let mut out = vec![2, 1, 3];
    out.extend_from_slice(&u32::try_from(message.len()).unwrap_or(u32::MAX).to_be_bytes());
    out.extend_from_slice(message);
    out
}
