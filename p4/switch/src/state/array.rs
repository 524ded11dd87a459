//! Register and counter arrays.

use std::ops::Range;

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
    /// Number of its limbs.
    pub limbs: usize,
}

/// A register array: consecutive elements, each component in whole 64-bit limbs.
#[derive(Clone, Copy, Debug)]
pub struct RegisterArray<'a> {
    components: &'a [Component],
    stride: usize,
    values: &'a [u64],
}

impl<'a> RegisterArray<'a> {
    /// Returns the number of elements.
    pub fn len(&self) -> usize {
        self.values.len().checked_div(self.stride).unwrap_or(0)
    }

    /// Whether the array has no elements.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Returns the components of an element.
    pub fn components(&self) -> &'a [Component] {
        self.components
    }

    /// Returns the number of limbs per element.
    pub fn stride(&self) -> usize {
        self.stride
    }

    /// Returns all limbs: [`RegisterArray::stride`] per element, components in order, least significant limb first. A
    /// register of `bit<1>` to `bit<64>` has one limb per element.
    pub fn limbs(&self) -> &'a [u64] {
        self.values
    }

    /// Returns the limbs of one element.
    pub fn element(&self, index: usize) -> Option<&'a [u64]> {
        let start = index.checked_mul(self.stride)?;
        self.values.get(start..start.checked_add(self.stride)?)
    }

    /// Reads the components of one element.
    pub fn read(&self, index: usize) -> Option<Vec<Bits>> {
        let element = self.element(index)?;
        let value =
            |c: &Component| Bits::from_limbs(c.kind.width(), element[c.offset..c.offset + c.limbs].to_vec());
        Some(self.components.iter().map(value).collect())
    }
}

/// All register arrays of a program.
///
/// Their values are one allocation, large enough for the system to provide zero pages that take memory only once they
/// are written. Small allocations might be cleared explicitly instead.
#[derive(Clone, Debug)]
pub(crate) struct Registers {
    arrays: Vec<ArrayLayout>,
    values: Vec<u64>,
}

/// Layout of one array in the allocation.
#[derive(Clone, Debug)]
struct ArrayLayout {
    components: Vec<Component>,
    stride: usize,
    values: Range<usize>,
}

impl Registers {
    /// Creates arrays with these components and numbers of elements; all values are zero.
    pub(crate) fn new<'p>(declared: impl Iterator<Item = (&'p [(String, ScalarKind)], u64)>) -> Registers {
        let mut end = 0;
        let arrays = declared
            .map(|(components, size)| {
                let mut stride = 0;
                let components = components
                    .iter()
                    .map(|(name, kind)| {
                        let limbs = limbs::count(kind.width());
                        let offset = stride;
                        stride += limbs;
                        Component { name: name.clone(), kind: *kind, offset, limbs }
                    })
                    .collect();
                let start = end;
                end += stride * size as usize;
                ArrayLayout { components, stride, values: start..end }
            })
            .collect();
        Registers { arrays, values: vec![0; end] }
    }

    /// Returns an array.
    pub(crate) fn get(&self, array: usize) -> Option<RegisterArray<'_>> {
        let layout = self.arrays.get(array)?;
        let values = self.values.get(layout.values.clone())?;
        Some(RegisterArray { components: &layout.components, stride: layout.stride, values })
    }

    /// Returns the limbs of an array.
    #[inline]
    pub(crate) fn limbs(&self, array: u32) -> &[u64] {
        &self.values[self.arrays[array as usize].values.clone()]
    }

    /// Returns the limbs of an array.
    #[inline]
    pub(crate) fn limbs_mut(&mut self, array: u32) -> &mut [u64] {
        &mut self.values[self.arrays[array as usize].values.clone()]
    }

    /// Returns a pointer to the limbs of all arrays, in their order, and their number. The pointer stays valid while the
    /// arrays are read and written.
    #[inline]
    pub(crate) fn all_limbs(&mut self) -> (*mut u64, usize) {
        (self.values.as_mut_ptr(), self.values.len())
    }

    /// Returns the limbs of an element.
    #[inline]
    pub(crate) fn element(&self, array: u32, index: u64) -> Option<&[u64]> {
        let stride = self.arrays[array as usize].stride;
        let start = usize::try_from(index).ok()?.checked_mul(stride)?;
        self.limbs(array).get(start..start.checked_add(stride)?)
    }

    /// Returns the limbs of an element.
    #[inline]
    pub(crate) fn element_mut(&mut self, array: u32, index: u64) -> Option<&mut [u64]> {
        let stride = self.arrays[array as usize].stride;
        let start = usize::try_from(index).ok()?.checked_mul(stride)?;
        self.limbs_mut(array).get_mut(start..start.checked_add(stride)?)
    }
}

/// Truncates every component of `element` to its width.
pub(crate) fn trim(components: &[Component], element: &mut [u64]) {
    for c in components {
        limbs::trim(&mut element[c.offset..c.offset + c.limbs], c.kind.width());
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
