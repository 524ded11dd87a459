//! Externs of v1model.

use p4_lang::ir::{Bits, Checksum, Expr, ExternCall, HashAlgorithm, MeterId, RegisterId, ScalarId, Unit};
use rand_core::Rng;

use super::value::Value;
use super::{Run, Runner, hash};
use crate::event::Event;
use crate::random::between;
use crate::trace::{Named, Step, shown};

impl Runner<'_> {
    pub(super) fn extern_call(&mut self, call: &ExternCall) -> Run {
        let program = self.program;
        match call {
            ExternCall::RegisterRead { register, targets, index } => {
                let index = self.expr(index)?.index();
                self.register_read(*register, targets, index);
            }
            ExternCall::RegisterWrite { register, index, values } => {
                let values = self.list(values)?;
                let index = self.expr(index)?.index();
                self.register_write(*register, index, &values);
            }
            ExternCall::CounterCount(counter, index) => {
                let index = self.expr(index)?.index();
                let bytes = self.cx.packet_bytes;
                let counter = counter.index();
                let values = &mut self.state.counters[counter].values;
                if let Some(value) = usize::try_from(index).ok().and_then(|at| values.get_mut(at)) {
                    value.count(bytes);
                }
                let name = &program.counters[counter].preamble.name;
                self.cx.note(|| Step::Count { counter: name.clone(), index: Some(index), bytes });
            }
            // Direct counters count with every match.
            ExternCall::DirectCounterCount(_) => {}
            ExternCall::MeterExecute { meter, index, target } => {
                let index = self.expr(index)?.index();
                self.execute_meter(*meter, index, *target);
            }
            ExternCall::DirectMeterRead { target, .. } => {
                self.store(*target, Value::of_u64(self.cx.colour, self.kind(*target)));
            }
            ExternCall::Hash { target, algorithm, base, data, max } => {
                let base = self.expr(base)?;
                let data = self.list(data)?;
                let max = self.expr(max)?.index();
                let offset = self.hash(*algorithm, &data, &[]).checked_rem(max).unwrap_or(0);
                let sum = base.pattern() + offset;
                self.store(*target, Value::new(sum, self.kind(*target)));
            }
            ExternCall::Random { target, low, high } => {
                let (low, high) = (self.expr(low)?.index(), self.expr(high)?.index());
                let value = between(&mut self.cx.random, low, high);
                self.store(*target, Value::of_u64(value, self.kind(*target)));
            }
            ExternCall::VerifyChecksum(checksum) => self.checksum(checksum, false)?,
            ExternCall::UpdateChecksum(checksum) => self.checksum(checksum, true)?,
            ExternCall::MarkToDrop => self.mark_to_drop(),
            other => self.request(other)?,
        }
        Ok(())
    }

    /// Records a request for the end of the block, or an event for the driver.
    fn request(&mut self, call: &ExternCall) -> Run {
        match call {
            ExternCall::Digest { digest, fields } => {
                let values: Vec<Bits> = self.list(fields)?.iter().map(Value::bits).collect();
                let source = &self.program.digests[digest.index()];
                let named = || {
                    let pairs = source.fields.iter().zip(&values);
                    pairs.map(|((name, _), value)| Named::new(name, value)).collect()
                };
                self.cx.note(|| Step::Digest { digest: source.preamble.name.clone(), fields: named() });
                self.cx.requests.digests.push((digest.0, values));
            }
            ExternCall::Clone { egress: _, session, field_list } => {
                let session = u32::try_from(self.expr(session)?.index()).unwrap_or(u32::MAX);
                self.cx.note(|| Step::Request { what: "clone", value: Some(u64::from(session)) });
                self.cx.requests.clone = Some((session, *field_list));
            }
            ExternCall::Resubmit(field_list) => {
                self.cx.note(|| Step::Request { what: "resubmit", value: None });
                self.cx.requests.resubmit = Some(*field_list);
            }
            ExternCall::Recirculate(field_list) => {
                self.cx.note(|| Step::Request { what: "recirculate", value: None });
                self.cx.requests.recirculate = Some(*field_list);
            }
            ExternCall::Truncate(bytes) => {
                let bytes = self.expr(bytes)?.index();
                self.cx.note(|| Step::Request { what: "truncate", value: Some(bytes) });
                self.cx.requests.truncate = Some(bytes);
            }
            ExternCall::Assert(condition, text) => self.assert(condition, text, false)?,
            ExternCall::Assume(condition, text) => self.assert(condition, text, true)?,
            ExternCall::LogMsg(format, args) => {
                let args = self.list(args)?;
                let text = filled_in(format, &args);
                self.cx.note(|| Step::Log { text: text.clone() });
                self.cx.events.push(Event::Log { at: self.cx.now, text });
            }
            // `extern_call` handles the other externs.
            _ => {}
        }
        Ok(())
    }

    /// Reads a register; an element out of bounds reads as zero.
    fn register_read(&mut self, register: RegisterId, targets: &[ScalarId], index: u64) {
        let Some(array) = self.state.registers.get(register.index()) else { return };
        let found = usize::try_from(index).ok().and_then(|at| array.read(at));
        let zero = || array.components().iter().map(|c| Bits::new(c.kind.width(), 0)).collect();
        let element: Vec<Bits> = found.unwrap_or_else(zero);
        for (target, value) in targets.iter().zip(&element) {
            self.store(*target, Value::of_bits(value, self.kind(*target)));
        }
        let name = &self.program.registers[register.index()].preamble.name;
        let value = || element.iter().map(shown).collect();
        self.cx.note(|| Step::RegisterRead { register: name.clone(), index, value: value() });
    }

    /// Writes a register; a write out of bounds is ignored.
    fn register_write(&mut self, register: RegisterId, index: u64, values: &[Value]) {
        let Some(array) = self.state.registers.get(register.index()) else { return };
        let components: Vec<_> = array.components().iter().map(|c| (c.offset, c.limbs, c.kind)).collect();
        let element = self.state.registers.element_mut(register.0, index);
        let in_bounds = element.is_some();
        if let Some(element) = element {
            for ((offset, limbs, kind), value) in components.iter().zip(values) {
                let bits = value.to_bits(*kind);
                for (at, limb) in element[*offset..offset + limbs].iter_mut().enumerate() {
                    *limb = bits.limbs().get(at).copied().unwrap_or(0);
                }
            }
        }
        let name = &self.program.registers[register.index()].preamble.name;
        let value = || values.iter().map(|v| shown(&v.bits())).collect();
        self.cx.note(|| Step::RegisterWrite { register: name.clone(), index, value: value(), in_bounds });
    }

    /// Executes a meter; a meter out of bounds leaves the result unchanged.
    fn execute_meter(&mut self, id: MeterId, index: u64, target: ScalarId) {
        let declared = &self.program.meters[id.index()];
        let amount = if declared.unit == Unit::Packets { 1 } else { self.cx.packet_bytes };
        let meters = &mut self.state.meters[id.index()];
        let Some(meter) = usize::try_from(index).ok().and_then(|at| meters.get_mut(at)) else { return };
        let colour = meter.execute(self.cx.now, amount, self.cx.packet_bytes) as u64;
        self.store(target, Value::of_u64(colour, self.kind(target)));
        let name = &declared.preamble.name;
        self.cx.note(|| Step::Meter { meter: name.clone(), index: Some(index), colour });
    }

    fn mark_to_drop(&mut self) {
        let standard = &self.program.storage.standard_metadata;
        if let Some(id) = standard.get("egress_spec") {
            self.store(*id, Value::of_u64(self.drop_port, self.kind(*id)));
        }
        if let Some(id) = standard.get("mcast_grp") {
            self.store(*id, Value::zero(self.kind(*id)));
        }
    }

    /// Computes a hash over values, followed by bytes.
    pub(super) fn hash(&mut self, algorithm: HashAlgorithm, data: &[Value], behind: &[u8]) -> u64 {
        if algorithm == HashAlgorithm::Random {
            return self.cx.random.next_u64();
        }
        let mut bytes = hash::bytes_of(data);
        bytes.extend_from_slice(behind);
        hash::compute(algorithm, &bytes, &self.cx.custom_crc)
    }

    /// Returns the bytes that the parser has not consumed.
    fn payload(&self) -> Vec<u8> {
        let first = self.cx.cursor.div_ceil(8);
        let byte = |at| usize::try_from(at).ok().and_then(|at: usize| self.cx.packet.head.get(at).copied());
        (first..self.cx.packet.len()).map(|at| byte(at).unwrap_or(0)).collect()
    }

    fn checksum(&mut self, checksum: &Checksum, update: bool) -> Run {
        if !self.condition(&checksum.condition)? {
            return Ok(());
        }
        let data = self.list(&checksum.data)?;
        let payload = if checksum.with_payload { self.payload() } else { Vec::new() };
        let sum = self.hash(checksum.algorithm, &data, &payload);
        let computed = Value::of_u64(sum, self.kind(checksum.field));
        let correct = self.values[checksum.field.index()].pattern() == computed.pattern();
        if self.cx.trace.is_some() {
            let field = self.name(checksum.field).to_owned();
            self.cx.note(|| Step::Checksum { field, computed: shown(&computed.bits()), correct });
        }
        if update {
            self.store(checksum.field, computed);
        } else if !correct {
            self.cx.requests.checksum_error = true;
        }
        Ok(())
    }

    fn assert(&mut self, condition: &Expr, text: &str, assume: bool) -> Run {
        if !self.condition(condition)? {
            self.cx.note(|| Step::AssertFailed { text: text.to_owned() });
            self.cx.events.push(Event::AssertFailed { at: self.cx.now, text: text.to_owned(), assume });
        }
        Ok(())
    }
}

/// Formats a message: replaces each `{}` by the next argument, in decimal up to 128 bits, otherwise in hexadecimal.
fn filled_in(format: &str, args: &[Value]) -> String {
    let mut parts = format.split("{}");
    let mut text = parts.next().unwrap_or_default().to_owned();
    let mut args = args.iter();
    for part in parts {
        text += &match args.next().map(Value::bits) {
            Some(bits) => bits.to_u128().map_or_else(|| shown(&bits), |number| number.to_string()),
            None => "{}".to_owned(),
        };
        text += part;
    }
    text
}
