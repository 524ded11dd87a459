//! Instances: which register each name stands for in each control.

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::hir::{ControlId, Expr, ExprKind, Instance, Local, Module, Param, Type, VarId};
use crate::lex::Name;
use crate::source::Span;

/// The maximum number of controls that are instantiated; further ones are not checked.
const MAX_INSTANCES: usize = 10_000;

/// The number of a register instance.
pub(super) type RegisterId = usize;

/// What a name or a constructor call stands for.
#[derive(Clone, Debug)]
pub(super) enum Object {
    /// A register, or an object that accesses it.
    Register(RegisterId),
    Control(Rc<ControlInstance>),
    /// Any other object or value.
    Other,
}

/// The objects that are visible in a control, without those declared outside of controls.
pub(super) type Scope = BTreeMap<VarId, Object>;

/// An instance of a control.
#[derive(Debug)]
pub(super) struct ControlInstance {
    pub(super) control: ControlId,
    pub(super) scope: Rc<Scope>,
}

/// All objects of a program.
pub(super) struct Objects<'a> {
    module: &'a Module,
    globals: Scope,
    /// The name and declaration of each register.
    registers: Vec<(Name, Span)>,
    /// The number of controls instantiated.
    controls: usize,
}

impl<'a> Objects<'a> {
    /// Creates the objects declared outside of controls.
    pub(super) fn new(module: &'a Module) -> Objects<'a> {
        let mut objects = Objects { module, globals: Scope::new(), registers: Vec::new(), controls: 0 };
        for instance in &module.instances {
            let object = objects.declared(instance, &Scope::new());
            objects.globals.insert(instance.var, object);
        }
        objects
    }

    /// Returns the name of a register and the location of its declaration.
    pub(super) fn register(&self, id: RegisterId) -> Option<&(Name, Span)> {
        self.registers.get(id)
    }

    /// Returns the object that an expression denotes.
    pub(super) fn object(&mut self, expr: &Expr, scope: &Scope) -> Object {
        match &expr.kind {
            ExprKind::Var(var) => {
                scope.get(var).or_else(|| self.globals.get(var)).cloned().unwrap_or(Object::Other)
            }
            ExprKind::Construct(_) => self.construct(expr, scope, "", expr.span),
            _ => Object::Other,
        }
    }

    fn declared(&mut self, instance: &Instance, scope: &Scope) -> Object {
        let var = self.module.vars.get(instance.var.index());
        let (name, span) = var.map_or(("", instance.construct.span), |v| (&*v.name, v.span));
        self.construct(&instance.construct, scope, name, span)
    }

    fn construct(&mut self, expr: &Expr, scope: &Scope, name: &str, span: Span) -> Object {
        let ExprKind::Construct(construct) = &expr.kind else { return self.object(expr, scope) };
        let args: Vec<Object> = construct
            .args
            .iter()
            .map(|arg| arg.as_ref().map_or(Object::Other, |arg| self.object(arg, scope)))
            .collect();
        match &expr.ty {
            Type::Extern(id, _) => {
                let declaration = self.module.externs.get(id.index());
                if declaration.is_some_and(|e| matches!(&*e.name, "Register" | "DirectRegister")) {
                    self.registers.push((name.into(), span));
                    return Object::Register(self.registers.len() - 1);
                }
                args.into_iter().find(|arg| matches!(arg, Object::Register(_))).unwrap_or(Object::Other)
            }
            Type::Control(id, _) => self.control(*id, args),
            _ => Object::Other,
        }
    }

    fn control(&mut self, id: ControlId, args: Vec<Object>) -> Object {
        let module = self.module;
        let Some(control) = module.controls.get(id.index()) else { return Object::Other };
        self.controls += 1;
        if self.controls > MAX_INSTANCES {
            return Object::Other;
        }
        let mut scope = Scope::new();
        bind(&mut scope, &control.constructor, args);
        for local in &control.locals {
            if let Local::Instance(instance) = local {
                let object = self.declared(instance, &scope);
                scope.insert(instance.var, object);
            }
        }
        Object::Control(Rc::new(ControlInstance { control: id, scope: Rc::new(scope) }))
    }
}

/// Binds parameters to objects; values are not tracked.
pub(super) fn bind(scope: &mut Scope, params: &[Param], args: impl IntoIterator<Item = Object>) {
    for (param, arg) in params.iter().zip(args) {
        if !matches!(arg, Object::Other) {
            scope.insert(param.var, arg);
        }
    }
}
