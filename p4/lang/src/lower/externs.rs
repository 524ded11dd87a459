//! The externs of the core library and of v1model.

mod functions;
mod methods;
mod packet;

use num_traits::ToPrimitive as _;

use super::Lowerer;
use super::lvalue::LValue;
use super::objects::Object;
use super::value::Val;
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{Expr, Type};
use crate::ir::{self, HashAlgorithm, Preamble, ScalarId, ScalarKind, Selector, Unit};
use crate::source::Span;
use crate::syntax::ast::Annotations;

impl Lowerer<'_> {
    /// Instantiates an extern.
    pub(super) fn make_extern(
        &mut self,
        name: &str,
        types: &[Type],
        args: &[Option<Expr>],
        preamble: Preamble,
        span: Span,
    ) -> Option<Object> {
        let arg = |i: usize| args.get(i).and_then(Option::as_ref).cloned();
        match name {
            "register" => {
                let (components, type_name) = self.components(types.first()?, span);
                let size = self.eval_size(&arg(0)?, "the size of a register array");
                let data = self.data_type(types.first()?);
                self.record_index_type(&preamble, types.get(1));
                let id = ir::RegisterId(self.program.registers.len() as u32);
                self.program.types.registers.insert(id, data);
                self.program.registers.push(ir::Register { preamble, components, type_name, size });
                Some(Object::Register(id))
            }
            "counter" | "direct_counter" => {
                let direct = name == "direct_counter";
                let size = if direct { 0 } else { self.eval_size(&arg(0)?, "the size of a counter array") };
                let unit = self.unit(&arg(usize::from(!direct))?);
                if !direct {
                    self.record_index_type(&preamble, types.first());
                }
                let id = ir::CounterId(self.program.counters.len() as u32);
                self.program.counters.push(ir::Counter { preamble, unit, size, direct });
                Some(Object::Counter(id))
            }
            "meter" | "direct_meter" => {
                let direct = name == "direct_meter";
                let size = if direct { 0 } else { self.eval_size(&arg(0)?, "the size of a meter array") };
                let unit = self.unit(&arg(usize::from(!direct))?);
                if !direct {
                    self.record_index_type(&preamble, types.first());
                }
                let id = ir::MeterId(self.program.meters.len() as u32);
                self.program.meters.push(ir::Meter { preamble, unit, size, direct, result: None });
                Some(Object::Meter(id))
            }
            "action_profile" => {
                let size = self.eval_size(&arg(0)?, "the size of an action profile");
                Some(self.new_profile(preamble, size, None))
            }
            "action_selector" => {
                let algorithm = self.algorithm(&arg(0)?);
                let size = self.eval_size(&arg(1)?, "the size of an action selector");
                let width = self.eval_size(&arg(2)?, "the width of a selector's hash");
                let max_group_size = preamble.annotations.iter().find_map(|a| {
                    let inner = a.strip_prefix("@max_group_size(")?.strip_suffix(')')?;
                    inner.trim().parse().ok()
                });
                let selector = Selector {
                    algorithm,
                    output_width: u32::try_from(width).unwrap_or(u32::MAX),
                    max_group_size: max_group_size.unwrap_or(0),
                };
                Some(self.new_profile(preamble, size, Some(selector)))
            }
            "Checksum16" => Some(Object::Checksum16),
            _ => {
                self.unknown_extern(name, span);
                Some(Object::Unknown)
            }
        }
    }

    /// Warns that the switch has no implementation of an extern.
    fn unknown_extern(&mut self, name: &str, span: Span) {
        self.sink.push(
            Diagnostic::warning(codes::UNKNOWN_EXTERN, span, format!("v1model has no extern `{name}`"))
                .note("calls have no effect, and their results are zero"),
        );
    }

    fn new_profile(&mut self, preamble: Preamble, size: u64, selector: Option<Selector>) -> Object {
        let id = ir::ActionProfileId(self.program.action_profiles.len() as u32);
        self.program.action_profiles.push(ir::ActionProfile { preamble, size, selector });
        Object::ActionProfile(id)
    }

    /// Instantiates an object in a table property; it is named after the table.
    pub(super) fn construct_for_table(
        &mut self,
        expr: &Expr,
        table: &str,
        annotations: &Annotations,
        owner: &Preamble,
    ) -> Option<Object> {
        let crate::hir::ExprKind::Construct(construct) = &expr.kind else { return None };
        let Type::Extern(id, types) = &expr.ty else { return None };
        let decl = self.module.externs.get(id.index())?.name.clone();
        // A name given to the property is absolute.
        let named = self.name_annotation(annotations).is_some();
        let path = if named { String::new() } else { self.env.path.clone() };
        let position = owner.position.clone();
        let preamble = Preamble { position, ..self.preamble(&path, table, annotations) };
        let types: Vec<Type> = types.iter().map(|t| self.ty(t)).collect();
        self.make_extern(&decl, &types, &construct.args, preamble, expr.span)
    }

    /// Returns the components of a register element or of a digest: names and kinds, and the name of the struct.
    pub(super) fn components(
        &mut self,
        ty: &Type,
        span: Span,
    ) -> (Vec<(String, ScalarKind)>, Option<String>) {
        let ty = self.ty(ty);
        if let Some(kind) = self.scalar_kind(&ty) {
            return (vec![(String::new(), kind)], None);
        }
        let type_name = match &ty {
            Type::Aggregate(..) => Some(self.module.show(&ty)),
            _ => None,
        };
        let mut out = Vec::new();
        self.add_components(&ty, "", &mut out);
        if out.is_empty() {
            let message = format!("`{}` contains no values", self.module.show(&ty));
            self.unsupported(span, message);
        }
        (out, type_name)
    }

    fn add_components(&self, ty: &Type, prefix: &str, out: &mut Vec<(String, ScalarKind)>) {
        let ty = self.ty(ty);
        if let Some(kind) = self.scalar_kind(&ty) {
            out.push((prefix.to_owned(), kind));
            return;
        }
        if let Type::Stack(of, n) = &ty {
            for i in 0..*n {
                self.add_components(of, &format!("{prefix}[{i}]"), out);
            }
            return;
        }
        for (i, (name, field)) in self.module.fields(&ty).unwrap_or_default().iter().enumerate() {
            let name = if name.is_empty() { format!("f{i}") } else { name.to_string() };
            let path = if prefix.is_empty() { name } else { format!("{prefix}.{name}") };
            self.add_components(field, &path, out);
        }
    }

    /// Returns the name of the enum member that an argument is.
    fn member(&mut self, arg: &Expr) -> Option<String> {
        let Type::Enum(id) = &arg.ty else { return None };
        let index = self.eval_number(arg)?.to_usize()?;
        let decl = self.module.enums.get(id.index())?;
        decl.members.get(index).map(|(n, _)| n.to_string())
    }

    fn unit(&mut self, arg: &Expr) -> Unit {
        match self.member(arg).as_deref() {
            Some("packets") => Unit::Packets,
            Some("bytes") => Unit::Bytes,
            Some("packets_and_bytes") => Unit::PacketsAndBytes,
            _ => {
                self.error(codes::NOT_CONSTANT, arg.span, "the counter type must be a constant");
                Unit::Packets
            }
        }
    }

    fn algorithm(&mut self, arg: &Expr) -> HashAlgorithm {
        match self.member(arg).as_deref() {
            Some("crc32") => HashAlgorithm::Crc32,
            Some("crc32_custom") => HashAlgorithm::Crc32Custom,
            Some("crc16") => HashAlgorithm::Crc16,
            Some("crc16_custom") => HashAlgorithm::Crc16Custom,
            Some("random") => HashAlgorithm::Random,
            Some("identity") => HashAlgorithm::Identity,
            Some("csum16") => HashAlgorithm::Csum16,
            Some("xor16") => HashAlgorithm::Xor16,
            _ => {
                self.error(codes::NOT_CONSTANT, arg.span, "the hash algorithm must be a constant");
                HashAlgorithm::Crc32
            }
        }
    }

    /// Emits a call that writes a scalar: directly, or through a temporary if the target is a slice or has a run-time
    /// index.
    fn write_scalar(
        &mut self,
        arg: Option<&Expr>,
        kind: ScalarKind,
        write: impl FnOnce(&mut Self, ScalarId),
    ) {
        let lvalue = match arg {
            Some(arg) => self.lvalue_of(arg),
            None => None,
        };
        match lvalue {
            Some(LValue::Scalar(id)) => write(self, id),
            Some(lvalue) => {
                let result = self.temporary("result", kind);
                write(self, result);
                let value = self.scalar(result);
                self.store_scalar(&lvalue, value);
            }
            None => {
                let result = self.temporary("unused", kind);
                write(self, result);
            }
        }
    }

    /// Reads into all scalars of an l-value.
    fn write_scalars(&mut self, arg: Option<&Expr>, ty: &Type, write: impl FnOnce(&mut Self, Vec<ScalarId>)) {
        let own = self.allocate(ty, &format!("$result{}", self.program.storage.scalars.len()));
        let target = match arg {
            Some(arg) => self.lvalue_of(arg),
            None => None,
        };
        let direct = match &target {
            Some(lvalue) => self.leaf_scalars(lvalue),
            None => None,
        };
        if let Some(scalars) = direct {
            write(self, scalars);
            return;
        }
        let scalars = self.leaf_scalars(&own).unwrap_or_default();
        write(self, scalars);
        if let Some(target) = target {
            let value = self.load(&own);
            let span = arg.map_or(Span::default(), |a| a.span);
            self.assign(&target, value, ty, span);
        }
    }

    /// Returns the scalars of an l-value in order, if it consists only of scalars.
    fn leaf_scalars(&self, lvalue: &LValue) -> Option<Vec<ScalarId>> {
        match lvalue {
            LValue::Scalar(id) => Some(vec![*id]),
            LValue::Struct(parts) => {
                let parts: Option<Vec<Vec<ScalarId>>> = parts.iter().map(|p| self.leaf_scalars(p)).collect();
                parts.map(|p| p.concat())
            }
            LValue::Header(ir::HeaderRef::Static(id)) => {
                self.program.storage.headers.get(id.index()).map(|h| h.fields.clone())
            }
            _ => None,
        }
    }

    /// Returns all scalars of a value, as data for a hash or a message.
    fn data(&mut self, arg: &Expr) -> Vec<ir::Expr> {
        let value: Val = self.eval(arg);
        let mut out = Vec::new();
        self.flatten(&value, &arg.ty, &mut out);
        let untyped = arg.ty.any(&mut |t| *t == Type::Int);
        if untyped {
            let message = "this number needs a width";
            self.error(codes::CANNOT_INFER, arg.span, message);
        }
        out
    }
}
