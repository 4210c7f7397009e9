//! The derived frames as items: each becomes a case with a front-matter of its own, so that it is judged by the same
//! code as a case from a file, with a server to itself.

use std::path::Path;

use super::{Item, Place, Subject, item, sha256};
use crate::corpus::{Case, Direction};
use crate::frames::generate::{self, Control, Generated};

/// The file whose templates these come from.
const FILE: &str = "conformance/src/frames/generate.rs";

pub(super) fn items() -> Vec<Item> {
    let mut items = Vec::new();
    for direction in [Direction::ToParent, Direction::ToWorker] {
        for Generated { id, text, code, .. } in generate::cases(direction) {
            let parts: Vec<&str> = id.split('/').collect();
            let (message, field, mutation) = match parts[..] {
                [_, message, field, mutation] => (message, field, mutation),
                _ => ("", "", ""),
            };
            let title = format!("{message}: the field {field}, {}", mutation.replace('-', " "));
            let outcome = format!("code = '{}'", code.as_str());
            items.extend(made(&id, direction, &title, &outcome, &text));
        }
        for Control { name, text, failure } in generate::controls(direction) {
            let word = if direction == Direction::ToParent { "to-parent" } else { "to-worker" };
            let title = format!("The message {name} unspoilt, without which the spoilt ones would prove nothing");
            let outcome = match failure {
                Some((code, reason)) => format!("code = '{}'\nreason = '{}'", code.as_str(), reason.as_str()),
                None => "value = '1'".to_owned(),
            };
            items.extend(made(&format!("control/{word}/{name}"), direction, &title, &outcome, &text));
        }
    }
    items
}

/// An item from a script without front-matter; none if the templates made one that is not a case, which
/// [`tests`] rule out.
fn made(id: &str, direction: Direction, title: &str, outcome: &str, text: &str) -> Option<Item> {
    let (place, folder, family, invariants, threat, outcome) = match direction {
        Direction::ToParent => (
            Place::ToParent,
            "to-parent",
            "generated-worker-to-parent",
            "['I5', 'I6']",
            "A worker taken over writes any field as it likes. The parent must refuse the frame, never guess what was meant, \
             and end the invocation with the code of what it saw.",
            outcome,
        ),
        Direction::ToWorker => (
            Place::ToWorker,
            "to-worker",
            "generated-parent-to-worker",
            "['I5']",
            "Both ends are strict, so that neither can be led apart from the other. The worker must end at such a frame \
             without running anything.",
            "no_answer = true",
        ),
    };
    let flag = if id.starts_with("control/") { "frame-order" } else { "message-shape" };
    let whole = format!(
        "/*---\nid = 'generated'\ntitle = '{title}'\nfamily = '{family}'\nthreat = \"\"\"{threat}\"\"\"\ninvariants = {invariants}\n\
         flags = ['{flag}']\nrefs = ['docs/protocol.md: what is refused']\n\n[expect]\n{outcome}\n---*/\n{text}"
    );
    let mut case = Case::parse(Path::new(&format!("frames/{folder}/generated.frames")), &whole).ok()?;
    id.clone_into(&mut case.id);
    case.path = crate::binary::workspace().join(FILE);
    let body = case.body.clone();
    let digest = sha256(whole.as_bytes());
    let subject = Subject::Generated(Box::new(case.clone()), whole);
    Some(item(&case, place, FILE.to_owned(), String::new(), body, digest, subject))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_derived_frame_is_lost() {
        let derived = [Direction::ToParent, Direction::ToWorker]
            .map(|direction| generate::cases(direction).len() + generate::controls(direction).len());
        assert_eq!(items().len(), derived.iter().sum::<usize>());
    }
}
