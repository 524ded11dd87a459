//! A forwarding pipeline: the client's configuration, the compiled program, and the codecs and identifiers for
//! requests.

use super::translation::Translations;
use super::value::Codec;
use crate::bytestring;
use crate::error::Refusal;
use crate::proto::p4::config::v1::action_profile::SelectorSizeSemantics;
use crate::proto::p4::v1;
use p4_lang::ir::{self, Bits, DigestId, MatchKind, Program, RegisterId, ScalarKind};
use p4_switch::Prepared;
use std::collections::BTreeMap;
use std::sync::Arc;

/// Identifier prefixes (`P4Ids.Prefix`).
pub(crate) mod prefix {
    pub(crate) const ACTION: u32 = 0x01;
    pub(crate) const TABLE: u32 = 0x02;
    pub(crate) const VALUE_SET: u32 = 0x03;
    pub(crate) const ACTION_PROFILE: u32 = 0x11;
    pub(crate) const COUNTER: u32 = 0x12;
    pub(crate) const METER: u32 = 0x14;
    pub(crate) const REGISTER: u32 = 0x16;
    pub(crate) const DIGEST: u32 = 0x17;
}

/// A pipeline that the switch runs or could run.
#[derive(Debug)]
pub(crate) struct Pipeline {
    /// The configuration as the client set it.
    pub(crate) config: v1::ForwardingPipelineConfig,
    /// The compiled program.
    pub(crate) program: Arc<Program>,
    /// The program in the form in which switches load it.
    pub(crate) prepared: Prepared,
    /// Objects by identifier. The prefix of the identifier determines the program's vector that the index refers to.
    objects: BTreeMap<u32, usize>,
    register_codecs: Vec<Codec>,
    digest_codecs: Vec<Codec>,
    names: Arc<Translations>,
}

impl Pipeline {
    pub(crate) fn new(
        config: v1::ForwardingPipelineConfig,
        prepared: Prepared,
        names: Arc<Translations>,
    ) -> Pipeline {
        let program = Arc::clone(prepared.program());
        let mut objects = BTreeMap::new();
        let mut add = |preambles: &mut dyn Iterator<Item = &ir::Preamble>| {
            objects.extend(preambles.enumerate().filter(|(_, p)| p.id != 0).map(|(i, p)| (p.id, i)));
        };
        add(&mut program.actions.iter().map(|o| &o.preamble));
        add(&mut program.tables.iter().map(|o| &o.preamble));
        add(&mut program.value_sets.iter().map(|o| &o.preamble));
        add(&mut program.action_profiles.iter().map(|o| &o.preamble));
        add(&mut program.counters.iter().map(|o| &o.preamble));
        add(&mut program.meters.iter().map(|o| &o.preamble));
        add(&mut program.registers.iter().map(|o| &o.preamble));
        add(&mut program.digests.iter().map(|o| &o.preamble));
        let kinds =
            |fields: &[(String, ScalarKind)]| fields.iter().map(|(_, kind)| *kind).collect::<Vec<_>>();
        let register_codecs = program
            .registers
            .iter()
            .enumerate()
            .map(|(i, register)| {
                let ty = program.types.registers.get(&RegisterId(i as u32));
                Codec::new(&program, ty, &kinds(&register.components), register.type_name.is_some())
            })
            .collect();
        let digest_codecs = program
            .digests
            .iter()
            .enumerate()
            .map(|(i, digest)| {
                let ty = program.types.digests.get(&DigestId(i as u32));
                // A digest with a single field is a struct or a tuple as well.
                let named = digest.type_name.is_some() || digest.fields.len() == 1;
                Codec::new(&program, ty, &kinds(&digest.fields), named)
            })
            .collect();
        Pipeline { config, program, prepared, objects, register_codecs, digest_codecs, names }
    }

