//! Collects values with their places while files are read.

use model::host::inspection::{HostDcqcn, HostInterface, HostQos, PciFunction, RdmaDevice};

use super::Reading;
use crate::inspection::place::{Place, Problem};

/// The state of reading: what was read, and the current file.
#[derive(Debug, Default)]
pub(super) struct Recorder {
    pub(super) reading: Reading,
    file: String,
}

/// A line of a file.
#[derive(Clone, Copy, Debug)]
pub(super) struct Line<'t> {
    /// Its number, from 1.
    pub(super) number: u32,
    /// Its text without the line end.
    pub(super) text: &'t str,
}

/// Returns the lines of a text.
pub(super) fn lines(text: &str) -> impl Iterator<Item = Line<'_>> {
    text.lines().zip(1..).map(|(text, number)| Line { number, text: text.trim_end() })
}

impl Line<'_> {
    /// The column of a part of the line, from 1. The part is a slice of the line's text.
    fn column(&self, part: &str) -> u32 {
        let offset = (part.as_ptr() as usize).saturating_sub(self.text.as_ptr() as usize);
        let before = self.text.get(..offset).unwrap_or_default();
        before.chars().count() as u32 + 1
    }
}

impl Recorder {
    /// Starts a file.
    pub(super) fn file(&mut self, path: &str) {
        self.file = path.to_string();
    }

    /// Records the place of an item: a part of a line.
    pub(super) fn at(&mut self, item: String, line: Line<'_>, part: &str) {
        let place = Place { file: self.file.clone(), line: line.number, column: line.column(part) };
        self.reading.places.insert(item, place);
    }

    /// Records the current file as the place of an item: its first character.
    pub(super) fn here(&mut self, item: String) {
        let place = Place { file: self.file.clone(), line: 1, column: 1 };
        self.reading.places.insert(item, place);
    }

    /// Reports a part of a line that could not be read.
    pub(super) fn problem(&mut self, line: Line<'_>, part: &str, message: String) {
        let place = Place { file: self.file.clone(), line: line.number, column: line.column(part) };
        self.reading.problems.push(Problem { place, message });
    }

    /// Reports that the file could not be read.
    pub(super) fn problem_here(&mut self, message: String) {
        let place = Place { file: self.file.clone(), line: 1, column: 1 };
        self.reading.problems.push(Problem { place, message });
    }

    /// The record of an interface.
    pub(super) fn interface(&mut self, name: &str) -> &mut HostInterface {
        self.reading.inspection.interfaces.entry(name.to_string()).or_default()
    }

    /// The quality of service of an interface.
    pub(super) fn qos(&mut self, interface: &str) -> &mut HostQos {
        self.interface(interface).qos.get_or_insert_default()
    }

    /// The DCQCN settings of an interface.
    pub(super) fn dcqcn(&mut self, interface: &str) -> &mut HostDcqcn {
        self.interface(interface).dcqcn.get_or_insert_default()
    }

    /// The record of an RDMA device.
    pub(super) fn rdma(&mut self, name: &str) -> &mut RdmaDevice {
        self.reading.inspection.rdma.entry(name.to_string()).or_default()
    }

    /// The record of a PCIe function.
    pub(super) fn pci(&mut self, address: &str) -> &mut PciFunction {
        self.reading.inspection.pci.entry(address.to_string()).or_default()
    }

    /// The interface that a command's output concerns: the one that its file or its text names, or the only one. Reports
    /// a problem if there are several.
    pub(super) fn interface_of(&mut self, named: &str) -> Option<String> {
        if !named.is_empty() {
            return Some(named.to_string());
        }
        let names: Vec<&String> = self.reading.inspection.interfaces.keys().collect();
        if let [only] = names.as_slice() {
            return Some((*only).clone());
        }
        let known = if names.is_empty() { "no".to_string() } else { names.len().to_string() };
        self.problem_here(format!(
            "the file's name has no interface, and {known} interfaces are known; name it like ethtool-i-eth1.txt"
        ));
        None
    }

    /// Likewise for an RDMA device.
    pub(super) fn device_of(&mut self, named: &str) -> Option<String> {
        if !named.is_empty() {
            return Some(named.to_string());
        }
        let names: Vec<&String> = self.reading.inspection.rdma.keys().collect();
        if let [only] = names.as_slice() {
            return Some((*only).clone());
        }
        let known = if names.is_empty() { "no".to_string() } else { names.len().to_string() };
        self.problem_here(format!(
            "the file's name has no RDMA device, and {known} devices are known; name it like cma_roce_tos-d-mlx5_0.txt"
        ));
        None
    }

    /// Connects interfaces and RDMA devices of the same PCIe function.
    pub(super) fn join_devices(&mut self) {
        let host = &mut self.reading.inspection;
        for device in host.rdma.values_mut() {
            if device.interface.is_none() && device.pci.is_some() {
                let same = host.interfaces.iter().find(|(_, interface)| interface.pci == device.pci);
                device.interface = same.map(|(name, _)| name.clone());
            }
            let interface = device.interface.as_ref().and_then(|name| host.interfaces.get_mut(name));
            if let Some(interface) = interface {
                if device.pci.is_none() {
                    device.pci.clone_from(&interface.pci);
                }
                if interface.pci.is_none() {
                    interface.pci.clone_from(&device.pci);
                }
            }
        }
    }
}
