//! Parsers as a flat state machine: sub-parsers are inlined where they are applied.

use super::objects::Object;
use super::{Binding, Lowerer, build};
use crate::diagnostic::codes;
use crate::hir::{self, Callee, Expr, ExprKind, Local, Param, ParserId, StateTarget};
use crate::ir::{self, Pattern, StateId, Target, Transition};
use crate::source::Span;

/// The maximum number of states after inlining.
const MAX_STATES: usize = 20_000;

/// The state machine under construction.
#[derive(Debug, Default)]
pub(super) struct Builder {
    pub(super) states: Vec<ir::State>,
    /// The current state.
    current: usize,
}

/// Returns whether the statements apply a parser.
pub(super) fn applies(stmts: &[hir::Stmt]) -> bool {
    let mut found = false;
    hir::visit_stmts(stmts, &mut |expr| {
        if let ExprKind::Call(call) = &expr.kind {
            found |= matches!(call.callee, Callee::Apply(_));
        }
    });
    found
}

impl Lowerer<'_> {
    pub(super) fn top_parser(&mut self, construct: &Expr, params: Vec<Binding>) {
        let Some(Object::Instance(index)) = self.top_object(construct) else { return };
        let Some(hir::Type::Parser(id, _)) = self.instances.get(index).map(|i| i.ty.clone()) else { return };
        let module = self.module;
        let Some(parser) = module.parsers.get(id.index()) else { return };
        if let Some(instance) = self.instances.get_mut(index) {
            for (param, binding) in parser.params.iter().zip(params) {
                instance.env.vars.insert(param.var, binding);
            }
        }
        self.parser = Some(Builder::default());
        // The first state initialises the parser's variables and continues with `start`.
        let entry = self.new_state("$init".to_owned());
        self.enter(entry);
        let start = self.run_parser(index, parser, Target::Accept, "");
        self.finish(start);
        if let Some(builder) = self.parser.take() {
            self.program.parser = ir::Parser { states: simplify(builder.states) };
        }
    }

    fn new_state(&mut self, name: String) -> usize {
        let Some(builder) = &mut self.parser else { return 0 };
        builder.states.push(ir::State { name, body: Vec::new(), transition: Transition::Reject });
        let index = builder.states.len() - 1;
        if index == MAX_STATES {
            let message = "parser is too large after inlining its sub-parsers";
            self.error(codes::TOO_LARGE, Span::default(), message);
        }
        index
    }

    fn enter(&mut self, state: usize) {
        self.out = Vec::new();
        if let Some(builder) = &mut self.parser {
            builder.current = state;
        }
    }

    /// Ends the current state.
    fn finish(&mut self, transition: Transition) {
        let body = std::mem::take(&mut self.out);
        if let Some(builder) = &mut self.parser
            && let Some(state) = builder.states.get_mut(builder.current)
        {
            state.body = body;
            state.transition = transition;
        }
    }

    /// Lowers the declarations in the current state, then all states; returns the transition to `start`.
    fn run_parser(&mut self, index: usize, parser: &hir::Parser, accept: Target, prefix: &str) -> Transition {
        let Some(instance) = self.instances.get_mut(index) else { return Transition::Reject };
        let first = !std::mem::replace(&mut instance.ready, true);
        let env = std::mem::take(&mut instance.env);
        let (start, env) = self.within(env, |l| {
            l.parser_locals(parser, first);
            let ids: Vec<usize> =
                parser.states.iter().map(|s| l.new_state(format!("{prefix}{}", s.name))).collect();
            // The declarations belong to the state that applies the parser.
            let outer = std::mem::take(&mut l.out);
            let current = l.parser.as_ref().map_or(0, |b| b.current);
            let too_large = l.parser.as_ref().is_some_and(|b| b.states.len() > MAX_STATES);
            for (state, id) in parser.states.iter().zip(&ids) {
                if too_large {
                    break;
                }
                l.enter(*id);
                l.stmts(&state.body);
                let transition = l.transition(&state.transition, &ids, accept);
                l.finish(transition);
            }
            l.out = outer;
            if let Some(builder) = &mut l.parser {
                builder.current = current;
            }
            ids.first().map_or(Transition::Reject, |id| Transition::Goto(StateId(*id as u32)))
        });
        if let Some(instance) = self.instances.get_mut(index) {
            instance.env = env;
        }
        start
    }

    fn parser_locals(&mut self, parser: &hir::Parser, first: bool) {
        for local in &parser.locals {
            match local {
                Local::Var(id, init) => match self.env.vars.get(id) {
                    Some(Binding::LValue(lvalue)) if !first => {
                        let lvalue = lvalue.clone();
                        self.initialise(&lvalue, init.as_ref());
                    }
                    _ => self.declare(*id, init.as_ref(), parser.span),
                },
                Local::Instance(instance) if first => {
                    if let Some(object) = self.make_object(&instance.construct, instance) {
                        self.env.vars.insert(instance.var, Binding::Object(object));
                    }
                }
                Local::ValueSet { var, ty, size, annotations } if first => {
                    let id = self.make_value_set(*var, ty, size, annotations);
                    self.env.vars.insert(*var, Binding::Object(Object::ValueSet(id)));
                }
                _ => {}
            }
        }
    }

    /// Lowers `parser.apply(args)` in a state: the state ends, the sub-parser runs, and a new state continues.
    pub(super) fn apply_parser(&mut self, index: usize, id: ParserId, args: &[Option<Expr>], span: Span) {
        let module = self.module;
        let Some(parser) = module.parsers.get(id.index()) else { return };
        if self.parser.is_none() {
            self.unsupported(span, "parsers can be applied only in parsers");
            return;
        }
        let params = self.instance_params(index, &parser.params);
        let values = self.arguments(&params, args);
        let copies = self.bind(&params, values, &|_| false, span);
        self.move_params(index, &params);
        let name = self.instances.get(index).map(|i| i.env.path.clone()).unwrap_or_default();
        let rest = self.new_state(format!("{name}.$after"));
        let accept = Target::State(StateId(rest as u32));
        let start = self.run_parser(index, parser, accept, &format!("{name}."));
        self.finish(start);
        self.enter(rest);
        for copy in copies {
            self.emit(copy);
        }
    }

    /// Binds parameters to the instance instead of the caller.
    fn move_params(&mut self, index: usize, params: &[Param]) {
        for param in params {
            if let Some(binding) = self.env.vars.remove(&param.var)
                && let Some(instance) = self.instances.get_mut(index)
            {
                instance.env.vars.insert(param.var, binding);
            }
        }
    }

    /// Lowers an `if` that applies parsers in its branches: with states instead of statements.
    pub(super) fn branch_states(&mut self, condition: ir::Expr, then: &[hir::Stmt], otherwise: &[hir::Stmt]) {
        let name = self.parser.as_ref().and_then(|b| b.states.get(b.current)).map(|s| s.name.clone());
        let name = name.unwrap_or_default();
        let [yes, no, join] = ["then", "else", "join"].map(|part| self.new_state(format!("{name}.${part}")));
        let target = |state: usize| Target::State(StateId(state as u32));
        let case = |patterns, state| ir::SelectCase { patterns, target: target(state) };
        let one = Pattern::Value(build::bits(&1.into(), 1));
        self.finish(Transition::Select {
            keys: vec![condition],
            cases: vec![case(vec![one], yes), case(vec![Pattern::Any], no)],
        });
        for (state, body) in [(yes, then), (no, otherwise)] {
            self.enter(state);
            self.stmts(body);
            self.finish(Transition::Goto(StateId(join as u32)));
        }
        self.enter(join);
    }

    fn transition(&mut self, transition: &hir::Transition, ids: &[usize], accept: Target) -> Transition {
        let target = |target: StateTarget| match target {
            StateTarget::Accept => accept,
            StateTarget::Reject => Target::Reject,
            StateTarget::State(i) => {
                ids.get(i).map_or(Target::Reject, |id| Target::State(StateId(*id as u32)))
            }
        };
        match transition {
            hir::Transition::To(to) => match target(*to) {
                Target::Accept => Transition::Accept,
                Target::Reject => Transition::Reject,
                Target::State(id) => Transition::Goto(id),
            },
            hir::Transition::Select { keys, cases } => {
                let refs: Vec<&Expr> = keys.iter().collect();
                let values = self.eval_all(&refs);
                let mut flat = Vec::new();
                for (value, key) in values.iter().zip(keys) {
                    self.flatten(value, &key.ty, &mut flat);
                }
                let mut select = super::keyset::Select { keys: flat, cases: Vec::new() };
                for (sets, to) in cases {
                    self.select_case(&mut select, keys, sets, target(*to));
                }
                Transition::Select { keys: select.keys, cases: select.cases }
            }
        }
    }

    fn make_value_set(
        &mut self,
        var: hir::VarId,
        ty: &hir::Type,
        size: &Expr,
        annotations: &crate::syntax::ast::Annotations,
    ) -> ir::ValueSetId {
        let name = self.module.vars.get(var.index()).map_or_else(|| "".into(), |v| v.name.clone());
        let path = self.env.path.clone();
        let preamble = self.preamble(&path, &name, annotations);
        let size = self.eval_size(size, "the size of a value set");
        let components = self.value_set_components(ty);
        let id = ir::ValueSetId(self.program.value_sets.len() as u32);
        self.program.value_sets.push(ir::ValueSet { preamble, components, size });
        id
    }

    fn value_set_components(&mut self, ty: &hir::Type) -> Vec<(String, u32, ir::MatchKind)> {
        let ty = self.ty(ty);
        if let Some(kind) = self.scalar_kind(&ty) {
            return vec![(String::new(), kind.width(), ir::MatchKind::Exact)];
        }
        let annotations = match &ty {
            hir::Type::Aggregate(id, _) => self
                .module
                .aggregates
                .get(id.index())
                .map(|a| a.fields.iter().map(|f| f.annotations.clone()).collect())
                .unwrap_or_default(),
            _ => Vec::new(),
        };
        let mut out = Vec::new();
        for (i, (name, field)) in self.module.fields(&ty).unwrap_or_default().iter().enumerate() {
            let kind = annotations.get(i).map_or(ir::MatchKind::Exact, |a| self.match_annotation(a));
            if let Some(scalar) = self.scalar_kind(field) {
                let name = annotations
                    .get(i)
                    .and_then(|a| self.name_annotation(a))
                    .unwrap_or_else(|| if name.is_empty() { format!("f{i}") } else { name.to_string() });
                out.push((name, scalar.width(), kind));
            }
        }
        out
    }
}

/// Removes the entry state if it does nothing.
fn simplify(mut states: Vec<ir::State>) -> Vec<ir::State> {
    let start = match states.first() {
        Some(ir::State { body, transition: Transition::Goto(start), .. }) if body.is_empty() => start.index(),
        _ => return states,
    };
    if start == 0 || start >= states.len() {
        return states;
    }
    // The unused entry state is swapped with `start`, so that only two state numbers change.
    states.swap(0, start);
    let swap = |id: &mut StateId| {
        if id.index() == start {
            *id = StateId(0);
        } else if id.index() == 0 {
            *id = StateId(start as u32);
        }
    };
    for state in &mut states {
        match &mut state.transition {
            Transition::Goto(id) => swap(id),
            Transition::Select { cases, .. } => {
                for case in cases {
                    if let Target::State(id) = &mut case.target {
                        swap(id);
                    }
                }
            }
            Transition::Accept | Transition::Reject => {}
        }
    }
    // The state now at `start` is the entry state, to which no transition leads.
    if start + 1 == states.len() {
        states.pop();
    }
    states
}
