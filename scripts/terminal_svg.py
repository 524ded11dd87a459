"""Draws the output of a command as an SVG picture of a terminal.

    terminal_svg.py COMMAND < OUTPUT > PICTURE

Long lines are folded at a word; a folded line keeps the indentation of its label.
"""

import sys
import textwrap
from xml.sax.saxutils import escape

COLUMNS = 118
INDENT = 14
CHARACTER = 7.8  # width of one character in pixels at FONT_SIZE
FONT_SIZE = 13
LINE = 19
MARGIN = 18
TITLE = 34
BACKGROUND, FRAME, TEXT, LABEL, STRONG = "#11161d", "#2b3440", "#c9d4e0", "#7f93a8", "#ffffff"
EMPHASISED = ("verdict", "anomaly", "culprits", "root port", "pause path")


def folded(line):
    """Yields (label, text) for each row of the picture."""
    label, text = line[: INDENT - 2], line[INDENT - 2 :].strip()
    if not text or not label.strip() or line[INDENT - 2 : INDENT].strip():
        label, text = "", line.rstrip()
    width = COLUMNS - INDENT
    rows = textwrap.wrap(text, width, break_long_words=False, break_on_hyphens=False) or [""]
    for number, row in enumerate(rows):
        yield (label if number == 0 else ""), row


def main():
    command = sys.argv[1]
    rows = [row for line in sys.stdin.read().splitlines() for row in folded(line)]
    width = round(COLUMNS * CHARACTER + 2 * MARGIN)
    height = TITLE + MARGIN + (len(rows) + 1) * LINE + MARGIN // 2
    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}"',
        f'     role="img" aria-label="Output of {escape(command)}"',
        f'     font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="{FONT_SIZE}">',
        f'<rect x="0.5" y="0.5" width="{width - 1}" height="{height - 1}" rx="8" fill="{BACKGROUND}" stroke="{FRAME}"/>',
    ]
    out += [f'<circle cx="{MARGIN + 16 * n}" cy="{TITLE // 2}" r="5" fill="{FRAME}"/>' for n in range(3)]

    def text(column, row, content, fill, weight=""):
        x, y = MARGIN + column * CHARACTER, TITLE + MARGIN + row * LINE
        length = len(content) * CHARACTER
        out.append(
            f'<text x="{x:.1f}" y="{y}" fill="{fill}"{weight} textLength="{length:.1f}" '
            f'lengthAdjust="spacingAndGlyphs" xml:space="preserve">{escape(content)}</text>'
        )

    text(0, 0, f"$ {command}", STRONG, ' font-weight="600"')
    strong = False
    for number, (label, content) in enumerate(rows, start=1):
        name = label.strip()
        if name:
            strong = name in EMPHASISED
            text(INDENT - 2 - len(name), number, name, LABEL)
        text(INDENT, number, content, STRONG if strong else TEXT)
    out.append("</svg>")
    print("\n".join(out))


main()
