#!/usr/bin/env python3
"""Runs a command in the file system of the container image, without a container engine.

    scripts/in-image.py --binary HARRIER [--bind HOST:INSIDE]... [--workdir DIR] [--no-entrypoint] [--] COMMAND...

Applies the last stage of deploy/container/Containerfile (COPY, RUN, USER, WORKDIR, ENTRYPOINT, CMD) to a root folder
whose programs and libraries are those of this machine instead of the base image's, and runs the command there as the
image's user. Needs root, because it mounts and changes the root folder; it runs in a mount namespace of its own.
"""

import argparse
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
CONTAINERFILE = REPOSITORY / "deploy/container/Containerfile"
IN_NAMESPACE = "HARRIER_IN_NAMESPACE"


def last_stage():
    """The instructions of the last stage as (name, arguments)."""
    lines = [line for line in CONTAINERFILE.read_text().splitlines() if not line.startswith("#")]
    text = "\n".join(lines).replace("\\\n", " ")
    instructions = [line.strip().split(None, 1) for line in text.splitlines() if line.strip()]
    last = max(at for at, (name, _) in enumerate(instructions) if name == "FROM")
    return instructions[last + 1 :]


def mount(source, target):
    if pathlib.Path(source).is_dir():
        target.mkdir(parents=True, exist_ok=True)
    else:
        target.parent.mkdir(parents=True, exist_ok=True)
        target.touch()
    subprocess.run(["mount", "--bind", source, target], check=True)


def base(root):
    """A root folder with this machine's programs and an empty /usr/local."""
    for part in sorted(os.listdir("/usr")):
        if part != "local" and pathlib.Path("/usr", part).is_dir():
            mount(f"/usr/{part}", root / "usr" / part)
    for name in ["bin", "sbin", "lib", "lib32", "lib64"]:
        if pathlib.Path("/usr", name).is_dir():
            (root / name).symlink_to(f"usr/{name}")
    for folder in ["usr/local/bin", "etc", "var/lib", "dev"]:
        (root / folder).mkdir(parents=True, exist_ok=True)
    (root / "tmp").mkdir(mode=0o777)
    (root / "tmp").chmod(0o1777)
    mount("/dev/null", root / "dev/null")
    for name in ["ld.so.cache", "login.defs", "nsswitch.conf"]:
        if pathlib.Path("/etc", name).is_file():
            shutil.copy(f"/etc/{name}", root / "etc" / name)
    (root / "etc/passwd").write_text("root:x:0:0:root:/root:/bin/sh\n")
    (root / "etc/group").write_text("root:x:0:\n")
    (root / "etc/shadow").write_text("root:*:19000:0:99999:7:::\n")


def build(root, binary):
    """Applies the last stage; returns user, working folder, entry point and default arguments."""
    user, workdir, entrypoint, arguments = "0", "/", [], []
    for name, rest in last_stage():
        if name == "COPY":
            words = rest.split()
            from_stage = words[0].startswith("--from=")
            source, target = words[-2:]
            source = binary if from_stage else REPOSITORY / source
            path = root / target.lstrip("/")
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(source, path)
        elif name == "RUN":
            subprocess.run(["chroot", root, "/bin/sh", "-ec", rest], check=True, env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin"})
        elif name == "USER":
            user = rest
        elif name == "WORKDIR":
            workdir = rest
            (root / rest.lstrip("/")).mkdir(parents=True, exist_ok=True)
        elif name == "ENTRYPOINT":
            entrypoint = json.loads(rest)
        elif name == "CMD":
            arguments = json.loads(rest)
        else:
            sys.exit(f"in-image: the instruction {name} is not supported")
    return user, workdir, entrypoint, arguments


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--binary", required=True)
    parser.add_argument("--bind", action="append", default=[])
    parser.add_argument("--workdir")
    parser.add_argument("--no-entrypoint", action="store_true")
    parser.add_argument("command", nargs="*")
    options = parser.parse_args()
    if os.environ.get(IN_NAMESPACE) != "1":
        os.environ[IN_NAMESPACE] = "1"
        os.execvp("unshare", ["unshare", "--mount", "--propagation", "private", "--", sys.executable, *sys.argv])
    del os.environ[IN_NAMESPACE]
    # A file system of its own that ends with the namespace.
    root = pathlib.Path(tempfile.mkdtemp(prefix="harrier-image-"))
    try:
        subprocess.run(["mount", "-t", "tmpfs", "none", root], check=True)
        root.chmod(0o755)
        base(root)
        user, workdir, entrypoint, arguments = build(root, options.binary)
        for bind in options.bind:
            host, inside = bind.split(":")
            mount(host, root / inside.lstrip("/"))
        command = ([] if options.no_entrypoint else entrypoint) + (options.command or arguments)
        workdir = options.workdir or workdir
        home = next(line.split(":")[5] for line in (root / "etc/passwd").read_text().splitlines() if line.split(":")[2] == user)
        environment = os.environ | {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": home}

        def enter():
            os.chroot(root)
            os.chdir(workdir)
            os.setgroups([])
            os.setgid(int(user))
            os.setuid(int(user))
            os.umask(0o022)

        # The group of the user has the same number (useradd --system creates it).
        sys.exit(subprocess.run(command, env=environment, preexec_fn=enter).returncode)
    finally:
        subprocess.run(["umount", "--recursive", "--lazy", root], check=False)
        root.rmdir()


if __name__ == "__main__":
    main()
