//! The documents say what the registries say: regenerated here, and compared.
//!
//! `WIT_BLESS=1 cargo test -p wit --test docs` rewrites what differs.

use std::path::PathBuf;

use wit::schema::markdown::{SECTIONS, regenerate};

/// Every document that may hold a generated part: `docs/*.md` and the README.
#[expect(clippy::expect_used, reason = "a test stops where its ground is missing")]
fn documents() -> Vec<PathBuf> {
    let root = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("..");
    let listed = std::fs::read_dir(root.join("docs")).expect("docs/ can be listed").flatten().map(|entry| entry.path());
    let markdown = listed.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    markdown.chain([root.join("README.md")]).collect()
}

#[test]
fn documents_are_what_the_registries_say() {
    let bless = std::env::var_os("WIT_BLESS").is_some();
    let mut unused: Vec<&str> = SECTIONS.iter().map(|(name, _)| *name).collect();
    let mut stale = Vec::new();
    for path in documents() {
        let text = std::fs::read_to_string(&path).expect("a document can be read");
        unused.retain(|name| !text.contains(&format!("<!-- generated: {name} -->")));
        let fresh = regenerate(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        if fresh == text {
            continue;
        }
        if bless {
            std::fs::write(&path, fresh).expect("a document can be written");
        } else {
            stale.push(path);
        }
    }
    assert!(stale.is_empty(), "{stale:?} differ from the registries; WIT_BLESS=1 rewrites them");
    assert!(unused.is_empty(), "no document shows {unused:?}");
}
