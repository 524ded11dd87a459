//! The search for the words that names of secrets contain.
//!
//! Most texts have none of them, and reports read the whole text for each file: the search skips what cannot be the end
//! of a word's beginning (Wu and Manber, "A fast algorithm for multi-pattern searching", 1994).

/// What is in every word before or around a secret: the text has no secret without one of them.
const STEMS: [&str; 11] = [
    "pass",
    "secret",
    "auth_key",
    "_cak",
    "community",
    "private_key",
    "snmp_user",
    "ntp_key",
    "key-string",
    "pre-shared-key",
    " key ",
];

/// The number of bytes of each stem that the search looks for first: the length of the shortest.
const BEGINNING: usize = 4;

/// How far the search may go on for the low five bits of two bytes, in which letters have no case.
static SKIPS: [u8; 1024] = skips();

const fn pair(one: u8, other: u8) -> usize {
    ((one & 31) as usize) << 5 | (other & 31) as usize
}

const fn skips() -> [u8; 1024] {
    let mut skips = [BEGINNING as u8 - 1; 1024];
    let mut stem = 0;
    while stem < STEMS.len() {
        let bytes = STEMS[stem].as_bytes();
        let mut end = 1;
        while end < BEGINNING {
            let at = pair(bytes[end - 1], bytes[end]);
            let skip = (BEGINNING - 1 - end) as u8;
            if skip < skips[at] {
                skips[at] = skip;
            }
            end += 1;
        }
        stem += 1;
    }
    skips
}

/// Whether one of the stems is in a text, in either case.
pub(super) fn has_stem(text: &[u8]) -> bool {
    let mut end = BEGINNING - 1;
    while let (Some(last), Some(before)) = (text.get(end), text.get(end - 1)) {
        match SKIPS[pair(*before, *last)] {
            0 => {
                let rest = &text[end + 1 - BEGINNING..];
                let is_here = |stem: &&str| {
                    rest.get(..stem.len()).is_some_and(|part| part.eq_ignore_ascii_case(stem.as_bytes()))
                };
                if STEMS.iter().any(is_here) {
                    return true;
                }
                end += 1;
            }
            skip => end += usize::from(skip),
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::{STEMS, has_stem};

    #[track_caller]
    fn check(text: &str) {
        let lower = text.to_ascii_lowercase();
        let expected = STEMS.iter().any(|stem| lower.contains(stem));
        assert_eq!(has_stem(text.as_bytes()), expected, "{text}");
    }

    #[test]
    fn a_stem_is_found_at_every_place_and_in_both_cases() {
        for stem in STEMS {
            for before in 0..9 {
                for behind in ["", "x", "\n  ab"] {
                    let filler = &"spap_key"[..before.min(8)];
                    check(&format!("{filler}{stem}{behind}"));
                    check(&format!("{filler}{}{behind}", stem.to_ascii_uppercase()));
                    check(&format!("{filler}{}{behind}", &stem[..stem.len() - 1]));
                }
            }
        }
    }

    #[test]
    fn texts_without_a_stem_have_none() {
        for text in ["", "p", "pas", "PORT", "\"lanes\": \"1,2,3,4\"", "keys and spaces", "ntp-key", "é key"]
        {
            check(text);
        }
    }

    #[test]
    fn every_word_before_a_secret_contains_a_stem() {
        let words = super::super::WORDS.iter().chain(&super::super::KEY_TABLES);
        let words = words.chain(&super::super::COMMAND_WORDS).chain([&super::super::VALUE_TABLE]);
        for word in words {
            assert!(has_stem(word.as_bytes()), "{word}");
        }
    }
}
