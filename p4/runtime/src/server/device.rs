//! The device: the active pipeline, the saved pipeline, and the switch.
//!
//! Source: P4Runtime specification, "SetForwardingPipelineConfig RPC". All calls block; the service runs them on
//! threads for blocking tasks.

use super::access::SwitchAccess;
use super::as_written::AsWritten;
use super::entity::{self, Ports, Target};
use super::limits::Limits;
use super::pipeline::Pipeline;
use super::read::Output;
use super::role::Scope;
use super::translation::Translations;
use super::{ServerConfig, reconcile, write};
use crate::device_config::{DeviceConfig, read_json};
use crate::device_state;
use crate::error::Refusal;
use crate::p4info;
use crate::proto::p4::config::v1::P4Info;
use crate::proto::p4::v1::{self, set_forwarding_pipeline_config_request::Action};
use p4_lang::Cancel;
use p4_lang::ir::TableId;
use p4_switch::control::{DigestConfig, EntryKey};
use p4_switch::{LoadError, Switch, SwitchConfig};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, RwLock};
use tonic::Code;

/// Maximum length in characters of a compiler message in a status, which is sent in headers.
const MESSAGE_CHARS: usize = 4_000;

/// Name of a program that a controller sends as JSON, in messages.
const JSON_NAME: &str = "main.json";

/// One device: its pipelines, and access to its switch.
pub(crate) struct Device<A> {
    access: A,
    switch: SwitchConfig,
    ports: Ports,
    limits: Limits,
    compile: super::Compile,
    names: Arc<Translations>,
    state: Mutex<State>,
    /// The active pipeline, for tasks that must not wait for a write.
    running: RwLock<Option<Arc<Pipeline>>>,
}

#[derive(Default)]
struct State {
    active: Option<Active>,
    saved: Option<Saved>,
}

/// The active pipeline and its state.
struct Active {
    pipeline: Arc<Pipeline>,
    as_written: AsWritten,
}

/// The saved pipeline until `COMMIT`; a shadow switch processes writes until then.
struct Saved {
    pipeline: Arc<Pipeline>,
    as_written: AsWritten,
    shadow: Box<Switch>,
    /// Batches to replay at `COMMIT`.
    log: Vec<(Vec<v1::Update>, i32, Arc<Scope>)>,
    logged: usize,
}

/// What an action on the pipeline changes, compiled and verified.
pub(crate) enum Change {
    Nothing,
    /// The shadow switch has loaded the pipeline.
    Save(Arc<Pipeline>, Box<Switch>),
    Load(Arc<Pipeline>),
    Commit,
    Reconcile(Arc<Pipeline>, Box<Switch>),
}

