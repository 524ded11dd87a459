//! Files with `nv set` and `nv unset` commands, as printed by `nv config show -o commands`.

use super::super::names;
use super::tree::{MAX_NODES, Node};
use crate::json::Problem;
use crate::source::Span;

/// Settings with one value: a later command replaces it.
const SINGLE: &[&str] = &[
    "hostname",
    "mtu",
    "speed",
    "fec",
    "description",
    "enable",
    "mode",
    "trust",
    "tx",
    "rx",
    "cable-length",
    "ecn",
    "red",
    "min-threshold",
    "max-threshold",
    "probability",
    "polling-interval",
    "robustness",
    "memory-percent",
    "profile",
    "bw-percent",
    "rewrite",
    "max-rate",
    "port-max-rate",
];
/// The same, where it is the last keyword of a command with a value.
const SINGLE_AT_END: &[&str] = &["state", "switch-priority", "traffic-class", "action"];

/// The most words of a command. NVUE's longest has about 12; the tree is as deep as a command is long.
const MAX_WORDS: usize = 64;

/// Reads commands into a tree. Other lines are left out.
pub(super) fn read(text: &str, problems: &mut Vec<Problem>) -> Node {
    let mut root = Node::default();
    let (mut offset, mut count) = (0, 0);
    for line in text.split_inclusive('\n') {
        let start = offset;
        offset += line.len();
        let words = words(line, start, problems);
        let texts: Vec<&str> = words.iter().map(|(text, _)| text.as_str()).collect();
        if matches!(texts.as_slice(), ["nv", "set" | "unset", ..]) {
            if words.len() > MAX_WORDS {
                let message = format!("a command of more than {MAX_WORDS} words; it is left out");
                problems.push(Problem { span: Span::new(start, start), message });
                continue;
            }
            if count > MAX_NODES {
                let message = format!("more than {MAX_NODES} settings; the rest is not checked");
                problems.push(Problem { span: Span::new(start, start), message });
                break;
            }
        }
        match texts.as_slice() {
            ["nv", "set", ..] => {
                let path = words.get(2..).unwrap_or_default();
                for path in for_each_interface(path) {
                    count += path.len();
                    set(&mut root, &path);
                }
            }
            ["nv", "unset", ..] => {
                for path in for_each_interface(words.get(2..).unwrap_or_default()) {
                    count += path.len();
                    let path: Vec<&str> = path.iter().map(|(text, _)| text.as_str()).collect();
                    root.remove(&path);
                }
            }
            _ => {}
        }
    }
    root
}

/// The path for each interface of a list such as `swp1-4`: later commands may concern one of them.
fn for_each_interface(path: &[(String, Span)]) -> Vec<Vec<(String, Span)>> {
    match path {
        [(first, _), (list, span), rest @ ..] if first == "interface" => names::ports(list)
            .into_iter()
            .map(|name| {
                let head = path.first().cloned().into_iter().chain([(name, *span)]);
                head.chain(rest.iter().cloned()).collect()
            })
            .collect(),
        _ => vec![path.to_vec()],
    }
}

fn set(root: &mut Node, words: &[(String, Span)]) {
    let mut node = root;
    let mut path: Vec<&str> = Vec::new();
    for (index, (text, span)) in words.iter().enumerate() {
        let is_last = index + 1 == words.len();
        let parent = path.last().copied().unwrap_or_default();
        // `qos pfc PROFILE switch-priority 3` adds a member, `dscp 26 switch-priority 3` sets a value.
        let is_list = path.first() == Some(&"qos") && matches!(path.get(1), Some(&"pfc" | &"traffic-pool"));
        // `qos mapping PROFILE dscp 26` has a name behind the keyword, `qos remark ... dscp 26` a value.
        let is_remark = path.starts_with(&["qos", "remark"]) && matches!(parent, "dscp" | "pcp");
        let is_value = SINGLE.contains(&parent) || is_remark || (SINGLE_AT_END.contains(&parent) && !is_list);
        if is_last && is_value {
            node.children.clear();
        }
        node = node.child(text, *span);
        if is_last {
            // The last command is the one that counts.
            node.span = *span;
        }
        path.push(text);
    }
}

/// The words of a line; quotes join words.
fn words(line: &str, start: usize, problems: &mut Vec<Problem>) -> Vec<(String, Span)> {
    let mut words: Vec<(String, Span)> = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut word: Option<(String, usize)> = None;
    let body = line.trim_end();
    for (at, c) in body.char_indices() {
        match open {
            Some((quote, _)) if c == quote => open = None,
            Some(_) => word.get_or_insert((String::new(), at)).0.push(c),
            None if matches!(c, '"' | '\'') => {
                open = Some((c, at));
                word.get_or_insert((String::new(), at));
            }
            None if c.is_whitespace() => {
                if let Some((text, from)) = word.take() {
                    words.push((text, Span::new(start + from, start + at)));
                }
            }
            None if c == '#' && word.is_none() => return words,
            None => word.get_or_insert((String::new(), at)).0.push(c),
        }
    }
    if let Some((text, from)) = word {
        words.push((text, Span::new(start + from, start + body.len())));
    }
    if let Some((quote, at)) = open.filter(|_| words.first().is_some_and(|(text, _)| text == "nv")) {
        let span = Span::new(start + at, start + body.len());
        problems.push(Problem { span, message: format!("the quote {quote} is never closed") });
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A tree as deep as a command is long would overflow the stack.
    #[test]
    fn a_command_of_too_many_words_is_left_out() {
        for command in ["set", "unset"] {
            let mut problems = Vec::new();
            let text = format!("nv {command} interface swp1-64 {}\n", "a ".repeat(200_000));
            let root = read(&text, &mut problems);
            assert!(root.children.is_empty());
            assert_eq!(problems.len(), 1, "{command}");
        }
    }
}
