//! Reads a TOML file by a daemon's table of keys, and reports every mistake with its position.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{Daemon, Key};
use super::kind::{Kind, Value};
use super::settings::{Origin, Problem, Settings};

/// Sets the keys of a file. Returns all mistakes; the other keys are set nevertheless.
pub(crate) fn read(
    daemon: &'static Daemon,
    path: &Path,
    text: &str,
    settings: &mut Settings,
) -> Vec<Problem> {
    let reader = Reader { path, text };
    let (table, errors) = DeTable::parse_recoverable(text);
    let mut problems: Vec<Problem> = errors
        .iter()
        .map(|error| {
            reader.problem(error.span().unwrap_or(0..0), error.message().trim_end().replace('\n', "; "))
        })
        .collect();
    for (name, value) in table.get_ref() {
        let Some(key) = daemon.key(name.get_ref()) else {
            problems.push(reader.unknown(daemon, name));
            continue;
        };
        match reader.value(&key.kind, value) {
            Ok(value) => settings.set(key, value, reader.origin(name.span())),
            Err((span, message)) => problems.push(reader.problem(span, format!("{}: {message}", key.name))),
        }
    }
    problems.sort_by_key(|problem| match problem.origin {
        Origin::File(_, line, column) => (line, column),
        _ => (0, 0),
    });
    problems
}

struct Reader<'t> {
    path: &'t Path,
    text: &'t str,
}

impl Reader<'_> {
    fn origin(&self, span: Range<usize>) -> Origin {
        let before = self.text.get(..span.start).unwrap_or(self.text);
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        let line = before.matches('\n').count() + 1;
        Origin::File(self.path.to_path_buf(), line, before[line_start..].chars().count() + 1)
    }

    fn problem(&self, span: Range<usize>, message: String) -> Problem {
        Problem { origin: self.origin(span), message }
    }

    fn unknown(&self, daemon: &Daemon, name: &Spanned<std::borrow::Cow<'_, str>>) -> Problem {
        let hint = match daemon.similar(name.get_ref()) {
            Some(similar) => format!("; did you mean `{similar}`?"),
            None => format!("; `harrier {} --help` lists the keys", daemon.name),
        };
        self.problem(name.span(), format!("`{}` is not a key of {}{hint}", name.get_ref(), daemon.name))
    }

    /// Returns the value, or the position and text of a mistake.
    fn value(&self, kind: &Kind, value: &Spanned<DeValue<'_>>) -> Result<Value, (Range<usize>, String)> {
        let wrong = |what: &str| Err((value.span(), format!("this is {what}; expected {}", kind.expected())));
        let parsed = |text: &str| kind.parse(text).map_err(|message| (value.span(), message));
        match (kind, value.get_ref()) {
            (Kind::List(of), DeValue::Array(items)) => {
                items.iter().map(|item| self.value(of, item)).collect::<Result<_, _>>().map(Value::List)
            }
            (Kind::List(_), _) => wrong("not a list"),
            (Kind::Number(..), DeValue::Integer(number)) => parsed(&decimal(number)),
            (Kind::Number(..), DeValue::String(_)) => wrong("a text in quotes"),
            (Kind::Path, DeValue::String(text)) => Ok(match parsed(text)? {
                Value::Path(path) if !is_url(&path) => {
                    Value::Path(self.path.parent().unwrap_or(Path::new("")).join(path))
                }
                other => other,
            }),
            (_, DeValue::String(text)) => parsed(text),
            (_, DeValue::Integer(_)) => wrong("a number"),
            (_, DeValue::Float(_)) => wrong("a number with a fraction"),
            (_, DeValue::Boolean(_)) => wrong("true or false"),
            (_, DeValue::Datetime(_)) => wrong("a date"),
            (_, DeValue::Array(_)) => wrong("a list"),
            (_, DeValue::Table(_)) => wrong("a table"),
        }
    }
}

/// Whether a path is the URL of a server, e.g. of a database, which is not relative to the file.
fn is_url(path: &Path) -> bool {
    path.to_str().is_some_and(|text| text.contains("://"))
}

/// Returns an integer in decimal; one that is too large stays as it is written and is out of every range.
fn decimal(number: &toml::de::DeInteger<'_>) -> String {
    u64::from_str_radix(number.as_str(), number.radix())
        .map_or_else(|_| number.as_str().to_string(), |number| number.to_string())
}

/// Returns the daemon whose file this is, by the first part of the file's name: `agent.toml`, `agent-h1.toml`.
pub(crate) fn daemon_of(path: &Path) -> Option<&'static Daemon> {
    let stem = path.file_stem()?.to_str()?;
    let first = stem.split(['-', '.', '_']).next()?;
    super::DAEMONS.into_iter().find(|daemon| daemon.name == first)
}

/// Sets a key from a text, e.g. a variable.
pub(crate) fn set_text(key: &Key, text: &str, origin: Origin, settings: &mut Settings) -> Option<Problem> {
    match key.kind.parse(text) {
        Ok(value) => {
            settings.set(key, value, origin);
            None
        }
        Err(message) => Some(Problem { origin, message }),
    }
}
