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
    for (target, seeds) in wit_fuzz::seeds::all(&texts("to-parent")?, &texts("to-worker")?) {
        let folder = here.join("corpus").join(target);
        fs::create_dir_all(&folder)?;
        for (index, seed) in seeds.iter().enumerate() {
            fs::write(folder.join(format!("seed-{index:04}")), seed)?;
        }
        eprintln!("{target}: {} seeds", seeds.len());
    }
    Ok(())
}
