//! The form in which snapshots are stored: their JSON, compressed with zlib (RFC 1950).

use std::io::{self, Read as _, Write as _};

use flate2::Compression;
use flate2::read::ZlibDecoder;
use flate2::write::ZlibEncoder;

/// Maximum size of a text: far above a snapshot of 1,000 switches, and far below what could exhaust the memory.
const MAX_TEXT_BYTES: u64 = 1 << 30;

/// Compresses a text. The level is that of `gzip` by default.
pub(crate) fn compress(text: &str) -> Vec<u8> {
    let mut encoder = ZlibEncoder::new(Vec::with_capacity(text.len() / 8), Compression::default());
    let written = encoder.write_all(text.as_bytes()).and_then(|()| encoder.finish());
    written.expect("invariant: writing to memory does not fail")
}

/// The inverse of [`compress`].
///
/// # Errors
/// The bytes are damaged, not UTF-8 text, or more than 1 GiB of text.
pub(crate) fn decompress(bytes: &[u8]) -> io::Result<String> {
    let mut text = String::new();
    ZlibDecoder::new(bytes).take(MAX_TEXT_BYTES + 1).read_to_string(&mut text)?;
    if text.len() as u64 > MAX_TEXT_BYTES {
        return Err(io::Error::other("the text is larger than 1 GiB"));
    }
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_comes_back_and_damage_is_found() {
        let text = r#"{"switch":"sw1","epochs":[0,0,0,0]}"#.repeat(100);
        let packed = compress(&text);
        assert!(packed.len() * 10 < text.len(), "{} of {}", packed.len(), text.len());
        assert_eq!(decompress(&packed).unwrap(), text);
        assert_eq!(decompress(&compress("")).unwrap(), "");
        for damaged in [&packed[..packed.len() - 1], &packed[1..], b"text"] {
            assert!(decompress(damaged).is_err());
        }
    }
}
