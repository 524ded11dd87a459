//! A collection in two steps, so that rows are not read that cannot hold anything: most of a bank's rows are causality meters of
//! pairs of ports that exchange no traffic, and counters of empty flow slots.
//!
//! The program writes the meter of a pair of ports together with the slot of the egress port, and the counters of a flow
//! together with its identity, so that they are empty where these are. The freeze state belongs to the second step: if it
//! shows that the bank is still frozen, it was frozen during the first one.

use super::{RegisterRows, TelemetryLayout};

/// A part of a register up to which its rows are read one by one. More of them are faster together with all others: each costs an
/// entity of the request.
const SINGLE_SHARE: u64 = 4;

/// The rows of a register to read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Every row.
    All,
    /// These, by index, in ascending order.
    Each(Vec<u64>),
}

impl TelemetryLayout {
    /// Returns the registers that show which rows of the others are in use, if `registers` are those of one bank
    /// ([`TelemetryLayout::bank_registers`]).
    pub fn first_step(&self, registers: &[String]) -> Option<[&str; 2]> {
        let bank = self.bank_of_registers(registers)?;
        Some([&self.flows[bank].ids.name, &self.port_slots[bank].register.name])
    }

    /// Returns the other registers of a bank, in their order, with the rows that can hold something according to the first step.
    /// Empty if `registers` are not those of one bank.
    pub fn second_step<'r>(&self, registers: &'r [String], first: &[RegisterRows]) -> Vec<(&'r str, Rows)> {
        let (Some(bank), Some(read)) = (self.bank_of_registers(registers), self.first_step(registers)) else {
            return Vec::new();
        };
        let flows = &self.flows[bank];
        let rest = registers.iter().map(String::as_str).filter(|name| !read.contains(name));
        rest.map(|name| {
            let rows = match name {
                _ if name == flows.counts.name || name == flows.marks.name => rows_of(first, &flows.ids.name),
                _ if name == self.meters[bank].register.name => {
                    let slots = rows_of(first, &self.port_slots[bank].register.name);
                    slots.into_iter().flat_map(|slot| self.meters_of(slot)).collect()
                }
                _ => return (name, Rows::All),
            };
            (name, self.each(name, rows))
        })
        .collect()
    }

    /// The meters of all pairs with the egress port of a slot, in its epoch.
    fn meters_of(&self, slot: u64) -> impl Iterator<Item = u64> {
        let ports = self.ports.max(1);
        let (ring, egress) = (slot / ports, slot % ports);
        (0..ports).map(move |ingress| (ring * ports + ingress) * ports + egress)
    }

    fn each(&self, register: &str, mut rows: Vec<u64>) -> Rows {
        let size = self.register(register).map_or(0, |register| register.size);
        if rows.len() as u64 > size / SINGLE_SHARE {
            return Rows::All;
        }
        rows.sort_unstable();
        rows.dedup();
        Rows::Each(rows)
    }

    fn bank_of_registers(&self, registers: &[String]) -> Option<usize> {
        (0..2).find(|bank| self.bank_registers(*bank) == registers)
    }
}

/// The rows of a register that hold something.
fn rows_of(read: &[RegisterRows], register: &str) -> Vec<u64> {
    let found = read.iter().filter(|part| part.register == register);
    found.flat_map(|part| part.rows.iter().map(|(index, _)| *index)).collect()
}
