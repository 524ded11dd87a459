//! What a Redis server answers: in one piece or in many it means the same, and a dump of it is a configuration.

use buffer_config::input;
use buffer_config::redis::{Broken, Decoder, Dump, Reply, page, request};

pub(crate) fn redis_seeds() -> Vec<Vec<u8>> {
    let scan = "*2\r\n$1\r\n0\r\n*2\r\n$16\r\nBUFFER_POOL|pool\r\n$3\r\nkey\r\n";
    let hash = "*4\r\n$4\r\ntype\r\n$7\r\ningress\r\n$5\r\nxoff@\r\n$2\r\n 1\r\n";
    let others = "+OK\r\n:12\r\n$-1\r\n*0\r\n*-1\r\n-WRONGTYPE no hash\r\n$0\r\n\r\n";
    [scan, hash, others].map(|text| text.as_bytes().to_vec()).to_vec()
}

/// All answers in the bytes, taken in pieces of that size.
fn answers(bytes: &[u8], piece: usize) -> (Vec<Reply>, Option<Broken>) {
    let mut decoder = Decoder::default();
    let mut all = Vec::new();
    for part in bytes.chunks(piece) {
        let mut part = part;
        loop {
            match decoder.feed(part) {
                Ok(Some(reply)) => all.push(reply),
                Ok(None) => break,
                Err(broken) => return (all, Some(broken)),
            }
            part = &[];
        }
    }
    (all, None)
}

/// Whatever comes over the socket.
pub(crate) fn redis(bytes: &[u8]) {
    let (all, broken) = answers(bytes, bytes.len().max(1));
    for piece in [1, 7] {
        assert_eq!(
            (&all, &broken),
            (&answers(bytes, piece).0, &answers(bytes, piece).1),
            "in pieces of {piece}"
        );
    }
    let mut dump = Dump::default();
    for (i, reply) in all.into_iter().enumerate() {
        if let Some((_, keys)) = page(reply.clone()) {
            // A name that came over the wire goes back as it is.
            let words: Vec<&str> = keys.iter().map(String::as_str).collect();
            let (sent, _) = answers(&request(&words), 3);
            let same = [Reply::Array(keys.iter().cloned().map(Reply::Text).collect())];
            assert!(words.is_empty() || sent == same, "{words:?} is sent as {sent:?}");
        }
        dump.add(format!("BUFFER_POOL|{i}"), reply);
    }
    let text = dump.into_json();
    assert!(input::load(&text).problems.is_empty(), "{text}");
}
