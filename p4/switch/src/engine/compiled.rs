//! Bytecode, or the machine code made from it, with the frame that it runs on.

use std::sync::Arc;

use super::code::{Code, Op, Pc};
use super::context::Context;
use super::optimise::flow;
use super::run::{FRAME_LIMBS, Limbs, Outcome, run};
use crate::error::LoadError;
use crate::limbs;
use crate::machine::{BlockId, Field};
use crate::machine_code::MachineCode;
use crate::state::State;

/// A compiled program and its frame.
#[derive(Debug)]
pub(crate) struct Compiled {
    code: Arc<Code>,
    /// Runs instead of the bytecode interpreter.
    machine_code: Option<Arc<MachineCode>>,
    frame: Box<Limbs>,
    /// Where each block starts, and whether it has no effect.
    entries: [Pc; flow::BLOCKS],
    is_empty: [bool; flow::BLOCKS],
    /// Number of words that a packet carries from ingress to egress.
    carried_words: usize,
    /// Limb and mask of each field of the standard metadata; unused fields map to a limb that stays zero.
    fields: [(u16, u64); Field::ALL.len()],
}

impl Compiled {
    pub(crate) fn new(
        code: Arc<Code>,
        machine_code: Option<Arc<MachineCode>>,
    ) -> Result<Compiled, LoadError> {
        // One additional limb is reserved for the unused fields.
        let allowed = FRAME_LIMBS - 1;
        if code.frame.len() > allowed {
            return Err(LoadError::Limit {
                place: "headers, metadata and locals".to_owned(),
                limit: "frame",
                wanted: code.frame.len() as u64,
                allowed: allowed as u64,
                unit: "limbs of 64 bits",
            });
        }
        let mut limbs = vec![0; FRAME_LIMBS].into_boxed_slice();
        limbs[..code.frame.len()].copy_from_slice(&code.frame);
        let frame = limbs.try_into().expect("invariant: the length equals the size of the array");
        let mut fields = [(code.frame.len() as u16, 0); Field::ALL.len()];
        for field in Field::ALL {
            if let Some(slot) = code.standard.slot(*field) {
                fields[*field as usize] = (slot.at as u16, limbs::low_mask(slot.width()));
            }
        }
        let carried_words = code.carry.iter().map(|run| run.words()).sum();
        let entries = flow::entries(&code);
        let is_empty = entries.map(|entry| matches!(code.ops.get(entry as usize), Some(Op::End)));
        Ok(Compiled { code, machine_code, frame, entries, is_empty, carried_words, fields })
    }

    /// Clears the limbs that a block expects to be zero.
    #[inline]
    fn clear_for(&mut self, block: usize) {
        for (at, count) in &self.code.clears[block] {
            self.frame[*at as usize..(*at + *count) as usize].fill(0);
        }
    }

    #[inline]
    pub(crate) fn carry(&self, words: &mut Vec<u64>) {
        if let Some(machine_code) = &self.machine_code {
            return machine_code.carry(&self.frame, words);
        }
        words.clear();
        words.reserve_exact(self.carried_words);
        for run in &self.code.carry {
            let limbs = &self.frame[run.at as usize..(run.at + run.count) as usize];
            if !run.narrow {
                words.extend_from_slice(limbs);
                continue;
            }
            debug_assert!(limbs.iter().all(|limb| limb >> 32 == 0), "invariant: a narrow limb is below 2^32");
            let (pairs, last) = limbs.as_chunks::<2>();
            words.extend(pairs.iter().map(|[low, high]| low | high << 32));
            words.extend_from_slice(last);
        }
    }

    #[inline]
    pub(crate) fn resume(&mut self, mut words: &[u64]) {
        if let Some(machine_code) = &self.machine_code {
            return machine_code.resume(&mut self.frame, words);
        }
        for run in &self.code.carry {
            let target = &mut self.frame[run.at as usize..(run.at + run.count) as usize];
            let Some((taken, rest)) = words.split_at_checked(run.words()) else { return };
            words = rest;
            if !run.narrow {
                target.copy_from_slice(taken);
                continue;
            }
            let (pairs, last) = target.as_chunks_mut::<2>();
            for (pair, word) in pairs.iter_mut().zip(taken) {
                *pair = [word & 0xffff_ffff, word >> 32];
            }
            last.iter_mut().zip(taken.last()).for_each(|(limb, word)| *limb = *word);
        }
    }

    #[inline]
    pub(crate) fn set(&mut self, field: Field, value: u64) {
        let (at, mask) = self.fields[field as usize];
        self.frame[usize::from(at)] = value & mask;
    }

    #[inline]
    pub(crate) fn get(&self, field: Field) -> u64 {
        self.frame[usize::from(self.fields[field as usize].0)]
    }

    #[inline]
    pub(crate) fn reset(&mut self) {
        match &self.machine_code {
            Some(machine_code) => machine_code.clear(&mut self.frame),
            None => self.clear_for(flow::PARSER),
        }
    }

    #[inline]
    pub(crate) fn parse(&mut self, cx: &mut Context, state: &mut State) -> Outcome {
        self.execute(flow::PARSER, cx, state)
    }

    pub(crate) fn parser_timeout(&self) -> u64 {
        self.code.errors.parser_timeout
    }

    #[inline]
    pub(crate) fn run(&mut self, block: BlockId, cx: &mut Context, state: &mut State) -> Outcome {
        let block = block as usize;
        if self.is_empty[block] {
            return Outcome::Done;
        }
        self.execute(block, cx, state)
    }

    #[inline]
    fn execute(&mut self, block: usize, cx: &mut Context, state: &mut State) -> Outcome {
        match &self.machine_code {
            Some(machine_code) => machine_code.run(block, &self.code, &mut self.frame, cx, state),
            None => self.interpret(block, cx, state),
        }
    }

    /// Runs a block as bytecode. Not inlined, because the loop of operations needs many registers.
    #[inline(never)]
    fn interpret(&mut self, block: usize, cx: &mut Context, state: &mut State) -> Outcome {
        if block != flow::PARSER {
            self.clear_for(block);
        }
        run(&self.code, self.entries[block], &mut self.frame, cx, state)
    }

    #[inline]
    pub(crate) fn save(&self, words: &mut Vec<u64>) {
        words.extend_from_slice(&self.frame[..self.code.carried as usize]);
    }

    #[inline]
    pub(crate) fn load(&mut self, words: &[u64]) {
        self.frame[..words.len()].copy_from_slice(words);
    }

    pub(crate) fn preserved(&self, field_list: u8) -> Vec<(u32, u64)> {
        let list = self.code.field_lists.iter().find(|(n, _)| *n == field_list);
        let slots = list.map_or(&[][..], |(_, slots)| slots);
        slots
            .iter()
            .flat_map(|slot| slot.at..slot.at + slot.cells())
            .map(|at| (at, self.frame[at as usize]))
            .collect()
    }

    pub(crate) fn restore(&mut self, preserved: &[(u32, u64)]) {
        for (at, value) in preserved {
            self.frame[*at as usize] = *value;
        }
    }

    pub(crate) fn clear_metadata(&mut self) {
        let (metadata, carried) = (self.code.metadata_at as usize, self.code.carried as usize);
        self.frame[metadata..carried].fill(0);
    }
}
