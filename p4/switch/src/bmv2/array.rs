//! Counters, meters, registers and value sets (`JSON_format.md`, from "parse_vsets" to "register_arrays").

use p4_lang::ir::{
    Counter, CounterId, MatchKind, Meter, MeterId, Register, RegisterId, ScalarKind, Unit, ValueSet,
    ValueSetId,
};

use super::node::Node;
use super::{Array, MAX_FIELD_BITS, Reader};

/// The size of a value set; the format has none.
const VALUE_SET_SIZE: u64 = 1_024;

impl<'j> Reader<'j> {
    pub(super) fn arrays(&mut self, root: &Node<'j>) {
        for (at, node) in root.get("register_arrays").items().iter().enumerate() {
            self.register_array(node, at as u32);
        }
        for (at, node) in root.get("counter_arrays").items().iter().enumerate() {
            self.counter_array(node, at as u32);
        }
        for (at, node) in root.get("meter_arrays").items().iter().enumerate() {
            self.meter_array(node, at as u32);
        }
    }

    fn register_array(&mut self, node: &Node<'j>, at: u32) {
        let Some(name) = self.text(node, "name") else { return };
        let width = node.get("bitwidth").integer().and_then(|w| u32::try_from(w).ok());
        let width = width.filter(|width| (1..=MAX_FIELD_BITS).contains(width));
        let width = width.or_else(|| self.expected(&node.get("bitwidth"), "a width in bits")).unwrap_or(1);
        let id = RegisterId(self.program.registers.len() as u32);
        let size = self.size(node, "size", 0);
        self.program.registers.push(Register {
            preamble: Reader::preamble(name, vec![0, 1, at]),
            components: vec![(String::new(), ScalarKind::Unsigned(width))],
            type_name: None,
            size,
        });
        self.registers.insert(name, Array::Register(id));
    }

    fn counter_array(&mut self, node: &Node<'j>, at: u32) {
        let Some(name) = self.text(node, "name") else { return };
        let direct = node.get("is_direct").flag().unwrap_or(false);
        let size = if direct { 0 } else { self.size(node, "size", 0) };
        if let (true, Some(table)) = (direct, node.get("binding").text()) {
            self.bindings.insert(table, name);
        }
        let id = CounterId(self.program.counters.len() as u32);
        // Counters of the reference switch count both.
        let preamble = Reader::preamble(name, vec![0, 2, at]);
        self.program.counters.push(Counter { preamble, unit: Unit::PacketsAndBytes, size, direct });
        self.counters.insert(name, Array::Counter(id));
    }

    fn meter_array(&mut self, node: &Node<'j>, at: u32) {
        let Some(name) = self.text(node, "name") else { return };
        let direct = node.get("is_direct").flag().unwrap_or(false);
        let size = if direct { 0 } else { self.size(node, "size", 0) };
        let unit = match self.text(node, "type") {
            Some("bytes") => Unit::Bytes,
            Some("packets") | None => Unit::Packets,
            Some(_) => {
                self.expected::<()>(&node.get("type"), "\"bytes\" or \"packets\"");
                Unit::Packets
            }
        };
        if node.get("rate_count").integer().is_some_and(|rates| rates != 2) {
            self.error(&node.get("rate_count"), "meters have 2 rates (RFC 2698)");
        }
        let target = node.get("result_target");
        let result = match direct && !target.is_null() {
            true => self.field(&target).map(|(id, _)| id),
            false => None,
        };
        let id = MeterId(self.program.meters.len() as u32);
        let preamble = Reader::preamble(name, vec![0, 3, at]);
        self.program.meters.push(Meter { preamble, unit, size, direct, result });
        self.meters.insert(name, Array::Meter(id));
    }

    /// Reads value sets. Their components are those of the first transition key that uses them.
    pub(super) fn value_sets(&mut self, root: &Node<'j>) {
        for (at, node) in root.get("parse_vsets").items().iter().enumerate() {
            let Some(name) = self.text(node, "name") else { continue };
            let width = node.get("compressed_bitwidth").integer().and_then(|w| u32::try_from(w).ok());
            let width = width.filter(|width| (1..=MAX_FIELD_BITS).contains(width));
            let node = node.get("compressed_bitwidth");
            let Some(width) = width.or_else(|| self.expected(&node, "a width in bits")) else { continue };
            let id = ValueSetId(self.program.value_sets.len() as u32);
            self.program.value_sets.push(ValueSet {
                preamble: Reader::preamble(name, vec![0, 4, at as u32]),
                components: vec![(String::new(), width, MatchKind::Exact)],
                size: VALUE_SET_SIZE,
            });
            self.value_sets.insert(name, id);
        }
    }
}