impl<A: SwitchAccess> Device<A> {
    pub(crate) fn new(access: A, config: &ServerConfig) -> Device<A> {
        Device {
            access,
            switch: config.switch.clone(),
            ports: Ports::new(&config.switch.tm, config.switch.cpu_port),
            limits: config.limits.clone(),
            compile: config.compile.clone(),
            names: Arc::default(),
            state: Mutex::default(),
            running: RwLock::default(),
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the active pipeline.
    pub(crate) fn running(&self) -> Option<Arc<Pipeline>> {
        self.running.read().unwrap_or_else(PoisonError::into_inner).clone()
    }

    fn set_active(&self, state: &mut State, active: Active) {
        *self.running.write().unwrap_or_else(PoisonError::into_inner) = Some(active.pipeline.clone());
        state.active = Some(active);
    }

    /// Applies a batch and returns one result per update.
    ///
    /// # Errors
    /// If no update was attempted.
    pub(crate) fn write(
        &self,
        updates: Vec<v1::Update>,
        atomicity: i32,
        scope: &Arc<Scope>,
    ) -> Result<Vec<Result<(), Refusal>>, Refusal> {
        if updates.len() > self.limits.updates_per_write {
            let message = format!("more than {} updates in one write", self.limits.updates_per_write);
            return Err(Refusal::new(Code::ResourceExhausted, message));
        }
        let mut state = self.state();
        if let Some(saved) = &mut state.saved {
            return self.write_saved(saved, updates, atomicity, scope);
        }
        self.with_active(&mut state, |target| write::apply(target, &updates, atomicity, scope))?
    }

    fn write_saved(
        &self,
        saved: &mut Saved,
        updates: Vec<v1::Update>,
        atomicity: i32,
        scope: &Arc<Scope>,
    ) -> Result<Vec<Result<(), Refusal>>, Refusal> {
        if saved.logged + updates.len() > self.limits.updates_until_commit {
            let message = format!("more than {} updates until COMMIT", self.limits.updates_until_commit);
            return Err(Refusal::new(Code::ResourceExhausted, message));
        }
        let mut target = Target {
            pipeline: &saved.pipeline,
            control: saved.shadow.control(),
            as_written: &mut saved.as_written,
            ports: &self.ports,
        };
        let results = write::apply(&mut target, &updates, atomicity, scope)?;
        saved.logged += updates.len();
        saved.log.push((updates, atomicity, scope.clone()));
        Ok(results)
    }

    /// Reads a batch and returns the entities and one result per request.
    ///
    /// # Errors
    /// If no request was attempted.
    pub(crate) fn read(
        &self,
        requests: &[v1::Entity],
        scope: &Scope,
    ) -> Result<(Output, Vec<Result<(), Refusal>>), Refusal> {
        if requests.len() > self.limits.entities_per_read {
            let message = format!("more than {} entities in one read", self.limits.entities_per_read);
            return Err(Refusal::new(Code::ResourceExhausted, message));
        }
        // Before the other entities: a program's state cannot be lent together with that of the switch.
        let is_device =
            |request: &v1::Entity| request.entity.as_ref().is_some_and(device_state::is_requested);
        let device = requests.iter().any(is_device).then(|| {
            self.access.with(|switch, now| {
                switch.wake(now);
                switch.device_state(now)
            })
        });
        let read_all = |target: &mut Target<'_>| {
            let mut out = Output::new();
            let one = |request: &v1::Entity| {
                request.entity.as_ref().map_or(Ok(()), |entity| scope.check_read(entity))?;
                if let Some(device) = device.as_ref().filter(|_| is_device(request)) {
                    out.push(entity::wrap(device_state::entity(device)));
                    return Ok(());
                }
                entity::read(target, request, &mut out)
            };
            let results = requests.iter().map(one).collect();
            (out, results)
        };
        let mut state = self.state();
        if let Some(saved) = &mut state.saved {
            let mut target = Target {
                pipeline: &saved.pipeline,
                control: saved.shadow.control(),
                as_written: &mut saved.as_written,
                ports: &self.ports,
            };
            return Ok(read_all(&mut target));
        }
        self.with_active(&mut state, read_all)
    }

    fn with_active<R>(&self, state: &mut State, f: impl FnOnce(&mut Target<'_>) -> R) -> Result<R, Refusal> {
        let Some(Active { pipeline, as_written }) = &mut state.active else {
            return Err(Refusal::new(Code::FailedPrecondition, "no forwarding pipeline is set"));
        };
        self.access.with(|switch, now| {
            if !switch.program().is_some_and(|program| Arc::ptr_eq(program, &pipeline.program)) {
                let message = "the driver has loaded another program into the switch; set the pipeline again";
                return Err(Refusal::new(Code::FailedPrecondition, message));
            }
            switch.wake(now);
            Ok(f(&mut Target { pipeline, control: switch.control(), as_written, ports: &self.ports }))
        })
    }

    /// Returns the configuration that a controller has set, for `GetForwardingPipelineConfig`.
    pub(crate) fn config(&self) -> Option<v1::ForwardingPipelineConfig> {
        let state = self.state();
        let pipeline = match (&state.saved, &state.active) {
            (Some(saved), _) => &saved.pipeline,
            (None, Some(active)) => &active.pipeline,
            (None, None) => return None,
        };
        Some(pipeline.config.clone())
    }

    /// Compiles and verifies what an action needs. This takes long for a large program, and takes no lock.
    pub(crate) fn prepare(
        &self,
        action: i32,
        config: Option<v1::ForwardingPipelineConfig>,
        cancel: &Cancel,
    ) -> Result<Change, Refusal> {
        let Ok(action) = Action::try_from(action) else {
            return Err(Refusal::invalid(format!("there is no pipeline action {action}")));
        };
        match action {
            Action::Unspecified => Err(Refusal::invalid("the pipeline action is not set")),
            Action::Verify => self.build_and_try(config, cancel).map(|_| Change::Nothing),
            Action::VerifyAndSave => {
                let (pipeline, shadow) = self.build_and_try(config, cancel)?;
                Ok(Change::Save(pipeline, Box::new(shadow)))
            }
            Action::VerifyAndCommit => self.build(config, cancel).map(Change::Load),
            Action::Commit if config.is_some() => Err(Refusal::invalid("COMMIT takes no configuration")),
            Action::Commit => Ok(Change::Commit),
            Action::ReconcileAndCommit => {
                let (pipeline, shadow) = self.build_and_try(config, cancel)?;
                Ok(Change::Reconcile(pipeline, Box::new(shadow)))
            }
        }
    }

    /// Sets, saves or commits a pipeline. If it fails, nothing has changed.
    pub(crate) fn set_pipeline(&self, change: Change) -> Result<(), Refusal> {
        match change {
            Change::Nothing => Ok(()),
            Change::Save(pipeline, shadow) => {
                let as_written = AsWritten::default();
                self.state().saved = Some(Saved { pipeline, as_written, shadow, log: Vec::new(), logged: 0 });
                Ok(())
            }
            Change::Load(pipeline) => {
                let mut state = self.state();
                self.load(&pipeline)?;
                state.saved = None;
                self.set_active(&mut state, Active { pipeline, as_written: AsWritten::default() });
                Ok(())
            }
            Change::Commit => self.commit(),
            Change::Reconcile(pipeline, shadow) => self.reconcile(pipeline, *shadow),
        }
    }

    fn load(&self, pipeline: &Pipeline) -> Result<(), Refusal> {
        self.access.with(|switch, _| load(switch, pipeline))
    }

    fn commit(&self) -> Result<(), Refusal> {
        let mut state = self.state();
        let Some(saved) = &state.saved else {
            return Err(Refusal::not_found("no pipeline has been saved by VERIFY_AND_SAVE"));
        };
        let mut as_written = AsWritten::default();
        self.access.with(|switch, _| {
            load(switch, &saved.pipeline)?;
            let pipeline = &saved.pipeline;
            let mut target = Target {
                pipeline,
                control: switch.control(),
                as_written: &mut as_written,
                ports: &self.ports,
            };
            for (updates, atomicity, scope) in &saved.log {
                // The shadow switch has processed the same batches from the same state, so the results are the same.
                let _ = write::apply(&mut target, updates, *atomicity, scope);
            }
            Ok::<(), Refusal>(())
        })?;
        if let Some(saved) = state.saved.take() {
            self.set_active(&mut state, Active { pipeline: saved.pipeline, as_written });
        }
        Ok(())
    }

    fn reconcile(&self, pipeline: Arc<Pipeline>, mut shadow: Switch) -> Result<(), Refusal> {
        let mut state = self.state();
        let mut as_written = AsWritten::default();
        let Some(active) = &mut state.active else {
            self.load(&pipeline)?;
            state.saved = None;
            self.set_active(&mut state, Active { pipeline, as_written });
            return Ok(());
        };
        self.access.with(|switch, _| {
            let ports = &self.ports;
            let kept = reconcile::collect(&mut Target {
                pipeline: &active.pipeline,
                control: switch.control(),
                as_written: &mut active.as_written,
                ports,
            })?;
            let mut trial = AsWritten::default();
            reconcile::apply(
                &mut Target { pipeline: &pipeline, control: shadow.control(), as_written: &mut trial, ports },
                &kept,
            )?;
            load(switch, &pipeline)?;
            reconcile::apply(
                &mut Target {
                    pipeline: &pipeline,
                    control: switch.control(),
                    as_written: &mut as_written,
                    ports,
                },
                &kept,
            )
        })?;
        state.saved = None;
        self.set_active(&mut state, Active { pipeline, as_written });
        Ok(())
    }

    /// The pipeline of a configuration.
    fn build(
        &self,
        config: Option<v1::ForwardingPipelineConfig>,
        cancel: &Cancel,
    ) -> Result<Arc<Pipeline>, Refusal> {
        let Some(config) = config else { return Err(Refusal::invalid("the configuration is not set")) };
        let (bytes, limit) = (config.p4_device_config.len(), self.limits.program_bytes);
        if bytes > limit {
            let message = format!("the device configuration has {bytes} bytes, the limit is {limit}");
            return Err(Refusal::invalid(message));
        }
        let decoded = DeviceConfig::decode(&config.p4_device_config)
            .map_err(|error| Refusal::invalid(error.to_string()))?;
        let nothing = P4Info::default();
        let theirs = match (&config.p4info, &decoded) {
            (Some(theirs), _) => theirs,
            // A client of the reference switch leaves it out if the program has no objects.
            (None, DeviceConfig::Bmv2Json(_)) => &nothing,
            (None, DeviceConfig::Sources(_)) => return Err(Refusal::invalid("the P4Info is not set")),
        };
        let program = match decoded {
            DeviceConfig::Sources(sources) => (self.compile)(&sources, cancel).map_err(|message| {
                Refusal::invalid(shorten(&format!("the program does not compile: {message}")))
            })?,
            DeviceConfig::Bmv2Json(text) => read_json(JSON_NAME, &text, Some(theirs)).map_err(|message| {
                Refusal::invalid(shorten(&format!("the program cannot be read: {message}")))
            })?,
        };
        let ours = p4info::from_program(&program);
        let differences = p4info::differences(&ours, theirs);
        if !differences.is_empty() {
            let message = format!("the P4Info is not that of the program: {}", differences.join("; "));
            return Err(Refusal::invalid(shorten(&message)));
        }
        let prepared = self.switch.prepare(Arc::new(program)).map_err(cannot_run)?;
        if let Some(reason) = prepared.why_bytecode() {
            tracing::warn!(
                reason,
                "the program has no machine code and runs as bytecode, at about half the speed"
            );
        }
        Ok(Arc::new(Pipeline::new(config, prepared, self.names.clone())))
    }

    /// Returns the pipeline of a configuration and a shadow switch that has loaded it.
    fn build_and_try(
        &self,
        config: Option<v1::ForwardingPipelineConfig>,
        cancel: &Cancel,
    ) -> Result<(Arc<Pipeline>, Switch), Refusal> {
        let pipeline = self.build(config, cancel)?;
        let mut shadow = Switch::new(self.switch.clone());
        load(&mut shadow, &pipeline)?;
        Ok((pipeline, shadow))
    }

    /// Returns the digest configurations of the active pipeline.
    pub(crate) fn digest_configs(&self) -> Vec<Option<DigestConfig>> {
        let Some(pipeline) = self.running() else { return Vec::new() };
        let digests = 0..pipeline.program.digests.len() as u32;
        self.access.with(|switch, _| {
            let control = switch.control();
            digests
                .map(|digest| control.digest_config(p4_lang::ir::DigestId(digest)).ok().flatten())
                .collect()
        })
    }

    /// Returns the idle entries that still exist, as table entries.
    pub(crate) fn describe_idle(&self, entries: &[(TableId, EntryKey)]) -> Vec<v1::TableEntry> {
        let mut state = self.state();
        let described = self.with_active(&mut state, |target| {
            let describe = |(table, key): &(TableId, EntryKey)| {
                let table = target.pipeline.program.tables.get(table.index())?;
                entity::table::describe(target, table, key)
            };
            entries.iter().filter_map(describe).collect()
        });
        described.unwrap_or_default()
    }

    /// Sends a packet of the controller.
    pub(crate) fn packet_out(&self, packet: &v1::PacketOut) -> Result<(), Refusal> {
        let Some(pipeline) = self.running() else {
            return Err(Refusal::new(Code::FailedPrecondition, "no forwarding pipeline is set"));
        };
        let frame = super::packet_io::packet_out(&pipeline, packet, self.limits.packet_bytes)?;
        self.access.with(|switch, now| switch.packet_out(now, frame));
        Ok(())
    }
}

fn load(switch: &mut Switch, pipeline: &Pipeline) -> Result<(), Refusal> {
    switch.load_prepared(&pipeline.prepared).map_err(cannot_run)
}

fn cannot_run(error: LoadError) -> Refusal {
    Refusal::invalid(shorten(&format!("the switch cannot run the program: {error}")))
}

fn shorten(message: &str) -> String {
    match message.char_indices().nth(MESSAGE_CHARS) {
        None => message.into(),
        Some((end, _)) => format!("{} ...", &message[..end]),
    }
}
