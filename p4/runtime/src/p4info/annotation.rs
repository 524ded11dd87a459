//! Annotations: from the program's text to the forms of P4Info.

use crate::proto::p4::config::v1 as config;

/// Annotations that P4Info represents by fields.
const REPRESENTED: [&str; 4] = ["name", "id", "brief", "description"];

/// Parsed annotations of an object.
#[derive(Debug, Default)]
pub(super) struct Annotations {
    /// Unstructured annotations, as text.
    pub(super) plain: Vec<String>,
    /// Structured annotations (`@name[...]`).
    pub(super) structured: Vec<config::StructuredAnnotation>,
    /// `@brief` and `@description`.
    pub(super) documentation: Option<config::Documentation>,
}

impl Annotations {
    /// Parses annotations, without the unstructured ones listed in `hidden`.
    pub(super) fn parse(texts: &[String], hidden: &[&str]) -> Annotations {
        let mut all = Annotations::default();
        for text in texts {
            let name = name_of(text);
            if let Some(structured) = structured(text) {
                all.structured.push(structured);
            } else if name == "brief" || name == "description" {
                let words = arguments(text).and_then(|a| unquote(a.trim())).unwrap_or_default();
                let documentation = all.documentation.get_or_insert_with(Default::default);
                match name {
                    "brief" => documentation.brief = words,
                    _ => documentation.description = words,
                }
            } else if !REPRESENTED.contains(&name) && !hidden.contains(&name) {
                all.plain.push(text.clone());
            }
        }
        all
    }
}

/// The name of an annotation: `a.b` of `@a.b(...)`.
pub(super) fn name_of(text: &str) -> &str {
    let text = text.trim().trim_start_matches('@');
    let end = text.find(|c: char| c == '(' || c == '[' || c.is_whitespace()).unwrap_or(text.len());
    &text[..end]
}

/// The text between an annotation's parentheses.
pub(super) fn arguments(text: &str) -> Option<&str> {
    let open = text.find('(')?;
    text.trim_end().strip_suffix(')').and_then(|t| t.get(open + 1..))
}

/// The annotation with this name.
pub(super) fn find<'a>(texts: &'a [String], name: &str) -> Option<&'a str> {
    texts.iter().map(String::as_str).find(|text| name_of(text) == name)
}

/// Arguments of the form `key = value, key = value`.
pub(super) fn key_values(text: &str) -> Vec<(String, config::Expression)> {
    let body = arguments(text).unwrap_or_default();
    split(body).into_iter().filter_map(key_value).collect()
}

/// The single argument as a number.
pub(super) fn number(text: &str) -> Option<i64> {
    integer(arguments(text)?.trim())
}

/// The single argument as a string.
pub(super) fn string(text: &str) -> Option<String> {
    unquote(arguments(text)?.trim())
}

fn structured(text: &str) -> Option<config::StructuredAnnotation> {
    let name = name_of(text);
    let rest = text.trim().trim_start_matches('@').get(name.len()..)?.trim();
    let body = rest.strip_prefix('[')?.strip_suffix(']')?;
    let items = split(body);
    let pairs: Vec<_> = items.iter().filter_map(|item| key_value(item)).collect();
    let body = if items.is_empty() {
        None
    } else if pairs.len() == items.len() {
        let kv_pairs =
            pairs.into_iter().map(|(key, value)| config::KeyValuePair { key, value: Some(value) }).collect();
        Some(config::structured_annotation::Body::KvPairList(config::KeyValuePairList { kv_pairs }))
    } else {
        let expressions = items.iter().filter_map(|item| expression(item.trim())).collect();
        Some(config::structured_annotation::Body::ExpressionList(config::ExpressionList { expressions }))
    };
    Some(config::StructuredAnnotation { name: name.into(), body, source_location: None })
}

