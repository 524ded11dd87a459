"""Stages the pages of the documentation site and checks their links.

    docs_pages.py STAGE

STAGE/src holds the repository's Markdown files and docs/ at the paths that they have in the repository, and the
generated pages. This script adds the index pages, turns links to source files into links to the repository (with
HARRIER_REPOSITORY_URL) or into plain text, and fails on links that lead nowhere.
"""

import json
import os
import pathlib
import re
import sys

LINK = re.compile(r"(!?)\[((?:[^\[\]]|\[[^\]]*\])*)\]\(([^)\s]+)\)")
REPOSITORY = pathlib.Path(__file__).resolve().parent.parent
URL = os.environ.get("HARRIER_REPOSITORY_URL", "").rstrip("/")


def title(page):
    for line in page.read_text(encoding="utf-8").splitlines():
        if line.startswith("# "):
            return line[2:].strip()
    return page.stem


def write_index(folder, heading, text):
    """Lists the pages of a folder, unless the folder has an index of its own."""
    index = folder / "README.md"
    if index.exists():
        return
    pages = sorted(page for page in folder.glob("*.md"))
    if not pages:
        sys.exit(f"docs: {folder} has no pages")
    rows = "".join(f"- [{title(page)}]({page.name})\n" for page in pages)
    index.write_text(f"# {heading}\n\n{text}\n\n{rows}", encoding="utf-8")


def write_rest(source, page):
    """A table of the REST API's operations."""
    api = json.loads(source.read_text(encoding="utf-8"))
    rows = ""
    for path, operations in api["paths"].items():
        for method, operation in operations.items():
            text = operation.get("summary") or operation.get("description", "").split("\n")[0]
            parameters = ", ".join(f"`{p['name']}`" for p in operation.get("parameters", []))
            rows += f"| `{method.upper()}` | `{path}` | {text} | {parameters} |\n"
    page.write_text(
        "# REST API\n\n"
        "`harrier demo` serves these paths. The complete description is the [OpenAPI file](../api/openapi.json), which the\n"
        "server also returns; errors are RFC 9457 problem documents.\n\n"
        f"| method | path | returns | parameters |\n|---|---|---|---|\n{rows}\n"
        "`/metrics` returns Prometheus metrics; `/healthz` and `/readyz` report liveness and readiness.\n\n"
        "## Examples\n\n"
        f"The tests send each of these requests. The OpenAPI file has the answers in full.\n{examples(api)}",
        encoding="utf-8",
    )


ANSWER_LINES = 40


def examples(api):
    """The requests and answers of the OpenAPI document's examples; long answers are cut off."""
    text = ""
    for path, operations in api["paths"].items():
        for method, operation in operations.items():
            bodies = [answer.get("content", {}).get("application/json", {}) for answer in operation["responses"].values()]
            answers = [body["example"] for body in bodies if "example" in body]
            if not answers:
                continue
            answer = json.dumps(answers[0], indent=2, ensure_ascii=False).split("\n")
            if len(answer) > ANSWER_LINES:
                answer = [*answer[:ANSWER_LINES], "..."]
            answer = "\n".join(answer)
            text += f"\n### {operation['summary']}\n\n```sh\n{curl(path, method, operation)}\n```\n\n```json\n{answer}\n```\n"
    return text


def curl(path, method, operation):
    """The request of an operation's examples as a command."""
    query = []
    for parameter in operation.get("parameters", []):
        if "example" not in parameter:
            continue
        if parameter["in"] == "path":
            path = path.replace(f"{{{parameter['name']}}}", str(parameter["example"]))
        else:
            query.append(f"{parameter['name']}={parameter['example']}")
    url = f"$HARRIER_SERVER{path}" + ("?" + "&".join(query) if query else "")
    body = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("example")
    if body is None:
        return f'curl -s "{url}"'
    return f"curl -s -X {method.upper()} -H 'Content-Type: application/json' -d '{json.dumps(body)}' \"{url}\""


