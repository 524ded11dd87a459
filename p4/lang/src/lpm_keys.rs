//! One `lpm` key for each table: a check of programs for v1model and PSA.
//!
//! The longest prefix is defined for one key: with two, an entry can be longer in one key and shorter in the other. The
//! reference compiler (p4lang/p4c, `backends/bmv2`) rejects such tables, also beside `ternary` and `range` keys; it does
//! not see tables that are never applied.

use crate::diagnostic::{Diagnostic, Sink, codes};
use crate::hir::{Module, Type};
use crate::reach;

/// Reports tables with more than one `lpm` key.
pub(crate) fn check(module: &Module, sink: &mut Sink) {
    if !is_for_bmv2(module) {
        return;
    }
    for table in reach::from_main(module).tables {
        let Some(table) = module.tables.get(table.index()) else { continue };
        let mut keys = table.keys.iter().filter(|key| &*key.match_kind == "lpm");
        let (Some(first), Some(second)) = (keys.next(), keys.next()) else { continue };
        let message = format!("table `{}` has more than one `lpm` key", table.name);
        sink.push(
            Diagnostic::error(codes::SECOND_LPM_KEY, second.span, message)
                .label("second `lpm` key")
                .also(first.span, "first `lpm` key")
                .note("make the other keys `ternary`; priorities then decide which entry matches"),
        );
    }
}

/// Returns whether `main` is the package of v1model or PSA.
fn is_for_bmv2(module: &Module) -> bool {
    let is_main = |var: crate::hir::VarId| module.vars.get(var.index()).is_some_and(|v| &*v.name == "main");
    let Some(main) = module.instances.iter().find(|i| is_main(i.var)) else { return false };
    let Type::Package(package, _) = &main.construct.ty else { return false };
    module.packages.get(package.index()).is_some_and(|p| matches!(&*p.name, "V1Switch" | "PSA_Switch"))
}
