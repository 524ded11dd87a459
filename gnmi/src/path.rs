//! Paths as text, `interfaces/interface[name=Ethernet0]/state`. Pure.

use std::collections::HashMap;

use crate::proto;

/// An element of a path: its name without the prefix of a module, and its keys by name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Element {
    /// The name.
    pub name: String,
    /// The keys, sorted by their names.
    pub keys: Vec<(String, String)>,
}

/// Parses a path. Keys are in brackets; a `]` or `\` in a value is written with a `\` before it (gNMI path conventions).
///
/// # Errors
/// A bracket is not closed, or a key has no `=`.
pub fn parse(text: &str) -> Result<proto::Path, String> {
    let mut elements = Vec::new();
    let mut rest = text.trim_start_matches('/');
    while !rest.is_empty() {
        let end = rest.find(['/', '[']).unwrap_or(rest.len());
        let (name, mut after) = rest.split_at(end);
        let mut key = HashMap::new();
        while let Some(inside) = after.strip_prefix('[') {
            let (name, inside) =
                inside.split_once('=').ok_or_else(|| format!("`{text}`: a key has no `=`"))?;
            let (value, next) = bracketed(inside).ok_or_else(|| format!("`{text}`: a `[` is not closed"))?;
            key.insert(name.to_string(), value);
            after = next;
        }
        elements.push(proto::PathElem { name: name.to_string(), key });
        rest = after.trim_start_matches('/');
    }
    Ok(proto::Path { elem: elements, ..proto::Path::default() })
}

/// A value up to its closing bracket, and what follows.
fn bracketed(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match character {
            '\\' => value.push(characters.next()?.1),
            ']' => return Some((value, &text[at + 1..])),
            other => value.push(other),
        }
    }
    None
}

/// The elements of a prefix and a path, one after the other.
pub fn elements(prefix: Option<&proto::Path>, path: Option<&proto::Path>) -> Vec<Element> {
    let both = prefix.into_iter().chain(path);
    both.flat_map(|path| {
        // The form of version 0.3 and earlier has no keys.
        #[allow(deprecated, reason = "older devices send it")]
        let old = path.element.iter().filter(|_| path.elem.is_empty());
        let old = old.map(|name| Element { name: without_module(name), keys: Vec::new() });
        let new = path.elem.iter().map(|element| {
            let mut keys: Vec<_> =
                element.key.iter().map(|(name, value)| (name.clone(), value.clone())).collect();
            keys.sort();
            Element { name: without_module(&element.name), keys }
        });
        old.chain(new).collect::<Vec<_>>()
    })
    .collect()
}

/// A name without the YANG module before its `:`.
pub fn without_module(name: &str) -> String {
    name.rsplit_once(':').map_or(name, |(_, name)| name).to_string()
}

/// A path as text.
pub fn shown(path: &proto::Path) -> String {
    let element = |element: Element| {
        let keys: String = element.keys.iter().map(|(name, value)| format!("[{name}={value}]")).collect();
        format!("/{}{keys}", element.name)
    };
    elements(None, Some(path)).into_iter().map(element).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(text: &str, expected: &str) {
        assert_eq!(parse(text).map(|path| shown(&path)).as_deref(), Ok(expected), "{text}");
    }

    #[test]
    fn paths_are_read_and_shown() {
        check(
            "interfaces/interface[name=Ethernet1/1]/state",
            "/interfaces/interface[name=Ethernet1/1]/state",
        );
        check("/openconfig-qos:qos/a[y=2][x=1]", "/qos/a[x=1][y=2]");
        check("COUNTERS/Ethernet*", "/COUNTERS/Ethernet*");
        check("", "");
        assert_eq!(parse(r"a[n=x\]y]").map(|path| path.elem[0].key["n"].clone()), Ok("x]y".to_string()));
        assert!(parse("a[n=x").is_err() && parse("a[n]").is_err());
    }
}
