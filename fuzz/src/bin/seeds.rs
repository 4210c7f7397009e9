//! Writes the seeds into `corpus/<target>/`, where cargo-fuzz looks for them: `cargo run --bin seeds`.

use std::path::Path;
use std::{fs, io};

use wit_fuzz::{seeds, snapshot};

fn main() -> io::Result<()> {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut all = seeds::all(&seeds::read(&here.join(".."))?);
    all.push(("snapshot", snapshot::seeds()));
    for (target, inputs) in all {
        let folder = here.join("corpus").join(target);
        fs::create_dir_all(&folder)?;
        for (index, seed) in inputs.iter().enumerate() {
            fs::write(folder.join(format!("seed-{index:04}")), seed)?;
        }
        eprintln!("{target}: {} seeds", inputs.len());
    }
    Ok(())
}
