//! The task of one switch: its P4Runtime session.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use model::PortRef;
use p4runtime::client::{
    Arbitrated, Client, ClientConfig, ClientError, ClientTls, Elements, RegisterSchema, Schema, Session,
    SessionEvent, SessionSender,
};
use p4runtime::proto::p4::v1::entity::Entity as Kind;
use p4runtime::proto::p4::v1::{DigestList, PacketIn};
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, sleep_until, timeout};

use crate::collect::{Command, Input, RequestId};
use crate::layout::{RegisterRows, Rows, TelemetryLayout};
use crate::plan::{PlanChange, RegisterWrite, SwitchPlan, change};

use super::device::read_records;
use super::entities::{self, Entities, fingerprint};
use super::frame_limit::FrameLimit;
use super::network::Announcement;
use super::role::{Role, high_bid, low_bid, role};
use super::{LiveError, Note, SessionCommand, SwitchEndpoint, target};

/// Duration from which on a session counts as established.
const LASTING: Duration = Duration::from_secs(5);
/// Timeout of the first arbitration.
const OPEN: Duration = Duration::from_secs(5);
/// Interval and timeout of keepalives: a switch that is cut off is noticed after twice this time.
const KEEPALIVE: Duration = Duration::from_secs(1);
/// The state of a switch that another controller manages.
pub const STANDING_BY: &str = "standing by: another controller is primary";
/// Field of the program's header `packet_out`.
const EGRESS_PORT: &str = "egress_port";
/// Field of the program's header `packet_in`.
const INGRESS_PORT: &str = "ingress_port";
/// Maximum bytes of a frame from the switch; longer ones are dropped.
const FRAME_BYTES: usize = 2_048;
/// gRPC status code of an insert of an entity that exists.
const ALREADY_EXISTS: i32 = 6;

pub(super) struct SwitchSession {
    pub(super) endpoint: SwitchEndpoint,
    pub(super) schema: Arc<Schema>,
    pub(super) layout: Arc<TelemetryLayout>,
    /// Of `base`.
    pub(super) entities: Entities,
    /// The plan at the start.
    pub(super) base: SwitchPlan,
    /// The present plan.
    pub(super) plan: SwitchPlan,
    pub(super) device_config: Vec<u8>,
    pub(super) retry: fn(u32, u64) -> Duration,
    pub(super) tls: Option<ClientTls>,
    pub(super) seed: u64,
    pub(super) wall_clock: fn() -> u64,
    pub(super) commands: mpsc::Receiver<SessionCommand>,
    /// Changes when the controller claims the switches at which it stands by.
    pub(super) claims: watch::Receiver<u64>,
    pub(super) notes: mpsc::Sender<Note>,
}

impl SwitchSession {
    /// Maintains a session with the switch until the controller ends.
    pub(super) async fn run(mut self) {
        let mut failed = 0;
        loop {
            let started = Instant::now();
            let why = match self.session().await {
                Ok(()) => return,
                Err(error) => error.to_string(),
            };
            // A session that lasted was no failed attempt.
            failed = if started.elapsed() > LASTING { 1 } else { failed + 1 };
            tracing::warn!(switch = self.endpoint.name, why, "no session with the switch");
            if !self.down(&why).await || !self.reject_until_retry(failed, &why).await {
                return;
            }
        }
    }

    /// Reports that the switch cannot be used. Returns `false` if the controller ends.
    async fn down(&self, why: &str) -> bool {
        self.notes.send(Note::Down(self.endpoint.name.clone(), why.to_string())).await.is_ok()
    }

    /// Rejects requests until the next attempt to connect. Returns `false` if the controller ends.
    async fn reject_until_retry(&mut self, failed: u32, why: &str) -> bool {
        let seed = fingerprint(self.endpoint.name.as_bytes(), self.seed);
        let until = Instant::now() + (self.retry)(failed, seed);
        loop {
            tokio::select! {
                () = sleep_until(until) => return true,
                command = self.commands.recv() => if !self.reject_command(command, why).await {
                    return false;
                },
            }
        }
    }

