//! What a finding is about: an object of the configuration, independent of the order of the file.

use crate::finding::Finding;
use crate::input::namespaces::is_namespace;
use crate::json::{self, Json, Node, Value};
use crate::schema;

/// The object of a finding: the JSON pointer of an entry or field.
///
/// A finding about several ports or entries points to the first of them in the file. Its object has `*` instead of that
/// port or key; ports are compared one by one.
pub(crate) fn identity(finding: &Finding) -> String {
    of_pointer(finding, &finding.pointer)
}

fn of_pointer(finding: &Finding, pointer: &str) -> String {
    let parts: Vec<&str> = pointer.split('/').collect();
    if finding.ports.is_empty() {
        return match key_of_table(&parts) {
            Some((at, from)) if is_about_several(finding, &parts, at, from) => {
                // A field that the message does not name is that of the first entry as well.
                let field =
                    parts.get(at + 1).filter(|field| words(&finding.message).any(|word| word == **field));
                let end = at + 1 + usize::from(field.is_some());
                with_star(parts.get(..end).unwrap_or(&parts), at, from)
            }
            _ => pointer.to_string(),
        };
    }
    let is_port = |word: &str| finding.ports.iter().any(|port| port == word);
    for (at, part) in parts.iter().enumerate() {
        let mut from = 0;
        for word in part.split_inclusive(['|', ',', ':']) {
            if is_port(word.trim_end_matches(['|', ',', ':'])) {
                return with_star(parts.get(..=at).unwrap_or_default(), at, from);
            }
            from += word.len();
        }
    }
    // Without an entry of the port, the finding points to the table.
    let names = parts.iter().skip(1).filter(|part| !is_namespace(part)).count();
    if names == 1 { format!("{pointer}/*") } else { pointer.to_string() }
}

/// The pointer with `*` instead of the end of one part.
fn with_star(parts: &[&str], at: usize, from: usize) -> String {
    let star = |(i, part): (usize, &&str)| match i == at {
        true => format!("{}*", part.get(..from).unwrap_or_default()),
        false => (*part).to_string(),
    };
    parts.iter().enumerate().map(star).collect::<Vec<_>>().join("/")
}

/// The part of a pointer with the key of an entry, and where the key starts in it: `/TABLE/key`, `/TABLE|key`,
/// `/0/TABLE:key` or `/module/TABLE/TABLE_LIST/key`.
fn key_of_table(parts: &[&str]) -> Option<(usize, usize)> {
    let is_table =
        |name: &str| schema::is_table(name.strip_suffix("_TABLE").unwrap_or(name)) || schema::is_table(name);
    for (at, part) in parts.iter().enumerate() {
        if let Some((table, _)) = part.split_once(['|', ':']).filter(|(table, _)| is_table(table)) {
            return Some((at, table.len() + 1));
        }
        if is_table(part.rsplit_once(':').map_or(part, |(_, local)| local)) {
            let is_list = parts.get(at + 1).is_some_and(|next| next.ends_with("_LIST"));
            let key = at + 1 + usize::from(is_list);
            return parts.get(key).map(|_| (key, 0));
        }
    }
    None
}

/// Whether a finding is about several entries: its message counts them, does not name the entry that it points to, or
/// names it as the first of a list.
fn is_about_several(finding: &Finding, parts: &[&str], at: usize, from: usize) -> bool {
    let part = parts.get(at).and_then(|part| part.get(from..)).unwrap_or_default();
    let key = part.replace("~1", "/").replace("~0", "~");
    let owner = key.split(['|', ':']).next().unwrap_or_default();
    if finding.message.ends_with(" entries)") {
        return true;
    }
    let is_named = |name: &str| words(&finding.message).any(|word| word == name);
    if ![key.as_str(), owner].into_iter().any(is_named) && !finding.message.contains(&key) {
        return true;
    }
    let is_name = |text: &str| {
        let word = text.split([' ', ',', ';']).next().unwrap_or_default();
        word.contains('_') || word.ends_with(|c: char| c.is_ascii_digit())
    };
    let in_list = |(at, _): (usize, &str)| {
        let (before, after) = finding.message.split_at(at);
        let after = after.get(key.len()..).unwrap_or_default();
        let next = after.strip_prefix(", ").or_else(|| after.strip_prefix(" and "));
        before.ends_with("first ") || next.is_some_and(is_name)
    };
    finding.message.match_indices(&key).any(in_list)
}

