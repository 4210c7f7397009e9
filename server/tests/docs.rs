//! The documents say what the registries say: regenerated here, and compared.
//!
//! `WIT_BLESS=1 cargo test -p wit --test docs` rewrites what differs.

use std::path::PathBuf;

use wit::schema::markdown::{SECTIONS, regenerate};

fn docs() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../docs")
}

#[test]
fn documents_are_what_the_registries_say() {
    let bless = std::env::var_os("WIT_BLESS").is_some();
    let mut unused: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
    let mut stale = Vec::new();
    for entry in std::fs::read_dir(docs()).expect("docs/ can be listed").flatten() {
        let path = entry.path();
        if path.extension().is_none_or(|extension| extension != "md") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a document can be read");
        unused.retain(|name| !text.contains(&format!("<!-- generated: {name} -->")));
        let fresh = regenerate(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if fresh == text {
            continue;
        }
        if bless {
            std::fs::write(&path, fresh).expect("a document can be written");
        } else {
            stale.push(entry.file_name());
        }
    }
    assert!(stale.is_empty(), "{stale:?} differ from the registries; WIT_BLESS=1 rewrites them");
    assert!(unused.is_empty(), "no document shows {unused:?}");
}
