//! One access to a register for each packet: a check of programs for the Tofino architectures (`tna.p4`, `t2na.p4`).
//!
//! A stage has one stateful ALU for a register, so a packet can access the register once, at one index. The reference
//! compiler (p4lang/p4c, `backends/tofino`) rejects a second access that depends on the first, but places other ones in
//! the same ALU, where only one is executed. A register belongs to ingress or to egress.
//!
//! - [`objects`] instantiates the controls: a control that is instantiated twice has two copies of its registers, and a
//!   `RegisterAction` stands for its register.
//! - [`walk`] follows all paths through a control. Exclusive are the branches of `if`, `switch`, `?:`, `&&` and `||` and the
//!   actions of a table. Conditions are not evaluated: two `if`s whose conditions exclude each other are two accesses.

mod objects;
mod state;
mod walk;

use std::collections::BTreeMap;

use crate::diagnostic::{Diagnostic, Sink};
use crate::hir::{Expr, ExprKind, Module, Type, VarId};
use crate::lex::Name;
use crate::source::Span;

use objects::{Objects, RegisterId};

/// Reports registers that a packet may access twice, and registers that two blocks of the pipeline use.
pub(crate) fn check(module: &Module, sink: &mut Sink) {
    // Only these architectures have objects that update a register.
    if !module.externs.iter().any(|e| &*e.name == "RegisterAction") {
        return;
    }
    let is_main = |var: VarId| module.vars.get(var.index()).is_some_and(|v| &*v.name == "main");
    let Some(main) = module.instances.iter().find(|i| is_main(i.var)) else { return };
    let mut blocks = Vec::new();
    collect_blocks(module, &main.construct, &mut Vec::new(), &mut blocks);
    let mut objects = Objects::new(module);
    let mut used: BTreeMap<RegisterId, (Name, Span)> = BTreeMap::new();
    let mut found: BTreeMap<(Span, RegisterId), Diagnostic> = BTreeMap::new();
    for (name, construct) in blocks {
        walk::block(module, &mut objects, &name, construct, &mut used, &mut found);
    }
    for diagnostic in found.into_values() {
        sink.push(diagnostic);
    }
}

/// Collects the controls among the arguments of a package, with the names of their parameters. Each package instance is
/// visited once.
fn collect_blocks<'a>(
    module: &'a Module,
    package: &'a Expr,
    seen: &mut Vec<VarId>,
    blocks: &mut Vec<(Name, &'a Expr)>,
) {
    let (ExprKind::Construct(construct), Type::Package(id, _)) = (&package.kind, &package.ty) else { return };
    let Some(declaration) = module.packages.get(id.index()) else { return };
    for (param, arg) in declaration.params.iter().zip(&construct.args) {
        let Some(arg) = arg else { continue };
        match (&arg.kind, &arg.ty) {
            (_, Type::Control(..)) => blocks.push((param.name.clone(), arg)),
            (ExprKind::Construct(_), Type::Package(..)) => collect_blocks(module, arg, seen, blocks),
            (ExprKind::Var(var), Type::Package(..)) if !seen.contains(var) => {
                seen.push(*var);
                if let Some(instance) = module.instances.iter().find(|i| i.var == *var) {
                    collect_blocks(module, &instance.construct, seen, blocks);
                }
            }
            _ => {}
        }
    }
}
