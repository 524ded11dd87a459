#!/usr/bin/env python3
"""Writes the steps of a file in deploy/ci as a shell script that runs them as the CI server does.

    scripts/ci-steps.py KIT_FILE SCRIPT

For a composite action of GitHub, an input `some-name` is the variable INPUT_SOME_NAME, and the step that uploads writes
the path of its file to $RUNNER_TEMP/uploaded. For GitLab, `HARRIER_...` variables keep their names.
"""

import re
import sys

import yaml  # comes with pre-commit


def expression(text, inputs):
    """The value of a `${{ ... }}` as shell text."""
    match = re.fullmatch(r"\$\{\{ (.*) \}\}", text)
    if not match:
        return "'" + text.replace("'", "'\\''") + "'"
    inner = match[1]
    if inner.startswith("inputs."):
        name = inner.removeprefix("inputs.")
        variable = "INPUT_" + name.upper().replace("-", "_")
        return f'"${{{variable}-{inputs[name]["default"]}}}"'
    if match := re.fullmatch(r"steps\.check\.outputs\.(\w+)", inner):
        return f'"$(output {match[1]})"'
    if inner.startswith("github."):
        return f'"${{{inner.replace(".", "_").upper()}-}}"'
    sys.exit(f"ci-steps: `{inner}` is not supported")


def action(kit):
    assert kit["runs"]["using"] == "composite"
    for name, output in kit["outputs"].items():
        assert output["value"] == f"${{{{ steps.check.outputs.{name} }}}}", name
    lines = [
        'output() { sed -n "s/^$1=//p" "$GITHUB_OUTPUT"; }',
        ': >"$GITHUB_OUTPUT"; : >"$GITHUB_PATH"; rm -f "$RUNNER_TEMP/uploaded"',
    ]
    for step in kit["runs"]["steps"]:
        if "uses" in step:
            assert step["uses"].startswith("github/codeql-action/upload-sarif@"), step
            assert "!cancelled()" in step["if"] and "inputs.upload == 'true'" in step["if"], step
            path = expression(step["with"]["sarif_file"], kit["inputs"])
            upload = expression("${{ inputs.upload }}", kit["inputs"])
            lines.append(f'if [ {upload} = true ] && [ -n {path} ]; then echo {path} >"$RUNNER_TEMP/uploaded"; fi')
            continue
        assert step["shell"] == "bash", step
        lines.append("(")
        lines += [f"export {name}={expression(str(value), kit['inputs'])}" for name, value in step.get("env", {}).items()]
        lines.append('while IFS= read -r folder; do PATH=$folder:$PATH; done <"$GITHUB_PATH"')
        lines += [step["run"], ")"]
    return lines


def gitlab(kit):
    job = kit["harrier check"]
    assert job["image"] == {"name": "$HARRIER_IMAGE", "entrypoint": [""]}
    assert job["artifacts"]["when"] == "always"
    reports = job["artifacts"]["reports"]
    assert reports == {"junit": "harrier.xml", "codequality": "gl-code-quality-report.json"}
    variables = [f'export {name}="${{{name}-{value}}}"' for name, value in kit["variables"].items()]
    return variables + job["script"]


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        kit = yaml.safe_load(file)
    lines = action(kit) if "runs" in kit else gitlab(kit)
    with open(sys.argv[2], "w", encoding="utf-8") as out:
        out.write("set -eo pipefail\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
