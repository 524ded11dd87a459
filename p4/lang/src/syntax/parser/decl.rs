//! Declarations.

use super::{NameKind, Parser, Speculation};
use crate::diagnostic::codes;
use crate::lex::Tok;
use crate::source::Span;
use crate::syntax::ast::{
    Action, AggregateKind, Annotations, Control, Decl, DeclKind, Direction, Field, Function, Ident, Instance,
    Method, Param, Parser as ParserDecl, Prototype, SelectCase, State, Transition, Type, TypeKind, ValueSet,
    Variable,
};

impl Parser<'_> {
    pub(super) fn top_level(&mut self) -> Option<Decl> {
        let decl = self.declaration();
        if decl.is_none() {
            self.skip_statement();
            self.eat("}");
        }
        decl
    }

    /// Parses a declaration at the top level or inside a parser or control.
    fn declaration(&mut self) -> Option<Decl> {
        let start = self.span();
        let annotations = self.annotations();
        let Tok::Ident(word) = self.peek().tok.clone() else {
            if self.at(".") {
                return self.variable_or_instance(annotations, start);
            }
            self.expected("a declaration");
            return None;
        };
        let kind = match &*word {
            "const" => return self.constant(annotations, start),
            "error" if self.peek_at(1).is("{") => {
                self.bump();
                DeclKind::Errors(self.name_list())
            }
            "match_kind" if self.peek_at(1).is("{") => {
                self.bump();
                DeclKind::MatchKinds(self.name_list())
            }
            "extern" => self.extern_decl(annotations)?,
            "action" => DeclKind::Action(self.action(annotations)?),
            "struct" | "header" | "header_union" => self.aggregate(&word, annotations)?,
            "enum" => self.enumeration(annotations)?,
            "typedef" | "type" if self.peek_at(1).ident().is_some() && !self.is_type_name("type") => {
                self.typedef(&word, annotations)?
            }
            "parser" => self.parser_decl(annotations)?,
            "control" => self.control_decl(annotations)?,
            "package" => {
                self.bump();
                let name = self.ident("the package's name")?;
                self.declare(&name, NameKind::Type);
                let (type_params, params) = self.scoped(|p| (p.type_params(), p.params()));
                self.expect(";");
                DeclKind::Package { name, type_params, params }
            }
            "table" => DeclKind::Table(self.table(annotations)?),
            "value_set" => self.value_set(annotations)?,
            "void" => return self.function_or_variable(annotations, start),
            _ => return self.function_or_variable(annotations, start),
        };
        Some(Decl { kind, span: self.span_from(start) })
    }

    fn name_list(&mut self) -> Vec<Ident> {
        self.expect("{");
        let names = self.comma_list("}", |p| {
            p.annotations();
            p.ident("a name")
        });
        self.expect("}");
        names
    }

    pub(super) fn constant(&mut self, annotations: Annotations, start: Span) -> Option<Decl> {
        self.bump();
        let ty = self.ty();
        let (name, ty) = self.declarator(ty, "the constant's name")?;
        self.declare(&name, NameKind::Other);
        let init = if self.expect("=") { Some(self.initializer()) } else { None };
        self.finish_declaration();
        let variable = Variable { annotations, ty, name, init, is_const: true };
        Some(Decl { kind: DeclKind::Variable(variable), span: self.span_from(start) })
    }

    pub(super) fn finish_declaration(&mut self) {
        if !self.expect(";") && !self.peek().line_start {
            self.skip_statement();
        }
    }

    /// Parses `type name(...) {...}`, `type name = value;` or `type(args) name;`.
    fn function_or_variable(&mut self, annotations: Annotations, start: Span) -> Option<Decl> {
        let at = self.at;
        let function = self.attempt(Speculation::Function, |p| {
            let _result = p.ty();
            p.ident("a name")?;
            (p.at("(") || p.at("<")).then_some(())
        });
        if function.is_none() {
            return self.variable_or_instance(annotations, start);
        }
        // Rewind: the attempt consumed the name.
        self.at = at;
        let function = self.scoped(|p| {
            let prototype = p.prototype()?;
            let body = p.block();
            Some(Function { annotations, prototype, body })
        })?;
        self.declare(&function.prototype.name, NameKind::Other);
        Some(Decl { kind: DeclKind::Function(function), span: self.span_from(start) })
    }

    pub(super) fn variable_or_instance(&mut self, annotations: Annotations, start: Span) -> Option<Decl> {
        let ty = self.ty();
        if matches!(ty.kind, TypeKind::Bad) {
            return None;
        }
        if self.at("(") {
            let args = self.args();
            let name = self.ident("the instance's name")?;
            self.declare(&name, NameKind::Other);
            let sizes = self.declarator_sizes();
            let body = if self.eat("=") { Some(self.block_of_declarations()) } else { None };
            self.finish_declaration();
            let instance = Instance { annotations, ty, args, name, sizes, body };
            return Some(Decl { kind: DeclKind::Instance(instance), span: self.span_from(start) });
        }
        let (name, ty) = self.declarator(ty, "a name")?;
        self.declare(&name, NameKind::Other);
        let init = self.eat("=").then(|| self.initializer());
        self.finish_declaration();
        let variable = Variable { annotations, ty, name, init, is_const: false };
        Some(Decl { kind: DeclKind::Variable(variable), span: self.span_from(start) })
    }

    /// Parses the functions with which an instance implements abstract methods.
    fn block_of_declarations(&mut self) -> crate::syntax::ast::Block {
        let start = self.span();
        let mut stmts = Vec::new();
        self.expect("{");
        self.scoped(|p| {
            while !p.at("}") && !p.at_end() {
                let before = p.at;
                let span = p.span();
                match p.declaration() {
                    Some(decl) => stmts.push(crate::syntax::ast::Stmt {
                        kind: crate::syntax::ast::StmtKind::Decl(Box::new(decl)),
                        span: p.span_from(span),
                    }),
                    None => p.skip_statement(),
                }
                if p.at == before {
                    p.bump();
                }
            }
        });
        self.expect("}");
        crate::syntax::ast::Block { annotations: Vec::new(), stmts, span: self.span_from(start) }
    }

    /// Parses `result name<T>(params)`; the caller provides the scope.
    fn prototype(&mut self) -> Option<Prototype> {
        // The return type may be one of the type parameters that follow it.
        let at = self.at;
        let known = self.attempt(Speculation::ResultType, |p| {
            p.ty();
            p.ident("a name")?;
            p.at("<").then_some(p.at)
        });
        if let Some(generics) = known {
            self.at = generics;
            self.type_params();
            self.at = at;
        }
        let result = self.ty();
        let name = self.ident("the function's name")?;
        let type_params = self.type_params();
        let params = self.params();
        Some(Prototype { result, name, type_params, params })
    }

    pub(super) fn params(&mut self) -> Vec<Param> {
        self.expect("(");
        let params = self.comma_list(")", |p| {
            let annotations = p.annotations();
            let direction = match p.word().as_deref() {
                Some("in") => Direction::In,
                Some("out") => Direction::Out,
                Some("inout") => Direction::InOut,
                _ => Direction::None,
            };
            if direction != Direction::None {
                p.bump();
            }
            let ty = p.ty();
            if matches!(ty.kind, TypeKind::Bad) {
                return None;
            }
            let name = p.ident("the parameter's name")?;
            p.declare(&name, NameKind::Other);
            let default = p.eat("=").then(|| p.expr());
            Some(Param { annotations, direction, ty, name, default })
        });
        self.expect(")");
        params
    }

    fn extern_decl(&mut self, annotations: Annotations) -> Option<DeclKind> {
        self.bump();
        let is_object = self.peek().ident().is_some()
            && (self.peek_at(1).is("{") || (self.peek_at(1).is("<") && self.brace_before_paren()));
        if !is_object {
            let prototype = self.scoped(|p| p.prototype())?;
            self.declare(&prototype.name, NameKind::Other);
            self.finish_declaration();
            return Some(DeclKind::ExternFunction { annotations, prototype });
        }
        let name = self.ident("the extern's name")?;
        self.declare(&name, NameKind::Type);
        self.scoped(|p| {
            let type_params = p.type_params();
            p.expect("{");
            let mut methods = Vec::new();
            while !p.at("}") && !p.at_end() {
                let before = p.at;
                match p.scoped(|p| p.method(&name)) {
                    Some(method) => methods.push(method),
                    None => p.skip_statement(),
                }
                if p.at == before {
                    p.bump();
                }
            }
            p.expect("}");
            Some(DeclKind::Extern { annotations, name: name.clone(), type_params, methods })
        })
    }

    /// Returns whether `{` precedes `(`.
    fn brace_before_paren(&self) -> bool {
        self.tokens[self.at..]
            .iter()
            .find_map(|t| match &t.tok {
                Tok::Punct("{") => Some(true),
                Tok::Punct("(" | ";") | Tok::Eof => Some(false),
                _ => None,
            })
            .unwrap_or(false)
    }

    fn method(&mut self, object: &Ident) -> Option<Method> {
        let annotations = self.annotations();
        let is_abstract = self.eat_word("abstract");
        if self.peek().ident().is_some_and(|n| *n == object.name) && self.peek_at(1).is("(") {
            let name = self.ident("the constructor")?;
            let params = self.params();
            self.finish_declaration();
            let result = Type { kind: TypeKind::Void, span: name.span };
            let prototype = Prototype { result, name, type_params: Vec::new(), params };
            return Some(Method { annotations, prototype, is_abstract, constructor: true });
        }
        let prototype = self.prototype()?;
        self.finish_declaration();
        Some(Method { annotations, prototype, is_abstract, constructor: false })
    }

    fn action(&mut self, annotations: Annotations) -> Option<Action> {
        self.bump();
        let name = self.ident("the action's name")?;
        if self.at("<") {
            let span = self.span();
            self.error(codes::UNEXPECTED_TOKEN, span, "actions cannot have type parameters");
            self.type_params();
        }
        let action = self.scoped(|p| {
            let params = p.params();
            let body = p.block();
            Action { annotations, name: name.clone(), params, body }
        });
        self.declare(&name, NameKind::Other);
        Some(action)
    }

    fn aggregate(&mut self, word: &str, annotations: Annotations) -> Option<DeclKind> {
        self.bump();
        let kind = match word {
            "struct" => AggregateKind::Struct,
            "header" => AggregateKind::Header,
            _ => AggregateKind::Union,
        };
        let name = self.ident("the type's name")?;
        self.declare(&name, NameKind::Type);
        let (type_params, fields) = self.scoped(|p| {
            let type_params = p.type_params();
            let mut fields = Vec::new();
            if p.expect("{") {
                while !p.at("}") && !p.at_end() {
                    let before = p.at;
                    match p.field() {
                        Some(field) => fields.push(field),
                        None => p.skip_statement(),
                    }
                    if p.at == before {
                        p.bump();
                    }
                }
                p.expect("}");
            }
            (type_params, fields)
        });
        Some(DeclKind::Aggregate { kind, annotations, name, type_params, fields })
    }

    fn field(&mut self) -> Option<Field> {
        let annotations = self.annotations();
        if self.at_word("_") {
            self.expected("the field's type");
            return None;
        }
        let ty = self.ty();
        if matches!(ty.kind, TypeKind::Bad) {
            return None;
        }
        let (name, ty) = self.declarator(ty, "the field's name")?;
        if !self.expect(";") && !self.peek().line_start {
            self.skip_statement();
        }
        Some(Field { annotations, ty, name })
    }

    fn enumeration(&mut self, annotations: Annotations) -> Option<DeclKind> {
        self.bump();
        let has_repr = self.at_type() && (self.peek_at(1).is("<") || self.peek_at(1).ident().is_some());
        let repr = has_repr.then(|| self.ty());
        let name = self.ident("the enum's name")?;
        self.declare(&name, NameKind::Type);
        self.expect("{");
        let members = self.comma_list("}", |p| {
            p.annotations();
            let name = p.ident("a member's name")?;
            let value = p.eat("=").then(|| p.expr());
            Some((name, value))
        });
        self.expect("}");
        Some(DeclKind::Enum { annotations, name, repr, members })
    }

    fn typedef(&mut self, word: &str, annotations: Annotations) -> Option<DeclKind> {
        self.bump();
        let derived = matches!(self.word().as_deref(), Some("struct" | "header" | "enum" | "header_union"));
        let ty = if derived { self.type_in_place()? } else { self.ty() };
        let name = self.ident("the type's name")?;
        self.declare(&name, NameKind::Type);
        self.finish_declaration();
        Some(if word == "typedef" {
            DeclKind::Typedef { annotations, ty, name }
        } else {
            DeclKind::NewType { annotations, ty, name }
        })
    }

    /// Parses `struct S { ... }` where the declared type is used.
    fn type_in_place(&mut self) -> Option<Type> {
        let start = self.span();
        let kind = match self.word().as_deref() {
            Some("enum") => self.enumeration(Vec::new())?,
            Some(word) => self.aggregate(word, Vec::new())?,
            None => return None,
        };
        let (DeclKind::Aggregate { name, .. } | DeclKind::Enum { name, .. }) = &kind else { return None };
        let path = crate::syntax::ast::Path { global: false, ident: name.clone() };
        let span = name.span;
        self.in_place.push(Decl { kind, span: self.span_from(start) });
        Some(Type { kind: TypeKind::Named(path), span })
    }

    fn parser_decl(&mut self, annotations: Annotations) -> Option<DeclKind> {
        self.bump();
        let name = self.ident("the parser's name")?;
        self.declare(&name, NameKind::Type);
        self.scoped(|p| {
            let type_params = p.type_params();
            let params = p.params();
            if p.eat(";") {
                return Some(DeclKind::ParserType { name: name.clone(), type_params, params });
            }
            let constructor = if p.at("(") { p.params() } else { Vec::new() };
            let mut parser = ParserDecl {
                annotations,
                name: name.clone(),
                type_params,
                params,
                constructor,
                locals: Vec::new(),
                states: Vec::new(),
            };
            if !p.expect("{") {
                return None;
            }
            while !p.at("}") && !p.at_end() {
                let before = p.at;
                let is_state = p.attempt(Speculation::State, |p| {
                    p.annotations();
                    p.at_word("state").then_some(())
                });
                if is_state.is_some() {
                    p.at = before;
                    parser.states.extend(p.state());
                } else {
                    match p.declaration() {
                        Some(decl) => parser.locals.push(decl),
                        None => p.skip_statement(),
                    }
                }
                if p.at == before {
                    p.bump();
                }
            }
            p.expect("}");
            Some(DeclKind::Parser(parser))
        })
    }

    fn state(&mut self) -> Option<State> {
        let annotations = self.annotations();
        self.bump();
        let name = self.ident("the state's name")?;
        if !self.expect("{") {
            return None;
        }
        let (body, transition) = self.scoped(|p| (p.statements(), p.transition()));
        if !self.at("}") && !self.at_end() {
            let span = self.span();
            self.error(codes::UNEXPECTED_TOKEN, span, "no statement is allowed after `transition`");
            while !self.at("}") && !self.at_end() {
                self.skip_statement();
            }
        }
        self.expect("}");
        Some(State { annotations, name, body, transition })
    }

    fn transition(&mut self) -> Option<Transition> {
        if !self.eat_word("transition") {
            return None;
        }
        if !self.at_word("select") {
            let target = self.ident("a state");
            self.finish_declaration();
            return target.map(Transition::To);
        }
        self.bump();
        self.expect("(");
        let keys = self.comma_list(")", |p| Some(p.expr()));
        self.expect(")");
        let mut cases = Vec::new();
        if self.expect("{") {
            while !self.at("}") && !self.at_end() {
                let before = self.at;
                let span = self.span();
                let keysets = self.keysets();
                self.expect(":");
                match self.ident("a state") {
                    Some(target) => {
                        self.finish_declaration();
                        cases.push(SelectCase { keysets, target, span: self.span_from(span) });
                    }
                    None => self.skip_statement(),
                }
                if self.at == before {
                    self.bump();
                }
            }
            self.expect("}");
            self.eat(";");
        }
        Some(Transition::Select { keys, cases })
    }

    fn control_decl(&mut self, annotations: Annotations) -> Option<DeclKind> {
        self.bump();
        let name = self.ident("the control's name")?;
        self.declare(&name, NameKind::Type);
        self.scoped(|p| {
            let type_params = p.type_params();
            let params = p.params();
            if p.eat(";") {
                return Some(DeclKind::ControlType { name: name.clone(), type_params, params });
            }
            let constructor = if p.at("(") { p.params() } else { Vec::new() };
            if !p.expect("{") {
                return None;
            }
            let mut locals = Vec::new();
            let mut body = None;
            while !p.at("}") && !p.at_end() {
                let before = p.at;
                if p.at_word("apply") && (p.peek_at(1).is("{") || p.peek_at(1).is("@")) {
                    let span = p.bump().span;
                    let block = p.block();
                    if body.is_some() {
                        p.error(codes::UNEXPECTED_TOKEN, span, "a control can have only one `apply` block");
                    }
                    body = Some(block);
                } else {
                    match p.declaration() {
                        Some(decl) => locals.push(decl),
                        None => p.skip_statement(),
                    }
                }
                if p.at == before {
                    p.bump();
                }
            }
            let body = body.unwrap_or_else(|| {
                p.expected("`apply { ... }`");
                crate::syntax::ast::Block { annotations: Vec::new(), stmts: Vec::new(), span: p.span() }
            });
            p.expect("}");
            Some(DeclKind::Control(Control {
                annotations,
                name: name.clone(),
                type_params,
                params,
                constructor,
                locals,
                body,
            }))
        })
    }

    fn value_set(&mut self, annotations: Annotations) -> Option<DeclKind> {
        self.bump();
        let ty = match self.type_args().into_iter().next() {
            Some(ty) => ty,
            None => {
                self.expected("the value set's type");
                return None;
            }
        };
        self.expect("(");
        let size = self.expr();
        self.expect(")");
        let name = self.ident("the value set's name")?;
        self.declare(&name, NameKind::Other);
        self.finish_declaration();
        Some(DeclKind::ValueSet(ValueSet { annotations, ty, size, name }))
    }
}
