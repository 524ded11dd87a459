//! Client arbitration: primary and backup controllers of each role, as a pure state machine.
//!
//! Source: P4Runtime specification, "Client Arbitration and Controller Replication". No operation blocks: a new
//! primary that must wait for the writes of the old one is [`Role::pending`] until [`Arbitration::end_write`].

use super::role::Scope;
use crate::error::Refusal;
use crate::proto::google::rpc;
use crate::proto::p4::v1;
use std::collections::BTreeMap;
use std::sync::Arc;
use tonic::Code;

/// Identifies an open stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ClientId(pub u64);

/// Identifies a role by name, or by the number that clients before version 1.4 send.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleKey {
    /// Name; empty for the default role.
    pub name: String,
    /// Deprecated number; 0 for the default role.
    pub id: u64,
}

/// A message for one controller.
#[derive(Clone, Debug, PartialEq)]
pub struct Notice {
    /// The receiver.
    pub client: ClientId,
    /// The message.
    pub update: v1::MasterArbitrationUpdate,
}

/// Permission to write, returned with [`Arbitration::end_write`].
#[derive(Debug, PartialEq)]
#[must_use = "without `end_write` the next primary stays pending"]
pub struct WriteTicket {
    role: RoleKey,
    /// The access rights of the role.
    pub scope: Arc<Scope>,
}

/// Arbitration state of one device.
#[derive(Debug)]
pub struct Arbitration {
    device_id: u64,
    streams_per_role: usize,
    roles_limit: usize,
    roles: BTreeMap<RoleKey, Role>,
    /// Role of each live controller.
    clients: BTreeMap<ClientId, RoleKey>,
}

#[derive(Debug, Default)]
struct Role {
    config: Option<prost_types::Any>,
    scope: Arc<Scope>,
    /// Highest election id of any primary so far; kept after its controller disconnects.
    highest: Option<u128>,
    /// Live controllers with their election ids.
    live: BTreeMap<ClientId, Option<u128>>,
    primary: Option<ClientId>,
    /// The controller that becomes primary when the writes of its predecessor have ended.
    pending: Option<ClientId>,
    writes_in_flight: u64,
}

impl Arbitration {
    /// Creates the state without controllers.
    pub fn new(device_id: u64, streams_per_role: usize, roles_limit: usize) -> Arbitration {
        let roles = BTreeMap::from([(RoleKey::default(), Role::default())]);
        Arbitration { device_id, streams_per_role, roles_limit, roles, clients: BTreeMap::new() }
    }

    /// Processes an arbitration message. The returned notices must be delivered in order.
    ///
    /// # Errors
    /// The status that ends the stream; the caller then calls [`Arbitration::disconnect`].
    pub fn update(
        &mut self,
        client: ClientId,
        message: v1::MasterArbitrationUpdate,
    ) -> Result<Vec<Notice>, Refusal> {
        let (key, config) = role_of(message.role);
        let election = message.election_id.map(election_number);
        let known = self.clients.get(&client).cloned();
        match &known {
            Some(current) => self.check_live(current, &key, message.device_id)?,
            None => self.check_device(message.device_id)?,
        }
        self.check_election(client, &key, election)?;
        let scope = Arc::new(Scope::of(config.as_ref())?);
        self.check_scope(&key, &scope)?;
        if known.is_none() {
            self.check_room(&key)?;
        }
        self.clients.insert(client, key.clone());
        let role = self.roles.entry(key.clone()).or_default();
        role.live.insert(client, election);
        let changed = match election {
            Some(id) if role.highest.is_none_or(|highest| id >= highest) => {
                role.config = config;
                role.scope = scope;
                role.elect(client, id)
            }
            _ => role.demote(client),
        };
        Ok(match changed {
            Change::All => self.notify(&key, |_| true),
            Change::Others(waiting) => self.notify(&key, |other| other != waiting),
            Change::Sender => self.notify(&key, |other| other == client),
        })
    }

    /// Removes a stream.
    pub fn disconnect(&mut self, client: ClientId) -> Vec<Notice> {
        let Some(key) = self.clients.remove(&client) else { return Vec::new() };
        let Some(role) = self.roles.get_mut(&key) else { return Vec::new() };
        role.live.remove(&client);
        let was_primary = role.primary == Some(client) || role.pending == Some(client);
        if !was_primary {
            return Vec::new();
        }
        role.primary = role.primary.filter(|primary| *primary != client);
        role.pending = role.pending.filter(|pending| *pending != client);
        self.notify(&key, |_| true)
    }