/// The words of a text; names with `_`, `-`, `|` and `/` are one word.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_inside = |c: char| c.is_alphanumeric() || "_-|/.".contains(c);
    text.split(move |c| !is_inside(c)).map(|word| word.trim_matches('.')).filter(|word| !word.is_empty())
}

/// The words of the message without its ports and numbers, which change when another port has the same defect, and in
/// alphabetical order, because names are listed in the order of the file.
pub(crate) fn message_shape(finding: &Finding) -> String {
    let message = match (finding.ports.first(), finding.message.split_once(": ")) {
        (Some(first), Some((ports, rest))) if ports.starts_with(first.as_str()) => {
            crate::rules::agreeing(rest, 1)
        }
        _ => finding.message.clone(),
    };
    let mut words: Vec<String> =
        words(&message).map(|word| word.chars().filter(|c| !c.is_ascii_digit()).collect()).collect();
    words.sort_unstable();
    words.join(" ")
}

/// Resolves the pointers of one file. The indices of arrays become the keys of their elements.
pub(super) struct Objects<'t> {
    text: Option<&'t str>,
    json: Option<Json<'t>>,
}

impl<'t> Objects<'t> {
    pub(super) fn new(text: Option<&'t str>) -> Self {
        Self { text, json: None }
    }

    /// The object of a finding.
    pub(super) fn of(&mut self, finding: &Finding) -> String {
        let is_index = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
        let (Some(text), true) = (self.text, finding.pointer.split('/').any(is_index)) else {
            return identity(finding);
        };
        let json = self.json.get_or_insert_with(|| json::parse(text));
        of_pointer(finding, &named(json, &finding.pointer))
    }
}

/// The pointer with keys instead of indices.
fn named(json: &Json<'_>, pointer: &str) -> String {
    let mut at = json.root.as_ref();
    let mut names: Vec<String> = Vec::new();
    for part in pointer.split('/').skip(1) {
        let Some(node) = at else {
            names.push(part.to_string());
            continue;
        };
        let children = json.children(&node.value);
        if let Value::Array(_) = node.value {
            at = part.parse().ok().and_then(|index: usize| children.get(index));
            names.push(at.and_then(|element| key_of(json, element, &names)).unwrap_or_else(|| "-".into()));
        } else {
            let key = part.replace("~1", "/").replace("~0", "~");
            at = children.iter().rev().find(|member| member.key == key);
            names.push(part.to_string());
        }
    }
    names.iter().fold(String::new(), |path, name| path + "/" + name)
}

/// The key of an element of a YANG list or of the list of a map; `None` for arrays whose elements have their keys as
/// names (swssconfig).
fn key_of(json: &Json<'_>, element: &Node<'_>, path: &[String]) -> Option<String> {
    let local = |name: &str| name.rsplit_once(':').map_or(name, |(_, local)| local).to_string();
    let members = json.children(&element.value);
    let value = |name: &str| {
        let node = members.iter().find(|member| local(&member.key) == name)?;
        match &node.value {
            Value::Text(text) => Some(text.to_string()),
            Value::Bare(word) => Some((*word).to_string()),
            _ => None,
        }
    };
    let mut above = path.iter().rev().map(|name| local(name));
    let (list, table) = (above.next()?, above.next()?);
    let keys = match schema::yang_keys(&table, &list) {
        Some(keys) => keys.to_vec(),
        // The inner list of a map: /.../TABLE/TABLE_LIST/name/TABLE.
        None => vec![
            schema::yang_map_leaves(
                &path.iter().rev().map(|name| local(name)).find(|name| schema::is_map(name))?,
            )?[0],
        ],
    };
    let values: Option<Vec<String>> = keys.iter().map(|key| value(key)).collect();
    Some(values?.join("|").replace('~', "~0").replace('/', "~1"))
}
