//! Register arrays: an element of one limb or several, at a computed index.

use cranelift_codegen::ir::condcodes::IntCC;
use cranelift_codegen::ir::{self, InstBuilder};

use super::lower::{ArrayPlace, Lower};
use super::value::Condition;
use super::value::Known::{self, Constant, Value};
use crate::engine::code::{At, Op};

impl Lower<'_, '_, '_> {
    /// Compiles reads and writes of registers.
    pub(super) fn state(&mut self, op: Op) -> bool {
        match op {
            Op::RegisterRead { register, dst, index } => self.read(register, dst, index, 1),
            Op::RegisterReadLimbs { register, dst, index, count } => {
                self.read(register, dst, index, u32::from(count));
            }
            Op::RegisterWrite { register, index, src } => self.write(register, index, src, 1),
            Op::RegisterWriteLimbs { register, index, src, count } => {
                self.write(register, index, src, u32::from(count));
            }
            _ => return false,
        }
        true
    }

    /// Returns the elements of an array; none if an element has another number of limbs.
    fn array(&self, register: u32, limbs: u32) -> ArrayPlace {
        let place = self.program.arrays[register as usize];
        if place.stride == limbs as usize { place } else { ArrayPlace { elements: 0, ..place } }
    }

    /// Returns the address of an element that exists.
    fn element(&mut self, array: ArrayPlace, index: Known) -> ir::Value {
        let offset = self.mul(index, Constant(array.stride as u64 * 8));
        let offset = self.add(offset, Constant(array.start as u64 * 8));
        let offset = self.ir(offset);
        self.b.ins().iadd(self.registers, offset)
    }

    /// Reads an element; zeros if it does not exist.
    fn read(&mut self, register: u32, dst: At, index: At, limbs: u32) {
        let array = self.array(register, limbs);
        let index = self.get(index);
        let exists = self.condition(IntCC::UnsignedLessThan, index, Constant(array.elements as u64));
        if matches!(exists, Condition::Always(false)) {
            (dst..dst + limbs).for_each(|at| self.put(at, Constant(0)));
            return;
        }
        // The first element is read in place of one that does not exist.
        let inside = self.select(exists, index, Constant(0));
        let address = self.element(array, inside);
        for limb in 0..limbs {
            let value = Value(self.load_register(address, limb as usize));
            let value = self.select(exists, value, Constant(0));
            self.put(dst + limb, value);
        }
    }

    /// Writes an element, if it exists.
    fn write(&mut self, register: u32, index: At, src: At, limbs: u32) {
        let array = self.array(register, limbs);
        let index = self.get(index);
        let exists = self.condition(IntCC::UnsignedLessThan, index, Constant(array.elements as u64));
        let values: Vec<ir::Value> = (src..src + limbs).map(|at| self.get_ir(at)).collect();
        let next = match exists {
            Condition::Always(false) => return,
            Condition::Always(true) => None,
            Condition::If(bit) => {
                let (inside, next) = (self.b.create_block(), self.b.create_block());
                self.b.ins().brif(bit, inside, &[], next, &[]);
                self.b.switch_to_block(inside);
                Some(next)
            }
        };
        let address = self.element(array, index);
        for (limb, value) in values.into_iter().enumerate() {
            self.store_register(value, address, limb);
        }
        if let Some(next) = next {
            self.b.ins().jump(next, &[]);
            self.b.switch_to_block(next);
        }
    }
}
