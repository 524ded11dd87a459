//! Annotated example files, written from the tables of keys: deploy/config holds the output.

use super::key::{Daemon, Key};
use super::kind::Kind;

/// Maximum length of a line of comments.
const LINE: usize = 110;

/// Returns the example file of a daemon. What the daemon writes is in the folder `state`, or next to the file.
pub(crate) fn example(daemon: &Daemon, state: Option<&str>) -> String {
    let name = daemon.name;
    let mut text = comment(&format!("Configuration of `harrier {name}`. {}", daemon.about));
    text.push_str(&comment(&format!(
        "Keys that start with `#` have their defaults. Every key is also an option (`--some-key`) and an environment \
         variable (`HARRIER_{}_SOME_KEY`). Relative paths start at this file's folder. `harrier config check` reports \
         mistakes.",
        name.to_uppercase()
    )));
    for key in daemon.keys() {
        text.push('\n');
        text.push_str(&comment(&description(key)));
        text.push_str(&setting(key, state));
    }
    text
}

fn description(key: &Key) -> String {
    let expected = match key.kind {
        Kind::Text | Kind::Path => String::new(),
        kind => format!(" ({})", kind.expected()),
    };
    let reload = if key.reload { " SIGHUP applies a change." } else { "" };
    format!("{}{expected}.{reload}", key.help)
}

fn setting(key: &Key, state: Option<&str>) -> String {
    let (mark, value) = match (key.example, key.default) {
        ("", default) => ("# ", default),
        (example, _) => ("", example),
    };
    match state.filter(|_| key.is_state) {
        Some(folder) => {
            let placed = format!("{}/{value}", folder.trim_end_matches('/'));
            format!("{} = {}\n", key.name, literal(&key.kind, &placed))
        }
        None => format!("{mark}{} = {}\n", key.name, literal(&key.kind, value)),
    }
}

fn literal(kind: &Kind, value: &str) -> String {
    match kind {
        Kind::Number(..) if !value.is_empty() => value.into(),
        Kind::List(of) => {
            let items = value.split(',').filter(|item| !item.is_empty()).map(|item| literal(of, item));
            format!("[{}]", items.collect::<Vec<_>>().join(", "))
        }
        _ => toml::Value::from(value).to_string(),
    }
}

/// Returns a text as lines of comments.
fn comment(text: &str) -> String {
    let mut lines = String::new();
    let mut line = String::from("#");
    for word in text.split_whitespace() {
        if line.len() + 1 + word.len() > LINE {
            lines.push_str(&line);
            lines.push('\n');
            line = String::from("#");
        }
        line.push(' ');
        line.push_str(word);
    }
    lines.push_str(&line);
    lines.push('\n');
    lines
}
