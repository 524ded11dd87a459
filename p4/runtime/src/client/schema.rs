//! Objects of a pipeline by name, and messages built from names and values.

use crate::bytestring::canonical;
use crate::proto::p4::config::v1::{
    self as config, match_field::MatchType, p4_bitstring_like_type_spec::TypeSpec as BitsSpec,
    p4_data_type_spec::TypeSpec,
};
use crate::proto::p4::v1::{self, field_match::FieldMatchType, p4_data::Data, table_action};
use std::collections::BTreeMap;

/// Errors of names and values that do not match the pipeline.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SchemaError {
    /// No object has this name.
    #[error("the pipeline has no {kind} {name}")]
    Unknown {
        /// Kind of object.
        kind: &'static str,
        /// The name.
        name: String,
    },
    /// The name is ambiguous.
    #[error("{name} is ambiguous; candidates among the {kind}s: {}", .candidates.join(", "))]
    Ambiguous {
        /// Kind of object.
        kind: &'static str,
        /// The name.
        name: String,
        /// Full names of the candidates.
        candidates: Vec<String>,
    },
    /// The match kind of a field differs.
    #[error("the match of field {field} of table {table} has the wrong kind")]
    MatchKind {
        /// The table.
        table: String,
        /// The field.
        field: String,
    },
    /// The type of a register or digest is not fixed-width.
    #[error("the type of {name} has no fixed width")]
    Type {
        /// The object.
        name: String,
    },
}

/// Objects of a pipeline by name: full name, alias, or a unique suffix of whole parts.
#[derive(Clone, Debug)]
pub struct Schema {
    info: config::P4Info,
}

/// A register.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RegisterSchema {
    /// Identifier.
    pub id: u32,
    /// Full name.
    pub name: String,
    /// Number of elements.
    pub size: u64,
    /// Components of an element: name (empty if it is not a struct) and width in bits.
    pub components: Vec<(String, u32)>,
    /// Annotations as text, e.g. `@fields("a:8,b:24")`.
    pub annotations: Vec<String>,
}

impl RegisterSchema {
    /// Bytes of an element in [`super::RegisterBytes`].
    pub fn element_bytes(&self) -> usize {
        self.components.iter().map(|(_, width)| width.div_ceil(8) as usize).sum()
    }

    /// Returns the entry that writes an element, given as in [`super::RegisterBytes`]: concatenated components.
    pub fn entry(&self, index: u64, value: &[u8]) -> v1::RegisterEntry {
        let mut rest = value;
        let mut parts = self.components.iter().map(|(_, width)| {
            let (part, others) = rest.split_at((width.div_ceil(8) as usize).min(rest.len()));
            rest = others;
            v1::P4Data { data: Some(Data::Bitstring(canonical(part).to_vec())) }
        });
        let single = matches!(self.components.as_slice(), [(name, _)] if name.is_empty());
        let data = match single {
            true => parts.next().and_then(|part| part.data),
            false => Some(Data::Struct(v1::P4StructLike { members: parts.collect() })),
        };
        v1::RegisterEntry {
            register_id: self.id,
            index: Some(v1::Index { index: index as i64 }),
            data: Some(v1::P4Data { data }),
        }
    }
}

/// A digest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestSchema {
    /// Identifier.
    pub id: u32,
    /// Full name.
    pub name: String,
    /// Fields in order: name and width in bits.
    pub fields: Vec<(String, u32)>,
}

/// The match of a key field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyMatch {
    /// Exact or optional match.
    Exact(Vec<u8>),
    /// Longest-prefix match.
    Lpm(Vec<u8>, u32),
    /// Ternary match.
    Ternary(Vec<u8>, Vec<u8>),
    /// Range match.
    Range(Vec<u8>, Vec<u8>),
}

