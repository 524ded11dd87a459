//! Edits of a JSON text that leave everything else as it was written: order, indentation, numbers, line ends.

use super::tree::{Json, Node, Value, parse};

/// The text with the value at a pointer added, or replaced if it exists.
///
/// # Errors
/// If the text is not valid JSON, or the parent is not an object.
pub(crate) fn set(text: &str, pointer: &str, value: &serde_json::Value) -> Result<String, String> {
    let json = sound(text)?;
    let (parent, name) = parent_of(&json, pointer)?;
    let members = json.children(&parent.value);
    if let Some(member) = members.iter().rev().find(|member| member.key == name.as_str()) {
        let indent = indent_before(text, member.key_span.start as usize);
        return Ok(spliced(
            text,
            member.span.start as usize,
            member.span.end as usize,
            &written(value, indent),
        ));
    }
    let key = serde_json::Value::from(name).to_string();
    let Some(last) = members.last() else {
        let inside = parent.span.start as usize + 1;
        return Ok(spliced(text, inside, inside, &format!("{key}: {}", written(value, None))));
    };
    // The new member looks like the last one: what precedes its key, and what separates key and value.
    let before = members.len().checked_sub(2).and_then(|at| members.get(at));
    let start = before.map_or(parent.span.start as usize + 1, |node| node.span.end as usize);
    let lead = text.get(start..last.key_span.start as usize).unwrap_or_default();
    let lead = if before.is_some() { lead.split_once(',').map_or(lead, |(_, behind)| behind) } else { lead };
    let lead = if lead.is_empty() && before.is_none() && text.contains(", ") { " " } else { lead };
    let colon = text.get(last.key_span.end as usize..last.span.start as usize).unwrap_or(": ");
    let indent = indent_before(text, last.key_span.start as usize);
    let end = last.span.end as usize;
    Ok(spliced(text, end, end, &format!(",{lead}{key}{colon}{}", written(value, indent))))
}

/// The text without the member at a pointer.
///
/// # Errors
/// If the text is not valid JSON, or the member does not exist.
pub(crate) fn remove(text: &str, pointer: &str) -> Result<String, String> {
    let json = sound(text)?;
    let (parent, name) = parent_of(&json, pointer)?;
    let members = json.children(&parent.value);
    let at = members.iter().rposition(|member| member.key == name.as_str());
    let at = at.ok_or_else(|| format!("{pointer} does not exist"))?;
    let of = |at: usize| members.get(at).map(|node| (node.key_span.start as usize, node.span.end as usize));
    let before = at.checked_sub(1).and_then(of).map(|(_, end)| end);
    let (start, end) = match (before, of(at), of(at + 1)) {
        // With the comma behind it, up to the next key.
        (_, Some((start, _)), Some((next, _))) => (start, next),
        // The last of several: with the comma before it.
        (Some(before), Some((_, end)), None) => (before, end),
        (None, Some(_), None) => (parent.span.start as usize + 1, parent.span.end as usize - 1),
        (_, None, _) => return Err(format!("{pointer} does not exist")),
    };
    let edited = spliced(text, start, end, "");
    // SONiC uses the last of several members with the same name; an earlier one must not take effect instead.
    let is_twice = members.iter().filter(|member| member.key == name.as_str()).count() > 1;
    if is_twice { remove(&edited, pointer) } else { Ok(edited) }
}

/// Whether the value at a pointer is a number.
pub(crate) fn is_number(text: &str, pointer: &str) -> bool {
    let json = parse(text);
    let Ok((parent, name)) = parent_of(&json, pointer) else { return false };
    let member = json.children(&parent.value).iter().rev().find(|member| member.key == name.as_str());
    member.is_some_and(|node| matches!(node.value, Value::Bare(word) if word.parse::<i64>().is_ok()))
}

/// Whether a pointer leads to a member of an object.
pub(crate) fn exists(text: &str, pointer: &str) -> bool {
    let json = parse(text);
    let found = parent_of(&json, pointer);
    found
        .is_ok_and(|(parent, name)| json.children(&parent.value).iter().any(|node| node.key == name.as_str()))
}

fn sound(text: &str) -> Result<Json<'_>, String> {
    let json = parse(text);
    match json.problems.first() {
        Some(problem) => Err(problem.message.clone()),
        None => Ok(json),
    }
}

/// The object that contains the last step of a pointer, and that step.
fn parent_of<'j, 'a>(json: &'j Json<'a>, pointer: &str) -> Result<(&'j Node<'a>, String), String> {
    let plain = |part: &str| part.replace("~1", "/").replace("~0", "~");
    let (parents, last) = pointer.rsplit_once('/').ok_or("the whole document cannot be replaced")?;
    let mut at = json.root.as_ref().ok_or("the document is empty")?;
    for part in parents.split('/').skip(1).map(plain) {
        let children = json.children(&at.value);
        let next = match at.value {
            Value::Array(_) => part.parse().ok().and_then(|index: usize| children.get(index)),
            _ => children.iter().rev().find(|member| member.key == part.as_str()),
        };
        at = next.ok_or_else(|| format!("{parents} is not an object of the document"))?;
    }
    match at.value {
        Value::Object(_) => Ok((at, plain(last))),
        _ => Err(format!("{parents} is not an object of the document")),
    }
}

fn spliced(text: &str, start: usize, end: usize, new: &str) -> String {
    let (before, after) = (text.get(..start).unwrap_or(text), text.get(end..).unwrap_or_default());
    format!("{before}{new}{after}")
}

/// The white space of the line before an offset, if nothing else precedes it there.
fn indent_before(text: &str, offset: usize) -> Option<&str> {
    let line = text.get(..offset)?.rsplit_once('\n')?.1;
    line.bytes().all(|b| b == b' ' || b == b'\t').then_some(line)
}

/// A value as text: objects on several lines if the member is on a line of its own.
fn written(value: &serde_json::Value, indent: Option<&str>) -> String {
    let Some((indent, members)) = indent.zip(value.as_object().filter(|members| !members.is_empty())) else {
        return value.to_string();
    };
    let step = if indent.starts_with('\t') { "\t" } else { "    " };
    let deeper = format!("{indent}{step}");
    let lines: Vec<String> = members
        .iter()
        .map(|(key, value)| {
            format!("{deeper}{}: {}", serde_json::Value::from(key.as_str()), written(value, Some(&deeper)))
        })
        .collect();
    format!("{{\n{}\n{indent}}}", lines.join(",\n"))
}