def write_library(source, page):
    """A table of the built-in scenarios."""
    rows = ""
    for scenario in json.loads(source.read_text(encoding="utf-8"))["scenarios"]:
        anomaly = ", ".join(f"`{scenario[key]}`" for key in ("anomaly", "cause") if scenario.get(key))
        size = f"{scenario['hosts']} hosts, {scenario['switches']} switches, {scenario['flows']} flows"
        rows += f"| `{scenario['name']}` | {scenario['title']} | {anomaly} | {size} |\n"
    page.write_text(
        "# Scenario library\n\n"
        "The built-in scenarios: run one with `harrier run NAME`, print it with `harrier scenario show NAME`.\n"
        "[Scenarios](../scenarios.md) describes the format.\n\n"
        f"| name | what happens | anomaly, cause | size |\n|---|---|---|---|\n{rows}",
        encoding="utf-8",
    )


def anchor(heading):
    text = re.sub(r"[`*]|\[([^\]]*)\]\([^)]*\)", lambda match: match.group(1) or "", heading).strip().lower()
    return re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", text)).strip("-")


def lines_of(text):
    """(number, line, is_prose) for each line; fenced blocks are not prose."""
    fence = None
    for number, line in enumerate(text.split("\n"), start=1):
        mark = line.lstrip()[:3]
        if mark in ("```", "~~~") and fence in (None, mark):
            fence = None if fence else mark
            yield number, line, False
        else:
            yield number, line, fence is None


def anchors_of(page):
    """The anchors of the headings; a repeated heading gets a number."""
    found = set()
    for _, line, is_prose in lines_of(page.read_text(encoding="utf-8")):
        if is_prose and re.match(r"#{1,6} ", line):
            name = base = anchor(line.lstrip("#"))
            number = 0
            while name in found:
                number += 1
                name = f"{base}_{number}"
            found.add(name)
    return found


class Links:
    def __init__(self, source):
        self.source = source
        self.broken = []

    def relink(self, page):
        out = []
        for number, line, is_prose in lines_of(page.read_text(encoding="utf-8")):
            out.append(LINK.sub(lambda match: self.one(page, number, match), line) if is_prose else line)
        page.write_text("\n".join(out), encoding="utf-8")

    def one(self, page, number, match):
        image, text, target = match.groups()
        if re.match(r"[a-z][a-z0-9+.-]*:", target):
            return match.group(0)
        path, _, fragment = target.partition("#")
        staged = (page.parent / path).resolve() if path else page
        try:
            relative = staged.relative_to(self.source)
        except ValueError:
            return self.fail(page, number, match, "leaves the repository")
        if staged.is_dir() and (staged / "README.md").exists():
            staged, path = staged / "README.md", f"{path.rstrip('/')}/README.md"
        if staged.is_file():
            if fragment and staged.suffix == ".md" and fragment not in anchors_of(staged):
                return self.fail(page, number, match, f"no heading `#{fragment}` there")
            return f"{image}[{text}]({path}{'#' + fragment if fragment else ''})"
        if (REPOSITORY / relative).exists():
            if URL:
                return f"{image}[{text}]({URL}/blob/main/{relative})"
            return text if text.strip("`") == str(relative) else f"{text} (`{relative}`)"
        return self.fail(page, number, match, "no such file")

    def fail(self, page, number, match, reason):
        self.broken.append(f"{page.relative_to(self.source)}:{number}: {match.group(0)}: {reason}")
        return match.group(0)


def main():
    stage = pathlib.Path(sys.argv[1]).resolve()
    source = stage / "src"
    docs = source / "docs"
    write_index(docs / "rules", "Configuration rules", "Every rule of `harrier check`; `harrier check --explain CODE` prints a page.")
    write_index(docs / "p4-errors", "P4 errors", "Every error and warning of the P4 front end; `harrier p4 explain CODE` prints a page.")
    write_index(docs / "adr", "Decisions", "Architecture decision records.")
    write_rest(docs / "api" / "openapi.json", docs / "reference" / "rest.md")
    write_library(stage / "scenarios.json", docs / "reference" / "scenario-library.md")
    with (docs / "reference" / "rust.md").open("a", encoding="utf-8") as page:
        page.write('\n<a href="../../api/index.html">All crates</a>\n')
    links = Links(source)
    for page in sorted(source.rglob("*.md")):
        links.relink(page)
    for line in links.broken:
        print(line, file=sys.stderr)
    if links.broken:
        sys.exit(f"docs: {len(links.broken)} broken links")


main()
