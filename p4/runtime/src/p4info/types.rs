//! Type specifications of P4Info, from the program's types and back.

use crate::proto::p4::config::v1 as config;
use config::p4_data_type_spec::TypeSpec;
use p4_lang::ir::{Bits, ControlTypes, DataType, NewType, ScalarKind, SerializableEnum, Translation};
use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Collects the named types that objects refer to.
#[derive(Debug)]
pub(super) struct TypeTable<'a> {
    types: &'a ControlTypes,
    info: config::P4TypeInfo,
    seen: BTreeSet<String>,
}

impl<'a> TypeTable<'a> {
    pub(super) fn new(types: &'a ControlTypes) -> TypeTable<'a> {
        TypeTable { types, info: config::P4TypeInfo::default(), seen: BTreeSet::new() }
    }

    /// The collected types.
    pub(super) fn finish(self) -> config::P4TypeInfo {
        self.info
    }

    /// Returns the specification of a type; adds the types that it refers to.
    pub(super) fn spec(&mut self, ty: &DataType) -> config::P4DataTypeSpec {
        let named = |name: &String| config::P4NamedType { name: name.clone() };
        let spec = match ty {
            DataType::Bit(width) => TypeSpec::Bitstring(bitstring(ScalarKind::Unsigned(*width))),
            DataType::Int(width) => TypeSpec::Bitstring(bitstring(ScalarKind::Signed(*width))),
            DataType::Varbit(width) => TypeSpec::Bitstring(bitstring(ScalarKind::Varbit(*width))),
            DataType::Bool => TypeSpec::Bool(config::P4BoolType {}),
            DataType::Error => TypeSpec::Error(config::P4ErrorType {}),
            DataType::Tuple(members) => TypeSpec::Tuple(config::P4TupleTypeSpec {
                members: members.iter().map(|member| self.spec(member)).collect(),
            }),
            DataType::Struct(name) => TypeSpec::Struct(named(name)),
            DataType::Header(name) => TypeSpec::Header(named(name)),
            DataType::HeaderUnion(name) => TypeSpec::HeaderUnion(named(name)),
            DataType::HeaderStack { header, size } => TypeSpec::HeaderStack(config::P4HeaderStackTypeSpec {
                header: Some(named(header)),
                size: *size as i32,
            }),
            DataType::HeaderUnionStack { union, size } => {
                TypeSpec::HeaderUnionStack(config::P4HeaderUnionStackTypeSpec {
                    header_union: Some(named(union)),
                    size: *size as i32,
                })
            }
            DataType::Enum(name) => TypeSpec::Enum(named(name)),
            DataType::SerializableEnum(name) => TypeSpec::SerializableEnum(named(name)),
            DataType::New(name) => TypeSpec::NewType(named(name)),
        };
        self.mention(ty);
        config::P4DataTypeSpec { type_spec: Some(spec) }
    }

    /// Adds a `type` declaration to the table.
    pub(super) fn mention_new_type(&mut self, name: &str) {
        self.mention(&DataType::New(name.into()));
    }

    /// The width of a value of this `type` for the controller; `None` if it is a string.
    pub(super) fn controller_width(&self, type_name: Option<&str>, width: u32) -> Option<u32> {
        match type_name.and_then(|name| self.types.new_types.get(name)).and_then(|t| t.translation.as_ref()) {
            Some(translation) => translation.sdn_bitwidth,
            None => Some(width),
        }
    }

    fn mention(&mut self, ty: &DataType) {
        match ty {
            DataType::Struct(name) => self.add_struct(name),
            DataType::Header(name) | DataType::HeaderStack { header: name, .. } => self.add_header(name),
            DataType::HeaderUnion(name) | DataType::HeaderUnionStack { union: name, .. } => {
                self.add_union(name)
            }
            DataType::Enum(name) => self.add_enum(name),
            DataType::SerializableEnum(name) => self.add_serializable_enum(name),
            DataType::New(name) => self.add_new_type(name),
            DataType::Error | DataType::Bit(_) | DataType::Int(_) | DataType::Varbit(_) => {}
            DataType::Bool | DataType::Tuple(_) => {}
        }
    }

    fn add_struct(&mut self, name: &str) {
        let Some(members) = self.types.structs.get(name) else { return };
        if !self.seen.insert(format!("struct {name}")) {
            return;
        }
        let members = members
            .iter()
            .map(|(member, ty)| config::p4_struct_type_spec::Member {
                name: member.clone(),
                type_spec: Some(self.spec(ty)),
            })
            .collect();
        self.info.structs.insert(name.into(), config::P4StructTypeSpec { members, ..Default::default() });
    }

    fn add_header(&mut self, name: &str) {
        let Some(fields) = self.types.headers.get(name) else { return };
        let members = fields
            .iter()
            .map(|(field, kind)| config::p4_header_type_spec::Member {
                name: field.clone(),
                type_spec: Some(bitstring(*kind)),
            })
            .collect();
        self.info.headers.insert(name.into(), config::P4HeaderTypeSpec { members, ..Default::default() });
    }

    fn add_union(&mut self, name: &str) {
        let Some(members) = self.types.header_unions.get(name) else { return };
        for (_, header) in members {
            self.add_header(header);
        }
        let members = members
            .iter()
            .map(|(member, header)| config::p4_header_union_type_spec::Member {
                name: member.clone(),
                header: Some(config::P4NamedType { name: header.clone() }),
            })
            .collect();
        self.info
            .header_unions
            .insert(name.into(), config::P4HeaderUnionTypeSpec { members, ..Default::default() });
    }

    fn add_enum(&mut self, name: &str) {
        let Some(members) = self.types.enums.get(name) else { return };
        let members = members
            .iter()
            .map(|member| config::p4_enum_type_spec::Member { name: member.clone(), ..Default::default() })
            .collect();
        self.info.enums.insert(name.into(), config::P4EnumTypeSpec { members, ..Default::default() });
    }

    fn add_serializable_enum(&mut self, name: &str) {
        let Some(declared) = self.types.serializable_enums.get(name) else { return };
        let members = declared
            .members
            .iter()
            .map(|(member, value)| config::p4_serializable_enum_type_spec::Member {
                name: member.clone(),
                value: value.to_be_bytes(),
                ..Default::default()
            })
            .collect();
        let spec = config::P4SerializableEnumTypeSpec {
            underlying_type: Some(config::P4BitTypeSpec { bitwidth: declared.width as i32 }),
            members,
            ..Default::default()
        };
        self.info.serializable_enums.insert(name.into(), spec);
    }

    fn add_new_type(&mut self, name: &str) {
        use config::p4_new_type_spec::Representation;
        use config::p4_new_type_translation::{SdnString, SdnType};
        let Some(declared) = self.types.new_types.get(name) else { return };
        if !self.seen.insert(format!("type {name}")) {
            return;
        }
        let representation = match &declared.translation {
            None => Representation::OriginalType(self.spec(&declared.original)),
            Some(translation) => Representation::TranslatedType(config::P4NewTypeTranslation {
                uri: translation.uri.clone(),
                sdn_type: Some(match translation.sdn_bitwidth {
                    Some(width) => SdnType::SdnBitwidth(width as i32),
                    None => SdnType::SdnString(SdnString {}),
                }),
            }),
        };
        let annotations =
            super::annotation::Annotations::parse(&declared.annotations, &["p4runtime_translation"]);
        let spec = config::P4NewTypeSpec {
            representation: Some(representation),
            annotations: annotations.plain,
            structured_annotations: annotations.structured,
            ..Default::default()
        };
        self.info.new_types.insert(name.into(), spec);
    }

    /// Adds the program's errors.
    pub(super) fn mention_errors(&mut self, errors: &[String]) {
        self.info.error = Some(config::P4ErrorTypeSpec { members: errors.to_vec() });
    }

    /// Whether a type is, or contains, `error`.
    pub(super) fn contains_error(&self, ty: &DataType) -> bool {
        match ty {
            DataType::Error => true,
            DataType::Tuple(members) => members.iter().any(|member| self.contains_error(member)),
            DataType::Struct(name) => self
                .types
                .structs
                .get(name)
                .is_some_and(|members| members.iter().any(|(_, member)| self.contains_error(member))),
            _ => false,
        }
    }
}

/// A `bit`, `int` or `varbit` type.
fn bitstring(kind: ScalarKind) -> config::P4BitstringLikeTypeSpec {
    use config::p4_bitstring_like_type_spec::TypeSpec;
    let spec = match kind {
        ScalarKind::Unsigned(width) => TypeSpec::Bit(config::P4BitTypeSpec { bitwidth: width as i32 }),
        ScalarKind::Signed(width) => TypeSpec::Int(config::P4IntTypeSpec { bitwidth: width as i32 }),
        ScalarKind::Varbit(width) => {
            TypeSpec::Varbit(config::P4VarbitTypeSpec { max_bitwidth: width as i32 })
        }
    };
    config::P4BitstringLikeTypeSpec { type_spec: Some(spec), ..Default::default() }
}

/// The type of a single scalar.
pub(super) fn scalar(kind: ScalarKind) -> DataType {
    match kind {
        ScalarKind::Unsigned(width) => DataType::Bit(width),
        ScalarKind::Signed(width) => DataType::Int(width),
        ScalarKind::Varbit(width) => DataType::Varbit(width),
    }
}

/// Returns named types in the order of their names.
fn in_order<T>(named: &HashMap<String, T>) -> BTreeMap<&String, &T> {
    named.iter().collect()
}

/// Takes over the named types of a P4Info.
pub(super) fn declared_types(info: &config::P4TypeInfo, types: &mut ControlTypes) {
    use config::p4_new_type_spec::Representation;
    use config::p4_new_type_translation::SdnType;
    for (name, spec) in in_order(&info.enums) {
        types.enums.insert(name.clone(), spec.members.iter().map(|m| m.name.clone()).collect());
    }
    for (name, spec) in in_order(&info.serializable_enums) {
        let width = spec.underlying_type.as_ref().map_or(0, |ty| u32::try_from(ty.bitwidth).unwrap_or(0));
        let members = spec.members.iter().map(|m| (m.name.clone(), Bits::from_be_bytes(width, &m.value)));
        let spec = SerializableEnum { width, members: members.collect() };
        types.serializable_enums.insert(name.clone(), spec);
    }
    for (name, spec) in in_order(&info.headers) {
        let kind = |m: &config::p4_header_type_spec::Member| {
            m.type_spec.as_ref().and_then(bitstring_kind).unwrap_or(ScalarKind::Unsigned(1))
        };
        types.headers.insert(name.clone(), spec.members.iter().map(|m| (m.name.clone(), kind(m))).collect());
    }
    for (name, spec) in in_order(&info.new_types) {
        let (original, translation) = match &spec.representation {
            Some(Representation::OriginalType(spec)) => (data_type(spec), None),
            Some(Representation::TranslatedType(translated)) => {
                let sdn_bitwidth = match translated.sdn_type {
                    Some(SdnType::SdnBitwidth(width)) => u32::try_from(width).ok(),
                    _ => None,
                };
                // The P4Info does not say the width in the switch; the fields do.
                let original = DataType::Bit(sdn_bitwidth.unwrap_or(0));
                (Some(original), Some(Translation { uri: translated.uri.clone(), sdn_bitwidth }))
            }
            None => continue,
        };
        let original = original.unwrap_or(DataType::Bit(0));
        let spec = NewType { original, translation, annotations: Vec::new() };
        types.new_types.insert(name.clone(), spec);
    }
    for (name, spec) in in_order(&info.structs) {
        let member = |m: &config::p4_struct_type_spec::Member| {
            let ty = m.type_spec.as_ref().and_then(data_type);
            (m.name.clone(), ty.unwrap_or(DataType::Bit(1)))
        };
        let members = spec.members.iter().map(member).collect();
        types.structs.insert(name.clone(), members);
    }
}

/// Returns the type of a specification; `None` if it is empty.
pub(super) fn data_type(spec: &config::P4DataTypeSpec) -> Option<DataType> {
    let stack_size = |size: i32| u32::try_from(size).unwrap_or(0);
    Some(match spec.type_spec.as_ref()? {
        TypeSpec::Bitstring(spec) => scalar(bitstring_kind(spec)?),
        TypeSpec::Bool(_) => DataType::Bool,
        TypeSpec::Error(_) => DataType::Error,
        TypeSpec::Tuple(tuple) => DataType::Tuple(tuple.members.iter().filter_map(data_type).collect()),
        TypeSpec::Struct(named) => DataType::Struct(named.name.clone()),
        TypeSpec::Header(named) => DataType::Header(named.name.clone()),
        TypeSpec::HeaderUnion(named) => DataType::HeaderUnion(named.name.clone()),
        TypeSpec::HeaderStack(stack) => DataType::HeaderStack {
            header: stack.header.as_ref()?.name.clone(),
            size: stack_size(stack.size),
        },
        TypeSpec::HeaderUnionStack(stack) => DataType::HeaderUnionStack {
            union: stack.header_union.as_ref()?.name.clone(),
            size: stack_size(stack.size),
        },
        TypeSpec::Enum(named) => DataType::Enum(named.name.clone()),
        TypeSpec::SerializableEnum(named) => DataType::SerializableEnum(named.name.clone()),
        TypeSpec::NewType(named) => DataType::New(named.name.clone()),
    })
}

/// Returns the kind of a `bit`, `int` or `varbit` type.
fn bitstring_kind(spec: &config::P4BitstringLikeTypeSpec) -> Option<ScalarKind> {
    use config::p4_bitstring_like_type_spec::TypeSpec;
    let width = |width: i32| u32::try_from(width).ok();
    Some(match spec.type_spec.as_ref()? {
        TypeSpec::Bit(bit) => ScalarKind::Unsigned(width(bit.bitwidth)?),
        TypeSpec::Int(int) => ScalarKind::Signed(width(int.bitwidth)?),
        TypeSpec::Varbit(varbit) => ScalarKind::Varbit(width(varbit.max_bitwidth)?),
    })
}
