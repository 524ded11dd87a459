//! A small document, as Markdown and as one HTML file.

use std::fmt::Write as _;

/// A part of a document. Texts are plain: both forms escape them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Heading(String),
    Paragraph(String),
    List(Vec<String>),
    /// Head and rows, of equal length.
    Table(Vec<String>, Vec<Vec<String>>),
    /// Commands to copy.
    Code(String),
    /// A picture.
    Figure {
        /// The picture, as markup that needs no style but that of the document.
        svg: String,
        /// What it shows.
        caption: String,
        /// The same as lines of a monospace font, for Markdown; absent if other blocks say the same.
        text: Option<String>,
    },
}

/// A title and blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Document {
    pub(super) title: String,
    pub(super) blocks: Vec<Block>,
}

/// A style without a font or a picture, so that the file needs nothing else. It follows a dark theme; the other colours are
/// seen on both.
const STYLE: &str = "\
:root{color-scheme:light dark}\
body{color:#1b1d22;background:#fff;font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
.table{overflow-x:auto}\
table{border-collapse:collapse}\
td,th{border:1px solid #8888;padding:.2rem .6rem;text-align:left;vertical-align:top;overflow-wrap:break-word}\
pre{padding:.6rem;background:#8882;overflow:auto}\
h2{margin-top:2rem}\
figure{margin:1rem 0;overflow-x:auto}\
figcaption{position:sticky;left:0}\
svg{font:13px ui-monospace,monospace}\
svg text{fill:currentColor}\
svg rect{fill:#8882;stroke:#888}\
svg rect.host{fill:none;stroke:none}\
svg rect.paused{fill:#e802;stroke:#c70;stroke-width:2}\
svg rect.root{fill:#d332;stroke:#d33;stroke-width:3}\
svg rect.dashed{stroke-dasharray:4 3}\
svg rect.track{stroke:none}\
svg rect.pause{fill:#d70;stroke:none}\
svg path{fill:none}\
svg path.arrow{stroke:#888;stroke-width:1.5}\
svg path.slow{stroke:#d33;stroke-width:2}\
@media(prefers-color-scheme:dark){body{color:#e4e6ea;background:#15171b}}";

impl Document {
    /// Returns CommonMark with tables.
    pub(crate) fn to_markdown(&self) -> String {
        let mut text = format!("# {}\n", markdown(&self.title));
        for block in &self.blocks {
            text.push('\n');
            // Writing to a `String` cannot fail.
            let _ = match block {
                Block::Heading(heading) => writeln!(text, "## {}", markdown(heading)),
                Block::Paragraph(paragraph) => writeln!(text, "{}", markdown(paragraph)),
                Block::List(items) => {
                    items.iter().try_for_each(|item| writeln!(text, "- {}", markdown(item)))
                }
                Block::Table(head, rows) => {
                    let row = |cells: &[String]| {
                        let cells: Vec<String> = cells.iter().map(|cell| markdown(cell)).collect();
                        format!("| {} |\n", cells.join(" | "))
                    };
                    text.push_str(&row(head));
                    text.push_str(&row(&vec!["---".to_string(); head.len()]).replace("\\-", "-"));
                    rows.iter().try_for_each(|cells| write!(text, "{}", row(cells)))
                }
                Block::Code(code) => writeln!(text, "{}", fenced(code)),
                Block::Figure { caption, text: lines, .. } => match lines {
                    Some(lines) => writeln!(text, "{}\n\n{}", markdown(caption), fenced(lines)),
                    None => Ok(()),
                },
            };
        }
        text
    }

    /// Returns one HTML file.
    pub(crate) fn to_html(&self) -> String {
        let title = html(&self.title);
        let mut text = format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width\">\n<title>{title}</title>\n\
             <style>{STYLE}</style>\n</head>\n<body>\n<main>\n<h1>{title}</h1>\n"
        );
        let list = |tag: &str, items: &[String]| -> String {
            items.iter().map(|item| format!("<{tag}>{}</{tag}>", html(item))).collect()
        };
        for block in &self.blocks {
            let block = match block {
                Block::Heading(heading) => format!("<h2>{}</h2>", html(heading)),
                Block::Paragraph(paragraph) => format!("<p>{}</p>", html(paragraph)),
                Block::List(items) => format!("<ul>{}</ul>", list("li", items)),
                Block::Table(head, rows) => {
                    let rows: String =
                        rows.iter().map(|row| format!("<tr>{}</tr>\n", list("td", row))).collect();
                    format!(
                        "<div class=\"table\" tabindex=\"0\"><table>\n<tr>{}</tr>\n{rows}</table></div>",
                        list("th", head)
                    )
                }
                Block::Code(code) => format!("<pre>{}</pre>", html(code)),
                Block::Figure { svg, caption, .. } => {
                    format!("<figure tabindex=\"0\">{svg}<figcaption>{}</figcaption></figure>", html(caption))
                }
            };
            text.push_str(&block);
            text.push('\n');
        }
        text.push_str("</main>\n</body>\n</html>\n");
        text
    }
}

/// A block of code. Its fence is longer than any run of backticks in the code.
fn fenced(code: &str) -> String {
    let fence = "`".repeat(3.max(longest_run(code, '`') + 1));
    format!("{fence}\n{code}\n{fence}")
}

fn longest_run(text: &str, of: char) -> usize {
    text.split(|c| c != of).map(str::len).max().unwrap_or(0)
}

/// Escapes what CommonMark would interpret (section 2.4). Line breaks become spaces.
fn markdown(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\n' | '\r' => escaped.push(' '),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '#' | '|' | '&' | '~' => {
                escaped.push('\\');
                escaped.push(c);
            }
            c => escaped.push(c),
        }
    }
    escaped
}

/// Escapes what HTML would interpret, in texts and in attributes.
pub(super) fn html(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            c => escaped.push(c),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(text: &str) -> Document {
        let text = text.to_string();
        Document {
            title: text.clone(),
            blocks: vec![
                Block::Heading("A".into()),
                Block::Paragraph(text.clone()),
                Block::List(vec![text.clone(), "b".into()]),
                Block::Table(vec!["x".into(), "y".into()], vec![vec![text.clone(), "1".into()]]),
                Block::Code(text.clone()),
                Block::Figure { svg: "<svg></svg>".into(), caption: text.clone(), text: Some(text) },
            ],
        }
    }

    #[test]
    fn both_forms_have_every_block() {
        let markdown = "# t\n\n## A\n\nt\n\n- t\n- b\n\n| x | y |\n| --- | --- |\n| t | 1 |\n\n```\nt\n```\n\n\
                        t\n\n```\nt\n```\n";
        assert_eq!(document("t").to_markdown(), markdown);
        let html = document("t").to_html();
        for part in [
            "<h1>t</h1>",
            "<p>t</p>",
            "<li>t</li><li>b</li>",
            "<th>x</th>",
            "<td>1</td>",
            "<pre>t</pre>",
            "<svg></svg><figcaption>t</figcaption></figure>",
        ] {
            assert!(html.contains(part), "{part} in {html}");
        }
    }

    #[test]
    fn texts_are_never_markup() {
        let hostile = "<script>alert(1)</script> | `x` ``` \n# h & \"";
        let html = document(hostile).to_html();
        assert!(!html.contains("<script>"), "{html}");
        let markdown = document(hostile).to_markdown();
        let outside: Vec<&str> = markdown.split("````").step_by(2).collect();
        assert_eq!(outside.len(), 3, "{markdown}");
        assert!(!outside.concat().contains("<script>"), "{markdown}");
        assert_eq!(markdown.lines().filter(|line| line.starts_with('|')).count(), 3, "{markdown}");
        assert_eq!(
            markdown.lines().filter(|line| line.starts_with("# ")).count(),
            3,
            "title, code and figure: {markdown}"
        );
    }
}
