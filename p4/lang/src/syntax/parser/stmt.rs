//! Statements.

use super::{NameKind, Parser, RESERVED, Speculation};
use crate::diagnostic::{Diagnostic, codes};
use crate::lex::Tok;
use crate::syntax::ast::{
    BinaryOp, Block, Decl, DeclKind, Expr, ExprKind, Stmt, StmtKind, SwitchCase, Variable,
};

/// Compound assignments.
const ASSIGNMENTS: &[(&str, BinaryOp)] = &[
    ("+=", BinaryOp::Add),
    ("-=", BinaryOp::Sub),
    ("*=", BinaryOp::Mul),
    ("/=", BinaryOp::Div),
    ("%=", BinaryOp::Mod),
    ("|+|=", BinaryOp::AddSat),
    ("|-|=", BinaryOp::SubSat),
    ("<<=", BinaryOp::Shl),
    ("&=", BinaryOp::BitAnd),
    ("|=", BinaryOp::BitOr),
    ("^=", BinaryOp::BitXor),
];

impl Parser<'_> {
    /// `{ ... }`.
    pub(super) fn block(&mut self) -> Block {
        let start = self.span();
        let annotations = self.annotations();
        if !self.expect("{") {
            return Block { annotations, stmts: Vec::new(), span: start };
        }
        let stmts = self.scoped(|p| p.statements());
        self.expect("}");
        Block { annotations, stmts, span: start.to(self.previous()) }
    }

    /// Parses statements up to a closing brace.
    pub(super) fn statements(&mut self) -> Vec<Stmt> {
        let mut stmts = Vec::new();
        while !self.at("}") && !self.at_end() && !self.at_word("transition") {
            let before = self.at;
            stmts.extend(self.statement());
            if self.at == before {
                self.bump();
            }
        }
        stmts
    }

    /// Parses a statement or local declaration; `None` if it contained only errors.
    pub(super) fn statement(&mut self) -> Option<Stmt> {
        let span = self.span();
        self.nested(None, |p| p.statement_inner()).or(Some(Stmt { kind: StmtKind::Empty, span }))
    }

    fn statement_inner(&mut self) -> Option<Stmt> {
        let start = self.span();
        if self.eat(";") {
            return Some(Stmt { kind: StmtKind::Empty, span: start });
        }
        let annotated = self.at("@");
        let at = self.at;
        let annotations = if annotated { self.annotations() } else { Vec::new() };
        let kind = match &self.peek().tok {
            Tok::Punct("{") => {
                let mut block = self.block();
                block.annotations = annotations;
                StmtKind::Block(block)
            }
            Tok::Ident(word) => match &*word.clone() {
                "if" => self.if_statement(),
                "switch" => self.switch_statement(),
                "for" => self.for_statement(),
                "while" if self.peek_at(1).is("(") && !self.is_declared("while") => self.while_statement(),
                "return" => {
                    self.bump();
                    let value = (!self.at(";")).then(|| self.expr());
                    self.end_statement();
                    StmtKind::Return(value)
                }
                word @ ("exit" | "break" | "continue") => {
                    self.bump();
                    self.end_statement();
                    match word {
                        "exit" => StmtKind::Exit,
                        "break" => StmtKind::Break,
                        _ => StmtKind::Continue,
                    }
                }
                "else" => {
                    self.error(codes::UNEXPECTED_TOKEN, start, "`else` without a preceding `if`");
                    self.bump();
                    return self.statement();
                }
                _ if self.at_local_declaration() => {
                    self.at = at;
                    StmtKind::Decl(Box::new(self.local_declaration()?))
                }
                _ => self.expression_statement()?,
            },
            Tok::Punct("." | "(") => self.expression_statement()?,
            _ => {
                self.expected("a statement");
                self.skip_statement();
                return None;
            }
        };
        Some(Stmt { kind, span: start.to(self.previous()) })
    }

    fn end_statement(&mut self) {
        if !self.expect(";") && !self.at("}") && !self.peek().line_start {
            self.skip_statement();
        }
    }

    /// Returns whether a variable, constant or instance declaration starts here.
    pub(super) fn at_local_declaration(&self) -> bool {
        if self.at_word("const") {
            return true;
        }
        let next = self.peek_at(1);
        if self.at_type() {
            // `T<U>.apply()` and `T<U>(args).apply()` are calls; `T<U>(args) name;` is an instance.
            let after = 1 + usize::from(self.at("."));
            let after = self.after_angles(after);
            let next = self.peek_at(after);
            return !next.is(".") && (!next.is("(") || self.instance_follows(after));
        }
        // An unknown type: `Foo x;` or `Foo<...> x`.
        let named = self.word().is_some_and(|w| !RESERVED.contains(&&*w) && &*w != "_");
        named && next.ident().is_some_and(|w| !RESERVED.contains(&&**w))
    }

    /// Returns the index of the token after the angle brackets that start at token `ahead`, or `ahead` if there are
    /// none.
    fn after_angles(&self, ahead: usize) -> usize {
        if !self.peek_at(ahead).is("<") {
            return ahead;
        }
        let mut depth = 0usize;
        for at in ahead..self.tokens.len() - self.at {
            match &self.peek_at(at).tok {
                Tok::Punct("<" | "(" | "[") => depth += 1,
                Tok::Punct(">" | ")" | "]") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return at + 1;
                    }
                }
                Tok::Punct(";" | "{" | "}") | Tok::Eof => break,
                _ => {}
            }
        }
        ahead
    }

    /// Returns whether a name follows the parentheses that start at token `from`.
    fn instance_follows(&self, from: usize) -> bool {
        let mut depth = 0usize;
        for ahead in from..self.tokens.len() - self.at {
            let token = self.peek_at(ahead);
            match &token.tok {
                Tok::Punct("(") => depth += 1,
                Tok::Punct(")") => {
                    depth = depth.saturating_sub(1);
                    if depth == 0 {
                        return self.peek_at(ahead + 1).ident().is_some();
                    }
                }
                Tok::Punct(";") | Tok::Eof => return false,
                _ => {}
            }
        }
        false
    }

    fn local_declaration(&mut self) -> Option<Decl> {
        let start = self.span();
        let annotations = self.annotations();
        if self.at_word("const") {
            return self.constant(annotations, start);
        }
        self.variable_or_instance(annotations, start)
    }

    fn expression_statement(&mut self) -> Option<StmtKind> {
        let kind = self.assignment_or_call();
        if kind.is_none() {
            self.skip_statement();
            return None;
        }
        self.end_statement();
        kind
    }

    fn assignment_or_call(&mut self) -> Option<StmtKind> {
        let before = self.at;
        let target = self.unary();
        if matches!(target.kind, ExprKind::Bad) && self.at == before {
            return None;
        }
        if self.eat("=") {
            return Some(StmtKind::Assign { target, op: None, value: self.expr() });
        }
        if self.adjacent(">", ">=") {
            self.bump();
            self.bump();
            return Some(StmtKind::Assign { target, op: Some(BinaryOp::Shr), value: self.expr() });
        }
        if let Some((_, op)) = ASSIGNMENTS.iter().find(|(punct, _)| self.at(punct)) {
            self.bump();
            return Some(StmtKind::Assign { target, op: Some(*op), value: self.expr() });
        }
        if !matches!(target.kind, ExprKind::Call { .. } | ExprKind::Bad) {
            if self.at(";") {
                let message = "expected a statement, found an expression";
                self.error(codes::UNEXPECTED_TOKEN, target.span, message);
            } else {
                self.expected("`=` or a call");
                return None;
            }
        }
        Some(StmtKind::Call(target))
    }

    /// Reports a `while` loop, which P4 does not have, and parses it as the equivalent `for` loop.
    fn while_statement(&mut self) -> StmtKind {
        let word = self.bump().span;
        let open = self.span();
        self.expect("(");
        let condition = self.expr();
        let close = self.span();
        self.expect(")");
        let mut diagnostic = Diagnostic::error(codes::UNEXPECTED_TOKEN, word, "P4 has no `while` statement")
            .label("use `for`");
        if word.file == close.file && open.end <= close.start {
            diagnostic = diagnostic
                .suggest(
                    "a `for` loop without initialisation and update is the same",
                    word.to(open),
                    "for (; ",
                )
                .and(close, "; )");
        }
        self.report(diagnostic);
        let body = Box::new(self.body());
        StmtKind::For { init: Vec::new(), condition, update: Vec::new(), body }
    }

    /// Parses a condition in parentheses, and reports `=` in place of `==`.
    fn condition(&mut self) -> Expr {
        let condition = self.expr();
        if !self.at("=") {
            return condition;
        }
        let span = self.bump().span;
        self.report(
            Diagnostic::error(
                codes::UNEXPECTED_TOKEN,
                span,
                "`=` assigns; it is not an operator of expressions",
            )
            .label("expected `==`")
            .suggest("to compare, write `==`", span, "=="),
        );
        self.expr();
        Expr { kind: ExprKind::Bad, ..condition }
    }

    fn if_statement(&mut self) -> StmtKind {
        self.bump();
        self.expect("(");
        let condition = self.condition();
        self.expect(")");
        let then = self.body();
        let otherwise = self.eat_word("else").then(|| Box::new(self.body()));
        StmtKind::If { condition, then: Box::new(then), otherwise }
    }

    fn body(&mut self) -> Stmt {
        let span = self.span();
        self.scoped(|p| p.statement()).unwrap_or(Stmt { kind: StmtKind::Empty, span })
    }

    fn switch_statement(&mut self) -> StmtKind {
        self.bump();
        self.expect("(");
        let on = self.expr();
        self.expect(")");
        let mut cases = Vec::new();
        if self.expect("{") {
            while !self.at("}") && !self.at_end() {
                let before = self.at;
                let label = self.keyset();
                self.expect(":");
                let body = (self.at("{") || self.at("@")).then(|| self.block());
                cases.push(SwitchCase { label, body });
                if self.at == before {
                    self.bump();
                }
            }
            self.expect("}");
        }
        StmtKind::Switch { on, cases }
    }

    fn for_statement(&mut self) -> StmtKind {
        self.bump();
        self.expect("(");
        self.scoped(|p| {
            if let Some(for_in) = p.for_in() {
                return for_in;
            }
            let init = p.for_parts(";", true);
            p.expect(";");
            let condition = p.expr();
            p.expect(";");
            let update = p.for_parts(")", false);
            p.expect(")");
            let body = Box::new(p.body());
            StmtKind::For { init, condition, update, body }
        })
    }

    fn for_in(&mut self) -> Option<StmtKind> {
        let head = self.attempt(Speculation::ForIn, |p| {
            let annotations = p.annotations();
            let ty = p.ty();
            let name = p.ident("a name")?;
            p.eat_word("in").then_some((annotations, ty, name))
        });
        let (annotations, ty, name) = head?;
        self.declare(&name, NameKind::Other);
        let variable = Variable { annotations, ty, name, init: None, is_const: false };
        let over = self.keyset();
        if !self.expect(")") {
            self.skip_statement();
        }
        let body = Box::new(self.body());
        Some(StmtKind::ForIn { variable, over, body })
    }

    fn for_parts(&mut self, close: &str, declarations: bool) -> Vec<Stmt> {
        self.comma_list(close, |p| {
            let start = p.span();
            let kind = if declarations && (p.at("@") || p.at_local_declaration()) {
                let annotations = p.annotations();
                let ty = p.ty();
                let (name, ty) = p.declarator(ty, "a variable name")?;
                p.declare(&name, NameKind::Other);
                let init = p.eat("=").then(|| p.expr());
                let variable = Variable { annotations, ty, name, init, is_const: false };
                let span = p.span_from(start);
                StmtKind::Decl(Box::new(Decl { kind: DeclKind::Variable(variable), span }))
            } else {
                p.assignment_or_call()?
            };
            Some(Stmt { kind, span: p.span_from(start) })
        })
    }

    /// Parses an initialiser or argument, where `...` is allowed.
    pub(super) fn initializer(&mut self) -> Expr {
        self.expr()
    }
}
