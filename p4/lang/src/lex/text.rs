//! Tokens back to text: for the preprocessor's `#` and `##`, and for annotations in P4Info.

use super::{Tok, Token};
use crate::source::SourceMap;

/// Returns the source text of some tokens, with single spaces where white space separated them.
///
/// The span of a token from a macro expansion is that of the macro call, so the text is derived from the token; only
/// numbers that are written at their span keep their base.
pub(crate) fn to_text<'t>(tokens: impl IntoIterator<Item = &'t Token>, sources: &SourceMap) -> String {
    let mut text = String::new();
    for (i, token) in tokens.into_iter().enumerate() {
        if i > 0 && token.space {
            text.push(' ');
        }
        match &token.tok {
            Tok::Ident(name) => text.push_str(name),
            Tok::Int(number) => {
                let written = sources.text(token.span);
                text.push_str(&match number.width {
                    _ if written.starts_with(|c: char| c.is_ascii_digit()) => written.to_owned(),
                    Some((width, true)) => format!("{width}s{}", number.value),
                    Some((width, false)) => format!("{width}w{}", number.value),
                    None => number.value.to_string(),
                });
            }
            Tok::Str(value) => text.push_str(&quoted(value)),
            Tok::Punct(punct) => text.push_str(punct),
            Tok::Bad(..) => text.push_str(sources.text(token.span)),
            Tok::PragmaEnd | Tok::Eof => {}
        }
    }
    text
}

/// Returns a string literal with this value.
pub(crate) fn quoted(value: &str) -> String {
    format!("\"{}\"", value.replace('\\', "\\\\").replace('"', "\\\""))
}
