//! The file with the tokens of REST: names, roles and hashes. `harrier token` and `harrier serve` read and write it.
//!
//! A change reads the file, replaces it as a whole, and holds a lock on `FILE.lock` meanwhile, so that none of several
//! processes undoes the change of another one.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use web::{Access, Credential, Role, TokenBackend, TokenError, TokenHash, TokenInfo};

use crate::input::read_text;

/// Makes a token recognisable in logs and for scanners of secrets.
const PREFIX: &str = "hrr_";
/// Random bytes of a token.
const TOKEN_BYTES: usize = 32;
/// How long a change waits for those of other processes, which take milliseconds.
const LOCK_WAIT: Duration = Duration::from_secs(10);
/// Interval at which the lock is tried: the system has no wait with a limit.
const LOCK_INTERVAL: Duration = Duration::from_millis(5);
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

impl From<Role> for RoleName {
    fn from(role: Role) -> RoleName {
        match role {
            Role::Viewer => RoleName::Viewer,
            Role::Operator => RoleName::Operator,
            Role::Admin => RoleName::Admin,
        }
    }
}

/// The file of a running server, for REST.
pub(crate) struct ServedTokens {
    /// Locked during a change, so that the server accepts what the latest one has written.
    path: Mutex<PathBuf>,
    access: Arc<Access>,
    /// Returns the present time (RFC 3339).
    now: fn() -> String,
}

impl ServedTokens {
    pub(crate) fn new(path: PathBuf, access: Arc<Access>, now: fn() -> String) -> ServedTokens {
        ServedTokens { path: Mutex::new(path), access, now }
    }

    /// Uses this file from now on, and lets the server accept what is in it.
    ///
    /// # Errors
    /// As [`read`]. The file and the tokens stay then.
    pub(crate) fn use_file(&self, path: &Path) -> anyhow::Result<()> {
        // Read under the lock: a change by REST that is going on is in the file afterwards.
        let mut used = self.path.lock().unwrap_or_else(PoisonError::into_inner);
        self.access.replace(read(path)?.credentials());
        *used = path.to_path_buf();
        Ok(())
    }

    /// Changes the file, and lets the server accept what is in it.
    fn change<T>(
        &self,
        change: impl FnOnce(&mut TokenFile) -> Result<T, TokenError>,
    ) -> Result<T, TokenError> {
        let path = self.path.lock().unwrap_or_else(PoisonError::into_inner);
        let (changed, file) = update(&path, read, change)?;
        self.access.replace(file.credentials());
        Ok(changed)
    }
}

impl TokenBackend for ServedTokens {
    fn list(&self) -> Result<Vec<TokenInfo>, TokenError> {
        let path = self.path.lock().unwrap_or_else(PoisonError::into_inner);
        let tokens = read(&path).map_err(failed)?.tokens.into_iter();
        let info =
            |entry: Entry| TokenInfo { name: entry.name, role: entry.role.into(), created: entry.created };
        Ok(tokens.map(info).collect())
    }

    fn create(&self, name: &str, role: Role) -> Result<(TokenInfo, String), TokenError> {
        self.change(|file| {
            let created = (self.now)();
            let secret = file.add(name, role.into(), created.clone())?;
            Ok((TokenInfo { name: name.into(), role, created }, secret))
        })
    }

    fn revoke(&self, name: &str) -> Result<(), TokenError> {
        self.change(|file| {
            let is_admin = |entry: &&Entry| entry.role == RoleName::Admin;
            let is_own = |entry: &Entry| entry.name == name && entry.role == RoleName::Admin;
            if file.tokens.iter().any(is_own) && file.tokens.iter().filter(is_admin).count() == 1 {
                return Err(TokenError::LastAdmin(name.into()));
            }
            file.remove(name)
        })
    }
}

#[expect(clippy::needless_pass_by_value, reason = "the signature that `map_err` needs")]
fn failed(error: anyhow::Error) -> TokenError {
    TokenError::Failed(format!("{error:#}"))
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
    Ok(read(path)?.credentials())
}

/// Adds a token to a file, which is created if there is none. Returns the token; the file has only its hash.
///
/// # Errors
/// The name is taken, or the file cannot be read or written.
pub(crate) fn create(path: &Path, name: &str, role: RoleName, created: String) -> anyhow::Result<String> {
    let read_or_new = |path: &Path| if path.exists() { read(path) } else { Ok(TokenFile::default()) };
    let added = update(path, read_or_new, |file| file.add(name, role, created));
    let (token, _) = added.with_context(|| format!("{}: no token is created", path.display()))?;
    Ok(token)
}

/// Removes a token.
///
/// # Errors
/// There is no such token, or the file cannot be read or written.
pub(crate) fn revoke(path: &Path, name: &str) -> anyhow::Result<()> {
    let removed = update(path, read, |file| file.remove(name));
    removed.map(drop).with_context(|| format!("{}: no token is revoked", path.display()))
}

impl TokenFile {
    /// Returns what the server accepts.
    fn credentials(&self) -> Vec<Credential> {
        let accepted = self.tokens.iter().filter_map(|entry| {
            let hash = TokenHash::from_hex(&entry.sha256)?;
            Some(Credential { name: entry.name.clone(), role: entry.role.into(), hash })
        });
        accepted.collect()
    }

