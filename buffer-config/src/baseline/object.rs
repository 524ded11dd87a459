//! What a finding is about: an object of the configuration, independent of the order of the file.

use crate::finding::Finding;
use crate::input::namespaces::is_namespace;
use crate::json::{self, Json, Node, Value};
use crate::schema;

/// The object of a finding: the JSON pointer of an entry or field.
///
/// A finding about ports points to the first of them in the file. Its object has `*` instead of that port, and the
/// ports are compared one by one.
pub(crate) fn identity(finding: &Finding) -> String {
    of_ports(finding, &finding.pointer)
}

fn of_ports(finding: &Finding, pointer: &str) -> String {
    if finding.ports.is_empty() {
        return pointer.to_string();
    }
    let parts: Vec<&str> = pointer.split('/').collect();
    let is_port = |word: &str| finding.ports.iter().any(|port| port == word);
    for (i, part) in parts.iter().enumerate() {
        let mut at = 0;
        for word in part.split_inclusive(['|', ',', ':']) {
            if is_port(word.trim_end_matches(['|', ',', ':'])) {
                let before = part.get(..at).unwrap_or_default();
                return format!("{}/{before}*", parts.get(..i).unwrap_or_default().join("/"));
            }
            at += word.len();
        }
    }
    // Without an entry of the port, the finding points to the table.
    let names = parts.iter().skip(1).filter(|part| !is_namespace(part)).count();
    if names == 1 { format!("{pointer}/*") } else { pointer.to_string() }
}

/// The message without its ports and numbers, which change when another port has the same defect.
pub(crate) fn message_shape(finding: &Finding) -> String {
    let message = match (finding.ports.first(), finding.message.split_once(": ")) {
        (Some(first), Some((ports, rest))) if ports.starts_with(first.as_str()) => rest,
        _ => &finding.message,
    };
    message.chars().filter(|c| !c.is_ascii_digit()).collect()
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
        of_ports(finding, &named(json, &finding.pointer))
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
