//! Names, types and constants: from the syntax tree to [`crate::hir`].
//!
//! P4 declares before use, so one pass in source order does it. Everything wrong is reported; what is wrong gets
//! the type [`Type::Bad`], which fits everywhere, so that one mistake is one message.

mod call;
mod construct;
mod convert;
mod decl;
mod doubts;
mod entries;
mod enumeration;
mod expr;
mod generic;
mod infer;
mod instance;
mod key_name;
mod method;
mod object;
mod ops;
mod overload;
mod params;
mod rules;
mod select;
mod stmt;
mod table;
mod types;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::diagnostic::{Code, Diagnostic, Sink, codes};
use crate::hir::{
    ActionId, AggregateId, ExternFunctionId, FunctionId, Module, StateTarget, TableId, Type, TypeParamId,
    Var, VarId, VarKind,
};
use crate::lex::Name;
use crate::lint::Usage;
use crate::source::Span;
use crate::syntax::ast::{self, Ident, Path};

/// Checks a program. The module is complete only if nothing was reported.
pub(crate) fn check(unit: &ast::Unit, sink: &mut Sink) -> (Module, Usage) {
    let mut checker = Checker {
        module: Module::default(),
        sink,
        scopes: vec![BTreeMap::new()],
        solutions: Vec::new(),
        context: Context::default(),
        states: BTreeMap::new(),
        error_index: BTreeMap::new(),
        errors_declared: false,
        fields_so_far: Vec::new(),
        deferred: Vec::new(),
        in_program: Vec::new(),
        two_varbits: BTreeMap::new(),
        overloads: BTreeMap::new(),
        quotients: BTreeMap::new(),
        declaring: Vec::new(),
        later: BTreeMap::new(),
        usage: Usage::default(),
    };
    checker.collect_later(unit);
    for decl in &unit.decls {
        checker.top_level(decl);
    }
    checker.finish();
    (checker.module, checker.usage)
}

/// What a name stands for.
#[derive(Clone, Debug)]
enum Entity {
    Var(VarId),
    Type(TypeEntity),
    Functions(Vec<FunctionRef>),
    Action(ActionId),
    Table(TableId),
    /// A member of a `match_kind` declaration, by number.
    MatchKind(usize),
}

/// A type's declaration; what is generic needs arguments.
#[derive(Clone, Debug)]
enum TypeEntity {
    /// An alias or a type without parameters.
    Plain(Type),
    /// A generic type and how many arguments it takes.
    Generic(Type, usize),
    Param(TypeParamId),
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FunctionRef {
    Function(FunctionId),
    Extern(ExternFunctionId),
}

/// A declared name.
#[derive(Clone, Debug)]
struct Declared {
    entity: Entity,
    span: Span,
}

/// What encloses the code that is checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Place {
    #[default]
    Top,
    Function,
    Action,
    /// The `apply` block of a control.
    Apply,
    /// A parser's state.
    State,
    /// Declarations of a parser or control.
    ParserLocals,
    ControlLocals,
    /// Keys and actions of a table.
    Table,
}

#[derive(Clone, Debug, Default)]
struct Context {
    place: Place,
    /// Result type of the enclosing function.
    result: Option<Type>,
    loops: u32,
    /// The object whose methods are checked.
    this: Option<(VarId, Type)>,
    /// Whether an object may leave type arguments open (`E<_>() e;`).
    open_types: bool,
    /// Whether arguments are checked that a table binds to its actions.
    bound: bool,
    /// Whether the parameters of something without a body are declared, whose names hide nothing.
    prototype: bool,
    /// The table whose properties are checked.
    table: Option<Name>,
}

struct Checker<'a> {
    module: Module,
    sink: &'a mut Sink,
    scopes: Vec<BTreeMap<Name, Declared>>,
    /// Inferred types by number of [`Type::Var`].
    solutions: Vec<Option<Type>>,
    context: Context,
    /// States of the parser that is checked.
    states: BTreeMap<Name, StateTarget>,
    error_index: BTreeMap<Name, usize>,
    /// Fields of the struct or header that is declared, up to the one that is checked.
    fields_so_far: Vec<Name>,
    /// Errors that matter only if the code is part of a program that runs: p4c looks for them when it has seen
    /// `main`.
    deferred: Vec<Diagnostic>,
    /// Errors that matter only if there is a `main`: architectures decide what they need.
    in_program: Vec<Diagnostic>,
    /// Headers with two fields of variable size: such a header cannot be extracted.
    two_varbits: BTreeMap<AggregateId, Diagnostic>,
    /// Parsers, controls and packages of the same name as the one of this type, which differ in the names or number
    /// of constructor parameters.
    overloads: BTreeMap<Type, Vec<Type>>,
    /// Variables that hold a quotient which only the compiler could compute: the position of the error in
    /// `deferred`, which is about the place where the variable is read first.
    quotients: BTreeMap<VarId, usize>,
    /// Functions, actions, parsers and controls whose bodies are checked, outer ones first.
    declaring: Vec<Ident>,
    /// Whether an `error` declaration has been seen: the type exists from there on.
    errors_declared: bool,
    /// Where top-level names are declared, to say so when they are used too early.
    later: BTreeMap<Name, Span>,
    usage: Usage,
}

