//! What the probes need around them: a copy of the program anyone can execute, a directory anyone can write to, a
//! set-user-id copy, a TCP listener and an abstract socket; and the ways to start a probe and to read its end.

use std::fs::{self, Permissions};
use std::net::TcpListener;
use std::os::linux::net::SocketAddrExt;
use std::os::unix::fs::PermissionsExt;
use std::os::unix::net::{SocketAddr, UnixListener};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Output, Stdio};
use std::sync::OnceLock;

use anyhow::Context as _;
use wit_worker::sandbox::Layer;

use super::{Context, End, Outcome};
use crate::binary;

/// Who starts the probes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Who {
    /// Root.
    Root,
    /// An unprivileged user: nobody when we are root, else ourselves.
    User,
}

impl Who {
    /// The word for it in names of trials.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::User => "user",
        }
    }
}

/// The user and group of nobody.
const NOBODY: u32 = 65_534;

/// Everything that the probes need around them, for as long as it lives.
#[derive(Debug)]
pub struct Stage {
    directory: tempfile::TempDir,
    program: PathBuf,
    port: u16,
    socket: String,
    is_root: bool,
    wit: OnceLock<Result<PathBuf, String>>,
    _listener: UnixListener,
}

impl Stage {
    /// Sets it for a probe program.
    ///
    /// # Errors
    /// When a file, directory or socket cannot be had.
    pub fn set(probe: &Path) -> anyhow::Result<Self> {
        let is_root = rustix::process::geteuid().is_root();
        let directory = tempfile::tempdir()?;
        let at = |name: &str| directory.path().join(name);
        fs::set_permissions(directory.path(), Permissions::from_mode(0o755))?;

        // The build directory may lie where another user cannot go.
        let program = at("probe");
        fs::copy(probe, &program).context("copy the probe program")?;
        fs::set_permissions(&program, Permissions::from_mode(0o755))?;
        if is_root {
            fs::copy(&program, at("setuid"))?;
            fs::set_permissions(at("setuid"), Permissions::from_mode(0o4755))?;
        }

        let open = at("open");
        fs::create_dir(&open)?;
        fs::set_permissions(&open, Permissions::from_mode(0o777))?;
        fs::write(open.join("leaked"), "leaked")?;
        fs::set_permissions(open.join("leaked"), Permissions::from_mode(0o666))?;

        let tcp = TcpListener::bind("127.0.0.1:0")?;
        let port = tcp.local_addr()?.port();
        // Hangs up at once: whoever asks for more than a connection need not wait out its patience.
        std::thread::spawn(move || tcp.incoming().for_each(drop));
        let socket = format!("wit-probe-{}", std::process::id());
        let unix = UnixListener::bind_addr(&SocketAddr::from_abstract_name(&socket)?)?;
        Ok(Self { port, directory, program, socket, is_root, wit: OnceLock::new(), _listener: unix })
    }

    /// As whom the probes are started: as root also as nobody, since the lockdown differs.
    #[must_use]
    pub fn identities(&self) -> Vec<Who> {
        if self.is_root { vec![Who::Root, Who::User] } else { vec![Who::User] }
    }

    /// The probe program.
    #[must_use]
    pub fn program(&self) -> &Path {
        &self.program
    }

    /// The real `wit`, where anyone can execute it. Built or found on first use.
    ///
    /// # Errors
    /// When it cannot be built or found.
    pub fn wit(&self) -> anyhow::Result<&Path> {
        let place = || -> anyhow::Result<PathBuf> {
            let place = self.directory.path().join("wit");
            fs::copy(binary::locate()?, &place)?;
            fs::set_permissions(&place, Permissions::from_mode(0o755))?;
            Ok(place)
        };
        match self.wit.get_or_init(|| place().map_err(|error| format!("{error:#}"))) {
            Ok(place) => Ok(place),
            Err(error) => anyhow::bail!("{error}"),
        }
    }

    /// Whether we are root.
    #[must_use]
    pub const fn is_root(&self) -> bool {
        self.is_root
    }

    /// What an attack is told, with some layers off.
    #[must_use]
    pub fn context(&self, without: &[Layer]) -> Context {
        let text = |path: &Path| path.to_string_lossy().into_owned();
        Context {
            program: text(&self.program),
            directory: text(&self.directory.path().join("open")),
            setuid: text(&self.directory.path().join("setuid")),
            socket: self.socket.clone(),
            port: self.port,
            without: without.to_vec(),
            // The probe asks the kernel.
            parent: 0,
        }
    }

    /// The probe program in a role, with an empty environment; as another user if need be.
    #[must_use]
    pub fn probe(&self, who: Who, role: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.arg(role);
        self.dress(&mut command, who);
        command
    }

    /// The probe program on a kernel that seems to lack something.
    #[must_use]
    pub fn denied_probe(&self, who: Who, denials: &str, role: &str) -> Command {
        let mut command = Command::new(&self.program);
        command.args(["deny", denials, "--"]).arg(&self.program).arg(role);
        self.dress(&mut command, who);
        command
    }

    fn dress(&self, command: &mut Command, who: Who) {
        command.env_clear().stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if self.is_root && who == Who::User {
            command.uid(NOBODY).gid(NOBODY);
        }
    }

    /// The real `wit`, with an empty environment; as another user if need be.
    ///
    /// # Errors
    /// As [`Self::wit`].
    pub fn wit_command(&self, who: Who) -> anyhow::Result<Command> {
        let mut command = Command::new(self.wit()?);
        self.dress(&mut command, who);
        Ok(command)
    }

    /// The real `wit` on a kernel that seems to lack something.
    ///
    /// # Errors
    /// As [`Self::wit`].
    pub fn denied_wit(&self, who: Who, denials: &str) -> anyhow::Result<Command> {
        let mut command = Command::new(&self.program);
        command.args(["deny", denials, "--"]).arg(self.wit()?);
        self.dress(&mut command, who);
        Ok(command)
    }

    /// A directory anyone can write to.
    #[must_use]
    pub fn writable(&self) -> PathBuf {
        self.directory.path().join("open")
    }

    /// The address of a server that takes connections and hangs up.
    #[must_use]
    pub fn url(&self) -> String {
        format!("http://127.0.0.1:{}", self.port)
    }

    /// Runs one attack to its end with some layers off.
    ///
    /// # Errors
    /// When the program cannot be started.
    pub fn attack(&self, who: Who, name: &str, without: &[Layer]) -> anyhow::Result<End> {
        let mut command = self.probe(who, "attack");
        command.arg(name).args(self.context(without).arguments());
        Ok(end(&command.output()?))
    }
}

/// How a probe process ended.
fn end(output: &Output) -> End {
    if let Some(signal) = output.status.signal() {
        return End::Killed(signal);
    }
    let said = String::from_utf8_lossy(&output.stdout);
    match said.trim_end().split_once(' ') {
        None if said == "succeeded\n" => End::Said(Outcome::Succeeded),
        Some(("refused", number)) => {
            number.parse().map_or(End::Silent(0), |number| End::Said(Outcome::Refused(number)))
        }
        _ => End::Silent(output.status.code().unwrap_or(-1)),
    }
}

/// How a process ended, in words.
#[must_use]
pub fn words(status: ExitStatus) -> String {
    status.to_string()
}
