//! The log: stderr only, wit's own events only, never content or secrets (I7, I11).
//!
//! Libraries log what they handle (the MCP library every request with its arguments, HTTP clients their headers), so
//! their events are off at every level: `WIT_LOG=trace` shows more of wit, not of its users' data.

use std::panic::PanicHookInfo;

use tracing::level_filters::LevelFilter;
use tracing_subscriber::filter::Targets;
use tracing_subscriber::layer::SubscriberExt as _;
use tracing_subscriber::util::SubscriberInitExt as _;

use super::exit::Exit;
use super::{environment, output};

/// Starts the log at the level the environment names.
///
/// # Errors
/// When it names none there is.
pub(super) fn start() -> Result<(), Exit> {
    let level = match environment::log_level() {
        None => LevelFilter::WARN,
        Some(name) => name.trim().parse().map_err(|_| {
            Exit::Usage("WIT_LOG is not a level; accepted are off, error, warn, info, debug, trace".to_owned())
        })?,
    };
    if level != LevelFilter::OFF {
        let stderr = tracing_subscriber::fmt::layer().with_writer(std::io::stderr).with_ansi(false);
        let own = Targets::new().with_target("wit", level).with_target("wit_worker", level);
        tracing_subscriber::registry().with(stderr).with(own).init();
    }
    Ok(())
}

/// Makes a panic say where it happened and nothing else: its message could hold content.
pub(super) fn quiet_panics() {
    std::panic::set_hook(Box::new(|panic: &PanicHookInfo<'_>| {
        let place = panic.location().map_or_else(
            || "an unknown place".to_owned(),
            |location| {
                // The end of the path is enough to find it, and holds nothing of the machine that built it.
                let parts: Vec<&str> = location.file().rsplit(['/', '\\']).take(3).collect();
                let file = parts.into_iter().rev().collect::<Vec<_>>().join("/");
                format!("{file}:{}", location.line())
            },
        );
        output::stderr_line(&format!("wit: internal error at {place}; please report it"));
    }));
}
