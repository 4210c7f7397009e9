//! The arguments, declared.

use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};

use super::app::AppArguments;
use super::{environment, units};
use crate::operations::{Caps, MAX_FILE_BYTES};
use crate::repository::{AllowPattern, GithubUrl, LocalMapping};

/// Lets AI agents read GitHub and local repositories over MCP.
#[derive(Debug, Parser)]
#[command(name = "wit", version, disable_help_subcommand = true, after_help = environment::help())]
pub(super) struct Cli {
    #[command(subcommand)]
    pub(super) command: Command,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Serve MCP on the standard streams
    Mcp(Mcp),
    /// Run one Code Mode script: value on stdout, error object on stderr
    #[command(after_help = "Exit status: 0 value printed, 1 script failed, 2 usage, 3 environment.")]
    Run(Run),
    /// Print the TypeScript declarations of codemode.wit
    Types,
    /// Prove that Code Mode can run here, and say what is missing otherwise
    #[command(after_help = "Exit status: 0 all required things hold, 3 one does not.")]
    Doctor(Doctor),
    /// Show what the cache holds, or prune it
    #[command(after_help = "Exit status: 0 done, 3 the cache cannot be used, or --verify found damage.")]
    Cache(Cache),
    /// Print every limit: default, effective value, maximum, enforcer, code
    Policy(Policy),
}

#[derive(Debug, Args)]
pub(super) struct Mcp {
    /// Seven typed tools, or one that runs scripts
    #[arg(long, value_enum, default_value = "direct")]
    pub(super) mode: Mode,
    /// How clients connect
    #[arg(long, value_enum, default_value = "stdio")]
    pub(super) transport: Transport,
    #[command(flatten)]
    pub(super) shared: Shared,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Mode {
    /// Seven typed tools
    Direct,
    /// One tool, `code`
    Code,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum Transport {
    /// The standard streams
    Stdio,
}

#[derive(Debug, Args)]
pub(super) struct Run {
    /// The script, or - for stdin
    #[arg(required_unless_present = "code", conflicts_with = "code")]
    pub(super) file: Option<PathBuf>,
    /// The script itself
    #[arg(short = 'e', long = "eval", value_name = "CODE")]
    pub(super) code: Option<String>,
    #[command(flatten)]
    pub(super) shared: Shared,
}

#[derive(Debug, Args)]
pub(super) struct Policy {
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
    /// The policy in force
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct Cache {
    #[command(subcommand)]
    pub(super) action: Option<CacheAction>,
    #[command(flatten)]
    pub(super) show: CacheShow,
    /// As JSON
    #[arg(long, global = true)]
    pub(super) json: bool,
    /// Where snapshots are kept
    #[arg(long, value_name = "DIR", global = true)]
    pub(super) cache_dir: Option<PathBuf>,
}

#[derive(Debug, Subcommand)]
pub(super) enum CacheAction {
    /// List the snapshots, the most recently used first (the default)
    Show(CacheShow),
    /// Remove snapshots, the least recently used first, and what killed servers left behind
    Prune(CachePrune),
}

#[derive(Debug, Args)]
pub(super) struct CacheShow {
    /// Check every byte against its checksum
    #[arg(long)]
    pub(super) verify: bool,
}

/// Damaged snapshots are removed in any case; what a running server is writing never is.
#[derive(Debug, Args)]
#[group(skip)]
#[command(group(ArgGroup::new("what").required(true).args(["max_bytes", "older_than", "all"])))]
pub(super) struct CachePrune {
    /// Until the rest takes no more than this
    #[arg(long, value_name = "SIZE", value_parser = units::size)]
    pub(super) max_bytes: Option<u64>,
    /// Those last used longer ago than this, such as 30d or 12h
    #[arg(long, value_name = "AGE", value_parser = units::age)]
    pub(super) older_than: Option<Duration>,
    /// All of them, and what is remembered about refs
    #[arg(long)]
    pub(super) all: bool,
    /// Only say what would be removed
    #[arg(long)]
    pub(super) dry_run: bool,
}

#[derive(Debug, Args)]
pub(super) struct Doctor {
    /// As JSON
    #[arg(long)]
    pub(super) json: bool,
    /// Where snapshots are kept
    #[arg(long, value_name = "DIR")]
    pub(super) cache_dir: Option<PathBuf>,
    /// The git server, for GitHub Enterprise
    #[arg(long, value_name = "URL")]
    pub(super) github_url: Option<GithubUrl>,
    #[command(flatten)]
    pub(super) app: AppArguments,
    /// The worker program, if not this one
    #[arg(long, value_name = "PATH")]
    pub(super) worker: Option<PathBuf>,
}

/// What every command that touches repositories takes.
#[derive(Debug, Args)]
pub(super) struct Shared {
    /// Read this repository on disk under that name (repeatable)
    #[arg(long, value_name = "OWNER/NAME=PATH")]
    pub(super) local: Vec<LocalMapping>,
    /// Allow only repositories that match, such as owner/* (repeatable); all if absent
    #[arg(long, value_name = "PATTERN")]
    pub(super) allow: Vec<AllowPattern>,
    /// Where snapshots are kept
    #[arg(long, value_name = "DIR")]
    pub(super) cache_dir: Option<PathBuf>,
    /// The git server, for GitHub Enterprise
    #[arg(long, value_name = "URL")]
    pub(super) github_url: Option<GithubUrl>,
    #[command(flatten)]
    pub(super) caps: CapArguments,
    #[command(flatten)]
    pub(super) app: AppArguments,
    /// Limits, as TOML; `wit policy` lists them
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
    /// The worker program, if not this one
    #[arg(long, value_name = "PATH")]
    pub(super) worker: Option<PathBuf>,
    /// Run scripts without a sandbox where none is built (not on Linux)
    #[arg(long)]
    pub(super) unsandboxed_worker: bool,
}

/// Sizes beyond which something is too large. The operator's: nothing a client or a script sends can move one (I12).
#[derive(Debug, Args)]
pub(super) struct CapArguments {
    /// Size of the cache, beyond which the least recently used snapshots go [default: 8GiB]
    #[arg(long, value_name = "SIZE", value_parser = units::some_size)]
    cache_bytes: Option<u64>,
    /// Most bytes of one commit's files [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = units::some_size)]
    max_repository_bytes: Option<u64>,
    /// Most files of one commit [default: 1000000]
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u64).range(1..))]
    max_repository_files: Option<u64>,
    /// Largest file that is stored; larger ones are listed only; at most 1GiB [default: 16MiB]
    #[arg(long, value_name = "SIZE", value_parser = file_size)]
    max_file_bytes: Option<u64>,
}

