//! Operands of primitives and expressions: what a JSON object with `type` and `value` denotes.

use num_bigint::BigInt;
use p4_lang::ir::{self, BinaryOp, Expr, HeaderId, HeaderRef, ScalarId, ScalarKind, StackId, Stmt, UnionId};

use super::Reader;
use super::node::Node;
use super::number::{Arithmetic, Number, Test, Untranslatable};

/// Maximum number of hexadecimal digits of a constant.
const MAX_DIGITS: usize = 4_096;

/// The value of an operand.
#[derive(Clone, Debug)]
pub(super) enum Operand {
    Number(Number),
    Test(Test),
    Header(HeaderRef),
    Stack(StackId),
    /// The members of a union.
    Union(Vec<HeaderRef>),
    UnionStack(StackId),
    /// A header instance of metadata.
    Metadata,
}

impl Operand {
    fn name(&self) -> &'static str {
        match self {
            Operand::Number(_) => "a number",
            Operand::Test(_) => "a boolean",
            Operand::Header(_) => "a header",
            Operand::Stack(_) => "a header stack",
            Operand::Union(_) => "a header union",
            Operand::UnionStack(_) => "a stack of header unions",
            Operand::Metadata => "metadata",
        }
    }
}

/// What `local` and `runtime_data` refer to.
#[derive(Clone, Copy, Debug)]
pub(super) enum Locals<'a> {
    None,
    /// The parameters of an action.
    Params(&'a [ir::Param]),
    /// The fields before the variable-length field of a header that is about to be extracted: offsets and widths.
    Ahead(&'a [(u32, u32)]),
}

/// Where an operand is evaluated.
#[derive(Debug)]
pub(super) struct Scope<'a> {
    pub(super) locals: Locals<'a>,
    pub(super) in_parser: bool,
    /// Statements to execute before the one that uses the operand: reads of registers.
    pub(super) before: Vec<Stmt>,
}

impl<'a> Scope<'a> {
    pub(super) fn control() -> Scope<'a> {
        Scope { locals: Locals::None, in_parser: false, before: Vec::new() }
    }

    pub(super) fn action(params: &'a [ir::Param]) -> Scope<'a> {
        Scope { locals: Locals::Params(params), in_parser: false, before: Vec::new() }
    }

    pub(super) fn parser() -> Scope<'a> {
        Scope { locals: Locals::None, in_parser: true, before: Vec::new() }
    }
}

/// Reads a constant: hexadecimal digits with an optional sign and `0x`.
pub(super) fn hex(text: &str) -> Option<BigInt> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text),
    };
    let digits = digits.strip_prefix("0x").or_else(|| digits.strip_prefix("0X")).unwrap_or(digits);
    if digits.is_empty() || digits.len() > MAX_DIGITS || !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let value = BigInt::parse_bytes(digits.as_bytes(), 16)?;
    Some(if negative { -value } else { value })
}

