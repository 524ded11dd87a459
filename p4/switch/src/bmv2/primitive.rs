//! Primitives: the statements of actions (`JSON_format.md`, "actions", and `targets/simple_switch/primitives.cpp`).

use p4_lang::ir::{
    Expr, ExprKind, ExternCall, HeaderRef, ScalarId, ScalarKind, StackElements, StackId, Stmt,
};

use super::node::Node;
use super::number::{Arithmetic, Number};
use super::operand::{Operand, Scope};
use super::{Array, Reader};

/// What a primitive writes.
#[derive(Clone, Debug)]
enum Place {
    Scalar(ScalarId, ScalarKind),
    StackField { stack: StackId, index: Expr, member: usize, field: usize, kind: ScalarKind },
}

impl Place {
    fn kind(&self) -> ScalarKind {
        match self {
            Place::Scalar(_, kind) | Place::StackField { kind, .. } => *kind,
        }
    }
}

impl<'j> Reader<'j> {
    /// Reads a primitive as statements; reports and returns `None` if it is wrong.
    pub(super) fn primitive(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Vec<Stmt>> {
        let op = self.text(node, "op")?;
        let params = node.get("parameters").items();
        let Some(count) = parameter_count(op) else {
            let message = format!("unknown primitive `{op}`");
            self.error(&node.get("op"), message);
            return None;
        };
        if params.len() != count {
            let found = params.len();
            self.error(&node.get("parameters"), format!("`{op}` has {count} parameters, found {found}"));
            return None;
        }
        let statements = self.statements(op, node, &params, scope)?;
        let mut all = std::mem::take(&mut scope.before);
        all.extend(statements);
        Some(all)
    }

    fn statements(
        &mut self,
        op: &str,
        node: &Node<'j>,
        params: &[Node<'j>],
        scope: &mut Scope<'_>,
    ) -> Option<Vec<Stmt>> {
        let one = |stmt| Some(vec![stmt]);
        let call = |call| Some(vec![Stmt::Extern(call)]);
        match (op, params) {
            ("no_op", _) => Some(Vec::new()),
            ("exit", _) => one(Stmt::Exit),
            ("drop" | "mark_to_drop", _) => call(ExternCall::MarkToDrop),
            ("assign" | "modify_field" | "assign_VL", [target, source]) => self.assign(target, source, scope),
            ("add_to_field" | "subtract_from_field", [target, source]) => {
                let op = if op == "add_to_field" { Arithmetic::Add } else { Arithmetic::Sub };
                let place = self.place(target, scope)?;
                let (a, b) = (self.number(target, scope)?, self.number(source, scope)?);
                self.store(target, &place, &Number::Binary(op, Box::new(a), Box::new(b)))
            }
            (_, [target, a, b]) if arithmetic(op).is_some() => {
                let place = self.place(target, scope);
                let (a, b) = (self.number(a, scope), self.number(b, scope));
                let op = arithmetic(op)?;
                self.store(target, &place?, &Number::Binary(op, Box::new(a?), Box::new(b?)))
            }
            ("add_header" | "add_header_fast", [header]) => {
                one(Stmt::SetValid(self.header_operand(header, scope)?, true))
            }
            ("remove_header", [header]) => one(Stmt::SetValid(self.header_operand(header, scope)?, false)),
            ("assign_header" | "copy_header", [target, source]) => {
                let (target, source) =
                    (self.header_operand(target, scope)?, self.header_operand(source, scope)?);
                one(Stmt::CopyHeader { target, source })
            }
            ("assign_union", [target, source]) => self.assign_union(target, source, scope),
            ("assign_header_stack" | "assign_union_stack", [target, source]) => {
                self.assign_stack(target, source, scope)
            }
            ("push" | "pop", [stack, count]) => {
                let Some(Operand::Stack(id) | Operand::UnionStack(id)) = self.operand(stack, scope) else {
                    return self.expected(stack, "a stack");
                };
                let count = u32::try_from(self.constant_number(count, scope)?).unwrap_or(u32::MAX);
                one(if op == "push" { Stmt::StackPush(id, count) } else { Stmt::StackPop(id, count) })
            }
            ("count", [counter, index]) => {
                let counter = self.array(counter)?;
                let index = self.exact(index, scope)?;
                match counter {
                    Array::Counter(id) => call(ExternCall::CounterCount(id, index)),
                    _ => self.expected(&params[0], "a counter array"),
                }
            }
            ("execute_meter", [meter, index, target]) => {
                let meter_id = self.array(meter)?;
                let index = self.exact(index, scope)?;
                let Array::Meter(meter_id) = meter_id else {
                    return self.expected(meter, "a meter array");
                };
                self.through(target, scope, None, |target| ExternCall::MeterExecute {
                    meter: meter_id,
                    index,
                    target,
                })
            }
            ("register_read", [target, register, index]) => {
                let register = self.register(&register.get("value"))?;
                let index = self.exact(index, scope)?;
                let kind = self.register_kind(register);
                self.through(target, scope, Some(kind), |target| ExternCall::RegisterRead {
                    register,
                    targets: vec![target],
                    index,
                })
            }
            ("register_write", [register, index, source]) => {
                let register = self.register(&register.get("value"))?;
                let index = self.exact(index, scope)?;
                let value = self.number(source, scope)?;
                let made = self.translator.low(&value, self.register_kind(register).width());
                let value = self.translated(source, made)?;
                call(ExternCall::RegisterWrite { register, index, values: vec![value] })
            }
            ("modify_field_rng_uniform", [target, low, high]) => {
                let (low, high) = (self.low64(low, scope)?, self.low64(high, scope)?);
                self.through(target, scope, None, |target| ExternCall::Random { target, low, high })
            }
            ("modify_field_with_hash_based_offset", [target, base, calculation, size]) => {
                let (base, max) = (self.low64(base, scope)?, self.low64(size, scope)?);
                let calculation = self.calculation(&calculation.get("value"))?;
                if calculation.with_payload {
                    return self.expected(&params[2], "a calculation without payload");
                }
                let (algorithm, data) = (calculation.algorithm, calculation.data);
                self.through(target, scope, None, |target| ExternCall::Hash {
                    target,
                    algorithm,
                    base,
                    data,
                    max,
                })
            }
            _ => self.request(op, node, params, scope).map(|call| vec![Stmt::Extern(call)]),
        }
    }

    /// Reads a primitive that acts after the pipeline, or reports something.
    fn request(
        &mut self,
        op: &str,
        node: &Node<'j>,
        params: &[Node<'j>],
        scope: &mut Scope<'_>,
    ) -> Option<ExternCall> {
        match (op, params) {
            ("generate_digest", [_, list]) => {
                let id = self.constant_number(list, scope)?;
                match i64::try_from(id).ok().and_then(|id| self.learn_lists.get(&id)).cloned() {
                    Some((digest, fields)) => Some(ExternCall::Digest { digest, fields }),
                    None => self.expected(list, "the id of a learn list"),
                }
            }
            ("clone_ingress_pkt_to_egress" | "clone_egress_pkt_to_egress", [session, list]) => {
                let session = self.exact(session, scope)?;
                let field_list = self.field_list(list, scope)?;
                let egress = op == "clone_egress_pkt_to_egress";
                Some(ExternCall::Clone { egress, session, field_list })
            }
            ("resubmit", [list]) => Some(ExternCall::Resubmit(self.field_list(list, scope)?)),
            ("recirculate", [list]) => Some(ExternCall::Recirculate(self.field_list(list, scope)?)),
            ("truncate", [length]) => Some(ExternCall::Truncate(self.exact(length, scope)?)),
            ("assert" | "assume", [condition]) => {
                let test = self.test(condition, scope)?;
                let made = self.translator.test(&test);
                let condition = self.translated(condition, made)?;
                let text = location(node);
                Some(match op {
                    "assert" => ExternCall::Assert(condition, text),
                    _ => ExternCall::Assume(condition, text),
                })
            }
            ("log_msg", [format, values]) => {
                let Some(text) = format.get("value").text() else {
                    return self.expected(&format.get("value"), "a text");
                };
                let values = values.get("value").items();
                let values: Option<Vec<Expr>> = values.iter().map(|v| self.exact(v, scope)).collect();
                Some(ExternCall::LogMsg(text.to_owned(), values?))
            }
            _ => {
                self.error(&node.get("op"), format!("unknown primitive `{op}`"));
                None
            }
        }
    }

    fn assign(&mut self, target: &Node<'j>, source: &Node<'j>, scope: &mut Scope<'_>) -> Option<Vec<Stmt>> {
        let place = self.place(target, scope);
        let value = self.number(source, scope);
        let (place, value) = (place?, value?);
        if let (Place::Scalar(id, ScalarKind::Varbit(_)), Number::Scalar(from, ty @ ScalarKind::Varbit(_))) =
            (&place, &value)
        {
            return Some(vec![Stmt::Assign(*id, Expr { kind: ExprKind::Scalar(*from), ty: *ty })]);
        }
        self.store(source, &place, &value)
    }

    fn assign_union(
        &mut self,
        target: &Node<'j>,
        source: &Node<'j>,
        scope: &mut Scope<'_>,
    ) -> Option<Vec<Stmt>> {
        match (self.operand(target, scope)?, self.operand(source, scope)?) {
            (Operand::Union(to), Operand::Union(from)) if to.len() == from.len() => Some(copies(to, from)),
            _ => self.expected(source, "two header unions of one type"),
        }
    }

    /// Copies a stack with its elements.
    fn assign_stack(
        &mut self,
        target: &Node<'j>,
        source: &Node<'j>,
        scope: &mut Scope<'_>,
    ) -> Option<Vec<Stmt>> {
        let (to, from) = match (self.operand(target, scope)?, self.operand(source, scope)?) {
            (Operand::Stack(to), Operand::Stack(from))
            | (Operand::UnionStack(to), Operand::UnionStack(from)) => (to, from),
            _ => return self.expected(source, "two stacks of one type"),
        };
        let (one, other) = (self.all_headers(to), self.all_headers(from));
        if one.len() != other.len() {
            return self.expected(source, "a stack of the same size");
        }
        let mut stmts = copies(one, other);
        let next = Expr { kind: ExprKind::Scalar(self.next_index(from)), ty: ScalarKind::Unsigned(32) };
        stmts.push(Stmt::Assign(self.next_index(to), next));
        Some(stmts)
    }

    /// Returns the headers of all elements of a stack.
    fn all_headers(&self, stack: StackId) -> Vec<HeaderRef> {
        let storage = &self.program.storage;
        let headers = match storage.stacks.get(stack.index()).map(|s| &s.elements) {
            Some(StackElements::Headers(headers)) => headers.clone(),
            Some(StackElements::Unions(unions)) => {
                let members = unions.iter().filter_map(|id| storage.unions.get(id.index()));
                members.flat_map(|union| union.members.clone()).collect()
            }
            None => Vec::new(),
        };
        headers.into_iter().map(HeaderRef::Static).collect()
    }

    /// Reads what a primitive writes: a field, which may be that of a stack's element.
    fn place(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Place> {
        if node.get("value").at(1).text() == Some("$valid$") {
            return self.expected(node, "a field that can be written; `add_header` makes a header valid");
        }
        match self.operand(node, scope)? {
            Operand::Number(Number::Scalar(id, kind)) if !self.is_param(id, scope) => {
                Some(Place::Scalar(id, kind))
            }
            Operand::Number(Number::StackField { stack, index, member, field, kind }) => {
                let made = self.translator.low(&index, 32);
                let index = self.translated(node, made)?;
                Some(Place::StackField { stack, index, member, field, kind })
            }
            _ => self.expected(node, "a field"),
        }
    }

    fn is_param(&self, id: ScalarId, scope: &Scope<'_>) -> bool {
        matches!(scope.locals, super::operand::Locals::Params(all) if all.iter().any(|p| p.scalar == id))
    }

    /// Returns the statement that stores a number, truncated.
    fn store(&mut self, node: &Node<'j>, place: &Place, value: &Number) -> Option<Vec<Stmt>> {
        let made = self.translator.stored(value, place.kind());
        let value = self.translated(node, made)?;
        Some(vec![match place.clone() {
            Place::Scalar(id, _) => Stmt::Assign(id, value),
            Place::StackField { stack, index, member, field, .. } => {
                Stmt::AssignStackField { stack, index, member, field, value }
            }
        }])
    }

    /// Returns a call that writes a scalar: the target itself, or a temporary if the target has another kind.
    fn through(
        &mut self,
        target: &Node<'j>,
        scope: &mut Scope<'_>,
        kind: Option<ScalarKind>,
        call: impl FnOnce(ScalarId) -> ExternCall,
    ) -> Option<Vec<Stmt>> {
        let place = self.place(target, scope)?;
        let wanted = kind.unwrap_or(place.kind());
        match place {
            Place::Scalar(id, kind) if kind.width() == wanted.width() => Some(vec![Stmt::Extern(call(id))]),
            place => {
                let result = self.temporary(wanted);
                let mut stmts = vec![Stmt::Extern(call(result))];
                stmts.extend(self.store(target, &place, &Number::Scalar(result, wanted))?);
                Some(stmts)
            }
        }
    }

    fn exact(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Expr> {
        let number = self.number(node, scope)?;
        let made = self.translator.exact(&number);
        self.translated(node, made)
    }

    /// Reads a number of 64 bits, as the reference switch takes bounds.
    fn low64(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Expr> {
        let number = self.number(node, scope)?;
        let made = self.translator.low(&number, 64);
        self.translated(node, made)
    }

    pub(super) fn constant_number(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<u64> {
        match self.number(node, scope)? {
            Number::Const(value) if u64::try_from(value.clone()).is_ok() => u64::try_from(value).ok(),
            _ => self.expected(node, "a constant"),
        }
    }

    /// Reads the id of a field list; 0 is none unless the file has a list 0.
    fn field_list(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Option<u8>> {
        let id = self.constant_number(node, scope)?;
        match i64::try_from(id).ok().and_then(|id| self.field_lists.get(&id)) {
            Some(list) => Some(Some(*list)),
            None if id == 0 => Some(None),
            None => self.expected(node, "the id of a field list"),
        }
    }

    /// Reads the name of a counter or meter array.
    fn array(&mut self, node: &Node<'j>) -> Option<Array> {
        let name = node.get("value");
        let arrays = match self.text(node, "type")? {
            "counter_array" => &self.counters,
            "meter_array" => &self.meters,
            _ => return self.expected(&node.get("type"), "a counter or meter array"),
        };
        match name.text().and_then(|name| arrays.get(name)).copied() {
            Some(array) => Some(array),
            None => self.unknown(&name, "such array"),
        }
    }
}

fn copies(targets: Vec<HeaderRef>, sources: Vec<HeaderRef>) -> Vec<Stmt> {
    targets.into_iter().zip(sources).map(|(target, source)| Stmt::CopyHeader { target, source }).collect()
}

/// Returns the position of a primitive in the P4 program, as far as the file has it.
fn location(node: &Node<'_>) -> String {
    let source = node.get("source_info");
    let file = source.get("filename").text().unwrap_or("?");
    let line = source.get("line").integer().unwrap_or(0);
    let text = source.get("source_fragment").text().unwrap_or_default();
    format!("{file}:{line}: {text}")
}

fn arithmetic(op: &str) -> Option<Arithmetic> {
    Some(match op {
        "add" => Arithmetic::Add,
        "subtract" => Arithmetic::Sub,
        "bit_xor" => Arithmetic::Xor,
        "bit_or" => Arithmetic::Or,
        "bit_and" => Arithmetic::And,
        "shift_left" => Arithmetic::ShiftLeft,
        "shift_right" => Arithmetic::ShiftRight,
        _ => return None,
    })
}

/// Returns the number of parameters of a primitive.
fn parameter_count(op: &str) -> Option<usize> {
    Some(match op {
        "no_op" | "exit" | "drop" => 0,
        "mark_to_drop" | "add_header" | "add_header_fast" | "remove_header" | "resubmit" | "recirculate"
        | "truncate" | "assert" | "assume" => 1,
        "assign"
        | "modify_field"
        | "assign_VL"
        | "add_to_field"
        | "subtract_from_field"
        | "assign_header"
        | "copy_header"
        | "assign_union"
        | "assign_header_stack"
        | "assign_union_stack"
        | "push"
        | "pop"
        | "count"
        | "generate_digest"
        | "clone_ingress_pkt_to_egress"
        | "clone_egress_pkt_to_egress"
        | "log_msg" => 2,
        "execute_meter" | "register_read" | "register_write" | "modify_field_rng_uniform" => 3,
        "modify_field_with_hash_based_offset" => 4,
        _ if arithmetic(op).is_some() => 3,
        _ => return None,
    })
}