/// Splits at commas outside of strings.
fn split(body: &str) -> Vec<&str> {
    let (mut parts, mut start, mut quoted, mut escaped) = (Vec::new(), 0, false, false);
    for (at, c) in body.char_indices() {
        match c {
            _ if escaped => escaped = false,
            '\\' if quoted => escaped = true,
            '"' => quoted = !quoted,
            ',' if !quoted => {
                parts.push(&body[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&body[start..]);
    parts.retain(|part| !part.trim().is_empty());
    parts
}

fn key_value(item: &str) -> Option<(String, config::Expression)> {
    let (key, value) = item.split_once('=')?;
    let key = key.trim();
    if key.is_empty() || !key.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        return None;
    }
    Some((key.into(), expression(value.trim())?))
}

fn expression(text: &str) -> Option<config::Expression> {
    use config::expression::Value;
    let value = match text {
        "true" => Value::BoolValue(true),
        "false" => Value::BoolValue(false),
        _ => match unquote(text) {
            Some(string) => Value::StringValue(string),
            None => Value::Int64Value(integer(text)?),
        },
    };
    Some(config::Expression { value: Some(value) })
}

/// A P4 integer literal: an optional sign, an optional width, an optional base.
fn integer(text: &str) -> Option<i64> {
    let (negative, text) = match text.strip_prefix('-') {
        Some(rest) => (true, rest.trim()),
        None => (false, text),
    };
    let lower = text.replace('_', "").to_ascii_lowercase();
    let digits = match lower.find(['w', 's']) {
        Some(at) if !lower[..at].is_empty() && lower[..at].bytes().all(|b| b.is_ascii_digit()) => {
            &lower[at + 1..]
        }
        _ => lower.as_str(),
    };
    let value = match digits.get(..2) {
        Some("0x") => i128::from_str_radix(&digits[2..], 16),
        Some("0b") => i128::from_str_radix(&digits[2..], 2),
        Some("0o") => i128::from_str_radix(&digits[2..], 8),
        Some("0d") => digits[2..].parse(),
        _ => digits.parse(),
    }
    .ok()?;
    i64::try_from(if negative { -value } else { value }).ok()
}

fn unquote(text: &str) -> Option<String> {
    let body = text.strip_prefix('"')?.strip_suffix('"')?;
    let mut out = String::with_capacity(body.len());
    let mut chars = body.chars();
    while let Some(c) = chars.next() {
        out.push(match c {
            '\\' => match chars.next() {
                Some('n') => '\n',
                Some('t') => '\t',
                Some('r') => '\r',
                Some(other) => other,
                None => return None,
            },
            c => c,
        });
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use config::expression::Value;
    use config::structured_annotation::Body;

    fn check(texts: &[&str]) -> Annotations {
        let texts: Vec<String> = texts.iter().map(|t| t.to_string()).collect();
        Annotations::parse(&texts, &["hidden_one"])
    }

    #[test]
    fn represented_and_hidden_annotations_are_omitted() {
        let all =
            check(&["@name(\"x\")", "@id(7)", "@hidden_one", "@defaultonly", "@brief(\"a \\\"b\\\"\")"]);
        assert_eq!(all.plain, ["@defaultonly"]);
        assert_eq!(all.documentation.map(|d| d.brief), Some("a \"b\"".to_string()));
    }

    #[test]
    fn structured_annotations_hold_lists_or_pairs() {
        let all = check(&["@list[1, \"a,b\", true, 5 ]", "@pairs[label=\"text\", n = 8w0x10]", "@empty[]"]);
        assert!(all.plain.is_empty());
        let Some(Body::ExpressionList(list)) = &all.structured[0].body else { panic!("a list") };
        assert_eq!(list.expressions.len(), 4);
        assert_eq!(list.expressions[1].value, Some(Value::StringValue("a,b".into())));
        let Some(Body::KvPairList(pairs)) = &all.structured[1].body else { panic!("pairs") };
        assert_eq!(
            pairs.kv_pairs[1].value.as_ref().and_then(|v| v.value.clone()),
            Some(Value::Int64Value(16))
        );
        assert_eq!(all.structured[2].body, None);
    }

    #[test]
    fn numbers_are_parsed_in_all_bases() {
        for (text, value) in [("@a(12)", 12), ("@a(0x0A)", 10), ("@a(-3)", -3), ("@a(8w0b11)", 3)] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        assert_eq!(number("@a(99999999999999999999)"), None);
        assert_eq!(number("@a"), None);
    }
}