    /// Rejects a request, and keeps a plan for the next session. Returns `false` if the controller ends.
    async fn reject_command(&mut self, command: Option<SessionCommand>, why: &str) -> bool {
        match command {
            Some(SessionCommand::Collect(
                Command::Read { request, .. }
                | Command::Unlock { request, .. }
                | Command::Poll { request, .. },
            )) => reject(&self.notes, request, why.to_string()).await,
            Some(SessionCommand::Replan { plan, .. }) => {
                self.plan = *plan;
                true
            }
            // Without a session there is no switch to read: the controller knows.
            Some(
                SessionCommand::Collect(Command::Emit(_))
                | SessionCommand::Announce(_)
                | SessionCommand::Records,
            ) => true,
            None => false,
        }
    }

    /// Runs one session. Returns `Ok` only when the controller ends.
    async fn session(&mut self) -> Result<(), LiveError> {
        let mut config = ClientConfig::new(self.endpoint.device_id);
        config.election_id = low_bid(fingerprint(self.endpoint.name.as_bytes(), self.seed));
        config.tls =
            self.tls.clone().map(|tls| ClientTls { domain: self.endpoint.certificate_name.clone(), ..tls });
        config.keepalive = Some(KEEPALIVE);
        let mut client = Client::connect(&self.endpoint.endpoint, config).await?;
        // Before the role: the controller of a target that this one cannot use keeps it.
        target::check_version(&mut client).await?;
        let opened = timeout(OPEN, client.open()).await;
        let (mut session, arbitrated) = opened.map_err(|_| ClientError::StreamClosed)??;
        if !self.become_primary(&mut client, &mut session, arbitrated).await? {
            return Ok(());
        }
        let cookie = fingerprint(&self.device_config, self.entities.fingerprint);
        target::ensure_pipeline(&mut client, &self.schema, &self.device_config, cookie).await?;
        target::check_registers(&mut client, &self.schema).await?;
        self.program(&mut client).await?;
        self.write_change(&mut client, &change(&self.base, &self.plan)).await?;
        let mut frames = FrameLimit::default();
        let offers_device = Arc::new(AtomicBool::new(true));
        let sender = session.sender();
        tracing::info!(switch = self.endpoint.name, "the switch is programmed");
        if self.notes.send(Note::Up(self.endpoint.name.clone())).await.is_err() {
            return Ok(());
        }
        loop {
            tokio::select! {
                event = session.next() => match event? {
                    SessionEvent::Packet(packet) => if frames.may_pass((self.wall_clock)()) {
                        self.on_packet(packet);
                    },
                    event => if !self.on_event(event, &client, &sender).await? {
                        return Ok(());
                    },
                },
                command = self.commands.recv() => match command {
                    Some(SessionCommand::Collect(command)) => self.perform(&client, &sender, command),
                    Some(SessionCommand::Announce(frames)) => self.announce(&sender, frames),
                    Some(SessionCommand::Records) => self.read_records(&client, &offers_device),
                    Some(SessionCommand::Replan { plan, written }) => {
                        let change = change(&self.plan, &plan);
                        self.plan = *plan;
                        self.write_change(&mut client, &change).await?;
                        // Fails only if the request was cancelled.
                        let _ = written.map(|written| written.send(()));
                    }
                    None => return Ok(()),
                },
            }
        }
    }

    /// Stands by while another controller is primary, and bids for the role when it is vacant. Returns `false` if the
    /// controller ends.
    async fn become_primary(
        &mut self,
        client: &mut Client,
        session: &mut Session,
        mut arbitrated: Arbitrated,
    ) -> Result<bool, LiveError> {
        loop {
            match role(arbitrated, client.election_id(), (self.wall_clock)()) {
                Role::Primary => return Ok(true),
                Role::Bid(election_id) => {
                    client.set_election_id(election_id);
                    session.arbitrate(election_id).await?;
                }
                Role::StandBy => {
                    tracing::info!(switch = self.endpoint.name, "another controller is primary; standing by");
                    if !self.down(STANDING_BY).await {
                        return Ok(false);
                    }
                }
            }
            let known = arbitrated;
            self.claims.mark_unchanged();
            arbitrated = loop {
                tokio::select! {
                    Ok(()) = self.claims.changed() => {
                        tracing::info!(switch = self.endpoint.name, "taking the switch from another controller");
                        let election_id = high_bid(known, (self.wall_clock)());
                        client.set_election_id(election_id);
                        session.arbitrate(election_id).await?;
                    }
                    event = session.next() => {
                        if let SessionEvent::Arbitration(arbitrated) = event? {
                            break arbitrated;
                        }
                    }
                    command = self.commands.recv() => if !self.reject_command(command, STANDING_BY).await {
                        return Ok(false);
                    },
                }
            };
        }
    }

