//! Instances: of controls, parsers and externs.

use std::collections::BTreeMap;

use super::value::Val;
use super::{Binding, Env, Lowerer};
use crate::diagnostic::codes;
use crate::hir::{self, Callee, Expr, ExprKind, Module, Type, TypeArgs, TypeParamId, VarId};
use crate::ir;

/// An object that a name can refer to.
#[derive(Clone, Debug)]
pub(super) enum Object {
    Register(ir::RegisterId),
    Counter(ir::CounterId),
    Meter(ir::MeterId),
    ActionProfile(ir::ActionProfileId),
    Checksum16,
    /// An instance of an extern that v1model does not have.
    Unknown,
    /// `packet_in` or `packet_out`.
    Packet,
    /// A control or parser, by index into the lowerer's instances.
    Instance(usize),
    ValueSet(ir::ValueSetId),
}

/// An instance of a control or parser.
#[derive(Debug)]
pub(super) struct Instance {
    pub(super) ty: Type,
    /// The constructor parameters and all declarations.
    pub(super) env: Env,
    /// Whether its parameters are bound and its declarations are instantiated.
    pub(super) ready: bool,
    /// Whether the architecture runs it directly.
    pub(super) top: bool,
    pub(super) tables: BTreeMap<hir::TableId, super::table::TableInfo>,
    pub(super) actions: BTreeMap<hir::ActionId, ir::ActionId>,
}

impl Lowerer<'_> {
    /// Instantiates a declared object.
    pub(super) fn make_object(&mut self, construct: &Expr, instance: &hir::Instance) -> Option<Object> {
        let var = self.module.vars.get(instance.var.index())?;
        let name = var.name.clone();
        let position = self.object_position(instance.var);
        self.construct(construct, &name, &instance.annotations.clone(), position)
    }

    /// Instantiates an object where it is used; it is named after its type.
    pub(super) fn construct_in_place(&mut self, expr: &Expr) -> Option<Object> {
        let name = match &expr.ty {
            Type::Control(id, _) => self.module.controls.get(id.index())?.name.clone(),
            Type::Parser(id, _) => self.module.parsers.get(id.index())?.name.clone(),
            other => self.module.show(other).into(),
        };
        let position = self.position_in_place();
        self.construct(expr, &name, &Vec::new(), position)
    }

    fn construct(
        &mut self,
        expr: &Expr,
        name: &crate::lex::Name,
        annotations: &crate::syntax::ast::Annotations,
        position: Vec<u32>,
    ) -> Option<Object> {
        let ExprKind::Construct(construct) = &expr.kind else {
            return match self.eval(expr) {
                Val::Object(object) => Some(object),
                _ => None,
            };
        };
        let args: Vec<Val> =
            construct.args.iter().map(|a| a.as_ref().map_or(Val::Void, |a| self.eval(a))).collect();
        let path = self.env.path.clone();
        match &expr.ty {
            Type::Extern(id, types) => {
                let decl = self.module.externs.get(id.index())?;
                if !decl.abstract_methods.is_empty() {
                    self.unsupported(expr.span, "v1model does not support objects with abstract methods");
                    return None;
                }
                let decl = decl.name.clone();
                let preamble = ir::Preamble { position, ..self.preamble(&path, name, annotations) };
                self.record_object_name(&decl, &preamble.name, expr.span);
                self.program.types.has_objects = true;
                let types: Vec<Type> = types.iter().map(|t| self.ty(t)).collect();
                self.make_extern(&decl, &types, &construct.args, preamble, expr.span)
            }
            Type::Control(id, types) => {
                let decl = self.module.controls.get(id.index())?;
                let types = self.type_args(&decl.type_params, types);
                Some(self.new_instance(expr, &decl.constructor, types, args, name, annotations, position))
            }
            Type::Parser(id, types) => {
                let decl = self.module.parsers.get(id.index())?;
                let types = self.type_args(&decl.type_params, types);
                Some(self.new_instance(expr, &decl.constructor, types, args, name, annotations, position))
            }
            _ => {
                let message = "v1model does not support objects of this type";
                self.error(codes::UNSUPPORTED, expr.span, message);
                None
            }
        }
    }

    /// Returns the type arguments of an instance of a generic parser or control.
    fn type_args(&self, params: &[TypeParamId], args: &[Type]) -> TypeArgs {
        params.iter().copied().zip(args.iter().map(|t| self.ty(t))).collect()
    }

    #[allow(clippy::too_many_arguments, reason = "they are the parts of an instance")]
    fn new_instance(
        &mut self,
        expr: &Expr,
        params: &[hir::Param],
        types: TypeArgs,
        args: Vec<Val>,
        name: &str,
        annotations: &crate::syntax::ast::Annotations,
        position: Vec<u32>,
    ) -> Object {
        let path = self.join(&self.env.path.clone(), name, annotations);
        let mut env = Env { path, position, types, ..Env::default() };
        // Top-level objects are visible everywhere.
        for (var, binding) in &self.env.vars {
            let global = self.module.instances.iter().any(|i| i.var == *var);
            if global {
                env.vars.insert(*var, binding.clone());
            }
        }
        for (param, value) in params.iter().zip(args) {
            let binding = match value {
                Val::Object(object) => Binding::Object(object),
                value => Binding::Value(value),
            };
            env.vars.insert(param.var, binding);
        }
        let index = self.instances.len();
        env.instance = Some(index);
        self.instances.push(Instance {
            ty: self.ty(&expr.ty),
            env,
            ready: false,
            top: false,
            tables: BTreeMap::new(),
            actions: BTreeMap::new(),
        });
        Object::Instance(index)
    }
}

/// Counts how often the source applies each object.
pub(super) fn count_applications(module: &Module) -> BTreeMap<VarId, usize> {
    let mut counts = BTreeMap::new();
    let mut visit = |expr: &Expr| {
        if let ExprKind::Call(call) = &expr.kind
            && let Callee::Apply(object) = &call.callee
            && let ExprKind::Var(id) = object.kind
        {
            *counts.entry(id).or_insert(0) += 1;
        }
    };
    for control in &module.controls {
        hir::visit_stmts(&control.body, &mut visit);
    }
    for parser in &module.parsers {
        for state in &parser.states {
            hir::visit_stmts(&state.body, &mut visit);
        }
    }
    counts
}
