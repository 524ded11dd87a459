//! A configuration that operators change, and what they need to know about it.

use std::collections::BTreeMap;
use std::sync::Arc;

use serde_json::{Map, Value};

/// A table, and its text unless it has changed. Copies of a configuration share tables until they change.
#[derive(Clone)]
struct Table {
    value: Arc<Value>,
    text: Option<Arc<str>>,
}

impl Table {
    fn new(value: Value) -> Self {
        let text = value.to_string().into();
        Self { value: Arc::new(value), text: Some(text) }
    }

    fn text(&self) -> Arc<str> {
        self.text.clone().unwrap_or_else(|| self.value.to_string().into())
    }
}

/// A configuration, and the first lossless ports and objects in it.
#[derive(Clone)]
pub(crate) struct Config {
    tables: BTreeMap<String, Table>,
    /// Names of the ports that are up and have a lossless priority group.
    pub(crate) ports: Vec<String>,
    /// If there are none, names of the ports that are up and get lossless priority groups at run time.
    pub(crate) later: Vec<String>,
    /// The first lossless priority of the first port.
    pub(crate) priority: String,
    /// A text that replaces the whole file, for operators that JSON values cannot express.
    pub(crate) text: Option<String>,
}

fn covers(numbers: &str, number: &str) -> bool {
    let range = numbers.split_once('-').unwrap_or((numbers, numbers));
    let parse = |text: &str| text.parse::<u32>().ok();
    match (parse(range.0), parse(range.1), parse(number)) {
        (Some(low), Some(high), Some(number)) => (low..=high).contains(&number),
        _ => false,
    }
}

/// The name in a reference, which may be written as `[TABLE|name]`.
fn named(value: &str) -> String {
    value.trim_start_matches('[').trim_end_matches(']').rsplit('|').next().unwrap_or_default().to_string()
}

impl Config {
    pub(crate) fn new(root: Value) -> Self {
        let Value::Object(tables) = root else { panic!("a configuration is an object of tables") };
        let tables = tables.into_iter().map(|(name, value)| (name, Table::new(value))).collect();
        let mut config =
            Self { tables, ports: Vec::new(), later: Vec::new(), priority: String::new(), text: None };
        let Some(ports) = config.value("PORT").and_then(Value::as_object) else { return config };
        let mut names: Vec<String> = ports.keys().cloned().collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        for name in &names {
            let name = name.clone();
            let list = config.get("PORT_QOS_MAP", &name, "pfc_enable").unwrap_or_default();
            let is_lossless = |priority: &&str| {
                let profile = config
                    .group_key(&name, priority)
                    .and_then(|key| config.get("BUFFER_PG", &key, "profile"));
                profile.and_then(|p| config.get("BUFFER_PROFILE", &p, "xoff")).is_some_and(|xoff| xoff != "0")
            };
            let priority = list.split(',').find(is_lossless).map(str::to_string);
            let is_up = config.get("PORT", &name, "admin_status").as_deref() == Some("up");
            if let (Some(priority), true) = (priority, is_up) {
                if config.ports.is_empty() {
                    config.priority = priority;
                }
                config.ports.push(name);
            }
        }
        if config.ports.is_empty() {
            config.later = names.into_iter().filter(|name| config.gets_groups(name)).collect();
        }
        config
    }

    /// Whether `buffermgrd` adds the lossless priority groups of a port.
    fn gets_groups(&self, port: &str) -> bool {
        // A switch that runs has its groups in the file, unless they are computed.
        let is_running = self.get("DEVICE_METADATA", "localhost", "platform").is_some() && !self.is_dynamic();
        let has_pool =
            self.value("BUFFER_POOL").is_some_and(|pools| pools.get("ingress_lossless_pool").is_some());
        let lengths =
            || self.keys("CABLE_LENGTH").into_iter().filter_map(|key| self.get("CABLE_LENGTH", &key, port));
        let is_up = self.get("PORT", port, "admin_status").as_deref() == Some("up");
        let has_pfc = self.get("PORT_QOS_MAP", port, "pfc_enable").is_some_and(|list| !list.is_empty());
        !is_running && has_pool && is_up && has_pfc && lengths().any(|length| length != "0m")
    }

