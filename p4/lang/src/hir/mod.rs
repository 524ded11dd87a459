//! The checked program: names are resolved, types are known, implicit conversions are explicit, constants are folded.
//!
//! Functions are still generic, and parsers and controls are declarations, not instances: [`crate::lower`] instantiates
//! them.

mod expr;
mod types;
mod visit;

pub(crate) use expr::*;
pub(crate) use types::*;
pub(crate) use visit::*;

use std::collections::BTreeMap;
use std::rc::Rc;

use crate::lex::Name;
use crate::source::Span;
use crate::syntax::ast::{AggregateKind, Annotations, Direction};

/// Defines index newtypes.
macro_rules! ids {
    ($($name:ident),* $(,)?) => {$(
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(pub(crate) u32);

        impl $name {
            pub(crate) fn index(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

ids!(
    VarId,
    TypeParamId,
    AggregateId,
    EnumId,
    NewTypeId,
    ExternId,
    ExternFunctionId,
    FunctionId,
    ActionId,
    TableId,
    ParserId,
    ControlId,
    ArchTypeId,
    PackageId,
);

/// All declarations of a program.
#[derive(Debug, Default)]
pub(crate) struct Module {
    pub(crate) vars: Vec<Var>,
    pub(crate) type_params: Vec<Name>,
    pub(crate) aggregates: Vec<Aggregate>,
    pub(crate) enums: Vec<Enum>,
    pub(crate) newtypes: Vec<NewType>,
    pub(crate) externs: Vec<Extern>,
    pub(crate) extern_functions: Vec<ExternFunction>,
    pub(crate) functions: Vec<Function>,
    pub(crate) actions: Vec<Action>,
    pub(crate) tables: Vec<Table>,
    pub(crate) parsers: Vec<Parser>,
    pub(crate) controls: Vec<Control>,
    /// Parser and control types.
    pub(crate) arch_types: Vec<ArchType>,
    pub(crate) packages: Vec<ArchType>,
    pub(crate) errors: Vec<Name>,
    pub(crate) match_kinds: Vec<Name>,
    /// Top-level instances, in order.
    pub(crate) instances: Vec<Instance>,
    /// Values of structured annotations (`@name[...]`), by the location of the annotation.
    pub(crate) annotation_values: BTreeMap<Span, Vec<Expr>>,
}

/// The kind of a variable.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum VarKind {
    Local,
    /// A constant with its value.
    Const(Box<Expr>),
    Param(Direction),
    /// A constructor parameter: known at instantiation.
    ConstructorParam,
    /// An object.
    Instance,
    ValueSet,
}

/// Anything that a name in an expression can refer to.
#[derive(Clone, Debug)]
pub(crate) struct Var {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) kind: VarKind,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Field {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) annotations: Rc<Annotations>,
    /// The numbers of its `@field_list` annotations.
    pub(crate) field_lists: Vec<u8>,
    pub(crate) span: Span,
}

/// A struct, header or header union.
#[derive(Clone, Debug)]
pub(crate) struct Aggregate {
    pub(crate) kind: AggregateKind,
    pub(crate) name: Name,
    pub(crate) type_params: Vec<TypeParamId>,
    pub(crate) fields: Vec<Field>,
    pub(crate) annotations: Rc<Annotations>,
}

#[derive(Clone, Debug)]
pub(crate) struct Enum {
    pub(crate) name: Name,
    pub(crate) repr: Option<Type>,
    pub(crate) members: Vec<(Name, num_bigint::BigInt)>,
}

/// `type T name`.
#[derive(Clone, Debug)]
pub(crate) struct NewType {
    pub(crate) name: Name,
    pub(crate) ty: Type,
    pub(crate) annotations: Rc<Annotations>,
}

#[derive(Clone, Debug)]
pub(crate) struct Param {
    pub(crate) name: Name,
    pub(crate) direction: Direction,
    pub(crate) ty: Type,
    /// The default value.
    pub(crate) default: Option<Box<Expr>>,
    /// `@optional`.
    pub(crate) optional: bool,
    pub(crate) var: VarId,
    pub(crate) annotations: Rc<Annotations>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Signature {
    pub(crate) name: Name,
    pub(crate) type_params: Vec<TypeParamId>,
    pub(crate) params: Vec<Param>,
    pub(crate) result: Type,
    pub(crate) span: Span,
    pub(crate) annotations: Rc<Annotations>,
}

/// An extern's type parameters come before those of the method.
#[derive(Clone, Debug)]
pub(crate) struct Extern {
    pub(crate) name: Name,
    pub(crate) type_params: Vec<TypeParamId>,
    pub(crate) constructors: Vec<Signature>,
    pub(crate) methods: Vec<Signature>,
    pub(crate) abstract_methods: Vec<Signature>,
    pub(crate) annotations: Rc<Annotations>,
}

#[derive(Clone, Debug)]
pub(crate) struct ExternFunction {
    pub(crate) signature: Signature,
}

#[derive(Clone, Debug)]
pub(crate) struct Function {
    pub(crate) signature: Signature,
    pub(crate) body: Vec<Stmt>,
}

#[derive(Clone, Debug)]
pub(crate) struct Action {
    pub(crate) name: Name,
    pub(crate) params: Vec<Param>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) annotations: Rc<Annotations>,
    pub(crate) span: Span,
    /// Whether it is declared outside of controls.
    pub(crate) global: bool,
}

/// A parser or control type, or a package.
#[derive(Clone, Debug)]
pub(crate) struct ArchType {
    pub(crate) name: Name,
    pub(crate) is_parser: bool,
    pub(crate) type_params: Vec<TypeParamId>,
    pub(crate) params: Vec<Param>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Instance {
    pub(crate) var: VarId,
    pub(crate) construct: Expr,
    pub(crate) annotations: Rc<Annotations>,
}

/// A declaration inside a parser or control.
#[derive(Clone, Debug)]
pub(crate) enum Local {
    Var(VarId, Option<Expr>),
    Instance(Instance),
    ValueSet { var: VarId, ty: Type, size: Expr, annotations: Rc<Annotations> },
}

/// A declaration of a parser or control that the control plane may see.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Declared {
    Action(ActionId),
    Table(TableId),
    /// An instance or a value set.
    Object(VarId),
}

#[derive(Clone, Debug)]
pub(crate) struct Parser {
    pub(crate) name: Name,
    pub(crate) type_params: Vec<TypeParamId>,
    pub(crate) params: Vec<Param>,
    pub(crate) constructor: Vec<Param>,
    pub(crate) locals: Vec<Local>,
    /// In source order.
    pub(crate) declared: Vec<Declared>,
    pub(crate) states: Vec<State>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct State {
    pub(crate) name: Name,
    pub(crate) body: Vec<Stmt>,
    pub(crate) transition: Transition,
}

/// The target of a transition.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum StateTarget {
    Accept,
    Reject,
    /// The position in [`Parser::states`].
    State(usize),
}

#[derive(Clone, Debug)]
pub(crate) enum Transition {
    To(StateTarget),
    Select { keys: Vec<Expr>, cases: Vec<(Vec<Keyset>, StateTarget)> },
}

#[derive(Clone, Debug)]
pub(crate) struct Control {
    pub(crate) name: Name,
    pub(crate) type_params: Vec<TypeParamId>,
    pub(crate) params: Vec<Param>,
    pub(crate) constructor: Vec<Param>,
    pub(crate) locals: Vec<Local>,
    /// In source order.
    pub(crate) declared: Vec<Declared>,
    pub(crate) body: Vec<Stmt>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct Table {
    pub(crate) name: Name,
    pub(crate) keys: Vec<TableKey>,
    pub(crate) actions: Vec<TableAction>,
    pub(crate) default_action: Option<(TableActionCall, bool)>,
    pub(crate) entries: Vec<TableEntry>,
    pub(crate) const_entries: bool,
    pub(crate) size: Option<Expr>,
    /// Properties defined by the architecture, by name.
    pub(crate) properties: Vec<(Name, Expr, Rc<Annotations>)>,
    pub(crate) annotations: Rc<Annotations>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct TableKey {
    pub(crate) expr: Expr,
    pub(crate) match_kind: Name,
    pub(crate) annotations: Rc<Annotations>,
    /// The control-plane name derived from the expression, if there is one.
    pub(crate) name: Option<String>,
    pub(crate) span: Span,
}

#[derive(Clone, Debug)]
pub(crate) struct TableAction {
    pub(crate) action: ActionId,
    /// The arguments that the list binds, one for each directional parameter.
    pub(crate) bound: Vec<Expr>,
    pub(crate) annotations: Rc<Annotations>,
    pub(crate) span: Span,
}

/// An action of a table with the data for its directionless parameters.
#[derive(Clone, Debug)]
pub(crate) struct TableActionCall {
    /// The position in [`Table::actions`].
    pub(crate) action: usize,
    pub(crate) args: Vec<Expr>,
}

#[derive(Clone, Debug)]
pub(crate) struct TableEntry {
    pub(crate) keysets: Vec<Keyset>,
    pub(crate) action: TableActionCall,
    pub(crate) priority: Option<Expr>,
    /// The rank given by `@priority`: the smallest wins. An entry without one has its position as rank.
    pub(crate) rank: Option<u32>,
    pub(crate) is_const: bool,
    pub(crate) span: Span,
}
