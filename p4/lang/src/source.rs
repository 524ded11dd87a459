//! Source files, locations in them, and how their text is loaded.
//!
//! The front end does not open files itself: text is loaded through a [`SourceLoader`]. The files `core.p4` and
//! `v1model.p4` are built in.

use std::collections::BTreeMap;

/// The index of a file in a [`SourceMap`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FileId(pub u32);

/// A range of bytes in a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Span {
    /// The file.
    pub file: FileId,
    /// Offset of the first byte.
    pub start: u32,
    /// Offset after the last byte.
    pub end: u32,
}

impl Span {
    /// Returns the range from the start of `self` to the end of `other`, or `self` if they are in different files.
    pub fn to(self, other: Span) -> Span {
        if self.file == other.file && other.end >= self.start {
            Span { file: self.file, start: self.start, end: other.end }
        } else {
            self
        }
    }

    /// Returns the empty range at the end.
    pub fn tail(self) -> Span {
        Span { start: self.end, ..self }
    }
}

/// A location for display, counted from 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// The name of the file, after `#line` directives.
    pub file: String,
    /// The line.
    pub line: u32,
    /// The column, in characters.
    pub column: u32,
}

/// A source file.
#[derive(Clone, Debug)]
pub struct SourceFile {
    /// The path under which the file was loaded.
    pub path: String,
    /// Its text.
    pub text: String,
    /// Whether it was included as `<name>`: such files belong to a library, not to the program.
    library: bool,
    /// The byte offset of each line.
    lines: Vec<u32>,
    /// `#line` directives: an offset, the line number that applies from there on, and the file name.
    renames: Vec<(u32, u32, String)>,
}

impl SourceFile {
    /// Returns the line of an offset, counted from 1, without `#line` directives.
    pub(crate) fn line_at(&self, offset: u32) -> u32 {
        self.lines.partition_point(|l| *l <= offset) as u32
    }

    /// Returns the offset at which the line of another offset starts.
    pub(crate) fn line_start(&self, offset: u32) -> u32 {
        self.lines.get((self.line_at(offset) as usize).saturating_sub(1)).copied().unwrap_or(0)
    }

    /// Returns the offset after the line of another offset, without its line break.
    pub(crate) fn line_end(&self, offset: u32) -> u32 {
        let next = self.lines.get(self.line_at(offset) as usize);
        next.map_or(self.text.len() as u32, |next| next - 1)
    }

    /// Returns line and file name of an offset, after `#line` directives.
    fn place(&self, offset: u32) -> (u32, &str) {
        let line = self.line_at(offset);
        let renames = self.renames.partition_point(|(from, _, _)| *from <= offset);
        match renames.checked_sub(1).and_then(|last| self.renames.get(last)) {
            Some((from, first, name)) => (first.saturating_add(line - self.line_at(*from)), name),
            None => (line, &self.path),
        }
    }
}

/// All source files of a compilation.
#[derive(Clone, Debug, Default)]
pub struct SourceMap {
    files: Vec<SourceFile>,
}

impl SourceMap {
    /// Adds a file.
    pub fn add(&mut self, path: impl Into<String>, text: impl Into<String>) -> FileId {
        let text = text.into();
        let mut lines = vec![0];
        lines.extend(text.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1));
        self.files.push(SourceFile { path: path.into(), text, library: false, lines, renames: Vec::new() });
        FileId(self.files.len() as u32 - 1)
    }

    pub(crate) fn mark_library(&mut self, file: FileId) {
        if let Some(f) = self.files.get_mut(file.0 as usize) {
            f.library = true;
        }
    }

    /// Returns whether a file was included as `<name>`.
    pub(crate) fn is_library(&self, file: FileId) -> bool {
        self.get(file).is_some_and(|f| f.library)
    }

    /// Returns a file, if it exists.
    pub fn get(&self, file: FileId) -> Option<&SourceFile> {
        self.files.get(file.0 as usize)
    }

    /// Returns the text of a range; empty if the range is invalid.
    pub fn text(&self, span: Span) -> &str {
        self.get(span.file).and_then(|f| f.text.get(span.start as usize..span.end as usize)).unwrap_or("")
    }

    /// Records a `#line` directive: the text after `offset` starts at `line` of `name`.
    pub(crate) fn rename_from(&mut self, file: FileId, offset: u32, line: u32, name: Option<String>) {
        if let Some(f) = self.files.get_mut(file.0 as usize) {
            let name = name
                .or_else(|| f.renames.last().map(|(_, _, n)| n.clone()))
                .unwrap_or_else(|| f.path.clone());
            f.renames.push((offset, line, name));
        }
    }

    /// Returns the location where a range starts.
    pub fn location(&self, span: Span) -> Location {
        self.locate(span.file, span.start)
    }

    /// Returns the location where a range ends.
    pub fn end_location(&self, span: Span) -> Location {
        self.locate(span.file, span.end)
    }

    /// Returns the line and the file, after `#line` directives, where a range starts.
    pub(crate) fn place(&self, span: Span) -> (u32, &str) {
        self.get(span.file).map_or((1, ""), |file| file.place(span.start))
    }

    fn locate(&self, file: FileId, offset: u32) -> Location {
        let Some(f) = self.get(file) else {
            return Location { file: String::new(), line: 1, column: 1 };
        };
        let start = f.line_start(offset);
        let column = f.text.get(start as usize..offset as usize).map_or(1, |s| s.chars().count() as u32 + 1);
        let (line, name) = f.place(offset);
        Location { file: name.to_owned(), line, column }
    }
}