    /// Adds a token and returns it.
    fn add(&mut self, name: &str, role: RoleName, created: String) -> Result<String, TokenError> {
        if self.tokens.iter().any(|entry| entry.name == name) {
            return Err(TokenError::Exists(name.into()));
        }
        let mut random = [0; TOKEN_BYTES];
        let filled = getrandom::fill(&mut random);
        filled.map_err(|error| TokenError::Failed(format!("the system has no random numbers: {error}")))?;
        let digits: String = random.iter().map(|byte| format!("{byte:02x}")).collect();
        let token = format!("{PREFIX}{digits}");
        let sha256 = TokenHash::of(&token).to_hex();
        self.tokens.push(Entry { name: name.to_owned(), role, sha256, created });
        Ok(token)
    }

    fn remove(&mut self, name: &str) -> Result<(), TokenError> {
        let before = self.tokens.len();
        self.tokens.retain(|entry| entry.name != name);
        if self.tokens.len() == before { Err(TokenError::Unknown(name.into())) } else { Ok(()) }
    }
}

/// Changes a file under its lock. Returns what `change` returns, and the file as it is now.
fn update<T>(
    path: &Path,
    read: impl FnOnce(&Path) -> anyhow::Result<TokenFile>,
    change: impl FnOnce(&mut TokenFile) -> Result<T, TokenError>,
) -> Result<(T, TokenFile), TokenError> {
    let _lock = lock(path).map_err(failed)?;
    // After the lock is taken: the file has the changes of all others.
    let mut file = read(path).map_err(failed)?;
    let changed = change(&mut file)?;
    write(path, &file).map_err(failed)?;
    Ok((changed, file))
}

/// Locks the file against other processes, until the lock is dropped. The lock is on a file of its own, because the file of
/// the tokens is replaced; that one stays, because its removal could remove the lock of another process.
#[expect(clippy::disallowed_methods, reason = "waits for another process")]
fn lock(path: &Path) -> anyhow::Result<File> {
    let name = beside(path, ".lock")?;
    let opened = OpenOptions::new().create(true).truncate(false).write(true).mode(0o600).open(&name);
    let file = opened.with_context(|| format!("cannot lock {}", name.display()))?;
    let until = Instant::now() + LOCK_WAIT;
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::WouldBlock) if Instant::now() < until => std::thread::sleep(LOCK_INTERVAL),
            Err(TryLockError::WouldBlock) => {
                bail!("another process has {} locked for {} s", name.display(), LOCK_WAIT.as_secs())
            }
            Err(TryLockError::Error(error)) => {
                return Err(error).with_context(|| format!("cannot lock {}", name.display()));
            }
        }
    }
}

/// Returns the path of a companion of a file.
fn beside(path: &Path, suffix: &str) -> anyhow::Result<PathBuf> {
    let mut name = path.file_name().context("the file has no name")?.to_os_string();
    name.push(suffix);
    Ok(path.with_file_name(name))
}

/// Replaces the file as a whole: a reader finds the old or the new one.
fn write(path: &Path, file: &TokenFile) -> anyhow::Result<()> {
    let text = toml::to_string(file).context("the tokens cannot be written as TOML")?;
    let new = beside(path, ".new")?;
    let written = || -> std::io::Result<()> {
        let mut options = OpenOptions::new();
        let mut out = options.write(true).create(true).truncate(true).mode(0o600).open(&new)?;
        out.write_all(HEADER.as_bytes())?;
        out.write_all(text.as_bytes())?;
        out.sync_all()?;
        std::fs::rename(&new, path)
    };
    written().with_context(|| format!("cannot write {}", path.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_served_file_is_listed_changed_and_keeps_its_last_admin() {
        let path = std::env::temp_dir().join(format!("harrier-tokens-{}.toml", std::process::id()));
        // Best effort: what an earlier run has left.
        let _ = std::fs::remove_file(&path);
        create(&path, "root", RoleName::Admin, "then".into()).unwrap();
        let access = Arc::new(Access::tokens(credentials(&path).unwrap()));
        let tokens = ServedTokens::new(path.clone(), access, || "now".into());

        assert_eq!(tokens.revoke("root"), Err(TokenError::LastAdmin("root".into())));
        let (eve, secret) = tokens.create("eve", Role::Operator).unwrap();
        assert_eq!((eve.created.as_str(), secret.len()), ("now", PREFIX.len() + 2 * TOKEN_BYTES));
        assert_eq!(tokens.create("eve", Role::Viewer), Err(TokenError::Exists("eve".into())));
        let names = |tokens: &ServedTokens| -> Vec<String> {
            tokens.list().unwrap().into_iter().map(|token| token.name).collect()
        };
        assert_eq!(names(&tokens), ["root", "eve"]);
        assert!(!std::fs::read_to_string(&path).unwrap().contains(&secret), "the file has only the hash");
        assert_eq!(credentials(&path).unwrap()[1].hash, TokenHash::of(&secret));

        tokens.create("admin", Role::Admin).unwrap();
        tokens.revoke("root").unwrap();
        assert_eq!(tokens.revoke("bob"), Err(TokenError::Unknown("bob".into())));
        assert_eq!(names(&tokens), ["eve", "admin"]);
        std::fs::remove_file(&path).unwrap();
        assert!(matches!(tokens.list(), Err(TokenError::Failed(_))));
    }
}
