//! Registers, counters, meters and value sets.

use p4_lang::ir::{Bits, Counter, Meter, ValueSet};

use super::{
    ControlPlane, CounterValue, FieldMatch, MarkedCounts, MeterConfig, ObjectRef, RegisterArray, Result,
};
use crate::error::ControlError;
use crate::limbs;
use crate::state::array;
use crate::table::key::fit;

impl ControlPlane<'_> {
    fn register_index(&self, reference: ObjectRef<'_>) -> Result<usize> {
        self.find("register", |p| p.registers.iter().map(|r| &r.preamble).collect(), reference)
    }

    /// Returns a register array without copying it.
    pub fn register<'r>(&self, register: impl Into<ObjectRef<'r>>) -> Result<RegisterArray<'_>> {
        let index = self.register_index(register.into())?;
        self.loaded()?.state.registers.get(index).ok_or_else(|| ControlError::not_found("register"))
    }

    /// Reads the components of one element.
    pub fn register_read<'r>(&self, register: impl Into<ObjectRef<'r>>, index: u64) -> Result<Vec<Bits>> {
        let register = register.into();
        let array = self.register(register)?;
        let element = usize::try_from(index).ok().and_then(|i| array.read(i));
        element.ok_or_else(|| out_of_bounds("index", index, array.len()))
    }

    /// Writes the components of one element.
    pub fn register_write<'r>(
        &mut self,
        register: impl Into<ObjectRef<'r>>,
        index: u64,
        values: &[Bits],
    ) -> Result<()> {
        let register = register.into();
        let at = self.register_index(register)?;
        let array = self.register(register)?;
        let length = array.len();
        let packed = pack_element(array, values)?;
        let element = self.state()?.registers.element_mut(at as u32, index);
        element.ok_or_else(|| out_of_bounds("index", index, length))?.copy_from_slice(&packed);
        Ok(())
    }

    /// Writes the same components to all elements.
    pub fn register_fill<'r>(&mut self, register: impl Into<ObjectRef<'r>>, values: &[Bits]) -> Result<()> {
        let register = register.into();
        let at = self.register_index(register)?;
        let packed = pack_element(self.register(register)?, values)?;
        if packed.is_empty() {
            return Ok(());
        }
        for element in self.state()?.registers.limbs_mut(at as u32).chunks_exact_mut(packed.len()) {
            element.copy_from_slice(&packed);
        }
        Ok(())
    }

    /// Writes elements from index `first` on, in the layout of [`RegisterArray::limbs`]. Bits beyond a component's
    /// width are cleared.
    pub fn register_write_limbs<'r>(
        &mut self,
        register: impl Into<ObjectRef<'r>>,
        first: u64,
        values: &[u64],
    ) -> Result<()> {
        let register = register.into();
        let at = self.register_index(register)?;
        let array = self.register(register)?;
        let (stride, length) = (array.stride(), array.len());
        if stride == 0 || !values.len().is_multiple_of(stride) {
            return Err(ControlError::invalid("values", format!("must be a multiple of {stride} limbs")));
        }
        let start = usize::try_from(first).ok().and_then(|f| f.checked_mul(stride));
        let span = start.and_then(|s| Some(s..s.checked_add(values.len())?));
        let components = array.components().to_vec();
        let target = span.and_then(|span| self.state().ok()?.registers.limbs_mut(at as u32).get_mut(span));
        let target = target.ok_or_else(|| out_of_bounds("first", first, length))?;
        for (element, new) in target.chunks_exact_mut(stride).zip(values.chunks_exact(stride)) {
            element.copy_from_slice(new);
            array::trim(&components, element);
        }
        Ok(())
    }

    fn counter_index(&self, reference: ObjectRef<'_>) -> Result<usize> {
        self.find("counter", |p| p.counters.iter().map(|c: &Counter| &c.preamble).collect(), reference)
    }

    /// Returns all values of an indirect counter.
    pub fn counter<'r>(&self, counter: impl Into<ObjectRef<'r>>) -> Result<&[CounterValue]> {
        let at = self.counter_index(counter.into())?;
        let array = self.loaded()?.state.counters.get(at);
        array.map(|a| a.values.as_slice()).ok_or_else(|| ControlError::not_found("counter"))
    }

    /// Reads one value of an indirect counter.
    pub fn counter_read<'r>(&self, counter: impl Into<ObjectRef<'r>>, index: u64) -> Result<CounterValue> {
        let values = self.counter(counter)?;
        let value = usize::try_from(index).ok().and_then(|i| values.get(i));
        value.copied().ok_or_else(|| out_of_bounds("index", index, values.len()))
    }

    /// Sets one value of an indirect counter.
    pub fn counter_write<'r>(
        &mut self,
        counter: impl Into<ObjectRef<'r>>,
        index: u64,
        value: CounterValue,
    ) -> Result<()> {
        let at = self.counter_index(counter.into())?;
        let Some(array) = self.state()?.counters.get_mut(at) else {
            return Err(ControlError::not_found("counter"));
        };
        let length = array.values.len();
        let slot = usize::try_from(index).ok().and_then(|i| array.values.get_mut(i));
        *slot.ok_or_else(|| out_of_bounds("index", index, length))? = value;
        Ok(())
    }

    fn meter_index(&self, reference: ObjectRef<'_>) -> Result<usize> {
        self.find("meter", |p| p.meters.iter().map(|m: &Meter| &m.preamble).collect(), reference)
    }

    /// Returns the number of elements of an indirect meter.
    pub fn meter_len<'r>(&self, meter: impl Into<ObjectRef<'r>>) -> Result<u64> {
        let at = self.meter_index(meter.into())?;
        Ok(self.loaded()?.state.meters.get(at).map_or(0, |m| m.len() as u64))
    }

    /// Reads the settings of one element of an indirect meter; `None` for an unconfigured meter, which marks every
    /// packet green.
    pub fn meter_read<'r>(&self, meter: impl Into<ObjectRef<'r>>, index: u64) -> Result<Option<MeterConfig>> {
        let at = self.meter_index(meter.into())?;
        let meters = self.loaded()?.state.meters.get(at).map_or(&[][..], Vec::as_slice);
        let meter = usize::try_from(index).ok().and_then(|i| meters.get(i));
        meter.map(|m| m.config()).ok_or_else(|| out_of_bounds("index", index, meters.len()))
    }

    /// Sets or clears the settings of one element of an indirect meter. The token buckets start full.
    pub fn meter_write<'r>(
        &mut self,
        meter: impl Into<ObjectRef<'r>>,
        index: u64,
        config: Option<MeterConfig>,
    ) -> Result<()> {
        check_meter(config)?;
        let at = self.meter_index(meter.into())?;
        let now = self.now;
        let Some(meters) = self.state()?.meters.get_mut(at) else {
            return Err(ControlError::not_found("meter"));
        };
        let length = meters.len();
        let slot = usize::try_from(index).ok().and_then(|i| meters.get_mut(i));
        slot.ok_or_else(|| out_of_bounds("index", index, length))?.configure(config, now);
        Ok(())
    }

    /// Reads the per-colour counters of one element of an indirect meter.
    pub fn meter_marked<'r>(&self, meter: impl Into<ObjectRef<'r>>, index: u64) -> Result<MarkedCounts> {
        let at = self.meter_index(meter.into())?;
        let meters = self.loaded()?.state.meters.get(at).map_or(&[][..], Vec::as_slice);
        let meter = usize::try_from(index).ok().and_then(|i| meters.get(i));
        meter.map(|m| m.marked).ok_or_else(|| out_of_bounds("index", index, meters.len()))
    }

    /// Sets the per-colour counters of one element of an indirect meter.
    pub fn set_meter_marked<'r>(
        &mut self,
        meter: impl Into<ObjectRef<'r>>,
        index: u64,
        marked: MarkedCounts,
    ) -> Result<()> {
        let at = self.meter_index(meter.into())?;
        let Some(meters) = self.state()?.meters.get_mut(at) else {
            return Err(ControlError::not_found("meter"));
        };
        let length = meters.len();
        let slot = usize::try_from(index).ok().and_then(|i| meters.get_mut(i));
        slot.ok_or_else(|| out_of_bounds("index", index, length))?.marked = marked;
        Ok(())
    }

    fn value_set_index(&self, reference: ObjectRef<'_>) -> Result<usize> {
        self.find("value set", |p| p.value_sets.iter().map(|v: &ValueSet| &v.preamble).collect(), reference)
    }

    /// Returns the members of a value set; each has one match per component.
    pub fn value_set<'r>(&self, set: impl Into<ObjectRef<'r>>) -> Result<&[Vec<FieldMatch>]> {
        let at = self.value_set_index(set.into())?;
        let set = self.loaded()?.state.value_sets.get(at);
        set.map(|s| s.members()).ok_or_else(|| ControlError::not_found("value set"))
    }

    /// Replaces all members of a value set.
    pub fn value_set_write<'r>(
        &mut self,
        set: impl Into<ObjectRef<'r>>,
        members: &[Vec<FieldMatch>],
    ) -> Result<()> {
        let at = self.value_set_index(set.into())?;
        let set = self.state()?.value_sets.get_mut(at);
        set.ok_or_else(|| ControlError::not_found("value set"))?.set(members)
    }
}

pub(super) fn check_meter(config: Option<MeterConfig>) -> Result<()> {
    let Some(c) = config else { return Ok(()) };
    if c.peak_rate < c.committed_rate {
        return Err(ControlError::invalid("meter pir", "the peak rate is lower than the committed rate"));
    }
    Ok(())
}

fn pack_element(array: RegisterArray<'_>, values: &[Bits]) -> Result<Vec<u64>> {
    let components = array.components();
    if values.len() != components.len() {
        let reason =
            format!("an element has {} components, but {} values were given", components.len(), values.len());
        return Err(ControlError::invalid("data", reason));
    }
    let mut packed = vec![0; array.stride()];
    for (component, value) in components.iter().zip(values) {
        let field = format!("data {}", component.name);
        let value = fit(value, component.kind.width(), field.trim_end())?;
        limbs::copy(&mut packed[component.offset..component.offset + component.limbs], value.limbs());
    }
    Ok(packed)
}

fn out_of_bounds(field: &str, index: u64, length: usize) -> ControlError {
    ControlError::invalid(field, format!("{index} is out of bounds, the array has {length} elements"))
}