/// Loads source files.
pub trait SourceLoader {
    /// Returns the text of the file at `path`, or `None` if it does not exist. Relative paths have the same base as the
    /// path of the main file.
    fn load(&self, path: &str) -> Option<String>;

    /// Returns the text of the file at `path`, which the program includes. A loader for a file system should override
    /// this: an `#include` can name a device or a FIFO, which never ends or blocks.
    fn include(&self, path: &str) -> Result<String, NotIncluded> {
        self.load(path).ok_or(NotIncluded::Missing)
    }
}

/// The reason why an included file is not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotIncluded {
    /// It does not exist.
    #[error("file not found")]
    Missing,
    /// It is a directory.
    #[error("is a directory")]
    Directory,
    /// It is a device, a FIFO or a socket.
    #[error("is not a regular file")]
    NotRegular,
    /// It has more than [`MAX_FILE_BYTES`].
    #[error("is larger than {} MB", MAX_FILE_BYTES / 1_000_000)]
    TooLarge,
    /// It is not UTF-8.
    #[error("is not UTF-8 text")]
    NotText,
    /// The operating system refuses to read it, for this reason.
    #[error("cannot be read: {0}")]
    Unreadable(String),
}

/// The largest file that a program can include: more text exceeds the limit for the whole program.
pub const MAX_FILE_BYTES: u64 = 40_000_000;

/// A loader for files in memory.
#[derive(Clone, Debug, Default)]
pub struct MemoryLoader {
    files: BTreeMap<String, String>,
}

impl MemoryLoader {
    /// Creates a loader without files.
    pub fn new() -> MemoryLoader {
        MemoryLoader::default()
    }

    /// Adds a file.
    #[must_use]
    pub fn with(mut self, path: impl Into<String>, text: impl Into<String>) -> MemoryLoader {
        self.files.insert(path.into(), text.into());
        self
    }
}

impl SourceLoader for MemoryLoader {
    fn load(&self, path: &str) -> Option<String> {
        self.files.get(path).cloned()
    }
}

/// Returns the text of a built-in file.
pub(crate) fn builtin(name: &str) -> Option<&'static str> {
    match name {
        "core.p4" => Some(include_str!("../p4include/core.p4")),
        "v1model.p4" => Some(include_str!("../p4include/v1model.p4")),
        // The name without a folder is that of older versions of p4c.
        "bmv2/psa.p4" | "psa.p4" => Some(include_str!("../p4include/psa.p4")),
        "tna.p4" => Some(include_str!("../p4include/tna.p4")),
        "t2na.p4" => Some(include_str!("../p4include/t2na.p4")),
        // What these two share.
        "tofino.p4" => Some(include_str!("../p4include/tofino.p4")),
        _ => None,
    }
}

/// Joins an include path with the directory of the including file, and resolves `.` and `..`.
pub(crate) fn resolve(including: &str, path: &str) -> String {
    if path.starts_with('/') {
        return path.to_owned();
    }
    let folder = including.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut parts: Vec<&str> = Vec::new();
    let absolute = folder.starts_with('/');
    for part in folder.split('/').chain(path.split('/')) {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|p| *p != "..") => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("{}{}", if absolute { "/" } else { "" }, parts.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn include_paths_are_relative_to_the_including_file() {
        assert_eq!(resolve("a/b/main.p4", "../x.p4"), "a/x.p4");
        assert_eq!(resolve("main.p4", "sub/x.p4"), "sub/x.p4");
        assert_eq!(resolve("/r/main.p4", "./x.p4"), "/r/x.p4");
    }

    #[test]
    fn locations_follow_line_directives() {
        let mut map = SourceMap::default();
        let file = map.add("a.p4", "x\ny\nz\n");
        map.rename_from(file, 2, 70, Some("b.p4".into()));
        let at = |start| map.location(Span { file, start, end: start });
        assert_eq!(at(0).line, 1);
        assert_eq!(at(4), Location { file: "b.p4".into(), line: 71, column: 1 });
    }
}
