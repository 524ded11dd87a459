//! The syntax tree of P4-16 (specification 1.2.5, appendix "P4 grammar").

use std::rc::Rc;

use crate::lex::{IntLiteral, Name, Token};
use crate::source::Span;

/// An identifier and its location.
#[derive(Clone, Debug)]
pub(crate) struct Ident {
    pub(crate) name: Name,
    pub(crate) span: Span,
}

/// A name with an optional leading dot.
#[derive(Clone, Debug)]
pub(crate) struct Path {
    pub(crate) global: bool,
    pub(crate) ident: Ident,
}

/// An annotation.
#[derive(Clone, Debug)]
pub(crate) struct Annotation {
    pub(crate) name: Ident,
    pub(crate) body: AnnotationBody,
    pub(crate) span: Span,
}

/// The body of an annotation.
#[derive(Clone, Debug)]
pub(crate) enum AnnotationBody {
    /// Unstructured: the tokens in parentheses or of a `@pragma` line; may be empty.
    Tokens(Vec<Token>),
    /// `@name[...]` with a list of expressions.
    List(Vec<Expr>),
    /// `@name[...]` with key-value pairs.
    Map(Vec<(Ident, Expr)>),
}

pub(crate) type Annotations = Vec<Annotation>;

#[derive(Clone, Debug)]
pub(crate) struct Type {
    pub(crate) kind: TypeKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum TypeKind {
    Bool,
    Error,
    MatchKind,
    String,
    Int,
    Void,
    /// `bit<w>`, or `bit` of width 1.
    Bit(Option<Box<Expr>>),
    Signed(Box<Expr>),
    Varbit(Box<Expr>),
    Named(Path),
    Specialized(Path, Vec<Type>),
    Stack(Box<Type>, Box<Expr>),
    Tuple(Vec<Type>),
    List(Vec<Type>),
    DontCare,
    /// A type that could not be parsed; the error is reported.
    Bad,
}

#[derive(Clone, Debug)]
pub(crate) struct Expr {
    pub(crate) kind: ExprKind,
    pub(crate) span: Span,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum UnaryOp {
    Negate,
    Plus,
    BitNot,
    Not,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum BinaryOp {
    Add,
    Sub,
    Mul,
    Div,
    Mod,
    AddSat,
    SubSat,
    Shl,
    Shr,
    And,
    Or,
    BitAnd,
    BitOr,
    BitXor,
    Concat,
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

/// An argument; `_` has no value.
#[derive(Clone, Debug)]
pub(crate) struct Arg {
    pub(crate) name: Option<Ident>,
    pub(crate) value: Option<Expr>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum ExprKind {
    Bool(bool),
    Int(Rc<IntLiteral>),
    Str(Name),
    Name(Path),
    /// A type in an expression: `error.NoError`, a constructor, a member of a type.
    Type(Type),
    This,
    Member(Box<Expr>, Ident),
    Index(Box<Expr>, Box<Expr>),
    /// `e[high:low]`.
    Slice(Box<Expr>, Box<Expr>, Box<Expr>),
    /// `e[low +: width]`.
    PlusSlice(Box<Expr>, Box<Expr>, Box<Expr>),
    Unary(UnaryOp, Box<Expr>),
    Binary(BinaryOp, Box<Expr>, Box<Expr>),
    Mux(Box<Expr>, Box<Expr>, Box<Expr>),
    Cast(Type, Box<Expr>),
    Call {
        callee: Box<Expr>,
        type_args: Vec<Type>,
        args: Vec<Arg>,
    },
    /// `{a, b}`; `dots` if it ends with `...`.
    List {
        items: Vec<Expr>,
        dots: bool,
    },
    /// `{a = x}`.
    Record {
        fields: Vec<(Ident, Expr)>,
        dots: bool,
    },
    InvalidHeader,
    Dots,
    DontCare,
    Default,
    Mask(Box<Expr>, Box<Expr>),
    Range(Box<Expr>, Box<Expr>),
    Bad,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Direction {
    None,
    In,
    Out,
    InOut,
}

#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) annotations: Annotations,
    pub(crate) direction: Direction,
    pub(crate) ty: Type,
    pub(crate) name: Ident,
    pub(crate) default: Option<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) annotations: Annotations,
    pub(crate) ty: Type,
    pub(crate) name: Ident,
}

/// The signature of a type, function or method.
#[derive(Clone, Debug)]
pub(crate) struct Prototype {
    pub(crate) result: Type,
    pub(crate) name: Ident,
    pub(crate) type_params: Vec<Ident>,
    pub(crate) params: Vec<Param>,
}

#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) annotations: Annotations,
    pub(crate) ty: Type,
    pub(crate) args: Vec<Arg>,
    pub(crate) name: Ident,
    /// Array sizes after the name, for an array of objects.
    pub(crate) sizes: Vec<Expr>,
    pub(crate) body: Option<Block>,
}

#[derive(Clone, Debug)]
pub(crate) struct Variable {
    pub(crate) annotations: Annotations,
    pub(crate) ty: Type,
    pub(crate) name: Ident,
    pub(crate) init: Option<Expr>,
    pub(crate) is_const: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) annotations: Annotations,
    pub(crate) prototype: Prototype,
    pub(crate) body: Block,
}

#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) annotations: Annotations,
    pub(crate) name: Ident,
    pub(crate) params: Vec<Param>,
    pub(crate) body: Block,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AggregateKind {
    Struct,
    Header,
    Union,
}

#[derive(Clone, Debug)]
pub(crate) struct Decl {
    pub(crate) kind: DeclKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Method {
    pub(crate) annotations: Annotations,
    pub(crate) prototype: Prototype,
    pub(crate) is_abstract: bool,
    /// Whether it is a constructor: it has the name of the extern and no return type.
    pub(crate) constructor: bool,
}

#[derive(Clone, Debug)]
pub(crate) struct ValueSet {
    pub(crate) annotations: Annotations,
    pub(crate) ty: Type,
    pub(crate) size: Expr,
    pub(crate) name: Ident,
}

#[derive(Clone, Debug)]
pub(crate) enum DeclKind {
    Variable(Variable),
    Instance(Instance),
    Errors(Vec<Ident>),
    MatchKinds(Vec<Ident>),
    ExternFunction {
        annotations: Annotations,
        prototype: Prototype,
    },
    Extern {
        annotations: Annotations,
        name: Ident,
        type_params: Vec<Ident>,
        methods: Vec<Method>,
    },
    Function(Function),
    Action(Action),
    Aggregate {
        kind: AggregateKind,
        annotations: Annotations,
        name: Ident,
        type_params: Vec<Ident>,
        fields: Vec<Field>,
    },
    Enum {
        annotations: Annotations,
        name: Ident,
        /// The underlying type of a serialisable enum.
        repr: Option<Type>,
        members: Vec<(Ident, Option<Expr>)>,
    },
    Typedef {
        annotations: Annotations,
        ty: Type,
        name: Ident,
    },
    NewType {
        annotations: Annotations,
        ty: Type,
        name: Ident,
    },
    ParserType {
        name: Ident,
        type_params: Vec<Ident>,
        params: Vec<Param>,
    },
    ControlType {
        name: Ident,
        type_params: Vec<Ident>,
        params: Vec<Param>,
    },
    Package {
        name: Ident,
        type_params: Vec<Ident>,
        params: Vec<Param>,
    },
    Parser(Parser),
    Control(Control),
    Table(Table),
    ValueSet(ValueSet),
}

#[derive(Clone, Debug)]
pub(crate) struct Parser {
    pub(crate) annotations: Annotations,
    pub(crate) name: Ident,
    pub(crate) type_params: Vec<Ident>,
    pub(crate) params: Vec<Param>,
    pub(crate) constructor: Vec<Param>,
    pub(crate) locals: Vec<Decl>,
    pub(crate) states: Vec<State>,
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) annotations: Annotations,
    pub(crate) name: Ident,
    pub(crate) body: Vec<Stmt>,
    pub(crate) transition: Option<Transition>,
}

#[derive(Clone, Debug)]
pub(crate) enum Transition {
    To(Ident),
    Select { keys: Vec<Expr>, cases: Vec<SelectCase> },
}

#[derive(Clone, Debug)]
pub(crate) struct SelectCase {
    pub(crate) keysets: Vec<Expr>,
    pub(crate) target: Ident,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) annotations: Annotations,
    pub(crate) name: Ident,
    pub(crate) type_params: Vec<Ident>,
    pub(crate) params: Vec<Param>,
    pub(crate) constructor: Vec<Param>,
    pub(crate) locals: Vec<Decl>,
    pub(crate) body: Block,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) annotations: Annotations,
    pub(crate) name: Ident,
    pub(crate) properties: Vec<Property>,
}

