//! The arguments, declared.

use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};

use super::app::AppArguments;
use super::environment;
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
    pub(super) app: AppArguments,
    /// Limits, as TOML; `wit policy` lists them
    #[arg(long, value_name = "FILE")]
    pub(super) policy: Option<PathBuf>,
    /// The worker program, if not this one
    #[arg(long, value_name = "PATH")]
    pub(super) worker: Option<PathBuf>,
    /// For platforms whose lockdown is not built yet; has no effect so far
    #[arg(long)]
    pub(super) unsandboxed_worker: bool,
}
