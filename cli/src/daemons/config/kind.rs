//! Types of keys: what a text must be to be a value.

use std::net::{IpAddr, SocketAddr};
use std::path::PathBuf;

/// The type of a key, with its range.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind {
    /// Any text that is not empty.
    Text,
    /// A whole number in a range, both ends included.
    Number(u64, u64),
    /// One of these words.
    Choice(&'static [&'static str]),
    /// An IP address and port to listen on.
    Listen,
    /// An IP address.
    Ip,
    /// A host name or IP address, and a port.
    Peer,
    /// A path; in a file relative to the file's folder.
    Path,
    /// Some other text: its form for help and messages, and its check.
    Other(&'static str, fn(&str) -> Result<(), String>),
    /// A list, in a flag or variable separated by commas.
    List(&'static Kind),
}

/// A value of a key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Value {
    Text(String),
    Number(u64),
    Listen(SocketAddr),
    Ip(IpAddr),
    Path(PathBuf),
    List(Vec<Value>),
}

impl Kind {
    /// Returns what is expected, for help and messages.
    pub(crate) fn expected(&self) -> String {
        match self {
            Kind::Text => "a text".into(),
            Kind::Number(min, max) if *max == u64::MAX => format!("a whole number of at least {min}"),
            Kind::Number(min, max) => format!("a whole number from {min} to {max}"),
            Kind::Choice(words) => words.join(" or "),
            Kind::Listen => "an IP address and port, e.g. 127.0.0.1:8080".into(),
            Kind::Ip => "an IP address".into(),
            Kind::Peer => "a host and port, e.g. server.example:9560".into(),
            Kind::Path => "a path".into(),
            Kind::Other(form, _) => (*form).into(),
            Kind::List(of) => format!("a list; each {}", of.expected()),
        }
    }

    /// Returns the placeholder of a value in the help of flags.
    pub(crate) fn placeholder(&self) -> &'static str {
        match self {
            Kind::Text => "TEXT",
            Kind::Number(..) => "N",
            Kind::Choice(_) => "WORD",
            Kind::Listen => "ADDRESS:PORT",
            Kind::Ip => "ADDRESS",
            Kind::Peer => "HOST:PORT",
            Kind::Path => "PATH",
            Kind::Other(form, _) => form,
            Kind::List(of) => of.placeholder(),
        }
    }

    /// Reads a value.
    ///
    /// # Errors
    /// All mistakes, without the key's name.
    pub(crate) fn parse(&self, text: &str) -> Result<Value, Vec<String>> {
        match self {
            Kind::List(of) => {
                let items = of.split_items(text);
                of.parse_items(items.iter().map(String::as_str))
            }
            _ => self.parse_one(text).map_err(|message| vec![message]),
        }
    }

    /// Splits a list at its commas, except for those within an item if its form has one, e.g. between the ends of a tunnel.
    fn split_items(&self, text: &str) -> Vec<String> {
        let has_comma = matches!(self, Kind::Other(form, _) if form.contains(','));
        let mut items: Vec<String> = Vec::new();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let joined = items.last().map(|last| format!("{last},{part}"));
            match (items.last_mut(), joined) {
                (Some(last), Some(joined))
                    if has_comma && self.parse_one(last).is_err() && self.parse_one(&joined).is_ok() =>
                {
                    *last = joined;
                }
                _ => items.push(part.to_string()),
            }
        }
        items
    }

    /// Reads the values of a list of which each has this type.
    ///
    /// # Errors
    /// All mistakes, without the key's name.
    pub(crate) fn parse_items<'t>(
        &self,
        items: impl IntoIterator<Item = &'t str>,
    ) -> Result<Value, Vec<String>> {
        let (mut values, mut mistakes) = (Vec::new(), Vec::new());
        for item in items {
            match self.parse_one(item) {
                Ok(value) => values.push(value),
                Err(message) => mistakes.push(message),
            }
        }
        if mistakes.is_empty() { Ok(Value::List(values)) } else { Err(mistakes) }
    }

    /// Reads a value that is no list.
    ///
    /// # Errors
    /// What is wrong, without the key's name.
    pub(crate) fn parse_one(&self, text: &str) -> Result<Value, String> {
        let wrong = || format!("`{text}` is not {}", self.expected());
        match self {
            Kind::Text if text.is_empty() => Err("the text is empty".into()),
            Kind::Text => Ok(Value::Text(text.into())),
            Kind::Number(min, max) => match text.parse() {
                Ok(number) if (*min..=*max).contains(&number) => Ok(Value::Number(number)),
                Ok(number) => Err(format!("{number} is out of range: expected {}", self.expected())),
                Err(_) => Err(wrong()),
            },
            Kind::Choice(words) if words.contains(&text) => Ok(Value::Text(text.into())),
            Kind::Choice(_) => Err(format!("`{text}` is not one of {}", self.expected())),
            Kind::Listen => text.parse().map(Value::Listen).map_err(|_| wrong()),
            Kind::Ip => text.parse().map(Value::Ip).map_err(|_| wrong()),
            Kind::Peer => match text.rsplit_once(':') {
                Some((host, port)) if !host.is_empty() && port.parse::<u16>().is_ok_and(|port| port > 0) => {
                    Ok(Value::Text(text.into()))
                }
                _ => Err(wrong()),
            },
            Kind::Path if text.is_empty() => Err("the path is empty".into()),
            Kind::Path => Ok(Value::Path(text.into())),
            Kind::Other(form, check) => match check(text) {
                Ok(()) => Ok(Value::Text(text.into())),
                Err(problem) if problem.contains("expected") => Err(format!("`{text}`: {problem}")),
                Err(problem) => Err(format!("`{text}`: {problem}; expected {form}")),
            },
            Kind::List(_) => Err("a list of lists".into()),
        }
    }
}
