"""Checks the manifests of deploy/kubernetes without a cluster: against the schemas of Kubernetes, and that every
container has what a deployment needs.

    packages_kubernetes.py FOLDER
"""

import json
import pathlib
import re
import sys

import kubernetes_validate
import yaml

# The oldest version of Kubernetes whose schemas the manifests must satisfy, and the newest one that the library has.
VERSIONS = ["1.29", kubernetes_validate.latest_version()]
# The capabilities that a container may have, by its name.
CAPABILITIES = {"agent": ["NET_RAW"]}

folder = pathlib.Path(sys.argv[1])
problems = []


def require(condition, where, what):
    if not condition:
        problems.append(f"{where}: {what}")


def check_container(where, spec, container):
    security = {**spec.get("securityContext", {}), **container.get("securityContext", {})}
    for probe in ("livenessProbe", "readinessProbe"):
        get = container.get(probe, {}).get("httpGet", {})
        require(get.get("path") in ("/healthz", "/readyz"), where, f"{probe} does not query /healthz or /readyz")
        require(get.get("scheme") == "HTTPS", where, f"{probe} must use HTTPS, because the daemon has certificates")
        ports = [port["name"] for port in container.get("ports", [])]
        require(get.get("port") in ports, where, f"{probe} refers to a port that the container does not have")
    for kind in ("requests", "limits"):
        have = container.get("resources", {}).get(kind, {})
        require({"cpu", "memory"} <= have.keys(), where, f"resources.{kind} lacks cpu or memory")
    allowed = CAPABILITIES.get(container["name"], [])
    capabilities = security.get("capabilities", {})
    require(capabilities.get("drop") == ["ALL"], where, "does not drop all capabilities")
    require(capabilities.get("add", []) == allowed, where, f"adds {capabilities.get('add')}, expected {allowed}")
    is_other_user = security.get("runAsNonRoot") is True and security.get("runAsUser", 0) > 0
    require(is_other_user or allowed, where, "runs as root without a reason")
    require(security.get("allowPrivilegeEscalation") is False, where, "can gain privileges")
    require(security.get("readOnlyRootFilesystem") is True, where, "can write to its image")
    require(security.get("seccompProfile", {}).get("type") == "RuntimeDefault", where, "has no seccomp profile")
    require("privileged" not in security, where, "is privileged")


def check_mounts(where, manifest, spec, container, files):
    claims = [claim["metadata"]["name"] for claim in manifest["spec"].get("volumeClaimTemplates", [])]
    volumes = {volume["name"]: volume for volume in spec.get("volumes", [])}
    mounts = {mount["name"]: mount["mountPath"] for mount in container.get("volumeMounts", [])}
    for name in mounts:
        require(name in volumes or name in claims, where, f"the volume `{name}` does not exist")
    arguments = container["args"]
    path = arguments[arguments.index("--config") + 1]
    config = volumes["config"]["configMap"]["name"]
    require(config in files, where, f"kustomization.yaml generates no ConfigMap `{config}`")
    name = path.removeprefix(mounts["config"] + "/")
    require(name in files.get(config, {}), where, f"the ConfigMap `{config}` has no {name}")
    text = files.get(config, {}).get(name, pathlib.Path("/dev/null")).read_text(encoding="utf-8")
    for value in re.findall(r'^(?:store|spool|tls_\w+) = "(.*)"', text, re.MULTILINE):
        require(value.startswith(tuple(mounts.values())), where, f"{name}: nothing is mounted at {value}")
    for value in re.findall(r'^topology = "(.*)"', text, re.MULTILINE):
        require(value in files[config], where, f"{name}: the ConfigMap `{config}` has no {value}")


def main():
    kustomization = yaml.safe_load((folder / "kustomization.yaml").read_text(encoding="utf-8"))
    files = {}
    for generated in kustomization["configMapGenerator"]:
        paths = [folder / file for file in generated["files"]]
        for path in paths:
            require(path.is_file(), "kustomization.yaml", f"there is no {path}")
        files[generated["name"]] = {path.name: path for path in paths}
    json.loads((folder / "config/topology.json").read_text(encoding="utf-8"))
    listed = set(kustomization["resources"]) | {"kustomization.yaml"}
    require(listed == {path.name for path in folder.glob("*.yaml")}, "kustomization.yaml", "files are missing")

    names = set()
    for resource in kustomization["resources"]:
        for manifest in yaml.safe_load_all((folder / resource).read_text(encoding="utf-8")):
            where = f"{resource}: {manifest['kind']}/{manifest['metadata']['name']}"
            require(where not in names, where, "exists twice")
            names.add(where)
            for version in VERSIONS:
                try:
                    kubernetes_validate.validate(manifest, version, strict=True)
                except kubernetes_validate.ValidationError as error:
                    problems.append(f"{where}: Kubernetes {version}: {error.message}")
            template = manifest.get("spec", {}).get("template")
            if not template:
                continue
            labels = template["metadata"]["labels"]
            require(manifest["spec"]["selector"]["matchLabels"].items() <= labels.items(), where, "selects other pods")
            spec = template["spec"]
            require(spec.get("automountServiceAccountToken") is False, where, "mounts a token of the API server")
            # Variables such as HARRIER_AGENT_PORT would be read as keys.
            require(spec.get("enableServiceLinks") is False, where, "enableServiceLinks is not false")
            for container in spec["containers"]:
                check_container(where, spec, container)
                check_mounts(where, manifest, spec, container, files)
    for problem in problems:
        print(f"packages: {folder}/{problem}", file=sys.stderr)
    if problems:
        sys.exit(1)
    print(f"packages: {len(names)} manifests, Kubernetes {' and '.join(VERSIONS)}", file=sys.stderr)


main()
