//! Parsers and controls.

use std::collections::BTreeMap;
use std::rc::Rc;

use super::params::ParamsOf;
use super::{Checker, Context, Enclosing, share};
use crate::diagnostic::{Diagnostic, codes};
use crate::hir::{
    Control, ControlId, Declared, Keyset, Local, Parser, ParserId, State, StateTarget, Transition, Type,
    VarKind,
};
use crate::source::Span;
use crate::syntax::ast::{self, DeclKind, Ident};

impl Checker<'_> {
    pub(super) fn parser(&mut self, parser: &ast::Parser) {
        self.check_annotations(&parser.annotations);
        let id = ParserId(self.module.parsers.len() as u32);
        let mut checked = Parser {
            name: parser.name.name.clone(),
            type_params: Vec::new(),
            params: Vec::new(),
            constructor: Vec::new(),
            locals: Vec::new(),
            declared: Vec::new(),
            states: Vec::new(),
            span: parser.name.span,
        };
        // The name is declared inside only to detect recursion.
        self.declaring(&parser.name, |c| {
            checked.type_params = c.declare_type_params(&parser.type_params);
            checked.constructor = c.params(&parser.constructor, ParamsOf::Constructor);
            checked.params = c.params(&parser.params, ParamsOf::Apply);
            let locals = Context { enclosing: Enclosing::ParserLocals, ..Context::default() };
            c.scoped(|c| {
                c.within(locals, |c| (checked.locals, checked.declared) = c.locals(&parser.locals, true));
                checked.states = c.states(parser);
            });
        });
        self.module.parsers.push(checked);
        self.usage.declare("parser", &parser.name, &parser.annotations);
        self.declare_generic(&parser.name, Type::Parser(id, Rc::default()), parser.type_params.len());
    }

    fn locals(&mut self, decls: &[ast::Decl], in_parser: bool) -> (Vec<Local>, Vec<Declared>) {
        let mut locals = Vec::new();
        let mut declared = Vec::new();
        for decl in decls {
            self.record_suppressions(decl);
            match &decl.kind {
                DeclKind::Variable(v) if v.is_const => self.constant(v),
                DeclKind::Variable(v) => {
                    let (id, init) = self.variable(v);
                    locals.push(Local::Var(id, init));
                }
                DeclKind::Instance(i) => {
                    if let Some(instance) = self.instance(i) {
                        self.check_instance_place(&instance, in_parser);
                        declared.push(Declared::Object(instance.var));
                        locals.push(Local::Instance(instance));
                    }
                }
                DeclKind::ValueSet(v) if in_parser => {
                    let set = self.value_set_decl(v);
                    if let Local::ValueSet { var, .. } = &set {
                        declared.push(Declared::Object(*var));
                    }
                    locals.push(set);
                }
                DeclKind::Action(a) if !in_parser => declared.push(Declared::Action(self.action(a, false))),
                DeclKind::Table(t) if !in_parser => declared.push(Declared::Table(self.table(t))),
                DeclKind::Function(f) => {
                    let message = "functions can be declared only at the top level";
                    self.error(codes::MISPLACED, f.prototype.name.span, message);
                }
                _ => {
                    let holder = if in_parser { "parser" } else { "control" };
                    let message = format!("declaration is not allowed in a {holder}");
                    self.error(codes::MISPLACED, decl.span, message);
                }
            }
        }
        (locals, declared)
    }

    fn value_set_decl(&mut self, set: &ast::ValueSet) -> Local {
        self.check_annotations(&set.annotations);
        let ty = self.ty(&set.ty);
        if !ty.is_bad() && !self.value_set_member(&ty) {
            let message = format!("a value set cannot have members of type `{}`", self.show(&ty));
            self.error(codes::BAD_TYPE, set.ty.span, message);
        }
        let size = self.size_expr(&set.size, "the size of a value set");
        let kind = VarKind::ValueSet;
        self.usage.declare("value set", &set.name, &set.annotations);
        let var = self.declare_var(&set.name, Type::ValueSet(Rc::new(ty.clone())), kind);
        Local::ValueSet { var, ty, size, annotations: share(&set.annotations) }
    }

    /// Returns whether a type can be a member of a value set: a scalar, or a struct or tuple of scalars.
    fn value_set_member(&self, ty: &Type) -> bool {
        match self.module.representation(ty) {
            Type::Bad | Type::Bit(_) | Type::Signed(_) | Type::Bool | Type::Enum(_) | Type::Error => true,
            other @ (Type::Aggregate(..) | Type::Tuple(_)) => {
                self.module.fields(&other).is_some_and(|f| f.iter().all(|(_, t)| self.value_set_member(t)))
            }
            _ => false,
        }
    }

    // --- states ---

    fn states(&mut self, parser: &ast::Parser) -> Vec<State> {
        let mut names: BTreeMap<crate::lex::Name, StateTarget> = BTreeMap::new();
        names.insert("accept".into(), StateTarget::Accept);
        names.insert("reject".into(), StateTarget::Reject);
        for (i, state) in parser.states.iter().enumerate() {
            if matches!(&*state.name.name, "accept" | "reject") {
                let message = format!("`{}` is predefined and cannot be declared", state.name.name);
                self.error(codes::BAD_STATE, state.name.span, message);
            } else if names.contains_key(&state.name.name) {
                let message = format!("state `{}` is declared more than once", state.name.name);
                self.error(codes::DUPLICATE_NAME, state.name.span, message);
            } else {
                names.insert(state.name.name.clone(), StateTarget::State(i));
            }
        }
        if !names.contains_key("start") {
            let message = format!("parser `{}` has no `start` state", parser.name.name);
            self.error(codes::BAD_STATE, parser.name.span, message);
        }
        let outer = std::mem::replace(&mut self.states, names);
        let mut states: Vec<State> = parser.states.iter().map(|s| self.state(s)).collect();
        self.states = outer;
        self.check_reachable(parser, &states);
        // Parsing starts at the first state of the checked parser.
        if let Some(start) = states.iter().position(|s| &*s.name == "start")
            && start != 0
        {
            states.swap(0, start);
            let swapped = |t: &mut StateTarget| {
                if let StateTarget::State(i) = t {
                    *i = if *i == 0 {
                        start
                    } else if *i == start {
                        0
                    } else {
                        *i
                    };
                }
            };
            for state in &mut states {
                match &mut state.transition {
                    Transition::To(target) => swapped(target),
                    Transition::Select { cases, .. } => cases.iter_mut().for_each(|(_, t)| swapped(t)),
                }
            }
        }
        states
    }

    fn check_reachable(&mut self, parser: &ast::Parser, states: &[State]) {
        let Some(start) = states.iter().position(|s| &*s.name == "start") else { return };
        let mut reached = vec![false; states.len()];
        let mut work = vec![start];
        let mut ends = false;
        let mut accepts = false;
        while let Some(at) = work.pop() {
            if std::mem::replace(&mut reached[at], true) {
                continue;
            }
            let targets: Vec<StateTarget> = match &states[at].transition {
                Transition::To(target) => vec![*target],
                Transition::Select { cases, .. } => {
                    // A value that no case matches is rejected.
                    let any = |sets: &[Keyset]| sets.iter().all(|s| *s == Keyset::Any);
                    ends |= !cases.iter().any(|(sets, _)| any(sets));
                    cases.iter().map(|(_, t)| *t).collect()
                }
            };
            accepts |= targets.contains(&StateTarget::Accept);
            ends |= targets.iter().any(|t| matches!(t, StateTarget::Accept | StateTarget::Reject));
            for target in targets {
                if let StateTarget::State(i) = target
                    && i < reached.len()
                {
                    work.push(i);
                }
            }
        }
        if !ends {
            let message = format!(
                "parser `{}` never terminates: no path reaches `accept` or `reject`",
                parser.name.name
            );
            self.error(codes::BAD_STATE, parser.name.span, message);
        } else if !accepts {
            let message = format!("no path through parser `{}` reaches `accept`", parser.name.name);
            self.report(Diagnostic::warning(codes::UNREACHABLE, parser.name.span, message));
        }
        for (state, reached) in parser.states.iter().zip(reached) {
            if !reached {
                self.report(
                    Diagnostic::warning(
                        codes::UNREACHABLE,
                        state.name.span,
                        format!("state `{}` is unreachable", state.name.name),
                    )
                    .label("no transition leads here"),
                );
            }
        }
    }

    fn state(&mut self, state: &ast::State) -> State {
        self.check_annotations(&state.annotations);
        let last = state.body.last().map_or(state.name.span, |s| s.span);
        self.usage.suppress(&state.annotations, state.name.span.to(last));
        let context = Context { enclosing: Enclosing::State, ..Context::default() };
        let (body, transition) = self.scoped(|c| {
            c.within(context, |c| {
                let body = c.stmts(&state.body);
                let transition = match &state.transition {
                    None => {
                        c.report(
                            Diagnostic::warning(
                                codes::UNREACHABLE,
                                state.name.span,
                                format!(
                                    "state `{}` has no transition and implicitly rejects",
                                    state.name.name
                                ),
                            )
                            .help("add `transition reject;` if this is intended"),
                        );
                        Transition::To(StateTarget::Reject)
                    }
                    Some(ast::Transition::To(target)) => Transition::To(c.state_target(target)),
                    Some(ast::Transition::Select { keys, cases }) => c.select(keys, cases),
                };
                (body, transition)
            })
        });
        State { name: state.name.name.clone(), body, transition }
    }

    fn state_target(&mut self, target: &Ident) -> StateTarget {
        if let Some(found) = self.states.get(&target.name) {
            return *found;
        }
        let mut diagnostic =
            Diagnostic::error(codes::BAD_STATE, target.span, format!("unknown state `{}`", target.name));
        if let Some(near) = self.closest(&target.name, self.states.keys().map(|n| &**n)) {
            diagnostic = diagnostic.suggest("a state with a similar name exists", target.span, near);
        }
        self.report(diagnostic);
        StateTarget::Reject
    }

    fn select(&mut self, keys: &[ast::Expr], cases: &[ast::SelectCase]) -> Transition {
        let keys: Vec<_> = keys
            .iter()
            .map(|k| {
                let key = self.expr(k, None);
                if key.ty == Type::Int {
                    self.error(codes::BAD_KEY, k.span, "a `select` key must have a width");
                }
                if matches!(key.ty, Type::Seq(_) | Type::Record(_)) { self.settle(key) } else { key }
            })
            .collect();
        for key in &keys {
            self.check_select_key(key);
        }
        let types: Vec<Type> = keys.iter().map(|k| self.zonk(&k.ty)).collect();
        let head = match (keys.first(), keys.last()) {
            (Some(first), Some(last)) => first.span.to(last.span),
            _ => Span::default(),
        };
        let mut covered = false;
        let mut out = Vec::new();
        for case in cases {
            let target = self.state_target(&case.target);
            let sets = self.reported_at(head, "these keys", |c| c.keysets(&case.keysets, &types, case.span));
            for set in &sets {
                self.check_constant_set(set);
            }
            if covered {
                self.report(
                    Diagnostic::warning(codes::UNREACHABLE, case.span, "unreachable `select` case")
                        .note("an earlier case matches every value"),
                );
            }
            let mut certain = sets.iter().zip(&keys).map(|(set, key)| super::warnings::matches(set, key));
            covered |= sets.iter().all(|s| *s == Keyset::Any)
                || sets.len() == keys.len() && certain.all(|m| m == Some(true));
            out.push((sets, target));
        }
        if !self.sink.has_errors() {
            self.warn_trivial_select(head, &out, covered);
        }
        if !covered && keys.iter().all(crate::hir::Expr::is_const) && !keys.iter().any(|k| k.ty.is_bad()) {
            self.warn(codes::UNREACHABLE, head, "no case matches these keys");
        }
        Transition::Select { keys, cases: out }
    }

    // --- controls ---

    pub(super) fn control(&mut self, control: &ast::Control) {
        self.check_annotations(&control.annotations);
        let id = ControlId(self.module.controls.len() as u32);
        let mut checked = Control {
            name: control.name.name.clone(),
            type_params: Vec::new(),
            params: Vec::new(),
            constructor: Vec::new(),
            locals: Vec::new(),
            declared: Vec::new(),
            body: Vec::new(),
            span: control.name.span,
        };
        self.declaring(&control.name, |c| {
            checked.type_params = c.declare_type_params(&control.type_params);
            checked.constructor = c.params(&control.constructor, ParamsOf::Constructor);
            checked.params = c.params(&control.params, ParamsOf::Apply);
            c.check_no_parsers(&checked.constructor);
            c.scoped(|c| {
                let locals = Context { enclosing: Enclosing::ControlLocals, ..Context::default() };
                c.within(locals, |c| (checked.locals, checked.declared) = c.locals(&control.locals, false));
                let apply = Context { enclosing: Enclosing::Apply, ..Context::default() };
                c.within(apply, |c| checked.body = c.block(&control.body));
            });
        });
        self.module.controls.push(checked);
        self.usage.declare("control", &control.name, &control.annotations);
        self.declare_generic(&control.name, Type::Control(id, Rc::default()), control.type_params.len());
    }
}