    pub(crate) fn text(&self) -> String {
        self.text.clone().unwrap_or_else(|| self.text_of(self.tables.keys()))
    }

    /// The text of tables, in this order.
    pub(crate) fn text_of<'n>(&self, names: impl Iterator<Item = &'n String>) -> String {
        let mut text = "{".to_string();
        for (name, table) in names.filter_map(|name| Some((name, self.tables.get(name)?))) {
            if text.len() > 1 {
                text.push(',');
            }
            text.push_str(&format!("\"{name}\":"));
            text.push_str(&table.text());
        }
        text + "}"
    }

    pub(crate) fn names(&self) -> Vec<String> {
        self.tables.keys().cloned().collect()
    }

    pub(crate) fn value(&self, table: &str) -> Option<&Value> {
        Some(&*self.tables.get(table)?.value)
    }

    /// Adds or replaces a table.
    pub(crate) fn put(&mut self, table: &str, value: Value) {
        self.tables.insert(table.to_string(), Table::new(value));
    }

    /// Removes a table that exists.
    pub(crate) fn remove_table(&mut self, table: &str) -> Option<()> {
        self.tables.remove(table).map(|_| ())
    }

    /// The first lossless port.
    pub(crate) fn port(&self) -> Option<String> {
        self.ports.first().cloned()
    }

    pub(crate) fn table(&mut self, name: &str) -> Option<&mut Map<String, Value>> {
        let table = self.tables.get_mut(name)?;
        table.text = None;
        Arc::make_mut(&mut table.value).as_object_mut()
    }

    pub(crate) fn keys(&self, table: &str) -> Vec<String> {
        self.value(table).and_then(Value::as_object).map(|t| t.keys().cloned().collect()).unwrap_or_default()
    }

    pub(crate) fn get(&self, table: &str, key: &str, field: &str) -> Option<String> {
        let table = self.value(table)?;
        table.get(named(key).as_str()).or(table.get(key))?.get(field)?.as_str().map(str::to_string)
    }

    /// Sets a field of an entry that exists.
    pub(crate) fn set(&mut self, table: &str, key: &str, field: &str, value: &str) -> Option<()> {
        let entry = self.table(table)?.get_mut(key)?.as_object_mut()?;
        let old = entry.insert(field.to_string(), Value::String(value.to_string()));
        (old != Some(Value::String(value.to_string()))).then_some(())
    }

    /// Removes a field that exists.
    pub(crate) fn unset(&mut self, table: &str, key: &str, field: &str) -> Option<()> {
        self.table(table)?.get_mut(key)?.as_object_mut()?.remove(field).map(|_| ())
    }

    /// Removes an entry that exists.
    pub(crate) fn remove(&mut self, table: &str, key: &str) -> Option<Value> {
        self.table(table)?.remove(key)
    }

    /// Sets a field of all entries that have it.
    pub(crate) fn set_all(&mut self, table: &str, field: &str, value: &str) -> Option<()> {
        let mut count = 0;
        for entry in self.table(table)?.values_mut().filter_map(Value::as_object_mut) {
            if let Some(old) = entry.get_mut(field) {
                *old = Value::String(value.to_string());
                count += 1;
            }
        }
        (count > 0).then_some(())
    }

    /// Removes a field of all entries that have it.
    pub(crate) fn unset_all(&mut self, table: &str, field: &str) -> Option<()> {
        let mut count = 0;
        for entry in self.table(table)?.values_mut().filter_map(Value::as_object_mut) {
            count += usize::from(entry.remove(field).is_some());
        }
        (count > 0).then_some(())
    }

    /// Multiplies a number.
    pub(crate) fn scale(&mut self, table: &str, key: &str, field: &str, by: f64) -> Option<()> {
        let value: f64 = self.get(table, key, field)?.trim().parse().ok().filter(|n| *n > 0.0)?;
        self.set(table, key, field, &format!("{}", (value * by) as u64))
    }

    /// Exchanges two fields of an entry.
    pub(crate) fn swap(&mut self, table: &str, key: &str, one: &str, other: &str) -> Option<()> {
        let (a, b) = (self.get(table, key, one)?, self.get(table, key, other)?);
        self.set(table, key, one, &b)?;
        self.set(table, key, other, &a)
    }

    fn key_of(&self, table: &str, port: &str, number: &str) -> Option<String> {
        let is_it = |key: &String| {
            let (owner, numbers) = key.rsplit_once('|').unwrap_or_default();
            (owner == port || owner.rsplit('|').next() == Some(port)) && covers(numbers, number)
        };
        self.keys(table).into_iter().find(is_it)
    }

    /// The BUFFER_PG key of a port's priority group.
    pub(crate) fn group_key(&self, port: &str, group: &str) -> Option<String> {
        self.key_of("BUFFER_PG", port, group)
    }

    /// The BUFFER_QUEUE key of a port's queue.
    pub(crate) fn queue_key(&self, port: &str, queue: &str) -> Option<String> {
        self.key_of("BUFFER_QUEUE", port, queue)
    }

    /// The BUFFER_PG key of the first lossless group.
    pub(crate) fn lossless_group(&self) -> Option<String> {
        self.group_key(self.ports.first()?, &self.priority)
    }

    /// The profile of the first lossless group.
    pub(crate) fn profile(&self) -> Option<String> {
        Some(named(&self.get("BUFFER_PG", &self.lossless_group()?, "profile")?))
    }

    /// The pool of the first lossless group.
    pub(crate) fn pool(&self) -> Option<String> {
        Some(named(&self.get("BUFFER_PROFILE", &self.profile()?, "pool")?))
    }

    /// The BUFFER_QUEUE key of the first lossless queue.
    pub(crate) fn lossless_queue(&self) -> Option<String> {
        self.key_of("BUFFER_QUEUE", self.ports.first()?, &self.priority)
    }

    /// The buffer profile of the first lossless queue, if its pool is an egress pool.
    pub(crate) fn queue_profile(&self) -> Option<String> {
        let name = named(&self.get("BUFFER_QUEUE", &self.lossless_queue()?, "profile")?);
        let pool = named(&self.get("BUFFER_PROFILE", &name, "pool")?);
        (self.get("BUFFER_POOL", &pool, "type")? == "egress").then_some(name)
    }

    /// The QUEUE key of the first lossless queue.
    pub(crate) fn queue(&self) -> Option<String> {
        self.key_of("QUEUE", self.ports.first()?, &self.priority)
    }

    /// The WRED profile of the first lossless queue.
    pub(crate) fn wred(&self) -> Option<String> {
        Some(named(&self.get("QUEUE", &self.queue()?, "wred_profile")?))
    }

    /// The name of a map of the first port.
    pub(crate) fn map(&self, field: &str) -> Option<String> {
        let of = |key: &str| self.get("PORT_QOS_MAP", key, field);
        of(self.ports.first()?).or_else(|| of("global")).map(|name| named(&name))
    }

    pub(crate) fn is_nvidia(&self) -> bool {
        let platform = self.get("DEVICE_METADATA", "localhost", "platform").unwrap_or_default();
        platform.contains("mlnx") || platform.contains("nvidia")
    }

    /// Whether the chip is a Jericho or Qumran, whose packets are in queues of the ingress chip and in DRAM.
    pub(crate) fn has_virtual_output_queues(&self) -> bool {
        let platform = self.get("DEVICE_METADATA", "localhost", "platform").unwrap_or_default();
        let hwsku = self.get("DEVICE_METADATA", "localhost", "hwsku").unwrap_or_default();
        self.get("DEVICE_METADATA", "localhost", "switch_type").is_some()
            || platform.contains("nexthop_5010")
            || hwsku.contains("NH-5010")
    }

    pub(crate) fn is_dynamic(&self) -> bool {
        self.get("DEVICE_METADATA", "localhost", "buffer_model").as_deref() == Some("dynamic")
    }

    /// The DSCPs that map to a traffic class in the map of the first port.
    pub(crate) fn dscps(&self, class: &str) -> Vec<String> {
        let map = self.map("dscp_to_tc_map").unwrap_or_default();
        let entry = self.value("DSCP_TO_TC_MAP").and_then(|table| table.get(map.as_str())?.as_object());
        entry
            .into_iter()
            .flatten()
            .filter(|(_, tc)| tc.as_str() == Some(class))
            .map(|(d, _)| d.clone())
            .collect()
    }
}
