//! Network namespaces for tests. A namespace belongs to a thread and disappears with it, so that nothing is left
//! behind, whatever a test does.

use std::io::Write as _;
use std::process::Command;

use nix::sched::{CloneFlags, unshare};

/// Moves the thread into a new network namespace. Reports and returns `false` if the machine does not permit it.
///
/// # Panics
/// It does not, and `HARRIER_REQUIRE_LAB=1` is set, as in CI.
pub(crate) fn enter_namespace() -> bool {
    match unshare(CloneFlags::CLONE_NEWNET) {
        Ok(()) => true,
        Err(error) => {
            let why = format!("a network namespace needs root or CAP_SYS_ADMIN: {error}");
            let is_required = std::env::var_os("HARRIER_REQUIRE_LAB").is_some_and(|value| value == "1");
            assert!(!is_required, "cannot run, and HARRIER_REQUIRE_LAB=1 is set: {why}");
            let thread = std::thread::current();
            // Not with a macro: the harness shows nothing that those print in a test that passes.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {}: {why}", thread.name().unwrap_or("?"));
            false
        }
    }
}

/// Runs `ip` in the thread's namespace.
pub(crate) fn ip(args: &str) {
    let output = Command::new("ip").args(args.split_whitespace()).output().expect("iproute2 is installed");
    assert!(output.status.success(), "ip {args}: {}", String::from_utf8_lossy(&output.stderr));
}

/// Creates a veth pair that the kernel itself sends nothing on.
pub(crate) fn veth(left: &str, right: &str, mtu: u32) {
    ip(&format!("link add {left} mtu {mtu} type veth peer name {right} mtu {mtu}"));
    for name in [left, right] {
        ip(&format!("link set {name} addrgenmode none"));
        ip(&format!("link set {name} up"));
    }
}