impl<'j> Reader<'j> {
    /// Reads an operand; reports and returns `None` if it is wrong.
    pub(super) fn operand(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Operand> {
        let kind = self.text(node, "type")?;
        let value = node.get("value");
        match kind {
            "expression" if !value.get("type").is_null() => self.operand(&value, scope),
            "expression" => self.expression(&value, scope),
            "hexstr" => self.constant(&value).map(|value| Operand::Number(Number::Const(value))),
            "bool" => match value.flag() {
                Some(value) => Some(Operand::Test(Test::Const(value))),
                None => self.expected(&value, "true or false"),
            },
            "field" => self.field(&value).map(|(id, kind)| Operand::Number(Number::Scalar(id, kind))),
            "header" => self.header(&value),
            "header_stack" => self.stack(&value).map(Operand::Stack),
            "header_union" => self.union(&value).map(|id| Operand::Union(self.union_members(id))),
            "header_union_stack" => self.union_stack(&value).map(Operand::UnionStack),
            "stack_field" => self.stack_field(&value).map(Operand::Number),
            "union_stack_field" => self.union_stack_field(&value).map(Operand::Number),
            "lookahead" if scope.in_parser => self.lookahead(&value).map(Operand::Number),
            "local" | "runtime_data" => self.local(&value, scope.locals).map(Operand::Number),
            "register" => self.register_element(&value, scope).map(Operand::Number),
            other => {
                let message = format!("an operand of type `{other}` cannot be used here");
                self.error(&node.get("type"), message);
                None
            }
        }
    }

    /// Reads an operand that is a number.
    pub(super) fn number(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Number> {
        match self.operand(node, scope)? {
            Operand::Number(number) => Some(number),
            Operand::Test(test) => Some(Number::OfTest(Box::new(test))),
            other => self.expected(node, &format!("a number, not {}", other.name())),
        }
    }

    /// Reads an operand that is a boolean; a number is true unless it is 0.
    pub(super) fn test(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Test> {
        match self.operand(node, scope)? {
            Operand::Test(test) => Some(test),
            Operand::Number(number) => Some(Test::NonZero(Box::new(number))),
            other => self.expected(node, &format!("a boolean, not {}", other.name())),
        }
    }

    pub(super) fn header_operand(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<HeaderRef> {
        match self.operand(node, scope)? {
            Operand::Header(header) => Some(header),
            other => self.expected(node, &format!("a header, not {}", other.name())),
        }
    }

    /// Reports that a number cannot be translated.
    pub(super) fn translated(&mut self, node: &Node<'j>, made: Result<Expr, Untranslatable>) -> Option<Expr> {
        match made {
            Ok(expr) => Some(expr),
            Err(Untranslatable::TooWide) => {
                self.error(node, "the value can need more than 16,384 bits; mask it (`&`)");
                None
            }
            Err(Untranslatable::TooMany) => {
                self.too_large(node);
                None
            }
            Err(Untranslatable::Varying) => {
                self.error(node, "a field of variable length is not a number; only `assign_VL` copies it");
                None
            }
        }
    }

    pub(super) fn constant(&mut self, node: &Node<'j>) -> Option<BigInt> {
        match node.text().and_then(hex) {
            Some(value) => Some(value),
            None => {
                self.expected(node, &format!("a number as hexadecimal text, at most {MAX_DIGITS} digits"))
            }
        }
    }

    fn local(&mut self, node: &Node<'j>, locals: Locals<'_>) -> Option<Number> {
        let index = node.integer().and_then(|i| usize::try_from(i).ok());
        let found = index.and_then(|index| match locals {
            Locals::None => None,
            Locals::Params(params) => params.get(index).map(|p| Number::Scalar(p.scalar, p.kind)),
            Locals::Ahead(fields) => {
                fields.get(index).map(|(offset, width)| Number::Lookahead { offset: *offset, width: *width })
            }
        });
        match found {
            Some(number) => Some(number),
            None => self.expected(node, "the index of a parameter of the action"),
        }
    }

    fn lookahead(&mut self, node: &Node<'j>) -> Option<Number> {
        let number = |at: usize| node.at(at).integer().and_then(|i| u32::try_from(i).ok());
        match (number(0), number(1)) {
            (Some(offset), Some(width))
                if (1..=super::MAX_FIELD_BITS).contains(&width) && offset <= 1 << 20 =>
            {
                Some(Number::Lookahead { offset, width })
            }
            _ => self.expected(node, "an offset and a width in bits"),
        }
    }

    /// An element of a register array as a number: it is read before.
    fn register_element(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Number> {
        let register = self.register(&node.at(0))?;
        let index_node = node.at(1);
        let index = self.number(&index_node, scope)?;
        let made = self.translator.exact(&index);
        let index = self.translated(&index_node, made)?;
        let kind = self.register_kind(register);
        let target = self.temporary(kind);
        scope.before.push(Stmt::Extern(ir::ExternCall::RegisterRead {
            register,
            targets: vec![target],
            index,
        }));
        Some(Number::Scalar(target, kind))
    }

    /// A field of the last element of a stack.
    pub(super) fn stack_field(&mut self, node: &Node<'j>) -> Option<Number> {
        let stack = self.stack(&node.at(0))?;
        let header = self.first_header(&node.at(0), stack, 0)?;
        let (field, kind) = self.field_of(&node.at(1), header)?;
        let index = Box::new(Number::LastIndex(stack));
        Some(Number::StackField { stack, index, member: 0, field, kind })
    }

    /// A field of a member of the last element of a stack of unions.
    pub(super) fn union_stack_field(&mut self, node: &Node<'j>) -> Option<Number> {
        let stack = self.union_stack(&node.at(0))?;
        let member = self.union_stack_member(&node.at(0), &node.at(1))?;
        let header = self.first_header(&node.at(0), stack, member)?;
        let (field, kind) = self.field_of(&node.at(2), header)?;
        let index = Box::new(Number::LastIndex(stack));
        Some(Number::StackField { stack, index, member, field, kind })
    }

    fn expression(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Operand> {
        let op = self.text(node, "op")?;
        let (left, right) = (node.get("left"), node.get("right"));
        if let Some(op) = arithmetic(op) {
            return self.arithmetic(op, &left, &right, scope);
        }
        if let Some(op) = comparison(op) {
            return self.compared(op, node, scope).map(Operand::Test);
        }
        let test = |test| Some(Operand::Test(test));
        let number = |number| Some(Operand::Number(number));
        match op {
            "and" | "or" => {
                let (a, b) = (self.test(&left, scope), self.test(&right, scope));
                let (a, b) = (Box::new(a?), Box::new(b?));
                test(if op == "and" { Test::And(a, b) } else { Test::Or(a, b) })
            }
            "not" => test(self.test(&right, scope)?.negated()),
            "d2b" => test(Test::NonZero(Box::new(self.number(&right, scope)?))),
            "b2d" => number(Number::OfTest(Box::new(self.test(&right, scope)?))),
            "~" => number(Number::BitNot(Box::new(self.number(&right, scope)?))),
            "valid" => test(Test::Valid(self.header_operand(&right, scope)?)),
            "valid_union" => match self.operand(&right, scope)? {
                Operand::Union(members) => test(Test::any(members.into_iter().map(Test::Valid))),
                other => self.expected(&right, &format!("a header union, not {}", other.name())),
            },
            "two_comp_mod" | "usat_cast" | "sat_cast" => self.converted(op, &left, &right, scope),
            "?" => self.choice(node, scope),
            "dereference_stack" | "dereference_header_stack" | "dereference_union_stack" => {
                self.element(&left, &right, scope)
            }
            "access_field" => self.access_field(&left, &right, scope),
            "access_union_header" => match self.operand(&left, scope)? {
                Operand::Union(members) => match index_of(&right).and_then(|i| members.get(i).cloned()) {
                    Some(header) => Some(Operand::Header(header)),
                    None => self.expected(&right, "the index of a member of the union"),
                },
                other => self.expected(&left, &format!("a header union, not {}", other.name())),
            },
            "last_stack_index" | "size_stack" => match self.operand(&right, scope)? {
                Operand::Stack(stack) | Operand::UnionStack(stack) if op == "size_stack" => {
                    let id = self.next_index(stack);
                    number(Number::Scalar(id, ScalarKind::Unsigned(32)))
                }
                Operand::Stack(stack) | Operand::UnionStack(stack) => number(Number::LastIndex(stack)),
                other => self.expected(&right, &format!("a stack, not {}", other.name())),
            },
            other => {
                let message = format!("unknown operation `{other}`");
                self.error(&node.get("op"), message);
                None
            }
        }
    }

    fn arithmetic(
        &mut self,
        op: Arithmetic,
        left: &Node<'j>,
        right: &Node<'j>,
        scope: &mut Scope<'_>,
    ) -> Option<Operand> {
        let unary = left.is_null() && matches!(op, Arithmetic::Add | Arithmetic::Sub);
        if unary {
            let of = self.number(right, scope)?;
            let negated = || Number::Negate(Box::new(of.clone()));
            return Some(Operand::Number(if op == Arithmetic::Sub { negated() } else { of }));
        }
        let (a, b) = (self.number(left, scope), self.number(right, scope));
        Some(Operand::Number(Number::Binary(op, Box::new(a?), Box::new(b?))))
    }

    /// `two_comp_mod`, `usat_cast` and `sat_cast`: the right operand is a width.
    fn converted(
        &mut self,
        op: &str,
        left: &Node<'j>,
        right: &Node<'j>,
        scope: &mut Scope<'_>,
    ) -> Option<Operand> {
        let of = Box::new(self.number(left, scope)?);
        let width = match self.number(right, scope)? {
            Number::Const(width) => u32::try_from(width).ok(),
            _ => None,
        };
        let Some(width) = width.filter(|width| (1..=super::MAX_FIELD_BITS).contains(width)) else {
            return self.expected(right, "a width in bits");
        };
        Some(Operand::Number(match op {
            "two_comp_mod" => Number::TwosComplement(of, width),
            _ => Number::Saturated { of, width, signed: op == "sat_cast" },
        }))
    }

    fn choice(&mut self, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Operand> {
        let condition = self.test(&node.get("cond"), scope);
        let (left, right) = (node.get("left"), node.get("right"));
        let (a, b) = (self.operand(&left, scope), self.operand(&right, scope));
        let condition = Box::new(condition?);
        Some(match (a?, b?) {
            (Operand::Test(a), Operand::Test(b)) => {
                // As numbers, so that the condition occurs once: nested choices would double it at each level.
                let number = |test| Box::new(Number::OfTest(Box::new(test)));
                let chosen = Number::Choice(condition, number(a), number(b));
                Operand::Test(Test::NonZero(Box::new(chosen)))
            }
            (Operand::Number(a), Operand::Number(b)) => {
                Operand::Number(Number::Choice(condition, Box::new(a), Box::new(b)))
            }
            (_, other) => {
                return self.expected(&right, &format!("a value like `left`, not {}", other.name()));
            }
        })
    }

    /// `==`, `!=` and orderings, of numbers, booleans, headers and unions.
    fn compared(&mut self, op: BinaryOp, node: &Node<'j>, scope: &mut Scope<'_>) -> Option<Test> {
        let (left, right) = (node.get("left"), node.get("right"));
        let (a, b) = (self.operand(&left, scope), self.operand(&right, scope));
        let equal = matches!(op, BinaryOp::Equal | BinaryOp::NotEqual);
        let with_sign = |test: Test| if op == BinaryOp::NotEqual { test.negated() } else { test };
        match (a?, b?) {
            (Operand::Header(a), Operand::Header(b)) if equal => {
                self.same_headers(&right, &a, &b).map(with_sign)
            }
            (Operand::Union(a), Operand::Union(b)) if equal && a.len() == b.len() => {
                let pairs: Option<Vec<Test>> =
                    a.iter().zip(&b).map(|(a, b)| self.same_headers(&right, a, b)).collect();
                Some(with_sign(Test::any(pairs?)))
            }
            (a, b) => {
                let as_number = |operand| match operand {
                    Operand::Number(number) => Some(number),
                    Operand::Test(test) => Some(Number::OfTest(Box::new(test))),
                    _ => None,
                };
                match (as_number(a), as_number(b)) {
                    (Some(a), Some(b)) => Some(Test::Compare(op, Box::new(a), Box::new(b))),
                    _ => self.expected(&right, "two values of one type that can be compared"),
                }
            }
        }
    }

    /// Two headers are the same if both are valid and all fields are equal (`Header::cmp` of the reference switch).
    fn same_headers(&mut self, at: &Node<'j>, a: &HeaderRef, b: &HeaderRef) -> Option<Test> {
        let (one, other) = (self.fields_of(a), self.fields_of(b));
        let alike = one.iter().map(|(_, kind)| kind).eq(other.iter().map(|(_, kind)| kind));
        if !alike || one.iter().any(|(_, kind)| matches!(kind, ScalarKind::Varbit(_))) {
            return self.expected(at, "a header of the same type, without a field of variable length");
        }
        let equal = one
            .into_iter()
            .zip(other)
            .map(|((a, _), (b, _))| Test::Compare(BinaryOp::Equal, Box::new(a), Box::new(b)));
        let valid = [Test::Valid(a.clone()), Test::Valid(b.clone())];
        Some(Test::all(valid.into_iter().chain(equal)))
    }

    fn element(&mut self, left: &Node<'j>, right: &Node<'j>, scope: &mut Scope<'_>) -> Option<Operand> {
        let (stack, index) = (self.operand(left, scope), self.number(right, scope));
        let (stack, index) = (stack?, index?);
        let made = self.translator.exact(&index);
        let exact = self.translated(right, made)?;
        // An index is not negative.
        let width = exact.ty.width();
        let index = match exact.ty {
            ScalarKind::Unsigned(_) => exact,
            _ => Expr { kind: ir::ExprKind::Cast(Box::new(exact)), ty: ScalarKind::Unsigned(width) },
        };
        match stack {
            Operand::Stack(stack) => {
                Some(Operand::Header(HeaderRef::Element { stack, index: Box::new(index), member: 0 }))
            }
            Operand::UnionStack(stack) => {
                let members = 0..self.members_of(stack);
                let header = |member| HeaderRef::Element { stack, index: Box::new(index.clone()), member };
                Some(Operand::Union(members.map(header).collect()))
            }
            other => self.expected(left, &format!("a stack, not {}", other.name())),
        }
    }

    fn access_field(&mut self, left: &Node<'j>, right: &Node<'j>, scope: &mut Scope<'_>) -> Option<Operand> {
        let header = self.header_operand(left, scope)?;
        match index_of(right).and_then(|i| self.fields_of(&header).into_iter().nth(i)) {
            Some((number, _)) => Some(Operand::Number(number)),
            None => self.expected(right, "the index of a field of the header"),
        }
    }

    /// Returns the fields of a header as numbers.
    pub(super) fn fields_of(&self, header: &HeaderRef) -> Vec<(Number, ScalarKind)> {
        let storage = &self.program.storage;
        let kind =
            |id: &ScalarId| storage.scalars.get(id.index()).map_or(ScalarKind::Unsigned(1), |s| s.kind);
        let fields = |id: HeaderId| storage.headers.get(id.index()).map_or(&[][..], |h| &h.fields);
        match header {
            HeaderRef::Static(id) => {
                fields(*id).iter().map(|id| (Number::Scalar(*id, kind(id)), kind(id))).collect()
            }
            HeaderRef::Element { stack, index, member } => {
                let Some(first) = self.element_headers(*stack, *member).first().copied() else {
                    return Vec::new();
                };
                let field = |(field, id): (usize, &ScalarId)| {
                    let index = Box::new(index_number(index));
                    let kind = kind(id);
                    (Number::StackField { stack: *stack, index, member: *member, field, kind }, kind)
                };
                fields(first).iter().enumerate().map(field).collect()
            }
            HeaderRef::Next { .. } | HeaderRef::Last { .. } => Vec::new(),
        }
    }

    fn union_members(&self, id: UnionId) -> Vec<HeaderRef> {
        let members = self.program.storage.unions.get(id.index()).map_or(&[][..], |u| &u.members);
        members.iter().map(|id| HeaderRef::Static(*id)).collect()
    }
}

/// Returns an index that was translated before as a number again.
fn index_number(index: &Expr) -> Number {
    Number::Translated(Box::new(index.clone()))
}

fn index_of(node: &Node<'_>) -> Option<usize> {
    usize::try_from(node.integer()?).ok()
}

fn arithmetic(op: &str) -> Option<Arithmetic> {
    Some(match op {
        "+" => Arithmetic::Add,
        "-" => Arithmetic::Sub,
        "*" => Arithmetic::Mul,
        "/" => Arithmetic::Div,
        "%" => Arithmetic::Mod,
        "&" => Arithmetic::And,
        "|" => Arithmetic::Or,
        "^" => Arithmetic::Xor,
        "<<" => Arithmetic::ShiftLeft,
        ">>" => Arithmetic::ShiftRight,
        _ => return None,
    })
}

fn comparison(op: &str) -> Option<BinaryOp> {
    Some(match op {
        "==" => BinaryOp::Equal,
        "!=" => BinaryOp::NotEqual,
        "<" => BinaryOp::Less,
        "<=" => BinaryOp::LessEqual,
        ">" => BinaryOp::Greater,
        ">=" => BinaryOp::GreaterEqual,
        _ => return None,
    })
}
