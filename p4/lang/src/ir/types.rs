//! Types as the control plane sees them: what P4Info's `type_info` and the type specifications of registers and
//! digests are made from. The engine does not need them.
//!
//! Source: P4Runtime specification, "Representation of Arbitrary P4 Types".

use super::{Bits, DigestId, RegisterId, ScalarKind};
use std::collections::BTreeMap;

/// The types that tables, actions, registers, digests, value sets and controller headers mention.
///
/// Values of a composite type are scalars in the order of a walk over its members; that is also the order of
/// [`super::Register::components`] and [`super::Digest::fields`].
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControlTypes {
    /// Structs: members in order.
    pub structs: BTreeMap<String, Vec<(String, DataType)>>,
    /// Headers: fields in wire order.
    pub headers: BTreeMap<String, Vec<(String, ScalarKind)>>,
    /// Header unions: member name and header type.
    pub header_unions: BTreeMap<String, Vec<(String, String)>>,
    /// Plain enums: members in number order.
    pub enums: BTreeMap<String, Vec<String>>,
    /// Serialisable enums.
    pub serializable_enums: BTreeMap<String, SerializableEnum>,
    /// `type` declarations.
    pub new_types: BTreeMap<String, NewType>,
    /// Type of a register's element. Where it is missing, [`super::Register::components`] decide.
    pub registers: BTreeMap<RegisterId, DataType>,
    /// Name of the `type` that indexes a register, counter or meter, by the array's full name.
    pub index_types: BTreeMap<String, String>,
    /// Type of a digest's data. Where it is missing, [`super::Digest::fields`] decide.
    pub digests: BTreeMap<DigestId, DataType>,
    /// What is known of a field of a controller header besides its width, by header (`packet_in`) and field.
    pub controller_fields: BTreeMap<(String, String), ControllerField>,
    /// Whether the program has objects of extern types, even such that the control plane does not see.
    pub has_objects: bool,
    /// Whether a control calls an extern that is a function and not an object's method.
    pub calls_functions: bool,
    /// Annotations of the package instance, as text, e.g. `@pkginfo(version = "1")`.
    pub package_annotations: Vec<String>,
}

/// A field of a controller header.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ControllerField {
    /// Name of its `type` or enum, where it has one.
    pub type_name: Option<String>,
    /// Annotations as text.
    pub annotations: Vec<String>,
}

/// A type. Names are keys into [`ControlTypes`].
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
    /// A tuple, or a list given to `digest`.
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
        /// Number of elements.
        size: u32,
    },
    /// `header_union[size]`.
    HeaderUnionStack {
        /// The union.
        union: String,
        /// Number of elements.
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
    /// Width of its underlying type.
    pub width: u32,
    /// Members in order with their values.
    pub members: Vec<(String, Bits)>,
}

/// A `type` declaration.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewType {
    /// The built-in type at the end of the chain of declarations.
    pub original: DataType,
    /// What `@p4runtime_translation` says, where it is given.
    pub translation: Option<Translation>,
    /// The other annotations as text.
    pub annotations: Vec<String>,
}

/// How values of a `type` look to the controller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Translation {
    /// Identifies the translation.
    pub uri: String,
    /// Width of the controller's values; `None` when they are strings.
    pub sdn_bitwidth: Option<u32>,
}
