//! Writes the seeds into `corpus/<target>/`, where cargo-fuzz looks for them: `cargo run --bin seeds`.

use std::path::Path;
use std::{fs, io};

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let texts = |folder: &str| -> io::Result<Vec<String>> {
        let folder = here.join("../adversarial-scripts/frames").join(folder);
        let mut paths: Vec<_> = fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<io::Result<_>>()?;
        paths.sort();
        paths.iter().map(fs::read_to_string).collect()
    };
    let mut scripts = Vec::new();
    for family in fs::read_dir(here.join("../adversarial-scripts"))?.flatten().map(|entry| entry.path()) {
        for path in fs::read_dir(&family).into_iter().flatten().flatten().map(|entry| entry.path()) {
            if path.extension().is_some_and(|extension| extension == "js") {
                scripts.push(path);
            }
        }
    }
    scripts.sort();
    let scripts = scripts.iter().map(fs::read_to_string).collect::<io::Result<Vec<_>>>()?;
    let mut all = wit_fuzz::seeds::all(&texts("to-parent")?, &texts("to-worker")?, &scripts);
    all.push(("snapshot", wit_fuzz::snapshot::seeds()));
    for (target, seeds) in all {
        let folder = here.join("corpus").join(target);
        fs::create_dir_all(&folder)?;
        for (index, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{index:04}")), seed)?;
        }
        eprintln!("{target}: {} seeds", seeds.len());
    }
    Ok(())
}
