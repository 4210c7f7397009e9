//! The table of attacks on the lockdown as items. A report runs each under the full lockdown; that each layer stops it
//! by itself, and that it would work without, is shown by the `sandbox` test.

use super::{Item, Place, Subject, sha256};
use crate::probe::Expect;
use crate::probe::attacks::{self, Attack};

pub(super) fn items() -> Vec<Item> {
    let tables = attacks::tables().into_iter();
    tables.flat_map(|(file, attacks)| attacks.iter().map(move |attack| item(file, attack))).collect()
}

fn item(file: &str, attack: &'static Attack) -> Item {
    let Attack { name, what, full, arms, .. } = attack;
    let layers: Vec<String> = arms.iter().map(|arm| format!("{}: {}", arm.layer.name(), arm.refusal)).collect();
    let layers = match (layers.is_empty(), full) {
        (_, Expect::Success) => "no layer stops it: the worker needs it".to_owned(),
        (true, _) => "the full lockdown".to_owned(),
        (false, _) => format!("by itself stopped by\n  {}", layers.join("\n  ")),
    };
    let text = format!("lock down\n{name}\n\n{layers}");
    Item {
        id: format!("probe/{name}"),
        title: (*what).to_owned(),
        family: "sandbox-probes".to_owned(),
        threat: format!(
            "{what} A worker taken over may make any system call the kernel still lets it make; tried by a program \
             that locked itself down exactly as the worker does."
        ),
        invariants: vec!["I3".to_owned()],
        flags: Vec::new(),
        refs: vec!["docs/sandbox.md: the recipe".to_owned()],
        forges: None,
        codes: Vec::new(),
        expected: vec![full.to_string()],
        meaning: full.to_string(),
        file: format!("conformance/src/probe/attacks/{file}.rs"),
        front: String::new(),
        digest: sha256(format!("{name}\n{what}\n{full}\n{text}").as_bytes()),
        text,
        place: Place::Probe,
        subject: Subject::Probe(name),
    }
}