#[derive(Clone, Debug)]
pub(crate) struct Property {
    pub(crate) annotations: Annotations,
    pub(crate) name: Ident,
    pub(crate) is_const: bool,
    pub(crate) value: PropertyValue,
}

#[derive(Clone, Debug)]
pub(crate) enum PropertyValue {
    Key(Vec<KeyElement>),
    Actions(Vec<ActionRef>),
    Entries(Vec<Entry>),
    Expr(Expr),
    /// An object declared in place, as in `implementation = action_profile(32) { ... }`.
    Bad,
}

#[derive(Clone, Debug)]
pub(crate) struct KeyElement {
    pub(crate) expr: Expr,
    pub(crate) match_kind: Ident,
    pub(crate) annotations: Annotations,
}

/// A reference to an action with arguments: in an `actions` list, as a default action, or in an entry.
#[derive(Clone, Debug)]
pub(crate) struct ActionRef {
    pub(crate) annotations: Annotations,
    pub(crate) path: Path,
    pub(crate) args: Option<Vec<Arg>>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) is_const: bool,
    pub(crate) priority: Option<Expr>,
    pub(crate) keysets: Vec<Expr>,
    pub(crate) action: ActionRef,
    pub(crate) annotations: Annotations,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Block {
    pub(crate) annotations: Annotations,
    pub(crate) stmts: Vec<Stmt>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Stmt {
    pub(crate) kind: StmtKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) enum StmtKind {
    Empty,
    Block(Block),
    Decl(Box<Decl>),
    /// `target op= value`; a plain assignment has no operator.
    Assign {
        target: Expr,
        op: Option<BinaryOp>,
        value: Expr,
    },
    Call(Expr),
    If {
        condition: Expr,
        then: Box<Stmt>,
        otherwise: Option<Box<Stmt>>,
    },
    Switch {
        on: Expr,
        cases: Vec<SwitchCase>,
    },
    For {
        init: Vec<Stmt>,
        condition: Expr,
        update: Vec<Stmt>,
        body: Box<Stmt>,
    },
    ForIn {
        variable: Variable,
        over: Expr,
        body: Box<Stmt>,
    },
    Return(Option<Expr>),
    Exit,
    Break,
    Continue,
}

#[derive(Clone, Debug)]
pub(crate) struct SwitchCase {
    /// The label; [`ExprKind::Default`] for `default`.
    pub(crate) label: Expr,
    /// The body; a label without one falls through.
    pub(crate) body: Option<Block>,
}

/// A P4 program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Unit {
    pub(crate) decls: Vec<Decl>,
}
