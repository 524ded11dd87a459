"""Runs the daemons of an extracted package as their units start them, without systemd: the command line of the unit,
another user, the capabilities of the unit and no others, and a socket that receives the notifications.

    packages_units.py ROOT

Each daemon must report that it is ready, notify the watchdog, reload on SIGHUP, and stop with status 0 on SIGTERM.
Needs root, to change the user and to create a network namespace.
"""

import os
import pathlib
import re
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile

# No notification takes longer than this, even on a busy machine.
DEADLINE_S = 60
# The user of the daemons: `nobody`.
USER = "65534"

ROOT = pathlib.Path(sys.argv[1]).resolve()
# Interfaces in a namespace of the process; `h1` is a host's, `p1` and `p2` are ports of a switch.
SETUP = (
    "ip link set lo up; for pair in 1 2; do "
    "ip link add h$pair type veth peer name p$pair && ip link set h$pair up && ip link set p$pair up; done; "
    "ip address add 10.0.0.1/24 dev h1; "
)
TOPOLOGY = (ROOT / "../../../deploy/kubernetes/config/topology.json").resolve()
# What an operator changes in the shipped configuration.
CHANGES = {
    "serve": [("^# listen = .*", 'listen = "127.0.0.1:0"'), ("^# upload_listen = .*", 'upload_listen = "127.0.0.1:0"')],
    "controller": [('^switches = .*', 'switches = ["sw1=127.0.0.1:9559/1"]')],
    "agent": [('^interface = .*', 'interface = "h1"')],
    "watch": [('^switches = .*', 'switches = ["sonic://127.0.0.1:6380"]')],
    "switch-example": [("^# port = .*", 'port = ["1=p1@1G", "2=p2@1G"]')],
}


def fail(message):
    sys.exit(f"packages: {message}")


def settings(unit):
    """The settings of a unit's sections; of a repeated one the last."""
    pairs = re.findall(r"^(\w+)=(.*)$", unit.read_text(encoding="utf-8"), re.MULTILINE)
    return dict(pairs)


def configure(name, work):
    """Writes the shipped configuration with an operator's changes and state in the folder `work`."""
    text = (ROOT / f"etc/harrier/{name}.toml").read_text(encoding="utf-8")
    for pattern, line in CHANGES[name]:
        text, count = re.subn(pattern, line, text, flags=re.MULTILINE)
        if count != 1:
            fail(f"{name}.toml: {pattern} matches {count} lines, expected 1")
    state = settings(ROOT / "usr/lib/systemd/system" / unit_of(name)).get("StateDirectory")
    if state:
        if f"/var/lib/{state}/" not in text:
            fail(f"{name}.toml: nothing is in the unit's StateDirectory /var/lib/{state}")
        text = text.replace(f"/var/lib/{state}/", f"{work}/state/")
    (work / f"{name}.toml").write_text(text, encoding="utf-8")
    shutil.copy(TOPOLOGY, work / "topology.json")


def unit_of(name):
    return f"harrier-{name}.service" if "-" not in name else f"harrier-{name.split('-')[0]}@.service"


def command(name, work):
    """The unit's command line in a namespace of its own, with the unit's capabilities."""
    unit = settings(ROOT / "usr/lib/systemd/system" / unit_of(name))
    # What `systemctl reload` does; run() sends the same signal.
    if unit.get("ExecReload") != "/bin/kill -HUP $MAINPID":
        fail(f"{unit_of(name)}: ExecReload sends no SIGHUP")
    start = unit["ExecStart"].replace("%i", name.split("-")[-1])
    start = start.replace("/usr/bin/harrier", str(ROOT / "usr/bin/harrier")).replace("/etc/harrier", str(work))
    raw = [capability.removeprefix("CAP_").lower() for capability in unit["AmbientCapabilities"].split()]
    granted = ",".join(["-all", *(f"+{capability}" for capability in raw)])
    drop = f"setpriv --reuid {USER} --regid {USER} --clear-groups --no-new-privs --bounding-set={granted}"
    drop += f" --inh-caps={granted} --ambient-caps={granted}"
    return ["unshare", "--net", "sh", "-ec", f"{SETUP} export WATCHDOG_PID=$$; exec {drop} {shlex.join(shlex.split(start))}"]


class Notifications:
    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.settimeout(DEADLINE_S)
        os.chmod(path, 0o666)

    def until(self, name, wanted):
        """Receives until a line is `wanted`."""
        while True:
            try:
                lines = self.socket.recv(4096).decode().splitlines()
            except TimeoutError:
                fail(f"{name}: no {wanted} within {DEADLINE_S} s")
            if wanted in lines:
                return


def run(name):
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        work.chmod(0o755)
        (work / "state").mkdir()
        os.chown(work / "state", int(USER), int(USER))
        configure(name, work)
        notifications = Notifications(work / "notify")
        environment = {
            "PATH": os.environ["PATH"],
            "NOTIFY_SOCKET": str(work / "notify"),
            "WATCHDOG_USEC": "1000000",
        }
        daemon = subprocess.Popen(command(name, work), env=environment, stdout=subprocess.DEVNULL,
                                  stderr=subprocess.PIPE, text=True)
        try:
            notifications.until(name, "READY=1")
            notifications.until(name, "WATCHDOG=1")
            daemon.send_signal(signal.SIGHUP)
            notifications.until(name, "RELOADING=1")
            notifications.until(name, "READY=1")
            daemon.terminate()
            notifications.until(name, "STOPPING=1")
            status = daemon.wait(timeout=DEADLINE_S)
            if status != 0:
                fail(f"{name}: status {status} after SIGTERM, expected 0")
        finally:
            if daemon.poll() is None:
                daemon.kill()
            errors = daemon.communicate()[1]
            if sys.exc_info()[0]:
                print(errors, file=sys.stderr)


def main():
    if os.geteuid() != 0:
        print("packages: skipped running the units' daemons: needs root", file=sys.stderr)
        return
    if subprocess.run(["unshare", "--net", "true"], stderr=subprocess.DEVNULL, check=False).returncode != 0:
        print("packages: skipped running the units' daemons: no network namespaces here", file=sys.stderr)
        return
    for name in CHANGES:
        run(name)
    print(f"packages: {', '.join(CHANGES)} start, reload and stop as their units say", file=sys.stderr)


main()
