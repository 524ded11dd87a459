//! Network namespaces: created, entered and removed as `ip netns` does, so that `ip netns exec hl0-h1 tcpdump -i eth0`
//! works.
//!
//! A namespace belongs to a thread, so that work in another namespace runs on a thread of its own that ends afterwards.

use std::fs::File;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::thread;

use anyhow::{Context, bail};
use nix::mount::{MntFlags, MsFlags, mount, umount2};
use nix::sched::{CloneFlags, setns, unshare};

/// Where named namespaces are mounted.
const DIRECTORY: &str = "/run/netns";
/// Switches IPv6 off in a new namespace, so that router solicitations and MLD reports are not part of the traffic.
const IPV6_OFF: [&str; 2] =
    ["/proc/sys/net/ipv6/conf/all/disable_ipv6", "/proc/sys/net/ipv6/conf/default/disable_ipv6"];

/// The file of a named namespace.
pub(super) fn path(name: &str) -> PathBuf {
    Path::new(DIRECTORY).join(name)
}

/// Opens a namespace, to move interfaces to it.
pub(super) fn open(name: &str) -> anyhow::Result<File> {
    File::open(path(name)).with_context(|| format!("cannot open the network namespace {name}"))
}

/// Creates a namespace with this name. Its loopback interface is down.
pub(super) fn create(name: &str) -> anyhow::Result<()> {
    prepare_directory()?;
    let path = path(name);
    File::create_new(&path).with_context(|| format!("cannot create {}", path.display()))?;
    let created = on_thread(|| {
        unshare(CloneFlags::CLONE_NEWNET)?;
        let none: Option<&str> = None;
        mount(Some("/proc/thread-self/ns/net"), &path, none, MsFlags::MS_BIND, none)?;
        for file in IPV6_OFF {
            // Kernels without IPv6 have no such file.
            let _ = std::fs::write(file, "1");
        }
        Ok(())
    });
    if created.is_err() {
        // The error above is what matters; an empty file must not stay behind.
        let _ = std::fs::remove_file(&path);
    }
    created.with_context(|| format!("cannot create the network namespace {name} ({NEEDS})"))
}

/// What the lab needs from its user.
pub(super) const NEEDS: &str = "harrier lab needs CAP_SYS_ADMIN and CAP_NET_ADMIN: run it as root";

/// Removes a namespace. Its interfaces, and the other ends of their veth pairs, vanish with its last process.
pub(super) fn remove(name: &str) -> anyhow::Result<bool> {
    let path = path(name);
    match umount2(&path, MntFlags::MNT_DETACH) {
        // EINVAL: a crash left the file without a mount.
        Ok(()) | Err(nix::errno::Errno::EINVAL) => {}
        Err(nix::errno::Errno::ENOENT) => return Ok(false),
        Err(error) => bail!("cannot unmount {}: {error}", path.display()),
    }
    match std::fs::remove_file(&path) {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error).with_context(|| format!("cannot remove {}", path.display())),
    }
}

/// The namespaces whose names begin with `prefix`.
pub(super) fn with_prefix(prefix: &str) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(DIRECTORY) else { return Vec::new() };
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|name| name.starts_with(prefix)).collect();
    names.sort();
    names
}

/// Runs `f` in a namespace. Processes that it starts stay there.
pub(super) fn enter<T: Send>(name: &str, f: impl FnOnce() -> anyhow::Result<T> + Send) -> anyhow::Result<T> {
    let namespace = open(name)?;
    on_thread(move || {
        setns(&namespace, CloneFlags::CLONE_NEWNET)
            .with_context(|| format!("cannot enter the network namespace {name} ({NEEDS})"))?;
        f()
    })
}

/// Runs `f` on a thread of its own.
fn on_thread<T: Send>(f: impl FnOnce() -> anyhow::Result<T> + Send) -> anyhow::Result<T> {
    thread::scope(|scope| match scope.spawn(f).join() {
        Ok(result) => result,
        Err(_) => bail!("a thread of the lab panicked"),
    })
}

/// Mounts on [`DIRECTORY`] reach other mount namespaces and are removed from them, as with `ip netns add`.
fn prepare_directory() -> anyhow::Result<()> {
    let directory = Path::new(DIRECTORY);
    std::fs::create_dir_all(directory).with_context(|| format!("cannot create {DIRECTORY} ({NEEDS})"))?;
    let none: Option<&str> = None;
    let share = || mount(none, directory, none, MsFlags::MS_SHARED | MsFlags::MS_REC, none);
    match share() {
        Ok(()) => Ok(()),
        // The directory is not a mount point yet.
        Err(nix::errno::Errno::EINVAL) => {
            mount(Some(directory), directory, none, MsFlags::MS_BIND | MsFlags::MS_REC, none)
                .and_then(|()| share())
                .with_context(|| format!("cannot mount {DIRECTORY} ({NEEDS})"))
        }
        Err(error) => bail!("cannot share {DIRECTORY}: {error} ({NEEDS})"),
    }
}