fn file_size(text: &str) -> Result<u64, String> {
    let bytes = units::size(text)?;
    if bytes > MAX_FILE_BYTES { Err("expected at most 1GiB".to_owned()) } else { Ok(bytes) }
}

impl From<&CapArguments> for Caps {
    fn from(arguments: &CapArguments) -> Self {
        let default = Self::default();
        Self {
            file_bytes: arguments.max_file_bytes.unwrap_or(default.file_bytes),
            repository_bytes: arguments.max_repository_bytes.unwrap_or(default.repository_bytes),
            repository_files: arguments.max_repository_files.unwrap_or(default.repository_files),
            cache_bytes: arguments.cache_bytes.unwrap_or(default.cache_bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory as _, Parser as _};

    use super::*;

    fn shared(arguments: &[&str]) -> Result<Shared, clap::Error> {
        let cli = Cli::try_parse_from([&["wit", "mcp"], arguments].concat())?;
        match cli.command {
            Command::Mcp(mcp) => Ok(mcp.shared),
            other => panic!("not mcp: {other:?}"),
        }
    }

    #[test]
    fn caps_are_what_the_operator_says() {
        let caps = |arguments: &[&str]| Caps::from(&shared(arguments).expect("arguments").caps);
        assert_eq!(caps(&[]), Caps::default());
        let given =
            ["--cache-bytes", "1MiB", "--max-repository-bytes=2", "--max-repository-files=3", "--max-file-bytes", "0"];
        let expected = Caps { cache_bytes: 1 << 20, repository_bytes: 2, repository_files: 3, file_bytes: 0 };
        assert_eq!(caps(&given), expected);
        for bad in ["--cache-bytes=0", "--max-repository-files=0", "--max-file-bytes=2GiB", "--cache-bytes=many"] {
            assert!(shared(&[bad]).is_err(), "{bad}");
        }
    }

    /// The help names the defaults in words, since the numbers are too long to read.
    #[test]
    fn the_help_tells_the_true_defaults() {
        let help = Cli::command().find_subcommand_mut("mcp").expect("mcp").render_long_help().to_string();
        for (flag, default) in [
            ("--cache-bytes", Caps::default().cache_bytes),
            ("--max-repository-bytes", Caps::default().repository_bytes),
            ("--max-repository-files", Caps::default().repository_files),
            ("--max-file-bytes", Caps::default().file_bytes),
        ] {
            let about = help.split(flag).nth(1).expect(flag);
            let text = about.split("[default: ").nth(1).and_then(|rest| rest.split(']').next()).expect(flag);
            assert_eq!(units::size(text), Ok(default), "{flag}");
        }
    }

    #[test]
    fn pruning_needs_exactly_one_measure() {
        let parse = |arguments: &[&str]| Cli::try_parse_from([&["wit", "cache", "prune"], arguments].concat());
        for good in [&["--all"][..], &["--max-bytes", "0"], &["--older-than=30d", "--dry-run"]] {
            assert!(parse(good).is_ok(), "{good:?}");
        }
        for bad in [&[][..], &["--all", "--max-bytes=1"], &["--older-than=30"], &["--dry-run"]] {
            assert!(parse(bad).is_err(), "{bad:?}");
        }
    }
}
