//! The task that holds one switch's connection.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use p4runtime::client::{Client, ClientConfig, ClientError, SchemaError, Session, SessionEvent};
use p4runtime::proto::p4::v1::{
    DigestList, get_forwarding_pipeline_config_request::ResponseType,
};
use tokio::sync::{mpsc, watch};
use tokio::task::JoinSet;
use tonic::Code;
use tracing::{info, warn};

use super::pipeline::Pipeline;
use super::program::{register_write, updates};
use super::{LiveSettings, SwitchState, SwitchTarget};
use crate::collect::{Input, RequestId};
use crate::layout::RegisterRows;
use crate::plan::{RegisterWrite, SwitchPlan};

/// A command for one switch.
#[derive(Clone, Debug)]
pub(super) enum Order {
    /// Read whole register arrays.
    Read { request: RequestId, registers: Vec<String> },
    /// Write register elements, in this order.
    Unlock { request: RequestId, writes: Vec<RegisterWrite> },
}

impl Order {
    pub(super) fn request(&self) -> RequestId {
        match self {
            Order::Read { request, .. } | Order::Unlock { request, .. } => *request,
        }
    }
}

/// Why a connection ended, or an order failed.
#[derive(Debug, thiserror::Error)]
pub enum SwitchError {
    /// The server refused or did not answer.
    #[error(transparent)]
    Client(#[from] ClientError),
    /// A name that the pipeline does not have.
    #[error(transparent)]
    Schema(#[from] SchemaError),
    /// Another controller has taken the switch over.
    #[error("another controller has become primary")]
    TakenOver,
}

/// A switch and how to reach and program it.
pub(super) struct Connection {
    pub(super) target: SwitchTarget,
    pub(super) pipeline: Arc<Pipeline>,
    pub(super) plan: SwitchPlan,
    pub(super) inputs: mpsc::Sender<Input>,
    pub(super) states: Arc<watch::Sender<BTreeMap<String, SwitchState>>>,
    pub(super) settings: LiveSettings,
}

impl Connection {
    /// Keeps the switch under control until its orders end.
    pub(super) async fn run(self, mut orders: mpsc::Receiver<Order>) {
        let mut pause = self.settings.reconnect_min;
        loop {
            let error = match self.serve(&mut orders, &mut pause).await {
                Ok(()) => return,
                Err(error) => error,
            };
            warn!(switch = self.target.name, %error, "connection lost; trying again in {pause:?}");
            self.set_state(SwitchState::Failed(error.to_string()));
            tokio::time::sleep(pause).await;
            pause = (pause * 2).min(self.settings.reconnect_max);
        }
    }

    fn set_state(&self, state: SwitchState) {
        self.states.send_modify(|states| {
            states.insert(self.target.name.clone(), state);
        });
    }

    /// Connects, programs and serves; `Ok` when there will be no more orders.
    async fn serve(&self, orders: &mut mpsc::Receiver<Order>, pause: &mut Duration) -> Result<(), SwitchError> {
        let config = ClientConfig {
            election_id: self.settings.election_id,
            ..ClientConfig::new(self.target.device_id)
        };
        let mut client = Client::connect(&self.target.endpoint, config).await?;
        let mut session = client.become_primary().await?;
        self.program(&mut client).await?;
        info!(switch = self.target.name, "under control");
        *pause = self.settings.reconnect_min;
        self.set_state(SwitchState::Ready);
        self.report(Input::Connected { switch: self.target.name.clone() }).await;

        let mut running = JoinSet::new();
        loop {
            tokio::select! {
                event = session.next() => self.take(event?, &session).await?,
                order = orders.recv() => {
                    let Some(order) = order else { return Ok(()) };
                    let (client, pipeline) = (client.clone(), self.pipeline.clone());
                    running.spawn(execute(client, pipeline, order));
                }
                Some(done) = running.join_next() => {
                    if let Ok(input) = done {
                        self.report(input).await;
                    }
                }
            }
        }
    }

    /// Loads pipeline and plan. A switch whose cookie says that it runs this pipeline keeps it, and with it what it has
    /// counted: then only what is missing of the plan is added.
    async fn program(&self, client: &mut Client) -> Result<(), SwitchError> {
        let schema = self.pipeline.schema();
        let [poll_digest, _] = self.pipeline.layout().digests();
        let updates = updates(&self.plan, schema, poll_digest)?;
        let cookie = fingerprint(self.pipeline.device_config());
        let running = client.pipeline(ResponseType::CookieOnly).await?;
        if running.and_then(|config| config.cookie).is_none_or(|running| running.cookie != cookie) {
            let config = self.pipeline.device_config().to_vec();
            client.set_pipeline(schema.p4info().clone(), config, cookie).await?;
        }
        match client.insert(updates.insert).await {
            Err(ClientError::Batch { failed, .. }) if failed.iter().all(|f| f.code == Code::AlreadyExists) => {}
            other => other?,
        }
        client.modify(updates.modify).await?;
        Ok(())
    }

    async fn take(&self, event: SessionEvent, session: &Session) -> Result<(), SwitchError> {
        match event {
            SessionEvent::Digest(list) => {
                self.take_digests(&list).await;
                session.sender().acknowledge(&list).await?;
            }
            SessionEvent::Arbitration(answer) if !answer.is_primary => return Err(SwitchError::TakenOver),
            SessionEvent::Error(error) => {
                warn!(switch = self.target.name, code = error.canonical_code, message = error.message, "stream error");
            }
            SessionEvent::Arbitration(_) | SessionEvent::Packet(_) | SessionEvent::Idle(_) => {}
        }
        Ok(())
    }

    async fn take_digests(&self, list: &DigestList) {
        let Some(digest) = self.pipeline.schema().digest_by_id(list.digest_id) else {
            warn!(switch = self.target.name, id = list.digest_id, "a digest that the pipeline does not have");
            return;
        };
        for message in &list.data {
            let fields = digest.values_of(message);
            let (switch, name) = (self.target.name.clone(), digest.name.clone());
            self.report(Input::Digest { switch, name, fields }).await;
        }
    }

    async fn report(&self, input: Input) {
        // The collector's task ends only when the whole controller does, which ends this task as well.
        let _ = self.inputs.send(input).await;
    }
}

async fn execute(mut client: Client, pipeline: Arc<Pipeline>, order: Order) -> Input {
    let request = order.request();
    let result = match order {
        Order::Read { registers, .. } => read(&mut client, &pipeline, &registers).await,
        Order::Unlock { writes, .. } => unlock(&mut client, &pipeline, &writes).await,
    };
    match result {
        Ok(Some(rows)) => Input::ReadDone { request, rows },
        Ok(None) => Input::UnlockDone { request },
        Err(error) => Input::Failed { request, reason: error.to_string() },
    }
}

async fn read(
    client: &mut Client,
    pipeline: &Pipeline,
    names: &[String],
) -> Result<Option<Vec<RegisterRows>>, SwitchError> {
    let registers = names.iter().map(|name| pipeline.schema().register(name)).collect::<Result<Vec<_>, _>>()?;
    let wanted: Vec<_> = registers.iter().map(|register| (register, 0..register.size)).collect();
    let arrays = client.read_registers(&wanted).await?;
    let rows = arrays.iter().zip(names).map(|(array, name)| RegisterRows {
        register: name.clone(),
        rows: array
            .iter()
            .filter(|(_, value)| value.iter().any(|byte| *byte != 0))
            .map(|(index, value)| (index, value.to_vec()))
            .collect(),
    });
    Ok(Some(rows.collect()))
}

async fn unlock(
    client: &mut Client,
    pipeline: &Pipeline,
    writes: &[RegisterWrite],
) -> Result<Option<Vec<RegisterRows>>, SwitchError> {
    // The order of the writes matters, and so does that none is left out behind one that failed.
    for write in writes {
        client.modify([register_write(write, pipeline.schema())?]).await?;
    }
    Ok(None)
}

/// FNV-1a over the pipeline's device configuration.
fn fingerprint(device_config: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3);
    device_config.iter().fold(0xcbf2_9ce4_8422_2325, step)
}
