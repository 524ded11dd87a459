#!/usr/bin/env python3
"""Installs, upgrades, removes and purges a package with dpkg, and checks what each step leaves.

    packages_install.py PACKAGE

The machine does not change: everything happens in a mount namespace, on an overlay over the root folder whose changes
are in memory. Needs root and overlayfs; without them it says SKIPPED on stderr and succeeds.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

IN_NAMESPACE = "HARRIER_IN_OVERLAY"
NAME = "harrier"
UNITS = ["harrier-agent", "harrier-controller", "harrier-serve", "harrier-switch@", "harrier-watch"]
UNIT_FOLDER = pathlib.Path("/usr/lib/systemd/system")
LINK = pathlib.Path("/etc/systemd/system/multi-user.target.wants/harrier-agent.service")
CHANGED = pathlib.Path("/etc/harrier/agent.toml")
# What an operator adds; a package must never remove it.
OWN = [
    pathlib.Path("/etc/harrier/topology.json"),
    pathlib.Path("/etc/harrier/switch-sw1.toml"),
    pathlib.Path("/etc/harrier/watch.environment"),
    pathlib.Path("/etc/harrier/tls/agent.key"),
    pathlib.Path("/var/lib/harrier-serve/harrier.db"),
]


def fail(message):
    sys.exit(f"packages: {message}")


def skip(why):
    print(f"packages: SKIPPED installing the package: {why}", file=sys.stderr)
    sys.exit(0)


def run(*command, expected=0):
    """Runs a command; returns its output."""
    ran = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False,
                         env={**os.environ, "DEBIAN_FRONTEND": "noninteractive", "LC_ALL": "C"})
    if ran.returncode != expected:
        fail(f"{' '.join(command)}: status {ran.returncode}, expected {expected}\n{ran.stdout}")
    return ran.stdout


def expect(is_true, message):
    if not is_true:
        fail(message)


def overlay(package, folder):
    """Mounts the overlay below `folder`; returns its root, with the package in it. Programs of systemd find one running."""
    run("mount", "-t", "tmpfs", "tmpfs", folder)
    upper, work, root = (pathlib.Path(folder, name) for name in ["upper", "work", "root"])
    for path in [upper, work, root]:
        path.mkdir()
    options = f"lowerdir=/,upperdir={upper},workdir={work}"
    mounted = subprocess.run(["mount", "-t", "overlay", "overlay", "-o", options, root], capture_output=True, text=True,
                             check=False)
    if mounted.returncode != 0:
        skip(f"no overlay over the root folder here ({mounted.stderr.strip()})")
    for name in ["proc", "dev"]:
        run("mount", "--rbind", f"/{name}", str(root / name))
    for name in ["run", "tmp"]:
        run("mount", "-t", "tmpfs", "tmpfs", str(root / name))
    (root / "run/systemd/system").mkdir(parents=True)
    shutil.copy(package, root / "tmp/harrier.deb")
    return root


def status():
    """The state of the package: wanted, error and present."""
    ran = subprocess.run(["dpkg-query", "--show", "--showformat", "${Status}", NAME], capture_output=True, text=True,
                         check=False)
    return ran.stdout or "unknown"


def install():
    # The triggers of other packages, e.g. of the index of manual pages, take longer than everything else.
    run("dpkg", "--no-triggers", "--install", "/tmp/harrier.deb")


def check_installed():
    expect(status() == "install ok installed", f"after the installation: {status()}")
    expect(run("dpkg", "--verify", NAME) == "", "installed files differ from those of the package")
    # The overlay's own path must not matter: the binary and the units are at their final places.
    version = run("dpkg-query", "--show", "--showformat", "${Version}", NAME).rsplit("-", 1)[0]
    expect(run("/usr/bin/harrier", "--version") == f"harrier {version}\n", "the version is not that of the package")
    files = sorted(str(path) for path in pathlib.Path("/etc/harrier").glob("*.toml"))
    run("/usr/bin/harrier", "config", "check", "--no-files", *files)
    mode = pathlib.Path("/etc/harrier/tls").stat().st_mode & 0o777
    expect(mode == 0o700, f"/etc/harrier/tls has the mode {mode:o}, expected 700")


def check_units():
    paths = [UNIT_FOLDER / f"{unit}.service" for unit in UNITS]
    for path in paths:
        expect(path.is_file(), f"there is no unit {path}")
    run("systemd-analyze", "verify", "--man=no", *(str(path).replace("@.service", "@sw1.service") for path in paths))
    units = [path.name for path in paths if "@" not in path.name]
    states = set(run("systemctl", "--root=/", "is-enabled", *units, expected=1).split())
    expect(states == {"disabled"}, f"after the installation, units are {', '.join(states)}, expected disabled")


def operate():
    """What an operator does to an installed package."""
    run("systemctl", "--root=/", "enable", "harrier-agent.service")
    expect(LINK.is_symlink(), f"enabling makes no link {LINK}")
    CHANGED.write_text(CHANGED.read_text(encoding="utf-8") + "# mine\n", encoding="utf-8")
    for path in OWN:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("mine\n", encoding="utf-8")


def check_own(when):
    for path in OWN:
        expect(path.is_file() and path.read_text(encoding="utf-8") == "mine\n", f"{when}, {path} is lost")


def check_upgrade():
    install()
    expect(CHANGED.read_text(encoding="utf-8").endswith("# mine\n"), f"an upgrade replaces the changed {CHANGED}")
    state = run("systemctl", "--root=/", "is-enabled", "harrier-agent.service").strip()
    expect(state == "enabled", f"after an upgrade, harrier-agent is {state}, expected enabled")
    check_own("after an upgrade")


def check_removed():
    run("dpkg", "--no-triggers", "--remove", NAME)
    expect(status() == "deinstall ok config-files", f"after the removal: {status()}")
    for path in [pathlib.Path("/usr/bin/harrier"), *(UNIT_FOLDER / f"{unit}.service" for unit in UNITS)]:
        expect(not path.exists(), f"after the removal, {path} is still there")
    expect(CHANGED.read_text(encoding="utf-8").endswith("# mine\n"), f"the removal takes the changed {CHANGED}")
    check_own("after the removal")


def check_purged():
    run("dpkg", "--no-triggers", "--purge", NAME)
    expect(status() in ("unknown", "unknown ok not-installed"), f"after the purge: {status()}")
    check_own("after the purge")
    left = {path for path in pathlib.Path("/etc/harrier").rglob("*") if path.is_file()}
    expect(left <= set(OWN), f"after the purge, these are still there: {', '.join(map(str, sorted(left - set(OWN))))}")
    links = [path for path in pathlib.Path("/etc/systemd/system").rglob("harrier*")]
    expect(not links, f"after the purge, these links are still there: {', '.join(map(str, links))}")


def inside(package):
    with tempfile.TemporaryDirectory() as folder:
        root = overlay(package, folder)
        child = os.fork()
        if child == 0:
            os.chroot(root)
            os.chdir("/")
            install()
            check_installed()
            check_units()
            operate()
            check_upgrade()
            check_removed()
            check_purged()
            sys.exit(0)
        code = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        run("umount", "--recursive", "--lazy", folder)
    sys.exit(code)


def main():
    package = pathlib.Path(sys.argv[1]).resolve()
    if IN_NAMESPACE in os.environ:
        inside(package)
    if os.geteuid() != 0:
        skip("needs root")
    for program in ["dpkg", "unshare", "deb-systemd-helper", "systemctl", "systemd-analyze", "systemd-tmpfiles"]:
        if shutil.which(program) is None:
            skip(f"there is no {program}")
    again = ["unshare", "--mount", "--propagation", "private"]
    if subprocess.run([*again, "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        skip("no mount namespaces here")
    ran = subprocess.run([*again, sys.executable, __file__, str(package)], env={**os.environ, IN_NAMESPACE: "1"},
                         check=False)
    if ran.returncode != 0:
        sys.exit(ran.returncode)
    print(f"packages: {package.name} installs, upgrades, and leaves what it should when it is removed and purged",
          file=sys.stderr)


main()
