//! Reads formats other than `{TABLE: {key: {field: value}}}`: Redis dumps, swssconfig arrays and sonic-yang JSON.

use std::borrow::Cow;
use std::collections::BTreeMap;

use crate::db::{ConfigDb, Entry, InputFormat, Stored, escape};
use crate::json::{Json, Node, Value};
use crate::key_index::DuplicateFinder;
use crate::schema;
use crate::source::Span;

/// Reads a configuration in the given format.
pub(super) fn load(mut json: Json<'_>, form: InputFormat) -> ConfigDb<'_> {
    let problems = std::mem::take(&mut json.problems);
    let db = ConfigDb { problems, form, ..ConfigDb::default() };
    let Some(root) = json.root.clone() else { return db };
    let mut loader = Loader { json: &json, db, twice: DuplicateFinder::default() };
    match form {
        InputFormat::Nested => {}
        InputFormat::Flat => loader.keyed(json.children(&root.value), '|', ""),
        InputFormat::Swssconfig => loader.swssconfig(&root),
        InputFormat::Yang => loader.yang(&root),
    }
    loader.db
}

struct Loader<'j, 'a> {
    json: &'j Json<'a>,
    db: ConfigDb<'a>,
    twice: DuplicateFinder,
}

impl<'a> Loader<'_, 'a> {
    fn entry(&mut self, table: &str, key: Cow<'a, str>, node: &Node<'a>, pointer: Option<Box<str>>) {
        let start = self.db.fields.len() as u32;
        match &node.value {
            Value::Object(_) => {
                let members = self.json.children(&node.value);
                self.duplicates(members);
                for member in members {
                    // Redis has no hashes without fields, so SONiC writes a NULL field.
                    if member.key == "NULL" && members.len() == 1 {
                        continue;
                    }
                    self.field(table, &key, member);
                }
            }
            Value::Null => {}
            _ => {
                self.db.problem(node.span, format!("`{table}|{key}` is not an object of fields"));
                return;
            }
        }
        let fields = start..self.db.fields.len() as u32;
        let (key_span, span) = (node.key_span, node.span);
        self.db.entries.push(Entry { key, key_span, span, fields, behind: 0, pointer });
    }

    fn field(&mut self, table: &str, key: &str, member: &Node<'a>) {
        // In Redis, the field `name@` holds a list, joined by commas.
        let is_marked = member.key.ends_with('@');
        let written =
            if self.db.form == InputFormat::Yang { local(&member.key) } else { member.key.as_ref() };
        let name = written.strip_suffix('@').unwrap_or(written);
        let name = if name.len() == member.key.len() {
            member.key.clone()
        } else {
            self.db.written.insert(member.key_span.start, escape(&member.key).into());
            Cow::Owned(name.to_string())
        };
        let (value, is_list) = match &member.value {
            Value::Text(text) => (text.clone(), is_marked),
            Value::Bare(word) => (Cow::Borrowed(*word), is_marked),
            Value::Array(_) => (Cow::Owned(self.list(member)), true),
            Value::Null => (Cow::Borrowed(""), is_marked),
            Value::Object(_) => {
                let what = format!("`{table}|{key}` `{name}` is an object; fields hold strings");
                self.db.problem(member.span, what);
                return;
            }
        };
        let (name_span, span) = (member.key_span, member.span);
        self.db.fields.push(Stored { name, name_span, value, span, is_list });
    }

    fn list(&mut self, member: &Node<'a>) -> String {
        let mut words: Vec<&str> = Vec::new();
        for item in self.json.children(&member.value) {
            match &item.value {
                Value::Text(text) => words.push(text),
                Value::Bare(word) => words.push(word),
                _ => self.db.problem(item.span, "a list may contain only strings and numbers".into()),
            }
        }
        words.join(",")
    }

    /// `{"TABLE<separator>key": {...}}`: entries grouped by table, tables in the order of their first entry.
    fn keyed(&mut self, members: &[Node<'a>], separator: char, prefix: &str) {
        self.duplicates(members);
        let mut order: Vec<(&str, Span)> = Vec::new();
        let mut groups: BTreeMap<&str, Vec<(&str, &Node<'a>)>> = BTreeMap::new();
        for member in members {
            if member.key == "OP" {
                continue;
            }
            let split = member.key.split_once(separator).or_else(|| member.key.split_once(['|', ':']));
            let Some((table, key)) = split else {
                if matches!(member.value, Value::Object(_)) {
                    self.db.problem(member.key_span, format!("`{}` has no table and key", member.key));
                }
                continue;
            };
            let group = groups.entry(table).or_default();
            if group.is_empty() {
                order.push((table, member.key_span));
            }
            group.push((key, member));
        }
        for (table, span) in order {
            let start = self.db.entries.len() as u32;
            for (key, node) in groups.remove(table).unwrap_or_default() {
                let node_value = unwrap_dump(self.json, node);
                // APPL_DB separates with `:`, CONFIG_DB with `|`.
                let joins =
                    separator == ':' || node.key.get(table.len()..).is_some_and(|k| k.starts_with(':'));
                let key = if joins { key.replace(':', "|") } else { key.to_string() };
                let inner = if std::ptr::eq(node_value, node) { "" } else { "/value" };
                let pointer = Some(format!("{prefix}/{}{inner}", escape(&node.key)).into_boxed_str());
                self.entry(table, Cow::Owned(key), node_value, pointer);
                if let Some(last) = self.db.entries.last_mut().filter(|_| !std::ptr::eq(node_value, node)) {
                    last.key_span = node.key_span;
                }
            }
            let name = table.strip_suffix("_TABLE").filter(|t| schema::is_table(t)).unwrap_or(table);
            self.db.add_table(Cow::Owned(name.to_string()), span, start, |_| {});
        }
    }

    /// `{TABLE: {key: {...}}}` as one of the objects of an array: a configlet (sonic-utilities `configlet`).
    fn configlet(&mut self, item: &Node<'a>, prefix: &str) {
        for table in self.json.children(&item.value) {
            let start = self.db.entries.len() as u32;
            for entry in self.json.children(&table.value) {
                let pointer = format!("{prefix}/{}/{}", escape(&table.key), escape(&entry.key));
                self.entry(&table.key, entry.key.clone(), entry, Some(pointer.into()));
            }
            self.db.add_table(table.key.clone(), table.key_span, start, |_| {});
        }
    }

    fn swssconfig(&mut self, root: &Node<'a>) {
        for (index, item) in self.json.children(&root.value).iter().enumerate() {
            if !matches!(item.value, Value::Object(_)) {
                self.db.problem(item.span, "expected an object with one entry and its `OP`".into());
                continue;
            }
            let members = self.json.children(&item.value);
            let op = members.iter().find(|m| m.key == "OP").map(|m| &m.value);
            match op {
                Some(Value::Text(op)) if op == "SET" => self.keyed(members, ':', &format!("/{index}")),
                Some(Value::Text(op)) if op == "DEL" => {}
                None if self.are_tables(members) => self.configlet(item, &format!("/{index}")),
                _ => {
                    self.db.problem(item.span, "`OP` must be `SET` or `DEL`".into());
                    self.keyed(members, ':', &format!("/{index}"));
                }
            }
        }
        self.merge_tables();
    }

    /// Whether the members are tables, not entries: names without separators, and objects of objects.
    fn are_tables(&self, members: &[Node<'a>]) -> bool {
        let is_object = |node: &Node<'a>| matches!(node.value, Value::Object(_));
        members.iter().all(|m| {
            !m.key.contains([':', '|']) && is_object(m) && self.json.children(&m.value).iter().all(is_object)
        })
    }

    /// Makes one table of all entries with the same table name, which an array lists one by one.
    fn merge_tables(&mut self) {
        let tables = std::mem::take(&mut self.db.tables);
        let entries = std::mem::take(&mut self.db.entries);
        let mut order: Vec<(Cow<'a, str>, Span, Vec<Entry<'a>>)> = Vec::new();
        let mut index: BTreeMap<String, usize> = BTreeMap::new();
        for table in tables {
            let at = *index.entry(table.name.to_string()).or_insert_with(|| {
                order.push((table.name.clone(), table.span, Vec::new()));
                order.len() - 1
            });
            let rows = entries.get(table.entries.start as usize..table.entries.end as usize);
            if let Some(group) = order.get_mut(at) {
                group.2.extend(rows.unwrap_or_default().iter().cloned());
            }
        }
        for (name, span, rows) in order {
            let start = self.db.entries.len() as u32;
            self.db.entries.extend(rows);
            self.db.add_table(name, span, start, |_| {});
        }
    }

    fn yang(&mut self, root: &Node<'a>) {
        for module in self.json.children(&root.value) {
            let module_pointer = format!("/{}", escape(&module.key));
            for container in self.json.children(&module.value) {
                let table = local(&container.key).to_string();
                let pointer = format!("{module_pointer}/{}", escape(&container.key));
                let start = self.db.entries.len() as u32;
                for list in self.json.children(&container.value) {
                    self.yang_list(&table, list, &format!("{pointer}/{}", escape(&list.key)));
                }
                self.db.add_table(Cow::Owned(table), container.key_span, start, |_| {});
            }
        }
        self.merge_tables();
    }

    fn yang_list(&mut self, table: &str, list: &Node<'a>, pointer: &str) {
        let Value::Array(_) = list.value else {
            // A container inside the table, such as DEVICE_METADATA's `localhost`.
            self.entry(table, Cow::Owned(local(&list.key).to_string()), list, Some(pointer.into()));
            return;
        };
        let Some(keys) = schema::yang_keys(table, local(&list.key)) else {
            self.db.problem(list.key_span, format!("`{}` is not a list of a known model", list.key));
            return;
        };
        for (index, item) in self.json.children(&list.value).iter().enumerate() {
            let pointer = format!("{pointer}/{index}");
            let members = self.json.children(&item.value);
            let mut key = String::new();
            for (i, name) in keys.iter().enumerate() {
                let part = members.iter().find(|m| local(&m.key) == *name).map(|m| &m.value);
                if i > 0 {
                    key.push('|');
                }
                match part {
                    Some(Value::Text(text)) => key.push_str(text),
                    Some(Value::Bare(word)) => key.push_str(word),
                    _ => {
                        self.db.problem(item.span, format!("an entry of `{}` has no key `{name}`", list.key))
                    }
                }
            }
            let start = self.db.fields.len() as u32;
            for member in members.iter().filter(|m| !keys.contains(&local(&m.key))) {
                match &member.value {
                    Value::Array(_) if schema::is_map(table) => self.yang_map(table, &key, member),
                    _ => self.field(table, &key, member),
                }
            }
            let fields = start..self.db.fields.len() as u32;
            let (key, key_span, span) = (Cow::Owned(key), item.span, item.span);
            self.db.entries.push(Entry {
                key,
                key_span,
                span,
                fields,
                behind: 0,
                pointer: Some(pointer.into()),
            });
        }
    }

    /// Reads the inner list of a map, whose rows have two leaves.
    fn yang_map(&mut self, table: &str, key: &str, member: &Node<'a>) {
        let Some([from, to]) = schema::yang_map_leaves(table) else { return };
        for (index, item) in self.json.children(&member.value).iter().enumerate() {
            let members = self.json.children(&item.value);
            let node_of = |name: &str| members.iter().find(|m| local(&m.key) == name);
            let get = |name: &str| {
                let node = node_of(name)?;
                let text = match &node.value {
                    Value::Text(text) => text.clone(),
                    Value::Bare(word) => Cow::Borrowed(*word),
                    _ => return None,
                };
                Some((text, node.span))
            };
            match (get(from), get(to)) {
                (Some((name, name_span)), Some((value, span))) => {
                    let value_name = node_of(to).map_or("", |node| node.key.as_ref());
                    let steps = format!("{}/{index}/{}", escape(&member.key), escape(value_name));
                    self.db.written.insert(name_span.start, steps.into());
                    self.db.fields.push(Stored { name, name_span, value, span, is_list: false });
                }
                _ => {
                    self.db.problem(item.span, format!("`{table}|{key}`: a row requires `{from}` and `{to}`"))
                }
            }
        }
    }

    fn duplicates(&mut self, members: &[Node<'a>]) {
        let name = |i: usize| members.get(i).map_or("", |m| m.key.as_ref());
        self.twice.find(members.len(), name, |i| {
            if let Some(member) = members.get(i) {
                self.db.duplicates.push((member.key_span, member.key.to_string()));
            }
        });
    }
}

/// `{"TABLE|key": {"type": "hash", "value": {...}}}`, as written by redis-dump: returns the inner object.
pub(super) fn unwrap_dump<'n, 'a>(json: &'n Json<'a>, node: &'n Node<'a>) -> &'n Node<'a> {
    let members = json.children(&node.value);
    let is_dump =
        members.iter().any(|m| m.key == "type" && matches!(&m.value, Value::Text(t) if t == "hash"));
    match members.iter().find(|m| m.key == "value" && matches!(m.value, Value::Object(_))) {
        Some(inner) if is_dump => inner,
        _ => node,
    }
}

/// The name without its YANG module.
fn local(name: &str) -> &str {
    name.rsplit_once(':').map_or(name, |(_, local)| local)
}
