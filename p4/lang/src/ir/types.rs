//! Types as the control plane sees them: the source of P4Info's `type_info` and of the type specifications of registers
//! and digests. The engine does not use them.
//!
//! Source: P4Runtime specification, "Representation of Arbitrary P4 Types".

use super::{Bits, DigestId, RegisterId, ScalarKind};
use std::collections::BTreeMap;

/// The types that tables, actions, registers, digests, value sets and controller headers use.
///
/// Values of a composite type are scalars in depth-first order of its members, which is also the order of
/// [`super::Register::components`] and [`super::Digest::fields`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlTypes {
    /// Structs: members in order.
    pub structs: BTreeMap<String, Vec<(String, DataType)>>,
    /// Headers: fields in wire order.
    pub headers: BTreeMap<String, Vec<(String, ScalarKind)>>,
    /// Header unions: member name and header type.
    pub header_unions: BTreeMap<String, Vec<(String, String)>>,
    /// Plain enums: members by number.
    pub enums: BTreeMap<String, Vec<String>>,
    /// Serialisable enums.
    pub serializable_enums: BTreeMap<String, SerializableEnum>,
    /// `type` declarations.
    pub new_types: BTreeMap<String, NewType>,
    /// The element types of registers. If one is missing, [`super::Register::components`] applies.
    pub registers: BTreeMap<RegisterId, DataType>,
    /// The `type` that indexes a register, counter or meter, by the full name of the array.
    pub index_types: BTreeMap<String, String>,
    /// The data types of digests. If one is missing, [`super::Digest::fields`] applies.
    pub digests: BTreeMap<DigestId, DataType>,
    /// Properties of the fields of controller headers, by header (`packet_in`) and field.
    pub controller_fields: BTreeMap<(String, String), ControllerField>,
    /// Whether the program has extern objects, including those that the control plane does not see.
    pub has_objects: bool,
    /// Whether a control calls an extern function (not a method of an extern object).
    pub calls_functions: bool,
    /// Annotations of the package instance as text, e.g. `@pkginfo(version = "1")`.
    pub package_annotations: Vec<String>,
}

/// A field of a controller header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControllerField {
    /// The name of its `type` or enum, if it has one.
    pub type_name: Option<String>,
    /// Annotations as text.
    pub annotations: Vec<String>,
}

/// A type. Names are keys of [`ControlTypes`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DataType {
    /// `bit<w>`.
    Bit(u32),
    /// `int<w>`.
    Int(u32),
    /// `varbit<max>`.
    Varbit(u32),
    /// `bool`.
    Bool,
    /// `error`.
    Error,
    /// A tuple, or a list passed to `digest`.
    Tuple(Vec<DataType>),
    /// A struct.
    Struct(String),
    /// A header.
    Header(String),
    /// A header union.
    HeaderUnion(String),
    /// `header[size]`.
    HeaderStack {
        /// The header.
        header: String,
        /// The number of elements.
        size: u32,
    },
    /// `header_union[size]`.
    HeaderUnionStack {
        /// The union.
        union: String,
        /// The number of elements.
        size: u32,
    },
    /// A plain enum.
    Enum(String),
    /// A serialisable enum.
    SerializableEnum(String),
    /// A `type` declaration.
    New(String),
}

/// A serialisable enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SerializableEnum {
    /// The width of its underlying type.
    pub width: u32,
    /// Its members in order, with their values.
    pub members: Vec<(String, Bits)>,
}

/// A `type` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewType {
    /// The built-in type at the end of the chain of declarations.
    pub original: DataType,
    /// The content of `@p4runtime_translation`, if it is present.
    pub translation: Option<Translation>,
    /// The other annotations as text.
    pub annotations: Vec<String>,
}

/// How values of a `type` are represented for the controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Identifies the translation.
    pub uri: String,
    /// The width of the controller's values; `None` if they are strings.
    pub sdn_bitwidth: Option<u32>,
}
