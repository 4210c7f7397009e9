//! The GitHub App's arguments: all three or none, each from the command line or its variable.

use std::io::ErrorKind;
use std::path::PathBuf;

use clap::Args;

use super::exit::Exit;
use super::{environment, input};
use crate::github::{App, AppError};

/// Longest private key file that is read, in bytes: several times the longest key.
const KEY_BYTES: u64 = 64 << 10;

/// Who the operator is to GitHub, as an app's installation.
#[derive(Debug, Args)]
pub(super) struct AppArguments {
    /// A GitHub App, by number or client id; its installation's tokens take the place of GITHUB_TOKEN
    #[arg(long, value_name = "ID")]
    app_id: Option<String>,
    /// The app's installation, by number
    #[arg(long, value_name = "ID")]
    app_installation_id: Option<String>,
    /// The app's private key, in PEM
    #[arg(long, value_name = "PATH")]
    app_private_key_path: Option<PathBuf>,
}

impl AppArguments {
    /// The app, if there is one.
    ///
    /// # Errors
    /// When a part is missing or will not do. Nothing of the key is in the line.
    pub(super) fn read(&self) -> Result<Option<App>, Exit> {
        let id = self.app_id.clone().or_else(environment::app_id);
        let installation = self.app_installation_id.clone().or_else(environment::app_installation_id);
        let path = self.app_private_key_path.clone().or_else(environment::app_private_key_path);
        let (id, installation, path) = match (id, installation, path) {
            (None, None, None) => return Ok(None),
            (Some(id), Some(installation), Some(path)) => (id, installation, path),
            (id, installation, _) => {
                let missing = if id.is_none() {
                    "--app-id"
                } else if installation.is_none() {
                    "--app-installation-id"
                } else {
                    "--app-private-key-path"
                };
                return Err(Exit::Usage(format!(
                    "{missing} is missing: a GitHub App takes its id, installation and private key together"
                )));
            }
        };
        let pem = input::file(&path, KEY_BYTES).map_err(|error| {
            let what = match error.kind() {
                ErrorKind::NotFound => "there is no such file".to_owned(),
                ErrorKind::FileTooLarge => "is larger than any key".to_owned(),
                kind => format!("cannot be read: {kind}"),
            };
            Exit::Usage(format!("--app-private-key-path {}: {what}", path.display()))
        })?;
        App::new(&id, &installation, &pem).map(Some).map_err(|error| {
            let argument = match error {
                AppError::Id => "--app-id",
                AppError::Installation => "--app-installation-id",
                AppError::NotAKey | AppError::NotRsa => "--app-private-key-path",
            };
            Exit::Usage(format!("{argument}: {error}"))
        })
    }
}
