//! The source front end: from what a model wrote to programs for the engine.

use wit_worker::vm::source::{
    Program, Script, SourceRefusal, callable, method_proofs, proofs, read, wrap_body, wrap_call, wrap_labelled,
    wrap_proof,
};

/// The nonce of every label here.
const NONCE: u64 = 0x0123_4567_89ab_cdef;

/// Whatever a source is, it is refused for what it holds or reaches the engine unchanged, and every position that the
/// engine could report lies in the user's own text.
pub fn front_end(data: &[u8]) {
    let script = match read(data) {
        Err(SourceRefusal::Nul { offset }) => {
            assert_eq!(data.iter().position(|&byte| byte == 0), Some(offset));
            return;
        }
        Err(SourceRefusal::NotUtf8 { offset }) => {
            assert_eq!(std::str::from_utf8(data).expect_err("it is refused").valid_up_to(), offset);
            return;
        }
        Ok(script) => script,
    };
    let whole = std::str::from_utf8(data).expect("it was read");
    assert!(whole.contains(script.text), "the text is the user's own");
    let lines = whole.split('\n').count() as u64;
    assert!((1..=lines).contains(&u64::from(script.first_line)));
    program(script, &wrap_body(script), script.text, lines);
    program(script, &wrap_labelled(script, NONCE), script.text, lines);
    for proof in method_proofs(script) {
        program(script, &proof, script.text, lines);
    }
    let Some(found) = callable(script.text) else { return };
    assert!(script.text.contains(found.expression));
    program(script, &wrap_call(script, found, NONCE), found.expression, lines);
    let proofs = proofs(found);
    assert!(proofs.len() >= 2, "one proof alone can be fooled");
    for proof in proofs {
        assert!(wrap_proof(&proof, NONCE).text.contains(&proof));
    }
}

/// The text stands in the program as it is, on lines of its own.
fn program(script: Script<'_>, program: &Program, text: &str, lines: u64) {
    assert!(program.text.contains(&format!("\n{text}\n")), "the text is cut or joined to something");
    assert_ne!(program.line, 0, "the engine would take it for 1");
    assert_eq!(program.function_text().len() + 2, program.text.len());
    for line in [0, 1, u64::from(script.first_line), lines, lines + 1, u64::MAX] {
        for column in [0, 1, 2, 80, u64::MAX] {
            let place = program.position(script, line, column);
            assert!((1..=lines).contains(&place.line), "line {} of {lines}", place.line);
            let of_line =
                script.text.split('\n').nth(usize::try_from(place.line).unwrap_or(0) - script.first_line as usize);
            let characters = of_line.map_or(0, |line| line.chars().count() as u64);
            assert!((1..=characters + 1).contains(&place.column), "column {} of {characters}", place.column);
        }
    }
}
