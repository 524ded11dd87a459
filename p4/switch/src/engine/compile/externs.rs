//! Compiles calls of externs.

use p4_lang::ir::{Checksum, Expr, ExternCall, ScalarId, ScalarKind};

use super::stmt::meter_unit;
use super::{Compiler, Result};
use crate::engine::code::{Data, Op, Site};
use crate::engine::layout::Slot;
use crate::machine::Field;

impl Compiler<'_> {
    pub(super) fn extern_call(&mut self, call: &ExternCall) -> Result<()> {
        let site = match call {
            ExternCall::RegisterRead { register, targets, index } => {
                return self.register_read(register.index(), targets, index);
            }
            ExternCall::RegisterWrite { register, index, values } => {
                return self.register_write(register.index(), index, values);
            }
            ExternCall::CounterCount(counter, index) => {
                let index = self.index(index)?;
                if counter.index() >= self.program.counters.len() {
                    return self.malformed(format!("counter {} does not exist", counter.0));
                }
                self.emit(Op::Count { counter: counter.0, index });
                return Ok(());
            }
            // Direct counters count with every match.
            ExternCall::DirectCounterCount(_) => return Ok(()),
            ExternCall::MeterExecute { meter, index, target } => {
                let index = self.index(index)?;
                let Some(source) = self.program.meters.get(meter.index()) else {
                    return self.malformed(format!("meter {} does not exist", meter.0));
                };
                let dst = self.layout.scalar(*target)?;
                Site::MeterExecute { meter: meter.0, index, unit: meter_unit(source.unit), dst }
            }
            ExternCall::DirectMeterRead { target, .. } => {
                Site::DirectMeterRead { dst: self.layout.scalar(*target)? }
            }
            ExternCall::Hash { target, algorithm, base, data, max } => Site::Hash {
                dst: self.layout.scalar(*target)?,
                algorithm: *algorithm,
                base: self.expr(base, None)?,
                max: self.expr(max, None)?,
                data: self.data(data)?,
            },
            ExternCall::Random { target, low, high } => Site::Random {
                dst: self.layout.scalar(*target)?,
                low: self.expr(low, None)?,
                high: self.expr(high, None)?,
            },
            ExternCall::Digest { digest, fields } => {
                if digest.index() >= self.program.digests.len() {
                    return self.malformed(format!("digest {} does not exist", digest.0));
                }
                Site::Digest { digest: digest.0, fields: self.list(fields)? }
            }
            ExternCall::Clone { egress: _, session, field_list } => {
                Site::Clone { session: self.index(session)?, field_list: *field_list }
            }
            ExternCall::Resubmit(field_list) => Site::Resubmit { field_list: *field_list },
            ExternCall::Recirculate(field_list) => Site::Recirculate { field_list: *field_list },
            ExternCall::Truncate(bytes) => Site::Truncate { bytes: self.index(bytes)? },
            ExternCall::MarkToDrop => return self.mark_to_drop(),
            ExternCall::VerifyChecksum(checksum) => return self.checksum(checksum, false),
            ExternCall::UpdateChecksum(checksum) => return self.checksum(checksum, true),
            ExternCall::Assert(condition, text) => return self.assert(condition, text, false),
            ExternCall::Assume(condition, text) => return self.assert(condition, text, true),
            ExternCall::LogMsg(format, args) => {
                Site::LogMsg { format: format.clone(), args: self.list(args)? }
            }
        };
        self.site(site);
        Ok(())
    }

    fn list(&mut self, exprs: &[Expr]) -> Result<Vec<Slot>> {
        exprs.iter().map(|e| self.expr(e, None)).collect()
    }

    /// Compiles data to be hashed, packed where possible.
    fn data(&mut self, exprs: &[Expr]) -> Result<Data> {
        let Some((row, bits)) = self.row(exprs)? else { return Ok(Data::Fields(self.list(exprs)?)) };
        let slot = self.packed(&row, ScalarKind::Unsigned(row.width()), None);
        Ok(Data::Packed { at: slot.at, limbs: slot.limbs(), bytes: bits.div_ceil(8) })
    }

    fn register_read(&mut self, register: usize, targets: &[ScalarId], index: &Expr) -> Result<()> {
        let targets = targets.iter().map(|t| self.layout.scalar(*t)).collect::<Result<Vec<_>>>()?;
        self.check_register(register, &targets)?;
        let index = self.index(index)?;
        let register = register as u32;
        match targets.as_slice() {
            [only] if only.limbs() == 1 => {
                self.emit(Op::RegisterRead { register, dst: only.at, index });
            }
            [only] if (1..=255).contains(&only.limbs()) => {
                self.emit(Op::RegisterReadLimbs { register, dst: only.at, index, count: only.limbs() as u8 });
            }
            _ => self.site(Site::RegisterRead { register, targets, index }),
        }
        Ok(())
    }

    fn register_write(&mut self, register: usize, index: &Expr, values: &[Expr]) -> Result<()> {
        let values = self.list(values)?;
        self.check_register(register, &values)?;
        let index = self.index(index)?;
        let register = register as u32;
        match values.as_slice() {
            [only] if only.limbs() == 1 => {
                self.emit(Op::RegisterWrite { register, index, src: only.at });
            }
            [only] if (1..=255).contains(&only.limbs()) => {
                self.emit(Op::RegisterWriteLimbs {
                    register,
                    index,
                    src: only.at,
                    count: only.limbs() as u8,
                });
            }
            _ => self.site(Site::RegisterWrite { register, index, values }),
        }
        Ok(())
    }

    /// Checks that slots have the types of a register's components.
    fn check_register(&self, register: usize, slots: &[Slot]) -> Result<()> {
        let Some(source) = self.program.registers.get(register) else {
            return self.malformed(format!("register {register} does not exist"));
        };
        let widths = source.components.iter().map(|(_, kind)| kind.width());
        if !widths.eq(slots.iter().map(|s| s.width())) || slots.iter().any(|s| s.is_varbit()) {
            return self
                .malformed(format!("the value has another type than register {}", source.preamble.name));
        }
        Ok(())
    }

    fn mark_to_drop(&mut self) -> Result<()> {
        let standard = &self.layout.standard;
        let (egress_spec, mcast_grp) = (standard.slot(Field::EgressSpec), standard.slot(Field::McastGrp));
        if let Some(slot) = egress_spec {
            let src = self.number(crate::limbs::low_mask(slot.width()) & self.drop_port);
            self.emit(Op::Copy { dst: slot.at, src });
        }
        if let Some(slot) = mcast_grp {
            self.emit(Op::Clear { dst: slot.at, count: 1 });
        }
        Ok(())
    }

    fn checksum(&mut self, checksum: &Checksum, update: bool) -> Result<()> {
        let skip = self.branch(&checksum.condition, false)?;
        let data = match checksum.with_payload {
            true => Data::Fields(self.list(&checksum.data)?),
            false => self.data(&checksum.data)?,
        };
        let field = self.layout.scalar(checksum.field)?;
        let (algorithm, with_payload) = (checksum.algorithm, checksum.with_payload);
        self.site(Site::Checksum { data, field, algorithm, with_payload, update });
        self.set_target_here(&skip);
        Ok(())
    }

    fn assert(&mut self, condition: &Expr, text: &str, assume: bool) -> Result<()> {
        let skip = self.branch(condition, true)?;
        self.site(Site::Assert { text: text.to_owned(), assume });
        self.set_target_here(&skip);
        Ok(())
    }
}
