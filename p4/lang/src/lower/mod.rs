//! Lowers the checked program to [`crate::ir`]: objects are instantiated, calls are inlined with copy-in and copy-out,
//! structs are split into scalars, and side effects become statements in P4's order of evaluation.

mod action;
mod apply;
mod array;
mod build;
mod call;
mod copy;
mod exit;
mod expr;
mod externs;
mod function;
mod header;
mod info;
mod keyset;
mod lvalue;
mod names;
mod objects;
mod parser;
mod position;
mod stmt;
mod storage;
mod table;
mod target;
mod types;
mod value;

pub(crate) use names::rank_annotation;

use std::collections::{BTreeMap, BTreeSet};

use crate::Options;
use crate::diagnostic::{Code, Diagnostic, Sink, codes};
use crate::hir::{self, Expr, ExprKind, Module, Type, TypeArgs, VarId};
use crate::ir;
use crate::source::{SourceMap, Span};

use lvalue::LValue;
use objects::{Instance, Object};
use value::Val;

/// The maximum number of statements after inlining.
const MAX_STATEMENTS: usize = 400_000;

/// Lowers a program without errors; returns `None` if it cannot be run (reported).
///
/// `end` is the end of the program.
pub(crate) fn lower(
    module: &Module,
    sources: &SourceMap,
    options: &Options,
    end: Span,
    sink: &mut Sink,
) -> Option<ir::Program> {
    let mut lowerer = Lowerer {
        module,
        sources,
        sink,
        program: ir::Program::default(),
        env: Env::default(),
        out: Vec::new(),
        instances: Vec::new(),
        parser: None,
        copy_outs: Vec::new(),
        leaving: None,
        exit_flag: None,
        results: Vec::new(),
        global_actions: BTreeMap::new(),
        called: BTreeMap::new(),
        apply_counts: objects::count_applications(module),
        emitted: 0,
        block: BlockKind::Other,
        digests: BTreeMap::new(),
        block_number: 0,
        sender: Vec::new(),
        listed: BTreeSet::new(),
        called_here: Vec::new(),
        control_names: target::ControlNames::default(),
        p4info: options.p4info,
        at: Span::default(),
    };
    let runs = lowerer.run(end);
    (runs && !lowerer.sink.has_errors()).then_some(lowerer.program)
}

/// What a variable is bound to while code is lowered.
#[derive(Clone, Debug)]
enum Binding {
    LValue(LValue),
    Value(Val),
    Object(Object),
}

/// Variables and type parameters of the code being lowered.
#[derive(Clone, Debug, Default)]
struct Env {
    vars: BTreeMap<VarId, Binding>,
    types: TypeArgs,
    /// The control-plane name of the enclosing instance.
    path: String,
    /// The position of the enclosing instance: see [`ir::Preamble::position`].
    position: Vec<u32>,
    /// The instance of the enclosing control.
    instance: Option<usize>,
}

/// The block of the architecture that is being lowered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BlockKind {
    Parser,
    Ingress,
    Egress,
    Other,
}

struct Lowerer<'a> {
    module: &'a Module,
    sources: &'a SourceMap,
    sink: &'a mut Sink,
    program: ir::Program,
    env: Env,
    /// The current list of statements.
    out: Vec<ir::Stmt>,
    instances: Vec<Instance>,
    parser: Option<parser::Builder>,
    /// The copies to emit before `exit` leaves the enclosing calls.
    copy_outs: Vec<Vec<ir::Stmt>>,
    /// Set while an action is lowered that signals `exit` by a flag.
    leaving: Option<ir::ScalarId>,
    /// The flag by which actions request to exit, once one does.
    exit_flag: Option<ir::ScalarId>,
    /// Where `return` stores the result of each function being inlined.
    results: Vec<Option<LValue>>,
    global_actions: BTreeMap<hir::ActionId, ir::ActionId>,
    /// Actions that are called directly, by instance.
    called: BTreeMap<(Option<usize>, hir::ActionId), ir::ActionId>,
    apply_counts: BTreeMap<VarId, usize>,
    emitted: usize,
    block: BlockKind,
    digests: BTreeMap<Type, ir::DigestId>,
    /// The current statement.
    at: Span,
    /// Whether control-plane names must be unique, for P4Info.
    p4info: bool,
    /// The number of the current block; 0 is the top level.
    block_number: u32,
    /// The positions of the actions whose bodies are being lowered.
    sender: Vec<Vec<u32>>,
    /// Actions that tables or controls use.
    listed: BTreeSet<ir::ActionId>,
    /// Actions that the current block calls directly.
    called_here: Vec<ir::ActionId>,
    control_names: target::ControlNames,
}

