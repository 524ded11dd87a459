//! Access rights of roles.
//!
//! The specification leaves the type of `Role.config` to controller and server. This server supports Stratum's message,
//! `stratum.P4RoleConfig` (`stratum/public/proto/p4_role_config.proto`). A role without a configuration has full
//! access.

use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind};
use prost::Message;
use std::collections::BTreeSet;

/// Suffix of the type URL of a role configuration.
pub const ROLE_CONFIG: &str = "stratum.P4RoleConfig";

/// The configuration of a role.
#[derive(Clone, PartialEq, Message)]
pub struct RoleConfig {
    /// Objects of the P4Info that only this role may write and read.
    #[prost(uint32, repeated, tag = "1")]
    pub exclusive_ids: Vec<u32>,
    /// Objects that this role shares with other roles.
    #[prost(uint32, repeated, tag = "2")]
    pub shared_ids: Vec<u32>,
    /// Filter of the packets that its primary receives; without a filter, all packets.
    #[prost(message, optional, tag = "3")]
    pub packet_in_filter: Option<PacketFilter>,
    /// Whether its primary receives packets.
    #[prost(bool, tag = "4")]
    pub receives_packet_ins: bool,
    /// Whether its primary may set the pipeline. It may then also write multicast groups and clone sessions, which have
    /// no id in the P4Info.
    #[prost(bool, tag = "5")]
    pub can_push_pipeline: bool,
}

/// Packets with this metadata.
#[derive(Clone, PartialEq, Message)]
pub struct PacketFilter {
    /// Id of the metadata in the `packet_in` header.
    #[prost(uint32, tag = "1")]
    pub metadata_id: u32,
    /// Its value.
    #[prost(bytes = "vec", tag = "2")]
    pub value: Vec<u8>,
}

impl RoleConfig {
    /// Encodes the configuration for `Role.config`.
    pub fn to_any(&self) -> prost_types::Any {
        prost_types::Any {
            type_url: format!("type.googleapis.com/{ROLE_CONFIG}"),
            value: self.encode_to_vec(),
        }
    }
}

/// The access rights of a role; full access without a configuration.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scope {
    rights: Option<Rights>,
}

#[derive(Clone, Debug, PartialEq)]
struct Rights {
    exclusive: BTreeSet<u32>,
    shared: BTreeSet<u32>,
    config: RoleConfig,
}

impl Scope {
    /// Decodes a role configuration.
    ///
    /// # Errors
    /// If it has an unknown type or is malformed.
    pub fn of(config: Option<&prost_types::Any>) -> Result<Scope, Refusal> {
        let Some(any) = config else { return Ok(Scope::default()) };
        if any.type_url.rsplit('/').next() != Some(ROLE_CONFIG) {
            return Err(Refusal::invalid(format!(
                "role configurations are {ROLE_CONFIG} messages here, not \"{}\"",
                any.type_url
            )));
        }
        let config = RoleConfig::decode(any.value.as_slice())
            .map_err(|error| Refusal::invalid(format!("the role's configuration is malformed: {error}")))?;
        let exclusive = config.exclusive_ids.iter().copied().collect();
        let shared = config.shared_ids.iter().copied().collect();
        Ok(Scope { rights: Some(Rights { exclusive, shared, config }) })
    }

    /// Returns an object that both roles claim, at least one of them exclusively.
    pub fn conflict(&self, other: &Scope) -> Option<u32> {
        let (Some(ours), Some(theirs)) = (&self.rights, &other.rights) else { return None };
        let claimed = |rights: &Rights, id: &u32| rights.exclusive.contains(id) || rights.shared.contains(id);
        let ours_alone = ours.exclusive.iter().find(|id| claimed(theirs, id));
        ours_alone.or_else(|| theirs.exclusive.iter().find(|id| claimed(ours, id))).copied()
    }

    /// Whether the role may set pipelines.
    pub fn may_set_pipeline(&self) -> bool {
        self.rights.as_ref().is_none_or(|rights| rights.config.can_push_pipeline)
    }

    /// Whether an object of the P4Info belongs to the role.
    pub fn has(&self, id: u32) -> bool {
        self.rights
            .as_ref()
            .is_none_or(|rights| rights.exclusive.contains(&id) || rights.shared.contains(&id))
    }

    /// Whether the role's primary receives a packet.
    pub fn receives(&self, packet: &v1::PacketIn) -> bool {
        let Some(rights) = &self.rights else { return true };
        let passes = |filter: &PacketFilter| {
            packet.metadata.iter().any(|given| {
                given.metadata_id == filter.metadata_id
                    && crate::bytestring::canonical(&given.value)
                        == crate::bytestring::canonical(&filter.value)
            })
        };
        rights.config.receives_packet_ins && rights.config.packet_in_filter.as_ref().is_none_or(passes)
    }

