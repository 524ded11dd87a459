//! Names, types and constants: from the syntax tree to [`crate::hir`].
//!
//! P4 requires declaration before use, so one pass in source order is enough. The checker reports every error it finds.
//! An erroneous expression gets the type [`Type::Bad`], which is compatible with every type, so that one mistake causes
//! one diagnostic.

mod call;
mod construct;
mod convert;
mod decl;
mod entries;
mod enumeration;
mod expr;
mod generic;
mod hints;
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
mod warnings;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::MAX_SHOWN;
use crate::budget::{Budget, Cancel};
use crate::diagnostic::{Code, Diagnostic, Sink, codes};
use crate::hir::{
    ActionId, AggregateId, ExternFunctionId, FunctionId, Module, StateTarget, TableId, Type, TypeParamId,
    Var, VarId, VarKind,
};
use crate::lex::Name;
use crate::lint::Usage;
use crate::source::Span;
use crate::syntax::ast::{self, Ident, Path};

/// The units of work for checking a program: an expression, a statement, a declaration, or 16 fields that a name is
/// compared with. The largest program that the preprocessor accepts has 4,000,000 tokens.
const WORK: u64 = 16_000_000;

/// Checks a program. The returned module is complete only if no error was reported.
pub(crate) fn check(unit: &ast::Unit, cancel: &Cancel, sink: &mut Sink) -> (Module, Usage) {
    let mut checker = Checker {
        module: Module::default(),
        sink,
        scopes: vec![BTreeMap::new()],
        solutions: Vec::new(),
        context: Context::default(),
        states: BTreeMap::new(),
        error_index: BTreeMap::new(),
        errors_declared: false,
        fields_so_far: BTreeMap::new(),
        deferred: Vec::new(),
        in_program: Vec::new(),
        two_varbits: BTreeMap::new(),
        overloads: BTreeMap::new(),
        quotients: BTreeMap::new(),
        declaring: Vec::new(),
        declared_later: BTreeMap::new(),
        usage: Usage::default(),
        budget: Budget::new(WORK, cancel),
        exhausted: false,
    };
    checker.collect_declared_later(unit);
    for decl in &unit.decls {
        if !checker.spend(1, decl.span) {
            break;
        }
        checker.top_level(decl);
    }
    checker.finish();
    (checker.module, checker.usage)
}

/// What a name refers to.
#[derive(Clone, Debug)]
enum Entity {
    Var(VarId),
    Type(TypeEntity),
    Functions(Vec<FunctionRef>),
    Action(ActionId),
    Table(TableId),
    /// A member of a `match_kind` declaration, by position.
    MatchKind(usize),
}

/// A declared type. A generic one needs type arguments.
#[derive(Clone, Debug)]
enum TypeEntity {
    /// An alias or a type without parameters.
    Plain(Type),
    /// A generic type and its number of type parameters.
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

/// The construct that encloses the code being checked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Enclosing {
    #[default]
    Top,
    Function,
    Action,
    /// The `apply` block of a control.
    Apply,
    /// A parser's state.
    State,
    /// The declarations of a parser or control.
    ParserLocals,
    ControlLocals,
    /// The keys and actions of a table.
    Table,
}

#[derive(Clone, Debug, Default)]
struct Context {
    enclosing: Enclosing,
    /// The return type of the enclosing function.
    result: Option<Type>,
    loops: u32,
    /// The extern object whose abstract methods are being checked.
    this: Option<(VarId, Type)>,
    /// Whether an instance may leave its type arguments open (`E<_>() e;`).
    open_types: bool,
    /// Whether the arguments being checked are those that a table binds to its actions.
    bound: bool,
    /// Whether the parameters being declared belong to a prototype without a body; their names shadow nothing.
    prototype: bool,
    /// The table whose properties are being checked.
    table: Option<Name>,
}

struct Checker<'a> {
    module: Module,
    sink: &'a mut Sink,
    scopes: Vec<BTreeMap<Name, Declared>>,
    /// Inferred types, indexed by the number of the [`Type::Var`].
    solutions: Vec<Option<Type>>,
    context: Context,
    /// The states of the parser being checked.
    states: BTreeMap<Name, StateTarget>,
    error_index: BTreeMap<Name, usize>,
    /// The fields of the struct or header being declared, up to the current one, and where they are declared.
    fields_so_far: BTreeMap<Name, Span>,
    /// Errors that are reported only for architectures other than v1model: p4c detects them after it has seen `main`.
    deferred: Vec<Diagnostic>,
    /// Errors that are reported only if the program has a `main`: the architecture decides what it requires.
    in_program: Vec<Diagnostic>,
    /// Headers with two `varbit` fields. Such a header cannot be extracted.
    two_varbits: BTreeMap<AggregateId, Diagnostic>,
    /// The parsers, controls and packages that share their name with this type and differ in the names or the number of
    /// their constructor parameters.
    overloads: BTreeMap<Type, Vec<Type>>,
    /// Variables that hold a quotient of run-time values, with the index of the error in `deferred`. The error is
    /// reported where the variable is first read.
    quotients: BTreeMap<VarId, usize>,
    /// Functions, actions, parsers and controls whose bodies are being checked, outermost first.
    declaring: Vec<Ident>,
    /// Whether an `error` declaration precedes this point; only then does the type exist.
    errors_declared: bool,
    /// Where top-level names are declared, to detect uses that precede the declaration.
    declared_later: BTreeMap<Name, Span>,
    usage: Usage,
    budget: Budget,
    /// Whether the budget is spent (reported).
    exhausted: bool,
}

