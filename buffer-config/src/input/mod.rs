//! Input formats of CONFIG_DB: detects the format by the structure of the text, and reads all of them into
//! [`ConfigDb`].

mod dumps_and_yang;
pub(crate) mod namespaces;
mod nested;
mod refusal;
mod repeats;

pub use refusal::{has_known_table, refusal};

use crate::db::{ConfigDb, InputFormat};
use crate::json::{self, Json, Node, Value};

/// One database of a file.
#[derive(Debug)]
pub struct Namespace<'a> {
    /// `localhost`, or `asic` and a number; empty in a file with a single database.
    pub name: String,
    /// Its tables.
    pub db: ConfigDb<'a>,
}

/// Reads all databases of a file: one, or one per chip of a switch with several.
pub fn load_all(text: &str) -> Vec<Namespace<'_>> {
    namespaces::split(text).unwrap_or_else(|| vec![Namespace { name: String::new(), db: load(text) }])
}

/// Reads a configuration in any JSON format except the one for several chips ([`load_all`]). Always returns what could
/// be parsed; [`ConfigDb::problems`] lists the rest.
pub fn load(text: &str) -> ConfigDb<'_> {
    // The usual format needs no tree. The first key of another format ends this attempt.
    if let Some(db) = nested::load(text, nested::Names::Plain) {
        return db;
    }
    let json = json::parse(text);
    let form = json.root.as_ref().map_or(InputFormat::Nested, |root| form_of(&json, root));
    match form {
        InputFormat::Nested => nested::load(text, nested::Names::Any).unwrap_or_default(),
        form => dumps_and_yang::load(json, form),
    }
}

fn form_of(json: &Json<'_>, root: &Node<'_>) -> InputFormat {
    match &root.value {
        Value::Array(_) => InputFormat::Swssconfig,
        Value::Object(_) => {
            let members = json.children(&root.value);
            if members.iter().any(|m| m.key.starts_with("sonic-") && m.key.contains(':')) {
                return InputFormat::Yang;
            }
            let is_flat = |m: &Node<'_>| {
                let entry = dumps_and_yang::unwrap_dump(json, m);
                let is_entry =
                    json.children(&entry.value).iter().all(|f| !matches!(f.value, Value::Object(_)));
                (m.key.contains('|') || m.key.contains(':')) && is_entry
            };
            if members.iter().any(is_flat) { InputFormat::Flat } else { InputFormat::Nested }
        }
        _ => InputFormat::Nested,
    }
}