    /// Checks that an update belongs to the role.
    ///
    /// # Errors
    /// `PERMISSION_DENIED`.
    pub fn check_write(&self, entity: &Kind) -> Result<(), Refusal> {
        match object_of(entity) {
            Some(id) if id != 0 && !self.has(id) => {
                Err(Refusal::denied(format!("object {id:#010x} does not belong to this role")))
            }
            None if !self.may_set_pipeline() => {
                Err(Refusal::denied("multicast groups and clone sessions do not belong to this role"))
            }
            _ => Ok(()),
        }
    }

    /// Checks that a read of a single object belongs to the role. Reads of all objects are filtered by
    /// [`Scope::shows`].
    ///
    /// # Errors
    /// `PERMISSION_DENIED`.
    pub fn check_read(&self, entity: &Kind) -> Result<(), Refusal> {
        match object_of(entity) {
            None => Ok(()),
            Some(_) => self.check_write(entity),
        }
    }

    /// Whether the role may see an entity.
    pub fn shows(&self, entity: &v1::Entity) -> bool {
        entity.entity.as_ref().and_then(object_of).is_none_or(|id| self.has(id))
    }
}

/// The P4Info object of an entity; 0 if the entity has no id set, `None` if there is no such object.
fn object_of(entity: &Kind) -> Option<u32> {
    let table = |entry: &Option<v1::TableEntry>| entry.as_ref().map_or(0, |entry| entry.table_id);
    match entity {
        Kind::TableEntry(entry) => Some(entry.table_id),
        Kind::ActionProfileMember(member) => Some(member.action_profile_id),
        Kind::ActionProfileGroup(group) => Some(group.action_profile_id),
        Kind::MeterEntry(entry) => Some(entry.meter_id),
        Kind::DirectMeterEntry(entry) => Some(table(&entry.table_entry)),
        Kind::CounterEntry(entry) => Some(entry.counter_id),
        Kind::DirectCounterEntry(entry) => Some(table(&entry.table_entry)),
        Kind::ValueSetEntry(entry) => Some(entry.value_set_id),
        Kind::RegisterEntry(entry) => Some(entry.register_id),
        Kind::DigestEntry(entry) => Some(entry.digest_id),
        Kind::ExternEntry(entry) => Some(entry.extern_id),
        Kind::PacketReplicationEngineEntry(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scope(config: &RoleConfig) -> Scope {
        Scope::of(Some(&config.to_any())).expect("a good configuration")
    }

    fn packet(value: u8) -> v1::PacketIn {
        let metadata = vec![v1::PacketMetadata { metadata_id: 1, value: vec![0, value] }];
        v1::PacketIn { payload: Vec::new(), metadata }
    }

    #[test]
    fn without_a_configuration_everything_is_allowed() {
        let all = Scope::of(None).expect("no configuration is fine");
        assert!(all.has(5) && all.may_set_pipeline() && all.receives(&packet(1)));
    }

    #[test]
    fn a_right_that_the_configuration_does_not_grant_is_denied() {
        let none = scope(&RoleConfig::default());
        assert!(!none.has(5) && !none.may_set_pipeline() && !none.receives(&packet(1)));
        let some = scope(&RoleConfig { shared_ids: vec![5], ..RoleConfig::default() });
        assert!(some.has(5) && !some.has(6));
    }

    #[test]
    fn packets_are_filtered_by_value_and_not_by_bytes() {
        let filter = Some(PacketFilter { metadata_id: 1, value: vec![7] });
        let some =
            scope(&RoleConfig { receives_packet_ins: true, packet_in_filter: filter, ..Default::default() });
        assert!(some.receives(&packet(7)));
        assert!(!some.receives(&packet(8)));
    }

    #[test]
    fn an_exclusive_object_conflicts_with_every_other_claim() {
        let exclusive = scope(&RoleConfig { exclusive_ids: vec![5], ..RoleConfig::default() });
        let shared = scope(&RoleConfig { shared_ids: vec![4, 5], ..RoleConfig::default() });
        assert_eq!(exclusive.conflict(&shared), Some(5));
        assert_eq!(shared.conflict(&exclusive), Some(5));
        assert_eq!(shared.conflict(&shared), None);
    }

    #[test]
    fn other_configuration_types_are_rejected() {
        let other = prost_types::Any { type_url: "type.googleapis.com/x.Y".into(), value: Vec::new() };
        assert_eq!(Scope::of(Some(&other)).expect_err("unknown").code, tonic::Code::InvalidArgument);
    }
}