    async fn program(&self, client: &mut Client) -> Result<(), ClientError> {
        insert_or_modify(client, &self.entities.inserts).await?;
        client.modify(self.entities.modifies.iter().cloned()).await
    }

    /// Writes what differs between two plans.
    async fn write_change(&self, client: &mut Client, change: &PlanChange) -> Result<(), LiveError> {
        if change.is_empty() {
            return Ok(());
        }
        let [inserts, modifies, deletes] = entities::of_change(&self.schema, change)?;
        insert_or_modify(client, &inserts).await?;
        client.modify(modifies).await?;
        client.delete(deletes).await?;
        Ok(())
    }

    /// Sends announcements through their ports, in a separate task.
    fn announce(&self, sender: &SessionSender, frames: Vec<Announcement>) {
        let (schema, sender, switch) = (self.schema.clone(), sender.clone(), self.endpoint.name.clone());
        tokio::spawn(async move {
            for Announcement { port, frame } in frames {
                let sent = match schema.packet_out(&[(EGRESS_PORT, port.to_be_bytes().to_vec())], frame) {
                    Ok(packet) => sender.packet_out(packet).await.map_err(LiveError::from),
                    Err(error) => Err(error.into()),
                };
                if let Err(error) = sent {
                    tracing::debug!(switch, port, %error, "an announcement is not sent");
                    return;
                }
            }
        });
    }

    /// Reads what the switch gives beside frozen telemetry, in a separate task. A switch that does not offer the state of
    /// its device is queried once in a session.
    fn read_records(&self, client: &Client, offers_device: &Arc<AtomicBool>) {
        let (client, schema, layout) = (client.clone(), self.schema.clone(), self.layout.clone());
        let (notes, switch, wall_clock) = (self.notes.clone(), self.endpoint.name.clone(), self.wall_clock);
        let offers_device = offers_device.clone();
        tokio::spawn(async move {
            let asks = offers_device.load(Ordering::Relaxed);
            let read = read_records(client, &schema, &layout, asks, wall_clock).await;
            let reading = read.map_err(|error| error.to_string());
            if asks && reading.as_ref().is_ok_and(|(reading, _)| reading.device.is_none()) {
                offers_device.store(false, Ordering::Relaxed);
                tracing::warn!(switch, "it offers no state of its queues and links; verdicts say so");
            }
            // Fails only when the controller ends.
            let _ = notes.send(Note::Records(switch, reading)).await;
        });
    }

    /// Passes on a frame that the program sends to the controller. A frame that the controller cannot take is dropped: LLDP
    /// repeats it.
    fn on_packet(&self, packet: PacketIn) {
        let port =
            self.schema.packet_in_number(&packet, INGRESS_PORT).and_then(|port| u16::try_from(port).ok());
        let Some(port) = port.filter(|_| packet.payload.len() <= FRAME_BYTES) else { return };
        let at = PortRef::new(&self.endpoint.name, port);
        let _ = self.notes.try_send(Note::Frame(at, packet.payload));
    }

    async fn on_event(
        &self,
        event: SessionEvent,
        client: &Client,
        sender: &SessionSender,
    ) -> Result<bool, ClientError> {
        match event {
            SessionEvent::Digest(list) => {
                sender.acknowledge(&list).await?;
                return Ok(self.on_digest(&list).await);
            }
            SessionEvent::Arbitration(arbitrated) if !arbitrated.is_primary => {
                tracing::warn!(
                    switch = self.endpoint.name,
                    "another controller has taken the role of primary"
                );
                // Fails only when the controller ends.
                let _ = self.notes.send(Note::RoleLost).await;
                return Err(ClientError::NotPrimary {
                    election_id: client.election_id(),
                    highest: arbitrated.highest,
                });
            }
            SessionEvent::Error(error) => {
                tracing::warn!(switch = self.endpoint.name, ?error, "the switch rejected a message");
            }
            _ => {}
        }
        Ok(true)
    }

    async fn on_digest(&self, list: &DigestList) -> bool {
        let Some(schema) = self.schema.digest_by_id(list.digest_id) else { return true };
        for data in &list.data {
            let digest = Input::Digest {
                switch: self.endpoint.name.clone(),
                name: schema.name.clone(),
                fields: schema.values_of(data),
            };
            if self.notes.send(Note::Input(digest)).await.is_err() {
                return false;
            }
        }
        true
    }

