//! The worker as a program of its own: nothing of the server is in it, so it starts with few pages to map and few
//! relocations to apply. `server/build.rs` builds it as a static, position-independent image that `wit` carries.

use std::process::ExitCode;

fn main() -> ExitCode {
    wit_worker::run()
}