    /// Requests permission to write.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown device or role, `PERMISSION_DENIED` for a controller that is not primary.
    pub fn begin_write(
        &mut self,
        device_id: u64,
        role: RoleKey,
        election_id: Option<v1::Uint128>,
    ) -> Result<WriteTicket, Refusal> {
        self.check_device(device_id)?;
        let Some(state) = self.roles.get_mut(&role) else {
            return Err(Refusal::not_found(format!("role {role} is not known")));
        };
        let election = election_id.map(election_number);
        let primary = state.primary.and_then(|primary| state.live.get(&primary).copied().flatten());
        match (primary, election) {
            (Some(primary), Some(election)) if primary == election => {
                state.writes_in_flight += 1;
                Ok(WriteTicket { scope: state.scope.clone(), role })
            }
            (Some(_), _) => Err(Refusal::denied(format!(
                "only the primary controller of role {role} may write, and this election id is not its own"
            ))),
            (None, _) => Err(Refusal::denied(format!("role {role} has no primary controller"))),
        }
    }

    /// Ends a write. A primary that is pending for it becomes primary and is notified.
    pub fn end_write(&mut self, ticket: WriteTicket) -> Vec<Notice> {
        let Some(role) = self.roles.get_mut(&ticket.role) else { return Vec::new() };
        role.writes_in_flight = role.writes_in_flight.saturating_sub(1);
        if role.writes_in_flight > 0 {
            return Vec::new();
        }
        let Some(next) = role.pending.take() else { return Vec::new() };
        role.primary = Some(next);
        self.notify(&ticket.role, |client| client == next)
    }

    /// Checks the device id.
    ///
    /// # Errors
    /// `NOT_FOUND` for an unknown device.
    pub fn check_device(&self, device_id: u64) -> Result<(), Refusal> {
        if device_id == self.device_id {
            return Ok(());
        }
        Err(Refusal::not_found(format!("device {device_id} is not known; this is device {}", self.device_id)))
    }

    /// Whether a controller is the primary of its role.
    pub fn is_primary(&self, client: ClientId) -> bool {
        let role = self.clients.get(&client).and_then(|key| self.roles.get(key));
        role.is_some_and(|role| role.primary == Some(client))
    }

