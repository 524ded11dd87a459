//! The example of a rule's page as complete files: its entries replace those of a correct switch.

use serde_json::Value;

use super::{Options, Rule, check_file};
use crate::source::SourceText;

/// A correct switch with Trident 2 and two ports.
const SWITCH: &str = include_str!("example_switch.json");

/// The files of an example, and how to check them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Example {
    /// Names and texts of the files, all in one folder.
    pub files: Vec<(String, String)>,
    /// The arguments of `harrier check`. `DIR` is the folder of the files.
    pub arguments: Vec<String>,
}

impl Rule {
    /// The example of the rule's page as complete files.
    pub fn example(&self) -> Example {
        let code = self.meta.code;
        let blocks = blocks(&self.text_of_page());
        let healthy = || ("config_db.json".to_string(), merged("{}", "s1"));
        let (files, arguments): (Vec<(String, String)>, &[&str]) = match (blocks.as_slice(), code.get(..3)) {
            ([_, ..], Some("FLE")) => {
                let files = ["a", "b", "c", "d"].into_iter().zip(&blocks);
                let file = |(name, (language, text)): (&str, &(String, String))| {
                    (format!("{name}.{}", ending(language)), merged(text, name))
                };
                (files.map(file).collect(), &["DIR"])
            }
            ([(_, old), (_, new)], Some("CHG")) => {
                let files =
                    vec![("old.json".into(), merged(old, "s1")), ("new.json".into(), merged(new, "s1"))];
                (files, &["--diff", "DIR/old.json", "DIR/new.json"])
            }
            ([(language, text)], family) if language == "toml" => {
                let (name, arguments): (&str, &[&str]) = match family {
                    Some("SRC") => (
                        "suppressions.toml",
                        &["DIR/config_db.json", "--suppressions", "DIR/suppressions.toml"],
                    ),
                    _ => ("hosts.toml", &["DIR/config_db.json", "--hosts", "DIR/hosts.toml"]),
                };
                (vec![healthy(), (name.into(), text.clone() + "\n")], arguments)
            }
            ([(language, text)], _) if language == "text" && code != "SRC001" => (
                vec![healthy(), ("pg_profile_lookup.ini".into(), text.clone() + "\n")],
                &["DIR/config_db.json"],
            ),
            ([(language, text)], _) if ending(language) == "cfg" => {
                (vec![("switch.cfg".into(), text.clone() + "\n")], &["DIR/switch.cfg"])
            }
            ([(_, text)], _) => {
                (vec![("config_db.json".into(), self.complete(text))], &["DIR/config_db.json"])
            }
            _ => (Vec::new(), &[]),
        };
        let selected = match code {
            // The suppression is used, because the finding that it names occurs.
            "SRC013" => "SRC013,BUF042",
            _ => code,
        };
        let always = ["--no-config", "--notes", "--select", selected];
        Example { files, arguments: arguments.iter().chain(&always).map(ToString::to_string).collect() }
    }

    /// A text with the rest of a switch if the rule needs it.
    fn complete(&self, text: &str) -> String {
        let whole = merged(text, "s1");
        let source = SourceText { name: "", text: &whole };
        let found = check_file(source, None, &Options::default()).findings;
        match found.iter().any(|finding| finding.code == self.meta.code) {
            true => whole,
            false => text.to_string() + "\n",
        }
    }
}

/// The ending of a file in the language of a code block.
fn ending(language: &str) -> &'static str {
    match language {
        "eos" | "nxos" | "nvue" => "cfg",
        _ => "json",
    }
}

/// The code blocks of a page's example: language and text.
fn blocks(page: &str) -> Vec<(String, String)> {
    let example = page.split("## Example\n").nth(1).unwrap_or_default();
    let example = example.split("\n## ").next().unwrap_or_default();
    let parts: Vec<&str> = example.split("```").collect();
    let blocks = parts.iter().skip(1).step_by(2).filter_map(|block| block.split_once('\n'));
    blocks.map(|(language, text)| (language.to_string(), text.trim_end().to_string())).collect()
}

/// The correct switch with its entries replaced by those of `text`; a text that is not an object of tables stays as it
/// is.
fn merged(text: &str, hostname: &str) -> String {
    let (Ok(mut all), Ok(Value::Object(example))) =
        (serde_json::from_str::<Value>(SWITCH), serde_json::from_str(text))
    else {
        return text.to_string() + "\n";
    };
    all["DEVICE_METADATA"]["localhost"]["hostname"] = hostname.into();
    for (table, entries) in &example {
        for (key, fields) in entries.as_object().into_iter().flatten() {
            let mut fields = fields.clone();
            if let (Some(known), Some(new), "DEVICE_METADATA") =
                (all[table][key].as_object(), fields.as_object_mut(), table.as_str())
            {
                for (name, value) in known {
                    new.entry(name).or_insert(value.clone());
                }
            }
            all[table][key] = fields;
        }
    }
    serde_json::to_string_pretty(&all).unwrap_or_default() + "\n"
}