impl Lowerer<'_> {
    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.sink.push(Diagnostic::error(code, span, message));
    }

    fn unsupported(&mut self, span: Span, message: impl Into<String>) {
        self.error(codes::UNSUPPORTED, span, message);
    }

    /// Substitutes the type arguments of the enclosing call.
    fn ty(&self, ty: &Type) -> Type {
        ty.substitute(&self.env.types)
    }

    fn emit(&mut self, stmt: ir::Stmt) {
        if self.count_statement() {
            self.out.push(stmt);
        }
    }

    /// Counts a statement or an inlined call; returns false, and reports once, when the limit is exceeded.
    fn count_statement(&mut self) -> bool {
        self.emitted = self.emitted.saturating_add(1);
        if self.emitted == MAX_STATEMENTS {
            let span = self.at;
            self.error(codes::TOO_LARGE, span, "program is too large after inlining");
        }
        !self.limit_exceeded()
    }

    /// Returns whether the limit was exceeded.
    fn limit_exceeded(&self) -> bool {
        self.emitted >= MAX_STATEMENTS
    }

    /// Runs `run` and returns the statements it emits.
    fn collect(&mut self, run: impl FnOnce(&mut Self)) -> Vec<ir::Stmt> {
        let outer = std::mem::take(&mut self.out);
        run(self);
        std::mem::replace(&mut self.out, outer)
    }

    /// Lowers code that belongs to another environment.
    fn within<T>(&mut self, env: Env, run: impl FnOnce(&mut Self) -> T) -> (T, Env) {
        let outer = std::mem::replace(&mut self.env, env);
        let value = run(self);
        let inner = std::mem::replace(&mut self.env, outer);
        (value, inner)
    }

    /// Lowers the program; returns whether there is something for the switch to run.
    fn run(&mut self, end: Span) -> bool {
        let module = self.module;
        self.program.errors = module.errors.iter().map(ToString::to_string).collect();
        let is_main = |i: &&hir::Instance| module.vars.get(i.var.index()).is_some_and(|v| &*v.name == "main");
        let Some(main) = module.instances.iter().find(is_main) else {
            self.sink.push(Diagnostic::warning(codes::NOT_RUN, end, "program has no `main`").note(
                "it was checked, but cannot be run; a v1model program ends with `V1Switch(...) main;`",
            ));
            return false;
        };
        if !self.is_for_v1model(main) {
            return false;
        }
        let mut globals = Env::default();
        for instance in &module.instances {
            let Some(var) = module.vars.get(instance.var.index()) else { continue };
            if !matches!(var.ty, Type::Package(..)) {
                let (object, _) =
                    self.within(globals.clone(), |l| l.make_object(&instance.construct, instance));
                if let Some(object) = object {
                    globals.vars.insert(instance.var, Binding::Object(object));
                }
            }
        }
        self.env = globals;
        self.switch(main)
    }

    /// Returns whether the switch can run `main`; reports the reason if not.
    fn is_for_v1model(&mut self, main: &hir::Instance) -> bool {
        let Type::Package(package, _) = &main.construct.ty else {
            let message = "`main` is not an instance of a package";
            self.error(codes::BAD_PACKAGE, main.construct.span, message);
            return false;
        };
        let name = self.module.packages.get(package.index()).map_or("", |p| &*p.name);
        if name != "V1Switch" {
            let message = format!("`main` is an instance of `{name}`, which the switch cannot run");
            self.sink.push(
                Diagnostic::warning(codes::NOT_RUN, main.construct.span, message)
                    .note("the program was checked, but the switch runs only `V1Switch` of v1model"),
            );
        }
        name == "V1Switch"
    }

    /// Lowers the blocks of `V1Switch`.
    fn switch(&mut self, main: &hir::Instance) -> bool {
        let (ExprKind::Construct(construct), Type::Package(_, types)) =
            (&main.construct.kind, &main.construct.ty)
        else {
            return false;
        };
        let (Some(headers), Some(meta), 6) = (types.first(), types.get(1), construct.args.len()) else {
            let message = "`V1Switch` does not match its declaration in `v1model.p4`";
            self.error(codes::BAD_PACKAGE, main.construct.span, message);
            return false;
        };
        self.program.name = self.sources.location(main.construct.span).file;
        let args: Vec<&Expr> = construct.args.iter().flatten().collect();
        let &[parser, verify, ingress, egress, compute, deparser] = args.as_slice() else { return false };
        let Some(standard) = self.standard_metadata_type(ingress) else {
            let message = "`standard_metadata_t` is not declared";
            self.error(codes::BAD_PACKAGE, main.construct.span, message);
            return false;
        };
        let hdr = self.allocate(headers, "hdr");
        let meta_lvalue = self.allocate(meta, "meta");
        let std_lvalue = self.allocate(&standard, "standard_metadata");
        self.program.storage.carried = self.program.storage.scalars.len() as u32;
        self.record_metadata(meta, &meta_lvalue, &standard, &std_lvalue);
        let packet = Binding::Object(Object::Packet);
        let (hdr, meta, std) =
            (Binding::LValue(hdr), Binding::LValue(meta_lvalue), Binding::LValue(std_lvalue));
        self.block = BlockKind::Parser;
        self.top_parser(parser, vec![packet.clone(), hdr.clone(), meta.clone(), std.clone()]);
        self.block = BlockKind::Other;
        self.program.verify_checksum = self.top_control(verify, vec![hdr.clone(), meta.clone()]);
        self.block = BlockKind::Ingress;
        self.program.ingress = self.top_control(ingress, vec![hdr.clone(), meta.clone(), std.clone()]);
        self.block = BlockKind::Egress;
        self.program.egress = self.top_control(egress, vec![hdr.clone(), meta.clone(), std]);
        self.block = BlockKind::Other;
        self.program.compute_checksum = self.top_control(compute, vec![hdr.clone(), meta]);
        self.program.deparser = self.top_control(deparser, vec![packet, hdr]);
        self.program.types.package_annotations = self.all_annotation_texts(&main.annotations);
        self.controller_headers();
        self.check_control_names();
        self.assign_ids();
        true
    }

    /// Returns the type of the third parameter of the ingress control.
    fn standard_metadata_type(&self, ingress: &Expr) -> Option<Type> {
        let Type::Control(id, args) = &ingress.ty else { return None };
        let control = self.module.controls.get(id.index())?;
        Some(control.params.get(2)?.ty.substitute(&hir::type_args(&control.type_params, args)))
    }
}