    /// The primaries of all roles, which receive packets, digests and idle notifications.
    pub fn primaries(&self) -> impl Iterator<Item = ClientId> + '_ {
        self.roles.values().filter_map(|role| role.primary)
    }

    /// The access rights of a role; full access for an unknown role.
    pub fn scope(&self, role: &RoleKey) -> Arc<Scope> {
        self.roles.get(role).map(|role| role.scope.clone()).unwrap_or_default()
    }

    /// The access rights of a controller.
    pub fn scope_of(&self, client: ClientId) -> Arc<Scope> {
        self.clients.get(&client).map(|role| self.scope(role)).unwrap_or_default()
    }

    /// Checks that no other role claims an exclusive object of this one, and vice versa.
    fn check_scope(&self, key: &RoleKey, scope: &Scope) -> Result<(), Refusal> {
        let others = self.roles.iter().filter(|(other, role)| *other != key && !role.live.is_empty());
        for (other, role) in others {
            if let Some(id) = scope.conflict(&role.scope) {
                let message = format!("object {id:#010x} is exclusive to this role or to role {other}");
                return Err(Refusal::invalid(message));
            }
        }
        Ok(())
    }

    fn check_room(&self, key: &RoleKey) -> Result<(), Refusal> {
        match self.roles.get(key) {
            Some(role) if role.live.len() >= self.streams_per_role => Err(Refusal::new(
                Code::ResourceExhausted,
                format!("role {key} has {} controllers already", self.streams_per_role),
            )),
            None if self.roles.len() >= self.roles_limit => Err(Refusal::new(
                Code::ResourceExhausted,
                format!("there are {} roles already", self.roles_limit),
            )),
            _ => Ok(()),
        }
    }

    fn check_live(&self, current: &RoleKey, key: &RoleKey, device_id: u64) -> Result<(), Refusal> {
        let precondition = |what: String| Err(Refusal::new(Code::FailedPrecondition, what));
        if device_id != self.device_id {
            return precondition(format!(
                "this stream belongs to device {}, not {device_id}",
                self.device_id
            ));
        }
        if current != key {
            return precondition(format!("this stream has role {current}; open another one for role {key}"));
        }
        Ok(())
    }

    fn check_election(&self, client: ClientId, key: &RoleKey, election: Option<u128>) -> Result<(), Refusal> {
        let Some(id) = election else { return Ok(()) };
        let used = self.roles.get(key).is_some_and(|role| {
            role.live.iter().any(|(other, theirs)| *other != client && *theirs == Some(id))
        });
        if used {
            // finsy tries a lower id only if the message contains "election id" and "used".
            return Err(Refusal::invalid(format!("election id {id} is already used by another controller")));
        }
        Ok(())
    }

    fn notify(&self, key: &RoleKey, wanted: impl Fn(ClientId) -> bool) -> Vec<Notice> {
        let Some(role) = self.roles.get(key) else { return Vec::new() };
        let leader = role.primary.or(role.pending);
        let clients =
            role.live.keys().copied().filter(|client| wanted(*client) && role.pending != Some(*client));
        // The other controllers are notified before the new primary.
        let (mut others, leaders): (Vec<_>, Vec<_>) = clients.partition(|client| leader != Some(*client));
        others.extend(leaders);
        others.into_iter().map(|client| self.notice(key, role, client, leader)).collect()
    }

    fn notice(&self, key: &RoleKey, role: &Role, client: ClientId, leader: Option<ClientId>) -> Notice {
        let (code, message) = match leader {
            Some(leader) if leader == client => (Code::Ok, "this controller is the primary"),
            Some(_) => (Code::AlreadyExists, "another controller is the primary"),
            None => (Code::NotFound, "there is no primary controller"),
        };
        let named = *key != RoleKey::default();
        let update = v1::MasterArbitrationUpdate {
            device_id: self.device_id,
            #[allow(deprecated, reason = "clients before 1.4 know their role by number")]
            role: (named || role.config.is_some()).then(|| v1::Role {
                id: key.id,
                name: key.name.clone(),
                config: role.config.clone(),
            }),
            election_id: role.highest.map(election_message),
            status: Some(rpc::Status { code: code as i32, message: message.into(), details: Vec::new() }),
        };
        Notice { client, update }
    }
}

/// Receivers of the notices of an arbitration message.
enum Change {
    All,
    /// All but this controller, which is notified when pending writes have ended.
    Others(ClientId),
    Sender,
}

impl Role {
    /// Makes a controller primary, immediately or when pending writes have ended.
    fn elect(&mut self, client: ClientId, election: u128) -> Change {
        self.highest = Some(election);
        if self.primary == Some(client) || self.writes_in_flight == 0 {
            self.primary = Some(client);
            self.pending = None;
            return Change::All;
        }
        self.primary = None;
        self.pending = Some(client);
        Change::Others(client)
    }

    fn demote(&mut self, client: ClientId) -> Change {
        if self.primary != Some(client) && self.pending != Some(client) {
            return Change::Sender;
        }
        self.primary = self.primary.filter(|primary| *primary != client);
        self.pending = self.pending.filter(|pending| *pending != client);
        Change::All
    }
}

impl std::fmt::Display for RoleKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match (self.name.as_str(), self.id) {
            ("", 0) => f.write_str("\"\" (default)"),
            ("", id) => write!(f, "number {id}"),
            (name, _) => write!(f, "\"{name}\""),
        }
    }
}

impl RoleKey {
    /// The role of a request; the number counts only without a name.
    pub fn of_request(name: &str, id: u64) -> RoleKey {
        RoleKey { name: name.into(), id: if name.is_empty() { id } else { 0 } }
    }
}

fn role_of(role: Option<v1::Role>) -> (RoleKey, Option<prost_types::Any>) {
    let role = role.unwrap_or_default();
    #[allow(deprecated, reason = "clients before 1.4 know their role by number")]
    let key = RoleKey::of_request(&role.name, role.id);
    (key, role.config)
}

fn election_number(id: v1::Uint128) -> u128 {
    u128::from(id.high) << 64 | u128::from(id.low)
}

fn election_message(id: u128) -> v1::Uint128 {
    v1::Uint128 { high: (id >> 64) as u64, low: id as u64 }
}

#[cfg(test)]
#[path = "arbitration_tests.rs"]
mod tests;
