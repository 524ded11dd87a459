//! Reads a TOML file by a daemon's table of keys, and reports every mistake with its position.

use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use super::key::{Daemon, Key};
use super::kind::{Kind, Value};
use super::settings::{Origin, Problem, Settings};

/// A mistake in a value: where it is, and what is wrong.
type Mistake = (Range<usize>, String);

/// Sets the keys of a file. Returns all mistakes; the other keys are set nevertheless.
pub(crate) fn read(
    daemon: &'static Daemon,
    path: &Path,
    text: &str,
    settings: &mut Settings,
) -> Vec<Problem> {
    let reader = Reader { path, text };
    settings.set_file(path);
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
            Err(mistakes) => {
                settings.set_wrong(key, reader.origin(name.span()));
                let named = |(span, message)| reader.problem(span, format!("{}: {message}", key.name));
                problems.extend(mistakes.into_iter().map(named));
            }
        }
    }
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
        Problem { origin: self.origin(span), message, key: None }
    }

    fn unknown(&self, daemon: &Daemon, name: &Spanned<std::borrow::Cow<'_, str>>) -> Problem {
        let hint = match daemon.similar(name.get_ref()) {
            Some(similar) => format!("; did you mean `{similar}`?"),
            None => format!("; `harrier {} --help` lists the keys", daemon.name),
        };
        self.problem(name.span(), format!("`{}` is not a key of {}{hint}", name.get_ref(), daemon.name))
    }

    /// Returns the value, or all mistakes in it.
    fn value(&self, kind: &Kind, value: &Spanned<DeValue<'_>>) -> Result<Value, Vec<Mistake>> {
        match (kind, value.get_ref()) {
            (Kind::List(of), DeValue::Array(items)) => {
                let (mut values, mut mistakes) = (Vec::new(), Vec::new());
                for item in items.iter() {
                    match self.single_value(of, item) {
                        Ok(value) => values.push(value),
                        Err(mistake) => mistakes.push(mistake),
                    }
                }
                if mistakes.is_empty() { Ok(Value::List(values)) } else { Err(mistakes) }
            }
            _ => self.single_value(kind, value).map_err(|mistake| vec![mistake]),
        }
    }

    /// Returns a value that is no list, or the mistake in it.
    fn single_value(&self, kind: &Kind, value: &Spanned<DeValue<'_>>) -> Result<Value, Mistake> {
        let wrong = |what: &str| Err((value.span(), format!("this is {what}; expected {}", kind.expected())));
        let parsed = |text: &str| kind.parse_one(text).map_err(|message| (value.span(), message));
        match (kind, value.get_ref()) {
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

/// Sets a key from a text, e.g. a variable. Returns all mistakes.
pub(crate) fn set_text(
    key: &'static Key,
    text: &str,
    origin: Origin,
    settings: &mut Settings,
) -> Vec<Problem> {
    set_parsed(key, key.kind.parse(text), origin, settings)
}

/// Sets a key from the items of a list. Returns all mistakes.
pub(crate) fn set_items(
    key: &'static Key,
    items: &[String],
    origin: Origin,
    settings: &mut Settings,
) -> Vec<Problem> {
    let Kind::List(of) = key.kind else { return Vec::new() };
    set_parsed(key, of.parse_items(items.iter().map(String::as_str)), origin, settings)
}

fn set_parsed(
    key: &'static Key,
    parsed: Result<Value, Vec<String>>,
    origin: Origin,
    settings: &mut Settings,
) -> Vec<Problem> {
    match parsed {
        Ok(value) => {
            settings.set(key, value, origin);
            Vec::new()
        }
        Err(mistakes) => {
            settings.set_wrong(key, origin.clone());
            let problem = |message| Problem { origin: origin.clone(), message, key: None };
            mistakes.into_iter().map(problem).collect()
        }
    }
}
