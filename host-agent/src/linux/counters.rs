//! Reads the counters of the host's NICs: files below the root of sysfs, pauses over netlink, statistics of drivers.
#![allow(clippy::disallowed_methods, reason = "the edge that reads files")]

use std::collections::BTreeMap;
use std::fs;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};

use super::netlink::Generic;
use crate::counters::sysfs::{self, NET, PCIE_FILES, PORT_FILES, PORT_FOLDERS, RDMA, Unreadable};
use crate::counters::{HostCounters, InterfaceCounters, driver, pause};

/// Maximum entries of a folder that are read, by name; further ones are ignored and counted.
const ENTRIES: usize = 256;
/// Maximum bytes of a file; the rest is ignored.
const FILE_BYTES: u64 = 4096;

/// Maximum bytes of a recorded output of `ethtool -S`; a NIC with 64 queues has about 100 kB.
const STATISTICS_BYTES: u64 = 1 << 20;
/// Endings of a file with an output of a command.
const ENDINGS: [&str; 4] = ["", ".txt", ".out", ".log"];

/// A reader of the host's counters.
#[derive(Debug)]
pub struct CounterReader {
    /// Root of sysfs.
    root: PathBuf,
    /// Root of the recorded tree; absent if interfaces are those of this machine.
    recorded: Option<PathBuf>,
}

/// What was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reading {
    /// The records.
    pub counters: HostCounters,
    /// Files without a value.
    pub unreadable: Vec<Unreadable>,
    /// Entries of folders beyond the limit of 256, which were not read.
    pub left_out: usize,
}

impl CounterReader {
    /// Creates a reader. `root` is `/sys`, or a recorded tree: a root of sysfs, or a folder with `sys` and outputs of
    /// commands, as `harrier host inspect --record` writes it. Of a recorded tree only files are read, because the kernel
    /// and its drivers describe this machine: statistics of drivers are in `ethtool-S-NAME` or `commands/ethtool-S-NAME`,
    /// with or without `.txt`.
    pub fn new(root: impl Into<PathBuf>) -> CounterReader {
        let root = root.into();
        if root == Path::new("/sys") {
            return CounterReader { root, recorded: None };
        }
        let below = root.join("sys");
        let sysfs = if below.is_dir() { below } else { root.clone() };
        CounterReader { root: sysfs, recorded: Some(root) }
    }

    /// Reads all counters. What the host does not have is absent. Blocks for as long as the drivers take, which is
    /// milliseconds.
    pub fn read(&self) -> Reading {
        let mut files = Files { root: &self.root, texts: BTreeMap::new(), left_out: 0 };
        files.read_rdma();
        let interfaces = files.read_interfaces();
        let (mut counters, unreadable) = sysfs::read(&files.texts);
        match &self.recorded {
            None => add_live(&interfaces, &mut counters),
            Some(tree) => add_recorded(tree, &interfaces, &mut counters),
        }
        Reading { counters, unreadable, left_out: files.left_out }
    }
}

/// Adds pauses and statistics of drivers. An interface of another namespace, or one that disappears, has none.
fn add_live(interfaces: &[String], counters: &mut HostCounters) {
    // Kernels before 5.6 do not have the family.
    let mut kernel = Generic::open(pause::FAMILY, pause::VERSION).ok();
    for_each(interfaces, counters, |record| {
        if let Some(kernel) = &mut kernel {
            let request = pause::request(&record.name);
            // A driver without pause frames is an error of the request.
            let _ = kernel.request(pause::PAUSE_GET, &request, |reply| record.pause = pause::reply(reply));
        }
        let statistics = net::driver_statistics(&record.name).unwrap_or_default();
        driver::add(statistics.iter().map(|(name, value)| (name.as_str(), *value)), record);
    });
}

/// Adds statistics of drivers from recorded outputs.
fn add_recorded(tree: &Path, interfaces: &[String], counters: &mut HostCounters) {
    for_each(interfaces, counters, |record| {
        let names = ENDINGS.map(|ending| format!("ethtool-S-{}{ending}", record.name));
        let paths = names.iter().flat_map(|name| [tree.join(name), tree.join("commands").join(name)]);
        let text =
            paths.filter(|path| path.is_file()).find_map(|path| read_text(&path, STATISTICS_BYTES).ok());
        driver::add(driver::statistics(text.as_deref().unwrap_or_default()), record);
    });
}

/// Completes the record of each interface. Those that stay empty are left out.
fn for_each(
    interfaces: &[String],
    counters: &mut HostCounters,
    mut complete: impl FnMut(&mut InterfaceCounters),
) {
    let mut records: BTreeMap<String, InterfaceCounters> =
        std::mem::take(&mut counters.interfaces).into_iter().map(|one| (one.name.clone(), one)).collect();
    for name in interfaces {
        let empty = || InterfaceCounters { name: name.clone(), ..InterfaceCounters::default() };
        complete(records.entry(name.clone()).or_insert_with(empty));
    }
    counters.interfaces = records.into_values().filter(|record| !record.is_empty()).collect();
}

/// Texts of files by their path below the root.
struct Files<'r> {
    root: &'r Path,
    texts: BTreeMap<String, String>,
    left_out: usize,
}

impl Files<'_> {
    fn read_rdma(&mut self) {
        for device in self.names(RDMA) {
            let ports = format!("{RDMA}/{device}/ports");
            for port in self.names(&ports) {
                for folder in PORT_FOLDERS {
                    let folder = format!("{ports}/{port}/{folder}");
                    for name in self.names(&folder) {
                        self.read(format!("{folder}/{name}"));
                    }
                }
                for file in PORT_FILES {
                    self.read(format!("{ports}/{port}/{file}"));
                }
            }
        }
    }

    /// Returns the names of the interfaces.
    fn read_interfaces(&mut self) -> Vec<String> {
        let names = self.names(NET);
        for name in &names {
            for file in PCIE_FILES {
                self.read(format!("{NET}/{name}/{file}"));
            }
        }
        names
    }

    /// Returns the names in a folder in order; none if it does not exist.
    fn names(&mut self, folder: &str) -> Vec<String> {
        let entries = fs::read_dir(self.root.join(folder)).into_iter().flatten().flatten();
        let mut names: Vec<String> =
            entries.filter_map(|entry| entry.file_name().into_string().ok()).collect();
        names.sort();
        self.left_out += names.len().saturating_sub(ENTRIES);
        names.truncate(ENTRIES);
        names
    }

    /// Reads a file. One that does not exist, or that the driver refuses to fill, has no text.
    fn read(&mut self, path: String) {
        let text = read_text(&self.root.join(&path), FILE_BYTES);
        self.texts.extend(text.ok().map(|text| (path, text)));
    }
}

fn read_text(path: &Path, max_bytes: u64) -> io::Result<String> {
    let mut text = String::new();
    fs::File::open(path)?.take(max_bytes).read_to_string(&mut text)?;
    Ok(text)
}