    /// Carries out a command in a separate task, so that it does not block digests and other commands.
    fn perform(&self, client: &Client, sender: &SessionSender, command: Command) {
        let (client, schema, notes) = (client.clone(), self.schema.clone(), self.notes.clone());
        let (layout, sender) = (self.layout.clone(), sender.clone());
        tokio::spawn(async move {
            let (request, result) = match command {
                Command::Read { request, registers, .. } => {
                    let rows = read_bank(client, &schema, &layout, &registers).await;
                    (request, rows.map(|rows| Input::ReadDone { request, rows }))
                }
                Command::Unlock { request, writes, .. } => {
                    let done = write(client, &schema, &writes).await;
                    (request, done.map(|()| Input::UnlockDone { request }))
                }
                Command::Poll { request, packet, .. } => {
                    // Without an egress port, the switch processes the packet.
                    let sent = match schema.packet_out(&[(EGRESS_PORT, vec![0])], packet.to_bytes()) {
                        Ok(packet) => sender.packet_out(packet).await.map_err(LiveError::from),
                        Err(error) => Err(error.into()),
                    };
                    (request, sent.map(|()| Input::Polled { request }))
                }
                Command::Emit(_) => return,
            };
            match result {
                // Fails only when the controller ends.
                Ok(input) => drop(notes.send(Note::Input(input)).await),
                Err(error) => drop(reject(&notes, request, error.to_string()).await),
            }
        });
    }
}

/// Inserts entities; those that an earlier session has written are modified.
async fn insert_or_modify(client: &mut Client, entities: &[Kind]) -> Result<(), ClientError> {
    match client.insert(entities.iter().cloned()).await {
        Err(ClientError::Batch { failed, .. })
            if failed.iter().all(|update| update.code as i32 == ALREADY_EXISTS) =>
        {
            let known = failed.iter().filter_map(|update| entities.get(update.index).cloned());
            client.modify(known).await
        }
        other => other,
    }
}

async fn reject(notes: &mpsc::Sender<Note>, request: RequestId, reason: String) -> bool {
    notes.send(Note::Input(Input::Failed { request, reason })).await.is_ok()
}

/// Reads registers; those of one bank without the rows that cannot hold anything.
async fn read_bank(
    client: Client,
    schema: &Schema,
    layout: &TelemetryLayout,
    registers: &[String],
) -> Result<Vec<RegisterRows>, LiveError> {
    let Some(first) = layout.first_step(registers) else { return read(client, schema, registers).await };
    let first: Vec<(&str, Rows)> = first.into_iter().map(|name| (name, Rows::All)).collect();
    let mut read = read_rows(client.clone(), schema, &first).await?;
    read.extend(read_rows(client, schema, &layout.second_step(registers, &read)).await?);
    Ok(read)
}

/// Reads all rows of registers.
pub(super) async fn read(
    client: Client,
    schema: &Schema,
    registers: &[String],
) -> Result<Vec<RegisterRows>, LiveError> {
    let wanted: Vec<(&str, Rows)> = registers.iter().map(|name| (name.as_str(), Rows::All)).collect();
    read_rows(client, schema, &wanted).await
}

async fn read_rows(
    mut client: Client,
    schema: &Schema,
    wanted: &[(&str, Rows)],
) -> Result<Vec<RegisterRows>, LiveError> {
    let found: Vec<RegisterSchema> =
        wanted.iter().map(|(name, _)| schema.register(name)).collect::<Result<_, _>>()?;
    let elements = found.iter().zip(wanted).map(|(register, (_, rows))| match rows {
        Rows::All => (register, Elements::Range(0..register.size)),
        Rows::Each(rows) => (register, Elements::Each(rows.clone())),
    });
    let arrays = client.read_registers(&elements.collect::<Vec<_>>()).await?;
    Ok(arrays
        .iter()
        .map(|array| RegisterRows {
            register: array.name.clone(),
            rows: array
                .iter()
                .filter(|(_, value)| value.iter().any(|byte| *byte != 0))
                .map(|(index, value)| (index, value.to_vec()))
                .collect(),
        })
        .collect())
}

async fn write(mut client: Client, schema: &Schema, writes: &[RegisterWrite]) -> Result<(), LiveError> {
    let mut entities = Vec::new();
    for write in writes {
        let register = schema.register(&write.register)?;
        entities.push(Kind::RegisterEntry(register.entry(write.index, &write.value)));
    }
    client.modify(entities).await?;
    Ok(())
}