    fn find<'a, T>(
        &self,
        kind: &str,
        wanted: u32,
        id: u32,
        objects: &'a [T],
    ) -> Result<(usize, &'a T), Refusal> {
        if id >> 24 != wanted {
            return Err(Refusal::invalid(match id {
                0 => format!("the {kind} id is not set"),
                id => format!("{id:#010x} is not the id of a {kind}"),
            }));
        }
        let index = self.objects.get(&id).copied();
        let found = index.and_then(|index| Some((index, objects.get(index)?)));
        found.ok_or_else(|| Refusal::not_found(format!("there is no {kind} with id {id:#010x}")))
    }

    /// A table.
    pub(crate) fn table(&self, id: u32) -> Result<(usize, &ir::Table), Refusal> {
        self.find("table", prefix::TABLE, id, &self.program.tables)
    }

    /// An action.
    pub(crate) fn action(&self, id: u32) -> Result<(usize, &ir::Action), Refusal> {
        self.find("action", prefix::ACTION, id, &self.program.actions)
    }

    /// An action profile.
    pub(crate) fn profile(&self, id: u32) -> Result<(usize, &ir::ActionProfile), Refusal> {
        self.find("action profile", prefix::ACTION_PROFILE, id, &self.program.action_profiles)
    }

    /// How group sizes of a selector are counted, if the program specifies it.
    pub(crate) fn size_semantics(&self, profile: u32) -> Option<&SelectorSizeSemantics> {
        let profiles = self.config.p4info.as_ref()?.action_profiles.iter();
        let mut profiles =
            profiles.filter(|p| p.preamble.as_ref().is_some_and(|preamble| preamble.id == profile));
        profiles.next()?.selector_size_semantics.as_ref()
    }

    /// An indirect counter.
    pub(crate) fn counter(&self, id: u32) -> Result<(usize, &ir::Counter), Refusal> {
        self.find("counter", prefix::COUNTER, id, &self.program.counters)
    }

    /// An indirect meter.
    pub(crate) fn meter(&self, id: u32) -> Result<(usize, &ir::Meter), Refusal> {
        self.find("meter", prefix::METER, id, &self.program.meters)
    }

    /// A register with the codec of its elements.
    pub(crate) fn register(&self, id: u32) -> Result<(&ir::Register, &Codec), Refusal> {
        let (index, register) = self.find("register", prefix::REGISTER, id, &self.program.registers)?;
        let codec = self.register_codecs.get(index);
        Ok((register, codec.ok_or_else(|| Refusal::not_found("the register has no type"))?))
    }

    /// A digest.
    pub(crate) fn digest(&self, id: u32) -> Result<(DigestId, &ir::Digest), Refusal> {
        let (index, digest) = self.find("digest", prefix::DIGEST, id, &self.program.digests)?;
        Ok((DigestId(index as u32), digest))
    }

    /// Id and codec of a digest that the switch sent.
    pub(crate) fn digest_codec(&self, digest: DigestId) -> Option<(u32, &Codec)> {
        let id = self.program.digests.get(digest.index())?.preamble.id;
        Some((id, self.digest_codecs.get(digest.index())?))
    }

    /// A value set.
    pub(crate) fn value_set(&self, id: u32) -> Result<&ir::ValueSet, Refusal> {
        Ok(self.find("value set", prefix::VALUE_SET, id, &self.program.value_sets)?.1)
    }

    /// The header of packets from (`packet_in`) or to (`packet_out`) the switch.
    pub(crate) fn controller_header(&self, name: &str) -> Option<&ir::ControllerHeader> {
        self.program.controller_headers.iter().find(|header| header.preamble.name == name)
    }

    /// The URI of a type's translation to strings, if it has one.
    fn string_translation(&self, type_name: Option<&String>) -> Option<&str> {
        let declared = self.program.types.new_types.get(type_name?)?;
        declared.translation.as_ref().filter(|t| t.sdn_bitwidth.is_none()).map(|t| t.uri.as_str())
    }

    /// Whether the controller sees values of a type as strings.
    pub(crate) fn is_string(&self, type_name: Option<&String>) -> bool {
        self.string_translation(type_name).is_some()
    }

    /// Converts a value to the switch's representation.
    pub(crate) fn decode_value(
        &self,
        type_name: Option<&String>,
        bytes: &[u8],
        kind: ScalarKind,
        field: &str,
    ) -> Result<Bits, Refusal> {
        match self.string_translation(type_name) {
            Some(uri) => self.names.number(uri, bytes, kind.width()),
            None => bytestring::decode_kind(bytes, kind)
                .map_err(|error| Refusal::out_of_range(format!("{field}: {error}"))),
        }
    }

    /// Converts a value to the controller's representation.
    pub(crate) fn encode_value(&self, type_name: Option<&String>, bits: &Bits, kind: ScalarKind) -> Vec<u8> {
        match self.string_translation(type_name) {
            Some(uri) => self.names.name(uri, bits),
            None => bytestring::encode_kind(bits, kind),
        }
    }
}

/// The components of a table's key that entries match on.
pub(crate) fn matched_keys(table: &ir::Table) -> impl Iterator<Item = &ir::Key> {
    table.keys.iter().filter(|key| key.match_kind != MatchKind::Selector)
}