impl Checker<'_> {
    /// Reports the errors that depend on the kind of `main`.
    fn finish(&mut self) {
        let main = match self.find("main").map(|d| &d.entity) {
            Some(Entity::Var(id)) => self.module.vars.get(id.index()),
            _ => None,
        };
        // For v1model programs, lowering determines more precisely which code runs.
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

    /// Takes units of work; returns false if the program needs too much, which is reported once.
    fn spend(&mut self, units: usize, span: Span) -> bool {
        if !self.exhausted && !self.budget.spend(units) {
            self.exhausted = true;
            let reason = self.budget.reason("the program takes too much work to check").to_owned();
            self.error(codes::TOO_LARGE, span, reason);
        }
        !self.exhausted
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

    /// Checks the body of the declaration `name`.
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

    fn collect_declared_later(&mut self, unit: &ast::Unit) {
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
            self.declared_later.entry(name.name.clone()).or_insert(name.span);
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
                format!("`{}` is declared more than once in this scope", name.name),
            )
            .label("redeclared here")
            .also(previous, "first declared here"),
        );
    }

    /// Returns where the declaration that `name` shadows is.
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

    /// Returns what a name refers to, if it is declared.
    fn find_entity(&mut self, name: &str) -> Option<Entity> {
        let Declared { entity, span } = self.find(name)?.clone();
        self.usage.mark(span);
        Some(entity)
    }

    /// Returns what a path refers to; reports an error if it is not declared.
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
                Diagnostic::error(codes::RECURSION, path.ident.span, format!("`{name}` refers to itself"))
                    .label("recursive use")
                    .also(declared, format!("`{name}` is declared here"))
                    .note("P4 does not allow recursion; only parser states may form loops"),
            );
            return None;
        }
        let mut diagnostic =
            Diagnostic::error(codes::UNKNOWN_NAME, path.ident.span, format!("`{name}` is not declared"))
                .label("not found in this scope");
        if let Some(declared_later) = self.declared_later.get(name) {
            diagnostic = diagnostic
                .also(*declared_later, "declared here, after its use")
                .note("a P4 name must be declared before it is used");
        } else if let Some(ty) = hints::p4_type(name) {
            diagnostic = diagnostic.suggest("P4's type is", path.ident.span, ty);
        } else if let Some(near) = self.similar(name) {
            diagnostic = diagnostic.suggest("a similar name exists", path.ident.span, near);
        }
        self.report(diagnostic);
        None
    }

    /// Returns a declared name that differs in one or two characters.
    fn similar(&self, name: &str) -> Option<String> {
        let names = self.scopes.iter().rev().flat_map(|s| s.keys());
        self.closest(name, names.map(|n| &**n))
    }

    /// Returns the name closest to a misspelt one. A search takes time in proportion to the names, so there is none for
    /// errors that are not shown.
    fn closest<'n>(&self, name: &str, names: impl Iterator<Item = &'n str>) -> Option<String> {
        if self.sink.errors() < MAX_SHOWN { closest(name, names) } else { None }
    }

    fn add_var(&mut self, name: &Ident, ty: Type, kind: VarKind) -> VarId {
        let id = VarId(self.module.vars.len() as u32);
        self.module.vars.push(Var { name: name.name.clone(), ty, kind, span: name.span });
        id
    }

    fn declare_var(&mut self, name: &Ident, ty: Type, kind: VarKind) -> VarId {
        let declares = !matches!(self.context.enclosing, Enclosing::ParserLocals | Enclosing::ControlLocals);
        if kind == VarKind::Local && declares {
            self.check_shadowing(name);
        }
        let id = self.add_var(name, ty, kind);
        self.declare(name, Entity::Var(id));
        id
    }

    /// Reports a local variable that shadows a parameter.
    fn check_shadowing(&mut self, name: &Ident) {
        let outer = self.scopes.iter().rev().skip(1).find_map(|s| s.get(&name.name));
        let Some(Declared { entity: Entity::Var(id), span }) = outer else { return };
        let span = *span;
        let param = self.module.vars.get(id.index()).is_some_and(|v| matches!(v.kind, VarKind::Param(_)));
        if param {
            let message = format!("`{}` shadows a parameter", name.name);
            self.report(
                Diagnostic::error(codes::DUPLICATE_NAME, name.span, message)
                    .label("redeclared here")
                    .also(span, "the parameter is declared here"),
            );
        }
    }

    /// Reports the errors of `run` at `head`, which determines the expected type; their own locations become secondary
    /// labels.
    fn reported_at<T>(&mut self, head: Span, text: &str, run: impl FnOnce(&mut Self) -> T) -> T {
        let before = self.sink.mark();
        let value = run(self);
        let moved = [codes::TYPE_MISMATCH, codes::BAD_KEY, codes::BAD_CALL];
        self.sink.edit_since(before, |diagnostic| {
            if diagnostic.is_error() && moved.contains(&diagnostic.code) {
                let label = crate::diagnostic::Label { span: head, text: text.to_owned() };
                let label_of_error = std::mem::replace(&mut diagnostic.primary, label);
                diagnostic.secondary.retain(|label| label.span != head);
                diagnostic.secondary.insert(0, label_of_error);
            }
        });
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

/// Returns the name closest to a misspelt one.
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

/// Shares annotations between declarations.
fn share(annotations: &ast::Annotations) -> Rc<ast::Annotations> {
    Rc::new(annotations.clone())
}