/// Parameters of an action by name.
pub type ActionArgs<'a> = &'a [(&'a str, Vec<u8>)];

impl Schema {
    /// Creates the schema of a P4Info.
    pub fn new(info: config::P4Info) -> Schema {
        Schema { info }
    }

    /// The P4Info.
    pub fn p4info(&self) -> &config::P4Info {
        &self.info
    }

    /// A table.
    ///
    /// # Errors
    /// If no or more than one table has the name.
    pub fn table(&self, name: &str) -> Result<&config::Table, SchemaError> {
        find("table", name, &self.info.tables, |table| table.preamble.as_ref())
    }

    /// An action.
    ///
    /// # Errors
    /// If no or more than one action has the name.
    pub fn action(&self, name: &str) -> Result<&config::Action, SchemaError> {
        find("action", name, &self.info.actions, |action| action.preamble.as_ref())
    }

    /// A value set.
    ///
    /// # Errors
    /// If no or more than one value set has the name.
    pub fn value_set(&self, name: &str) -> Result<&config::ValueSet, SchemaError> {
        find("value set", name, &self.info.value_sets, |set| set.preamble.as_ref())
    }

    /// A counter array.
    ///
    /// # Errors
    /// If no or more than one counter has the name.
    pub fn counter(&self, name: &str) -> Result<&config::Counter, SchemaError> {
        find("counter", name, &self.info.counters, |counter| counter.preamble.as_ref())
    }

    /// A meter array.
    ///
    /// # Errors
    /// If no or more than one meter has the name.
    pub fn meter(&self, name: &str) -> Result<&config::Meter, SchemaError> {
        find("meter", name, &self.info.meters, |meter| meter.preamble.as_ref())
    }

    /// A register.
    ///
    /// # Errors
    /// If no or more than one register has the name, or its type has no fixed width.
    pub fn register(&self, name: &str) -> Result<RegisterSchema, SchemaError> {
        let register = find("register", name, &self.info.registers, |register| register.preamble.as_ref())?;
        let preamble = register.preamble.clone().unwrap_or_default();
        let components = self.scalars(register.type_spec.as_ref());
        let components = components.ok_or_else(|| SchemaError::Type { name: preamble.name.clone() })?;
        Ok(RegisterSchema {
            id: preamble.id,
            name: preamble.name,
            size: u64::try_from(register.size).unwrap_or(0),
            components,
            annotations: preamble.annotations,
        })
    }

    /// Returns all registers with elements of fixed width.
    pub fn registers(&self) -> Vec<RegisterSchema> {
        let names = self.info.registers.iter().filter_map(|register| Some(&register.preamble.as_ref()?.name));
        names.filter_map(|name| self.register(name).ok()).collect()
    }

    /// A digest by name.
    ///
    /// # Errors
    /// If no or more than one digest has the name, or its type has no fixed width.
    pub fn digest(&self, name: &str) -> Result<DigestSchema, SchemaError> {
        let digest = find("digest", name, &self.info.digests, |digest| digest.preamble.as_ref())?;
        self.digest_schema(digest)
    }

    /// A digest by identifier.
    pub fn digest_by_id(&self, id: u32) -> Option<DigestSchema> {
        let mut digests = self.info.digests.iter();
        let digest =
            digests.find(|digest| digest.preamble.as_ref().is_some_and(|preamble| preamble.id == id))?;
        self.digest_schema(digest).ok()
    }

    /// Returns all digests with messages of fixed width.
    pub fn digests(&self) -> Vec<DigestSchema> {
        self.info.digests.iter().filter_map(|digest| self.digest_schema(digest).ok()).collect()
    }

    fn digest_schema(&self, digest: &config::Digest) -> Result<DigestSchema, SchemaError> {
        let preamble = digest.preamble.clone().unwrap_or_default();
        match self.scalars(digest.type_spec.as_ref()) {
            Some(fields) => Ok(DigestSchema { id: preamble.id, name: preamble.name, fields }),
            None => Err(SchemaError::Type { name: preamble.name }),
        }
    }

    /// Names and widths of the scalars of a type.
    fn scalars(&self, spec: Option<&config::P4DataTypeSpec>) -> Option<Vec<(String, u32)>> {
        let mut scalars = Vec::new();
        self.add_scalars(String::new(), spec?, &mut scalars, 0)?;
        Some(scalars)
    }

    fn add_scalars(
        &self,
        name: String,
        spec: &config::P4DataTypeSpec,
        scalars: &mut Vec<(String, u32)>,
        depth: u32,
    ) -> Option<()> {
        const NESTING: u32 = 64;
        let types = self.info.type_info.as_ref();
        if depth > NESTING {
            return None;
        }
        let inner = |member: &str| match name.as_str() {
            "" => member.to_string(),
            name => format!("{name}.{member}"),
        };
        match spec.type_spec.as_ref()? {
            TypeSpec::Bitstring(bits) => scalars.push((name, bits_width(bits)?)),
            TypeSpec::Bool(_) => scalars.push((name, 1)),
            TypeSpec::SerializableEnum(named) => {
                let width = types?.serializable_enums.get(&named.name)?.underlying_type?.bitwidth;
                scalars.push((name, u32::try_from(width).ok()?));
            }
            TypeSpec::NewType(named) => {
                use config::p4_new_type_spec::Representation;
                match types?.new_types.get(&named.name)?.representation.as_ref()? {
                    Representation::OriginalType(spec) => self.add_scalars(name, spec, scalars, depth + 1)?,
                    Representation::TranslatedType(_) => return None,
                }
            }
            TypeSpec::Struct(named) => {
                for member in &types?.structs.get(&named.name)?.members {
                    self.add_scalars(inner(&member.name), member.type_spec.as_ref()?, scalars, depth + 1)?;
                }
            }
            TypeSpec::Tuple(tuple) => {
                for (number, spec) in tuple.members.iter().enumerate() {
                    self.add_scalars(inner(&number.to_string()), spec, scalars, depth + 1)?;
                }
            }
            TypeSpec::Header(named) => {
                for member in &types?.headers.get(&named.name)?.members {
                    scalars.push((inner(&member.name), bits_width(member.type_spec.as_ref()?)?));
                }
            }
            _ => return None,
        }
        Some(())
    }

    /// Builds an entry with an action. Without key fields it is the table's default entry.
    ///
    /// # Errors
    /// If the pipeline lacks a name.
    pub fn table_entry(
        &self,
        table: &str,
        key: &[(&str, KeyMatch)],
        priority: i32,
        action: &str,
        args: ActionArgs<'_>,
    ) -> Result<v1::TableEntry, SchemaError> {
        let described = self.table(table)?;
        let preamble = described.preamble.as_ref();
        let fields =
            key.iter().map(|(name, wanted)| field_match(table, &described.match_fields, name, wanted));
        Ok(v1::TableEntry {
            table_id: preamble.map_or(0, |preamble| preamble.id),
            r#match: fields.collect::<Result<_, _>>()?,
            action: Some(v1::TableAction {
                r#type: Some(table_action::Type::Action(self.action_call(described, action, args)?)),
            }),
            priority,
            is_default_action: key.is_empty(),
            ..Default::default()
        })
    }

    /// Builds the call of a table's action; a suffix must be unique only among the table's actions.
    fn action_call(
        &self,
        table: &config::Table,
        action: &str,
        args: ActionArgs<'_>,
    ) -> Result<v1::Action, SchemaError> {
        let ids: Vec<u32> = table.action_refs.iter().map(|reference| reference.id).collect();
        let usable: Vec<&config::Action> = self
            .info
            .actions
            .iter()
            .filter(|action| action.preamble.as_ref().is_some_and(|preamble| ids.contains(&preamble.id)))
            .collect();
        let found = *find("action", action, &usable, |action| action.preamble.as_ref())?;
        let params = args.iter().map(|(name, value)| {
            let param = found.params.iter().find(|param| param.name == *name);
            let param =
                param.ok_or_else(|| SchemaError::Unknown { kind: "parameter", name: (*name).into() })?;
            Ok(v1::action::Param { param_id: param.id, value: canonical(value).to_vec() })
        });
        Ok(v1::Action {
            action_id: found.preamble.as_ref().map_or(0, |preamble| preamble.id),
            params: params.collect::<Result<_, SchemaError>>()?,
        })
    }

    /// Builds a value set entry with these members, each with one value per field in order.
    ///
    /// # Errors
    /// If the pipeline lacks the name.
    pub fn value_set_entry(
        &self,
        name: &str,
        members: &[Vec<KeyMatch>],
    ) -> Result<v1::ValueSetEntry, SchemaError> {
        let set = self.value_set(name)?;
        let member = |values: &Vec<KeyMatch>| {
            let fields = set.r#match.iter().zip(values);
            let fields = fields.map(|(field, wanted)| encode_match(name, field, wanted));
            Ok(v1::ValueSetMember { r#match: fields.collect::<Result<_, SchemaError>>()? })
        };
        Ok(v1::ValueSetEntry {
            value_set_id: set.preamble.as_ref().map_or(0, |preamble| preamble.id),
            members: members.iter().map(member).collect::<Result<_, SchemaError>>()?,
        })
    }
}

impl Schema {
    /// Builds a packet-out with these metadata fields, by name. A pipeline without `packet_out` header takes none.
    ///
    /// # Errors
    /// If the pipeline's `packet_out` header lacks a field.
    pub fn packet_out(
        &self,
        metadata: &[(&str, Vec<u8>)],
        payload: Vec<u8>,
    ) -> Result<v1::PacketOut, SchemaError> {
        let fields = self.controller_header("packet_out");
        let metadata = metadata.iter().map(|(name, value)| {
            let field = fields.iter().find(|field| field.name == *name);
            let unknown = || SchemaError::Unknown { kind: "packet_out field", name: (*name).into() };
            Ok(v1::PacketMetadata {
                metadata_id: field.ok_or_else(unknown)?.id,
                value: canonical(value).to_vec(),
            })
        });
        Ok(v1::PacketOut { payload, metadata: metadata.collect::<Result<_, _>>()? })
    }

    /// Returns a metadata field of a packet-in as a number; `None` if it is absent or has more than 64 bits.
    pub fn packet_in_number(&self, packet: &v1::PacketIn, name: &str) -> Option<u64> {
        let field = self.controller_header("packet_in").iter().find(|field| field.name == name)?;
        let given = packet.metadata.iter().find(|given| given.metadata_id == field.id)?;
        let digits = canonical(&given.value);
        (digits.len() <= 8).then(|| digits.iter().fold(0, |number, byte| number << 8 | u64::from(*byte)))
    }

    /// The fields of a header of packets to or from the controller; none if the pipeline lacks it.
    fn controller_header(&self, name: &str) -> &[config::controller_packet_metadata::Metadata] {
        let is_named = |header: &&config::ControllerPacketMetadata| {
            header.preamble.as_ref().is_some_and(|preamble| preamble.name == name)
        };
        let header = self.info.controller_packet_metadata.iter().find(is_named);
        header.map_or(&[], |header| &header.metadata)
    }
}

impl DigestSchema {
    /// Returns the fields of a message as big-endian bytes, by name.
    pub fn fields_of(&self, data: &v1::P4Data) -> BTreeMap<String, Vec<u8>> {
        self.fields.iter().map(|(name, _)| name.clone()).zip(self.values_of(data)).collect()
    }

    /// Returns the fields of a message as big-endian bytes, in order.
    pub fn values_of(&self, data: &v1::P4Data) -> Vec<Vec<u8>> {
        let mut values = Vec::new();
        collect(data, &mut values);
        values
    }
}

fn collect(data: &v1::P4Data, values: &mut Vec<Vec<u8>>) {
    match &data.data {
        Some(Data::Bitstring(bytes) | Data::EnumValue(bytes)) => values.push(bytes.clone()),
        Some(Data::Bool(value)) => values.push(vec![u8::from(*value)]),
        Some(Data::Struct(value) | Data::Tuple(value)) => {
            value.members.iter().for_each(|member| collect(member, values));
        }
        Some(Data::Header(header)) => values.extend(header.bitstrings.iter().cloned()),
        _ => {}
    }
}

fn bits_width(bits: &config::P4BitstringLikeTypeSpec) -> Option<u32> {
    let width = match bits.type_spec.as_ref()? {
        BitsSpec::Bit(bit) => bit.bitwidth,
        BitsSpec::Int(int) => int.bitwidth,
        BitsSpec::Varbit(_) => return None,
    };
    u32::try_from(width).ok()
}

fn field_match(
    table: &str,
    fields: &[config::MatchField],
    name: &str,
    wanted: &KeyMatch,
) -> Result<v1::FieldMatch, SchemaError> {
    let by_suffix = |field: &&config::MatchField| is_suffix(&field.name, name);
    let exact = fields.iter().find(|field| field.name == name);
    let field = exact.or_else(|| fields.iter().find(by_suffix));
    let field = field.ok_or_else(|| SchemaError::Unknown { kind: "key field", name: name.into() })?;
    encode_match(table, field, wanted)
}

fn encode_match(
    table: &str,
    field: &config::MatchField,
    wanted: &KeyMatch,
) -> Result<v1::FieldMatch, SchemaError> {
    use v1::field_match as m;
    let kind = match field.r#match {
        Some(config::match_field::Match::MatchType(kind)) => MatchType::try_from(kind).ok(),
        _ => None,
    };
    let bytes = |value: &Vec<u8>| canonical(value).to_vec();
    let encoded = match (kind, wanted) {
        (Some(MatchType::Exact), KeyMatch::Exact(value)) => {
            FieldMatchType::Exact(m::Exact { value: bytes(value) })
        }
        (Some(MatchType::Optional), KeyMatch::Exact(value)) => {
            FieldMatchType::Optional(m::Optional { value: bytes(value) })
        }
        (Some(MatchType::Lpm), KeyMatch::Lpm(value, length)) => {
            FieldMatchType::Lpm(m::Lpm { value: bytes(value), prefix_len: *length as i32 })
        }
        (Some(MatchType::Ternary), KeyMatch::Ternary(value, mask)) => {
            FieldMatchType::Ternary(m::Ternary { value: bytes(value), mask: bytes(mask) })
        }
        (Some(MatchType::Range), KeyMatch::Range(low, high)) => {
            FieldMatchType::Range(m::Range { low: bytes(low), high: bytes(high) })
        }
        _ => return Err(SchemaError::MatchKind { table: table.into(), field: field.name.clone() }),
    };
    Ok(v1::FieldMatch { field_id: field.id, field_match_type: Some(encoded) })
}

fn is_suffix(full: &str, name: &str) -> bool {
    full.strip_suffix(name).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Returns the object with a name; an exact name or alias has precedence over a suffix.
fn find<'a, T>(
    kind: &'static str,
    name: &str,
    objects: &'a [T],
    preamble: impl Fn(&T) -> Option<&config::Preamble>,
) -> Result<&'a T, SchemaError> {
    let named = |wanted: &dyn Fn(&config::Preamble) -> bool| {
        objects.iter().filter(|object| preamble(object).is_some_and(wanted)).collect::<Vec<_>>()
    };
    let exact = named(&|preamble| preamble.name == name);
    let alias = named(&|preamble| preamble.alias == name);
    let suffix = named(&|preamble| is_suffix(&preamble.name, name));
    let found = [exact, alias, suffix].into_iter().find(|found| !found.is_empty()).unwrap_or_default();
    match found.as_slice() {
        [object] => Ok(object),
        [] => Err(SchemaError::Unknown { kind, name: name.into() }),
        several => Err(SchemaError::Ambiguous {
            kind,
            name: name.into(),
            candidates: several.iter().filter_map(|object| Some(preamble(object)?.name.clone())).collect(),
        }),
    }
}
