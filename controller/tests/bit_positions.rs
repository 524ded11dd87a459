//! The bit positions in the switch program (`p4/hawkeye/layout.p4`) agree with the `@fields` annotations, from which
//! the controller derives its decoder.

use std::collections::{BTreeMap, BTreeSet};

use harrier_controller::layout::{RegisterInfo, Slice, Word};
use harrier_controller::program;

/// The file that holds all bit positions.
const LAYOUT: &str = "layout.p4";

/// Elements of the program's registers with several fields: the register's name without its bank, and its fields.
fn elements() -> BTreeMap<String, Word> {
    let program = crate::real::compile(&[]);
    let mut elements = BTreeMap::new();
    for RegisterInfo { name, width, annotations, .. } in crate::real::pipeline(&program).registers {
        if annotations.is_empty() {
            continue;
        }
        let word = Word::parse(&name, width, &annotations).unwrap_or_else(|e| panic!("{e}"));
        let name = name.rsplit('.').next().expect("a split has at least one part");
        if word.fields().len() > 1 {
            elements.insert(name.strip_suffix("_bank0").unwrap_or(name).to_string(), word);
        }
    }
    elements
}

fn source(path: &str) -> &'static str {
    let file = program::SOURCES.iter().find(|(known, _)| *known == path);
    file.unwrap_or_else(|| panic!("no file {path}")).1
}

/// Identifiers, numbers and single other characters of a P4 source, without comments.
fn tokens(text: &str) -> Vec<String> {
    let mut tokens: Vec<String> = Vec::new();
    for line in text.lines().map(|line| line.split("//").next().unwrap_or(line)) {
        let mut in_word = false;
        for c in line.chars() {
            let is_word = c.is_alphanumeric() || c == '_';
            match tokens.last_mut().filter(|_| is_word && in_word) {
                Some(word) => word.push(c),
                None if !c.is_whitespace() => tokens.push(c.into()),
                None => {}
            }
            in_word = is_word;
        }
    }
    tokens
}

/// The bits that a definition such as `PAUSE_STATUS_FRAMES` must have, by its name's part after the register.
fn expected_slice(element: &Word, field: &str) -> Option<Slice> {
    if let Some(slice) = element.field(field) {
        return Some(slice);
    }
    if field == "bank" {
        return element.field("generation").map(|generation| Slice { width: 1, ..generation });
    }
    let (first, last) = field.split_once("_to_")?;
    let (first, last) = (element.field(first)?, element.field(last)?);
    Some(Slice { low: last.low, width: (first.low + first.width).checked_sub(last.low)? })
}

/// Returns the contradictions between `layout` and the annotations.
fn problems(layout: &str) -> Vec<String> {
    let elements = elements();
    let mut problems = Vec::new();
    let mut defined = BTreeSet::new();
    for line in layout.replace("\\\n", " ").lines() {
        let tokens = tokens(line);
        let tokens: Vec<&str> = tokens.iter().map(String::as_str).collect();
        match tokens.as_slice() {
            ["#", "define", name, width] if name.ends_with("_WIDTH") => {
                let stem = name.trim_end_matches("_WIDTH").to_lowercase();
                let expected = elements.get(&stem).map(|element| element.width().to_string());
                if expected.as_deref() != Some(width) {
                    problems.push(format!("{name} has {width} bits; the register has {expected:?}"));
                }
                defined.insert(stem);
            }
            // The bank of a generation, which is not a register element.
            ["#", "define", "BANK", ..] => {}
            ["#", "define", name, "(", rest @ ..] => {
                let stem_of = |stem: &&String| name.to_lowercase().starts_with(stem.as_str());
                let Some(stem) = elements.keys().filter(stem_of).max_by_key(|stem| stem.len()) else {
                    problems.push(format!("{name} belongs to no register"));
                    continue;
                };
                let element = &elements[stem];
                let found = rest.iter().copied().filter(|token| !matches!(*token, "(" | ")" | "+" | ","));
                let found: Vec<&str> = found.collect();
                match name.to_lowercase().strip_prefix(&format!("{stem}_")) {
                    Some(field) => {
                        let expected = expected_slice(element, field)
                            .map(|slice| format!("e e [ {} : {} ]", slice.low + slice.width - 1, slice.low));
                        if expected.as_deref() != Some(&found.join(" ")) {
                            problems.push(format!("{name}: found {found:?}, expected {expected:?}"));
                        }
                    }
                    // Parameters, then the concatenation of all of them.
                    None => {
                        let fields = element.fields().iter().map(|(field, _)| field.as_str());
                        if !found.iter().copied().eq(fields.clone().chain(fields)) {
                            problems.push(format!("{name}: found {found:?}, expected the fields in order"));
                        }
                    }
                }
            }
            _ => {}
        }
    }
    problems.extend(
        elements.keys().filter(|name| !defined.contains(*name)).map(|name| format!("no width of {name}")),
    );
    problems
}

