//! Positions as the Language Server Protocol counts them: lines from 0, and UTF-16 code units in the line.
//!
//! Source: Language Server Protocol 3.17, Position. Lines end with LF, CRLF or CR.

/// A position in a text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Line, from 0.
    pub line: u32,
    /// UTF-16 code units before the position in its line.
    pub character: u32,
}

/// The position of a byte; the end of the text for a byte behind it.
pub fn place_of(text: &str, offset: u32) -> Place {
    let mut at = (offset as usize).min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    let before = text.get(..at).unwrap_or_default();
    let bytes = before.as_bytes();
    let mut line = 0;
    let mut start = 0;
    for (index, byte) in bytes.iter().enumerate() {
        // CR alone ends a line, CR LF ends one line.
        let is_end = *byte == b'\n' || (*byte == b'\r' && text.as_bytes().get(index + 1) != Some(&b'\n'));
        if is_end {
            line += 1;
            start = index + 1;
        }
    }
    let character = before.get(start..).unwrap_or_default().encode_utf16().count() as u32;
    Place { line, character }
}

/// The byte at a position; the end of the line or text for a position behind it.
pub fn offset_of(text: &str, place: Place) -> usize {
    let bytes = text.as_bytes();
    let (mut line, mut start) = (0, 0);
    for (index, byte) in bytes.iter().enumerate() {
        if line == place.line {
            break;
        }
        if *byte == b'\n' || (*byte == b'\r' && bytes.get(index + 1) != Some(&b'\n')) {
            line += 1;
            start = index + 1;
        }
    }
    if line < place.line {
        return text.len();
    }
    let body = text.get(start..).unwrap_or_default();
    let body = body.split(['\n', '\r']).next().unwrap_or_default();
    let mut units = 0;
    for (at, c) in body.char_indices() {
        if units >= place.character {
            return start + at;
        }
        units += c.len_utf16() as u32;
    }
    start + body.len()
}
