//! Replays the seeds and findings of the fuzz targets on a stable toolchain, through the targets' own functions.
#![allow(
    clippy::expect_used,
    unreachable_pub,
    reason = "the functions are those of the fuzz crate, where a panic is the finding"
)]

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../../fuzz/src/corpus.rs"]
mod corpus;
#[path = "../../fuzz/src/front_end.rs"]
mod front_end;
#[path = "../../fuzz/src/protocol.rs"]
mod protocol;
#[path = "../../fuzz/src/seeds.rs"]
mod seeds;

type Target = (&'static str, fn(&[u8]));

const TARGETS: &[Target] = &[
    ("from_worker", protocol::from_worker),
    ("to_worker", protocol::to_worker),
    ("decoder", protocol::decoder),
    ("strict_json", protocol::strict_json),
    ("frames_text", corpus::frames_text),
    ("front_end", front_end::front_end),
];

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

#[test]
fn every_seed_passes() -> std::io::Result<()> {
    let texts = seeds::read(&root())?;
    assert!(texts.scripts.len() >= 300, "{} scripts", texts.scripts.len());
    let all = seeds::all(&texts);
    for (name, target) in TARGETS {
        let (_, seeds) = all.iter().find(|(other, _)| other == name).expect("every target has seeds");
        assert!(seeds.len() >= 40, "{name} has {} seeds", seeds.len());
        for seed in seeds {
            target(seed);
            // And every way to cut it short, for the small ones.
            if seed.len() <= 300 {
                for end in 0..seed.len() {
                    target(&seed[..end]);
                }
            }
        }
    }
    Ok(())
}

#[test]
fn every_finding_passes() -> std::io::Result<()> {
    for (name, target) in TARGETS {
        let Ok(findings) = fs::read_dir(root().join("fuzz/findings").join(name)) else { continue };
        for finding in findings {
            target(&fs::read(finding?.path())?);
        }
    }
    Ok(())
}

#[test]
fn every_target_is_named_in_the_manifest() -> std::io::Result<()> {
    let manifest = fs::read_to_string(root().join("fuzz/Cargo.toml"))?;
    for (name, _) in seeds::all(&seeds::Texts::default()) {
        assert!(manifest.contains(&format!("path = \"fuzz_targets/{name}.rs\"")), "{name}");
        assert!(root().join(format!("fuzz/fuzz_targets/{name}.rs")).is_file(), "{name}");
    }
    assert!(manifest.contains("path = \"fuzz_targets/snapshot.rs\""), "its seeds are made with the server");
    Ok(())
}