#[test]
fn every_named_field_has_the_bits_of_its_annotation() {
    assert_eq!(problems(source(LAYOUT)), [""; 0]);
}

#[test]
fn a_wrong_position_or_order_is_detected() {
    let check = |right: &str, wrong: &str| {
        let layout = source(LAYOUT);
        assert!(layout.contains(right), "{right}");
        assert_eq!(problems(&layout.replace(right, wrong)).len(), 1, "{wrong}");
    };
    check("e[208:208]", "e[207:207]");
    check("PAUSE_STATUS_FRAMES(e) e[111:80]", "PAUSE_STATUS_FRAMES(e) e[111:79]");
    check("FLOW_IDS_BANK(e) e[317:317]", "FLOW_IDS_BANK(e) e[318:318]");
    check("METER_EPOCH_TO_GENERATION(e) e[127:80]", "METER_EPOCH_TO_GENERATION(e) e[127:96]");
    check("PAUSE_STATUS_WIDTH 209", "PAUSE_STATUS_WIDTH 210");
    check("++ (packets) ++ (bytes))\n\n#define LAST", "++ (bytes) ++ (packets))\n\n#define LAST");
    check("#define PORT_CONFIG_WIDTH 40", "");
}

/// Variables, parameters and members of `tokens` that hold an element: those of the type `bit<X_WIDTH>`.
fn element_variables<'t>(tokens: &'t [String], widths: &BTreeSet<String>) -> BTreeSet<&'t str> {
    let mut variables = BTreeSet::new();
    for window in tokens.windows(5) {
        let [bit, open, width, close, name] = window else { continue };
        if [bit, open, close] == ["bit", "<", ">"] && widths.contains(width) && name != ">" {
            variables.insert(name.as_str());
        }
    }
    variables
}

#[test]
fn no_other_file_has_bit_positions_of_register_elements() {
    let elements = elements();
    let widths: BTreeSet<String> =
        elements.keys().map(|stem| format!("{}_WIDTH", stem.to_uppercase())).collect();
    let mut reads = 0;
    for (path, text) in program::SOURCES.iter().filter(|(path, _)| *path != LAYOUT) {
        let tokens = tokens(text);
        let variables = element_variables(&tokens, &widths);
        for window in tokens.windows(5) {
            let [first, second, third, fourth, fifth] = window else { continue };
            if second == "[" {
                assert!(
                    !variables.contains(first.as_str()),
                    "{path}: `{first}[{third}{fourth}...`: name the field"
                );
            }
            let register = first.strip_suffix("_bank0").or(first.strip_suffix("_bank1")).unwrap_or(first);
            let is_read = [second, third, fourth] == [".", "read", "("];
            if is_read && elements.contains_key(register) {
                assert!(
                    variables.contains(fifth.as_str()),
                    "{path}: `{fifth}` must have the width of {register}"
                );
                reads += 1;
            }
        }
    }
    assert!(reads > 10, "{reads} reads of registers found");
}
