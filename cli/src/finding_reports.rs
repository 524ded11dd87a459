//! Reports of findings in the formats of `harrier check`, for all commands that check something.

use std::fs::File;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use buffer_config::finding::{Finding, Severity};
use buffer_config::report::{Catalogue, Format, Summary, Unread, Writer};
use clap::ValueEnum;

use crate::Outcome;
use crate::stdout::reader_after;

/// `--format`
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum FormatArg {
    Full,
    Concise,
    Json,
    Sarif,
    Junit,
    Github,
    Gitlab,
}

impl FormatArg {
    fn format(self, is_coloured: bool) -> Format {
        match self {
            Self::Full => Format::Full { is_coloured },
            Self::Concise => Format::Concise,
            Self::Json => Format::Json,
            Self::Sarif => Format::Sarif,
            Self::Junit => Format::Junit,
            Self::Github => Format::Github,
            Self::Gitlab => Format::Gitlab,
        }
    }
}

/// `--severity-threshold`
#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Threshold {
    Info,
    Warning,
    Error,
}

impl Threshold {
    /// The severity.
    pub(crate) fn severity(self) -> Severity {
        match self {
            Self::Info => Severity::Info,
            Self::Warning => Severity::Warning,
            Self::Error => Severity::Error,
        }
    }
}

/// The outcome of a command with these findings; `least` is the lowest severity that counts.
pub(crate) fn outcome(summary: &Summary, least: Severity) -> Outcome {
    let is_fine = summary.at_least(least) == 0 && summary.not_provable == 0;
    if is_fine { Outcome::Fine } else { Outcome::Findings }
}

/// A report that is being written to a file or to standard output.
pub(crate) struct Sink {
    writer: Writer,
    out: Box<dyn Write>,
}

impl Sink {
    fn open(
        format: FormatArg,
        path: &Path,
        catalogue: &'static Catalogue,
        has_notes: bool,
    ) -> anyhow::Result<Self> {
        let to_stdout = path == Path::new("-");
        let is_coloured = to_stdout && io::stdout().is_terminal();
        let out: Box<dyn Write> = if to_stdout {
            Box::new(BufWriter::new(io::stdout().lock()))
        } else {
            Box::new(BufWriter::new(
                File::create(path).with_context(|| format!("cannot write {}", path.display()))?,
            ))
        };
        let format = format.format(is_coloured);
        let writer = Writer::of(format, catalogue);
        let is_complete = has_notes || !format.is_for_people();
        let mut sink = Self { writer: if is_complete { writer } else { writer.without_notes() }, out };
        let head = sink.writer.begin();
        sink.put(&head)?;
        Ok(sink)
    }

    /// Writes the findings of one file.
    pub(crate) fn file(
        &mut self,
        name: &str,
        text: Option<&str>,
        findings: &[Finding],
    ) -> anyhow::Result<()> {
        let part = self.writer.file(name, text, findings);
        self.put(&part)
    }

    /// Lists an input that was not checked.
    pub(crate) fn unread(&mut self, unread: Unread) -> anyhow::Result<()> {
        let part = self.writer.unread(unread);
        self.put(&part)
    }

    /// Writes text. A closed pipe (`| head`) is not an error.
    fn put(&mut self, text: &str) -> anyhow::Result<()> {
        reader_after(self.out.write_all(text.as_bytes()))?;
        Ok(())
    }

    /// Writes what follows all findings.
    pub(crate) fn close(mut self, summary: &Summary) -> anyhow::Result<()> {
        let tail = self.writer.end(summary);
        self.put(&tail)?;
        reader_after(self.out.flush())?;
        Ok(())
    }
}

/// Opens the requested reports: one for each format, with the output at the same position. Without `has_notes`, those for
/// people leave notes out.
pub(crate) fn sinks(
    formats: &[FormatArg],
    outputs: &[PathBuf],
    catalogue: &'static Catalogue,
    has_notes: bool,
) -> anyhow::Result<Vec<Sink>> {
    let formats = if formats.is_empty() { &[FormatArg::Full] } else { formats };
    let path = |i: usize| outputs.get(i).map_or(Path::new("-"), PathBuf::as_path);
    formats.iter().enumerate().map(|(i, format)| Sink::open(*format, path(i), catalogue, has_notes)).collect()
}

/// Fails if two formats are written to the same file.
pub(crate) fn outputs_are_distinct(formats: &[FormatArg], outputs: &[PathBuf]) -> anyhow::Result<()> {
    let (count, named) = (formats.len().max(1), outputs.len());
    if named > count {
        bail!(
            "{named} --output options for {} --format options: each --output needs a --format",
            formats.len()
        );
    }
    let output = |i: usize| outputs.get(i).map_or(Path::new("-"), PathBuf::as_path);
    for i in 0..count {
        if (0..i).any(|j| output(i) == output(j)) {
            bail!(
                "two formats are written to {}: each --format needs its own --output",
                match output(i) {
                    p if p == Path::new("-") => "standard output".to_string(),
                    p => p.display().to_string(),
                }
            );
        }
    }
    Ok(())
}