impl Checker<'_> {
    /// What can be judged once everything is known.
    fn finish(&mut self) {
        let main = match self.find("main").map(|d| &d.entity) {
            Some(Entity::Var(id)) => self.module.vars.get(id.index()),
            _ => None,
        };
        // Of a program for v1model, lowering knows more exactly what is run.
        let v1model = main.and_then(|v| match &v.ty {
            Type::Package(id, _) => self.module.packages.get(id.index()).map(|p| &*p.name == "V1Switch"),
            _ => None,
        });
        let elsewhere = std::mem::take(&mut self.deferred);
        if v1model == Some(false) {
            elsewhere.into_iter().for_each(|diagnostic| self.report(diagnostic));
        }
        let mut here = std::mem::take(&mut self.in_program);
        if v1model == Some(true) {
            here.extend(std::mem::take(&mut self.two_varbits).into_values());
        }
        if v1model.is_some() {
            here.into_iter().for_each(|diagnostic| self.report(diagnostic));
        }
    }

    fn report(&mut self, diagnostic: Diagnostic) {
        self.sink.push(diagnostic);
    }

    fn error(&mut self, code: Code, span: Span, message: impl Into<String>) {
        self.report(Diagnostic::error(code, span, message));
    }

    fn show(&self, ty: &Type) -> String {
        self.module.show(&self.zonk(ty))
    }

    fn scoped<T>(&mut self, run: impl FnOnce(&mut Self) -> T) -> T {
        self.scopes.push(BTreeMap::new());
        let value = run(self);
        self.scopes.pop();
        value
    }

    /// Checks the body of what is called `name`.
    fn declaring<T>(&mut self, name: &Ident, run: impl FnOnce(&mut Self) -> T) -> T {
        self.declaring.push(name.clone());
        let value = self.scoped(run);
        self.declaring.pop();
        value
    }

    fn within<T>(&mut self, context: Context, run: impl FnOnce(&mut Self) -> T) -> T {
        let outer = std::mem::replace(&mut self.context, context);
        let value = run(self);
        self.context = outer;
        value
    }

    fn collect_later(&mut self, unit: &ast::Unit) {
        use ast::DeclKind as D;
        for decl in &unit.decls {
            let name = match &decl.kind {
                D::Variable(v) => &v.name,
                D::Instance(i) => &i.name,
                D::Function(f) => &f.prototype.name,
                D::ExternFunction { prototype, .. } => &prototype.name,
                D::Action(a) => &a.name,
                D::Extern { name, .. }
                | D::Aggregate { name, .. }
                | D::Enum { name, .. }
                | D::Typedef { name, .. }
                | D::NewType { name, .. }
                | D::ParserType { name, .. }
                | D::ControlType { name, .. }
                | D::Package { name, .. } => name,
                D::Parser(p) => &p.name,
                D::Control(c) => &c.name,
                D::Errors(_) | D::MatchKinds(_) | D::Table(_) | D::ValueSet(_) => continue,
            };
            self.later.entry(name.name.clone()).or_insert(name.span);
        }
    }

    // --- names ---

    fn declare(&mut self, name: &Ident, entity: Entity) {
        self.check_main(name, &entity);
        let new = Declared { entity, span: name.span };
        let outer = self.shadowed(name);
        let Some(scope) = self.scopes.last_mut() else { return };
        let Some(old) = scope.get_mut(&name.name) else {
            scope.insert(name.name.clone(), new);
            if let Some(outer) = outer {
                self.usage.shadow(name, outer);
            }
            return;
        };
        if let (Entity::Functions(olds), Entity::Functions(news)) = (&mut old.entity, &new.entity) {
            olds.extend(news);
            return;
        }
        let previous = old.span;
        if let (Entity::Type(old), Entity::Type(new)) = (old.entity.clone(), new.entity)
            && self.overloaded_with(&old, &new)
        {
            return;
        }
        self.report(
            Diagnostic::error(
                codes::DUPLICATE_NAME,
                name.span,
                format!("`{}` is declared twice in this scope", name.name),
            )
            .label("declared again")
            .also(previous, "declared first here"),
        );
    }

    /// Where what a new declaration hides is declared.
    fn shadowed(&self, name: &Ident) -> Option<Span> {
        if self.context.prototype || self.scopes.len() < 2 {
            return None;
        }
        let outer = self.scopes.iter().rev().skip(1).find_map(|s| s.get(&name.name)).map(|d| d.span);
        outer.or_else(|| self.declaring.iter().rev().find(|d| d.name == name.name).map(|d| d.span))
    }

    fn find(&self, name: &str) -> Option<&Declared> {
        self.scopes.iter().rev().find_map(|s| s.get(name))
    }

    /// What a name stands for, if anything.
    fn find_entity(&mut self, name: &str) -> Option<Entity> {
        let Declared { entity, span } = self.find(name)?.clone();
        self.usage.mark(span);
        Some(entity)
    }

    /// What a path stands for; reports when there is nothing.
    fn lookup(&mut self, path: &Path) -> Option<Entity> {
        let name = &path.ident.name;
        if !path.global && self.context.table.as_ref() == Some(name) {
            let message = format!("table `{name}` cannot refer to itself");
            self.error(codes::UNKNOWN_NAME, path.ident.span, message);
            return None;
        }
        let found = if path.global { self.scopes[0].get(name) } else { self.find(name) };
        if let Some(Declared { entity, span }) = found.cloned() {
            self.usage.mark(span);
            return Some(entity);
        }
        if let Some(kind) = self.module.match_kinds.iter().position(|k| k == name) {
            return Some(Entity::MatchKind(kind));
        }
        if let Some(declaring) = self.declaring.iter().rev().find(|d| d.name == *name) {
            let declared = declaring.span;
            self.report(
                Diagnostic::error(
                    codes::RECURSION,
                    path.ident.span,
                    format!("`{name}` is used inside of itself"),
                )
                .label("not possible here")
                .also(declared, "what is being declared")
                .note("P4 has no recursion; a parser may go back to its own states"),
            );
            return None;
        }
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_NAME, path.ident.span, format!("`{name}` is not declared"))
                .label("unknown name");
        if let Some(later) = self.later.get(name) {
            diagnostic = diagnostic
                .also(*later, "declared only here")
                .note("P4 names are declared before they are used");
        } else if let Some(near) = self.similar(name) {
            diagnostic = diagnostic.suggest("a similar name exists", path.ident.span, near);
        }
        self.report(diagnostic);
        None
    }

    /// A declared name that differs in one or two letters.
    fn similar(&self, name: &str) -> Option<String> {
        let names = self.scopes.iter().rev().flat_map(|s| s.keys());
        closest(name, names.map(|n| &**n))
    }

    fn add_var(&mut self, name: &Ident, ty: Type, kind: VarKind) -> VarId {
        let id = VarId(self.module.vars.len() as u32);
        self.module.vars.push(Var { name: name.name.clone(), ty, kind, span: name.span });
        id
    }

    fn declare_var(&mut self, name: &Ident, ty: Type, kind: VarKind) -> VarId {
        let declares = !matches!(self.context.place, Place::ParserLocals | Place::ControlLocals);
        if kind == VarKind::Local && declares {
            self.check_shadowing(name);
        }
        let id = self.add_var(name, ty, kind);
        self.declare(name, Entity::Var(id));
        id
    }

    /// A variable among statements does not hide a parameter of what it is in.
    fn check_shadowing(&mut self, name: &Ident) {
        let outer = self.scopes.iter().rev().skip(1).find_map(|s| s.get(&name.name));
        let Some(Declared { entity: Entity::Var(id), span }) = outer else { return };
        let span = *span;
        let param = self.module.vars.get(id.index()).is_some_and(|v| matches!(v.kind, VarKind::Param(_)));
        if param {
            let message = format!("`{}` hides a parameter", name.name);
            self.report(
                Diagnostic::error(codes::DUPLICATE_NAME, name.span, message)
                    .label("declared again")
                    .also(span, "the parameter"),
            );
        }
    }

    /// Puts the place of the errors that a check makes at `head`, where the expectation comes from; the places
    /// themselves become secondary.
    fn placed_at<T>(&mut self, head: Span, text: &str, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.sink.list.len();
        let value = run(self);
        let moved = [codes::TYPE_MISMATCH, codes::BAD_KEY, codes::BAD_CALL];
        for diagnostic in &mut self.sink.list[before..] {
            if diagnostic.is_error() && moved.contains(&diagnostic.code) {
                let label = crate::diagnostic::Label { span: head, text: text.to_owned() };
                let place = std::mem::replace(&mut diagnostic.primary, label);
                diagnostic.secondary.retain(|label| label.span != head);
                diagnostic.secondary.insert(0, place);
            }
        }
        value
    }

    fn declare_type_params(&mut self, names: &[Ident]) -> Vec<TypeParamId> {
        names
            .iter()
            .map(|name| {
                let id = TypeParamId(self.module.type_params.len() as u32);
                self.module.type_params.push(name.name.clone());
                self.declare(name, Entity::Type(TypeEntity::Param(id)));
                self.usage.declare("type parameter", name, &Vec::new());
                id
            })
            .collect()
    }
}

/// The name nearest to a misspelt one.
fn closest<'n>(name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
    let limit = match name.len() {
        0..=2 => 0,
        3..=5 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &str)> = None;
    for candidate in names {
        let distance = edit_distance(name, candidate, limit);
        if distance <= limit && best.is_none_or(|(d, _)| distance < d) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, n)| n.to_owned())
}

fn edit_distance(a: &str, b: &str, limit: usize) -> usize {
    if a.len().abs_diff(b.len()) > limit {
        return limit + 1;
    }
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.bytes().enumerate() {
        let mut diagonal = i;
        row[0] = i + 1;
        for (j, y) in b.bytes().enumerate() {
            let substituted = diagonal + usize::from(!x.eq_ignore_ascii_case(&y) || x != y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

/// Annotations shared between declarations.
fn share(annotations: &ast::Annotations) -> Rc<ast::Annotations> {
    Rc::new(annotations.clone())
}
