//! Arrays of state: registers and counters.

use p4_lang::ir::{Bits, ScalarKind};

use crate::control::CounterValue;
use crate::limbs;

/// A component of a register's element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Component {
    /// Its name; empty for `register<bit<w>>`.
    pub name: String,
    /// Its type.
    pub kind: ScalarKind,
    /// Its first limb in the element.
    pub offset: usize,
    /// How many limbs it has.
    pub limbs: usize,
}

/// A register array: elements one behind the other, each component in whole 64-bit limbs.
#[derive(Clone, Debug)]
pub struct RegisterArray {
    components: Vec<Component>,
    stride: usize,
    values: Vec<u64>,
}

impl RegisterArray {
    pub(crate) fn new(components: &[(String, ScalarKind)], size: u64) -> RegisterArray {
        let mut stride = 0;
        let components: Vec<Component> = components
            .iter()
            .map(|(name, kind)| {
                let limbs = limbs::count(kind.width());
                let offset = stride;
                stride += limbs;
                Component { name: name.clone(), kind: *kind, offset, limbs }
            })
            .collect();
        RegisterArray { components, stride, values: vec![0; stride * size as usize] }
    }

    /// Number of elements.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether there is no element.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Components of an element.
    pub fn components(&self) -> &[Component] {
        &self.components
    }

    /// Limbs of an element.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// All limbs: [`RegisterArray::stride`] an element, components in order, least significant limb first. A
    /// register of `bit<1>` to `bit<64>` has one limb an element.
    pub fn limbs(&self) -> &[u64] {
        &self.values
    }

    /// The limbs of one element.
    pub fn element(&self, index: usize) -> Option<&[u64]> {
        let start = index.checked_mul(self.stride)?;
        self.values.get(start..start.checked_add(self.stride)?)
    }

    /// The components of one element as values.
    pub fn read(&self, index: usize) -> Option<Vec<Bits>> {
        let element = self.element(index)?;
        let value =
            |c: &Component| Bits::from_limbs(c.kind.width(), element[c.offset..c.offset + c.limbs].to_vec());
        Some(self.components.iter().map(value).collect())
    }

    pub(crate) fn element_mut(&mut self, index: u64) -> Option<&mut [u64]> {
        let start = usize::try_from(index).ok()?.checked_mul(self.stride)?;
        self.values.get_mut(start..start.checked_add(self.stride)?)
    }

    pub(crate) fn values_mut(&mut self) -> &mut [u64] {
        &mut self.values
    }

    /// Cuts every limb of `element` to its component's width.
    pub(crate) fn trim(components: &[Component], element: &mut [u64]) {
        for c in components {
            limbs::trim(&mut element[c.offset..c.offset + c.limbs], c.kind.width());
        }
    }
}

/// A counter array.
#[derive(Clone, Debug)]
pub(crate) struct CounterArray {
    pub(crate) values: Vec<CounterValue>,
}

impl CounterValue {
    pub(crate) fn count(&mut self, bytes: u64) {
        self.packets = self.packets.wrapping_add(1);
        self.bytes = self.bytes.wrapping_add(bytes);
    }
}
