//! The file with the tokens of REST: names, roles and hashes. `harrier token` writes it, `harrier serve` reads it.

use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use web::{Credential, Role, TokenHash};

use crate::input::read_text;

/// Makes a token recognisable in logs and for scanners of secrets.
const PREFIX: &str = "hrr_";
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
const HEADER: &str =
    "# Tokens of Harrier's REST interface, written by `harrier token`. Only hashes are stored.\n\n";

/// The file.
#[derive(Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct TokenFile {
    #[serde(default, rename = "token")]
    pub(crate) tokens: Vec<Entry>,
}

/// A token.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Entry {
    /// Whose it is.
    pub(crate) name: String,
    /// What its owner may do.
    pub(crate) role: RoleName,
    /// SHA-256 of the token, in hexadecimal.
    pub(crate) sha256: String,
    /// When it was created (RFC 3339).
    pub(crate) created: String,
}

/// [`Role`] as an argument and in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, clap::ValueEnum)]
#[serde(rename_all = "snake_case")]
pub(crate) enum RoleName {
    /// Reads everything
    Viewer,
    /// Also asks about flows, which freezes telemetry on switches
    Operator,
    /// Everything
    Admin,
}

impl From<RoleName> for Role {
    fn from(name: RoleName) -> Role {
        match name {
            RoleName::Viewer => Role::Viewer,
            RoleName::Operator => Role::Operator,
            RoleName::Admin => Role::Admin,
        }
    }
}

/// Reads a file of tokens.
///
/// # Errors
/// It cannot be read, or is not a file of tokens: what is wrong and where.
pub(crate) fn read(path: &Path) -> anyhow::Result<TokenFile> {
    let text = read_text(path)?;
    let file: TokenFile =
        toml::from_str(&text).with_context(|| format!("{}: not a list of tokens", path.display()))?;
    for entry in &file.tokens {
        if TokenHash::from_hex(&entry.sha256).is_none() {
            bail!("{}: sha256 of `{}` is not 64 hexadecimal digits", path.display(), entry.name);
        }
    }
    Ok(file)
}

/// Returns what the server accepts.
///
/// # Errors
/// As [`read`].
pub(crate) fn credentials(path: &Path) -> anyhow::Result<Vec<Credential>> {
    let accepted = read(path)?.tokens.into_iter().filter_map(|entry| {
        let hash = TokenHash::from_hex(&entry.sha256)?;
        Some(Credential { name: entry.name, role: entry.role.into(), hash })
    });
    Ok(accepted.collect())
}

/// Adds a token to a file, which is created if there is none. Returns the token; the file has only its hash.
///
/// # Errors
/// The name is taken, or the file cannot be read or written.
pub(crate) fn create(path: &Path, name: &str, role: RoleName, created: String) -> anyhow::Result<String> {
    let mut file = if path.exists() { read(path)? } else { TokenFile::default() };
    if file.tokens.iter().any(|entry| entry.name == name) {
        bail!("{} has a token of `{name}` already; revoke it or choose another name", path.display());
    }
    let mut random = [0; TOKEN_BYTES];
    getrandom::fill(&mut random).context("the system has no random numbers")?;
    let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
    let token = format!("{PREFIX}{digits}");
    let sha256 = TokenHash::of(&token).to_hex();
    file.tokens.push(Entry { name: name.to_owned(), role, sha256, created });
    write(path, &file)?;
    Ok(token)
}

/// Removes a token.
///
/// # Errors
/// There is no such token, or the file cannot be read or written.
pub(crate) fn revoke(path: &Path, name: &str) -> anyhow::Result<()> {
    let mut file = read(path)?;
    let before = file.tokens.len();
    file.tokens.retain(|entry| entry.name != name);
    if file.tokens.len() == before {
        bail!("{} has no token of `{name}`", path.display());
    }
    write(path, &file)
}

/// Replaces the file as a whole: a reader finds the old or the new one.
fn write(path: &Path, file: &TokenFile) -> anyhow::Result<()> {
    let text = toml::to_string(file).context("the tokens cannot be written as TOML")?;
    let mut name = path.file_name().context("the file has no name")?.to_os_string();
    name.push(".new");
    let new = path.with_file_name(name);
    let written = || -> std::io::Result<()> {
        let mut options = std::fs::OpenOptions::new();
        let mut out = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        out.write_all(HEADER.as_bytes())?;
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        std::fs::rename(&new, path)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}
