//! Loads, programs and reads the telemetry program of the fabric's switches: the in-process counterpart of the
//! P4Runtime driver, which executes the controller's plans and requests on [`Switch::control`].

use std::sync::Arc;

use controller::layout::{
    DigestInfo, LayoutError, PipelineInfo, RegisterInfo, RegisterRows, TelemetryLayout,
};
use controller::plan::{MatchValue, RegisterWrite, SwitchPlan};
use p4_lang::diagnostic::Diagnostic;
use p4_lang::ir::{Bits, Preamble, Program};
use p4_lang::source::{MemoryLoader, SourceMap};
use p4_switch::control::{ActionCall, FieldMatch, Replica, TableEntry};
use p4_switch::{ControlError, Engine, LoadError, Prepared, Switch, SwitchConfig};

use crate::switch::FabricSwitch;
use crate::traffic_switch::TrafficSwitch;

/// A compiled telemetry program and how to read its registers.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// The program.
    pub program: Arc<Program>,
    /// Compiled code that its switches share; absent if the program cannot be loaded, which loading reports.
    prepared: Option<Prepared>,
    /// The layout of its telemetry.
    pub layout: Arc<TelemetryLayout>,
}

/// Why a program cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum PipelineError {
    /// The program does not compile.
    #[error("the switch program has {} problem(s), the first: {}", .diagnostics.len(), .diagnostics.first().map_or("", |d| d.message.as_str()))]
    Compile {
        /// The problems.
        diagnostics: Vec<Diagnostic>,
        /// The texts they refer to.
        sources: Box<SourceMap>,
    },
    /// It compiles, but lacks registers or digests that collection needs.
    #[error("the switch program's telemetry cannot be read: {0}")]
    Layout(#[from] LayoutError),
}

/// Why a switch cannot be programmed.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// The program does not fit the switch.
    #[error("switch `{switch}`: {error}")]
    Load {
        /// The switch.
        switch: String,
        /// Why.
        error: LoadError,
    },
    /// The plan refers to an object that the program does not have.
    #[error("switch `{switch}`: the program has no {what} `{name}`")]
    Unknown {
        /// The switch.
        switch: String,
        /// Kind of the object.
        what: &'static str,
        /// Its name in the plan.
        name: String,
    },
    /// The switch rejects a part of the plan.
    #[error("switch `{switch}`: {error}")]
    Refused {
        /// The switch.
        switch: String,
        /// Why.
        error: ControlError,
    },
}

impl Pipeline {
    /// The telemetry program that comes with Harrier, with the sizes of `defines` instead of its defaults.
    pub fn hawkeye(defines: &[(&str, u32)]) -> Result<Pipeline, PipelineError> {
        let mut loader = MemoryLoader::new();
        for (path, text) in controller::program::with_defines(defines) {
            loader = loader.with(path, text);
        }
        let compilation = p4_lang::compile(controller::program::MAIN, &loader, &p4_lang::Options::default());
        match compilation.program {
            Some(program) => Ok(Pipeline::new(Arc::new(program))?),
            None => Err(PipelineError::Compile {
                diagnostics: compilation.diagnostics,
                sources: Box::new(compilation.sources),
            }),
        }
    }

    /// A program that was compiled elsewhere.
    pub fn new(program: Arc<Program>) -> Result<Pipeline, LayoutError> {
        let layout = Arc::new(TelemetryLayout::new(&describe(&program))?);
        let prepared = Prepared::new(Arc::clone(&program), Engine::default(), SwitchConfig::DROP_PORT).ok();
        Ok(Pipeline { program, prepared, layout })
    }

    /// The program with the code that its switches share.
    pub fn prepared(&self) -> Option<&Prepared> {
        self.prepared.as_ref()
    }

    /// The same program, executed as bytecode instead of machine code.
    pub fn as_bytecode(mut self) -> Pipeline {
        self.prepared = self.prepared.map(Prepared::as_bytecode);
        self
    }

    fn load(&self, switch: &mut Switch) -> Result<(), LoadError> {
        match &self.prepared {
            Some(prepared) => switch.load_prepared(prepared),
            None => switch.load(Arc::clone(&self.program)),
        }
    }
}

/// The registers and digests of a program.
fn describe(program: &Program) -> PipelineInfo {
    PipelineInfo {
        registers: program
            .registers
            .iter()
            .map(|register| RegisterInfo {
                name: register.preamble.name.clone(),
                width: register.components.iter().map(|(_, kind)| kind.width()).sum(),
                size: register.size,
                annotations: register.preamble.annotations.clone(),
            })
            .collect(),
        digests: program
            .digests
            .iter()
            .map(|digest| DigestInfo {
                name: digest.preamble.name.clone(),
                fields: digest.fields.iter().map(|(name, kind)| (name.clone(), kind.width())).collect(),
            })
            .collect(),
    }
}

/// Loads the pipeline into a switch and writes its plan.
pub fn install(switch: &mut Switch, pipeline: &Pipeline, plan: &SwitchPlan) -> Result<(), InstallError> {
    let name = || plan.switch.clone();
    pipeline.load(switch).map_err(|error| InstallError::Load { switch: name(), error })?;
    let refused = |error| InstallError::Refused { switch: name(), error };
    for entry in &plan.entries {
        let (table, entry) = table_entry(&pipeline.program, &plan.switch, entry)?;
        switch.control().table_insert(table, entry).map_err(refused)?;
    }
    write_value_sets(switch, pipeline, plan)?;
    for group in &plan.groups {
        let replicas: Vec<Replica> =
            group.ports.iter().map(|port| Replica { egress_port: *port, instance: 0 }).collect();
        switch.control().multicast_insert(group.id, replicas).map_err(refused)?;
    }
    write_registers(switch, pipeline, &plan.registers).map_err(refused)
}

/// A switch that the fabric programs from a plan.
pub trait Programmed: FabricSwitch {
    /// Loads the pipeline and writes the plan.
    fn install(&mut self, pipeline: &Pipeline, plan: &SwitchPlan) -> Result<(), InstallError>;

    /// Replaces the routes by those of a plan; everything else stays.
    fn reinstall_routes(&mut self, pipeline: &Pipeline, plan: &SwitchPlan) -> Result<(), InstallError>;
}

impl Programmed for Switch {
    fn install(&mut self, pipeline: &Pipeline, plan: &SwitchPlan) -> Result<(), InstallError> {
        install(self, pipeline, plan)
    }

    fn reinstall_routes(&mut self, pipeline: &Pipeline, plan: &SwitchPlan) -> Result<(), InstallError> {
        reinstall_routes(self, pipeline, plan)
    }
}

impl Programmed for TrafficSwitch {
    fn install(&mut self, _pipeline: &Pipeline, plan: &SwitchPlan) -> Result<(), InstallError> {
        TrafficSwitch::install(self, plan);
        Ok(())
    }

    fn reinstall_routes(&mut self, _pipeline: &Pipeline, plan: &SwitchPlan) -> Result<(), InstallError> {
        TrafficSwitch::reinstall_routes(self, plan);
        Ok(())
    }
}

/// Replaces the routes of a switch by those of a plan; everything else stays.
pub fn reinstall_routes(
    switch: &mut Switch,
    pipeline: &Pipeline,
    plan: &SwitchPlan,
) -> Result<(), InstallError> {
    let refused = |error| InstallError::Refused { switch: plan.switch.clone(), error };
    let is_routing = |table: &str| ROUTING_TABLES.contains(&table);
    for table in
        pipeline.program.tables.iter().filter(|t| ROUTING_TABLES.iter().any(|n| is_called(&t.preamble, n)))
    {
        switch.control().table_clear(table.preamble.name.as_str()).map_err(refused)?;
    }
    for entry in plan.entries.iter().filter(|entry| is_routing(entry.table)) {
        let (table, entry) = table_entry(&pipeline.program, &plan.switch, entry)?;
        switch.control().table_insert(table, entry).map_err(refused)?;
    }
    Ok(())
}

/// The tables with routes.
const ROUTING_TABLES: [&str; 3] = ["ipv4_routes", "ipv6_routes", "ecmp_members"];

/// Whether an object has this name, which may be the last part of its qualified name.
fn is_called(preamble: &Preamble, name: &str) -> bool {
    preamble.name == name || preamble.name.strip_suffix(name).is_some_and(|rest| rest.ends_with('.'))
}

fn table_entry<'p>(
    program: &'p Program,
    switch: &str,
    entry: &controller::plan::TableEntry,
) -> Result<(&'p str, TableEntry), InstallError> {
    let unknown =
        |what, name: &str| InstallError::Unknown { switch: switch.to_string(), what, name: name.to_string() };
    let table = program
        .tables
        .iter()
        .find(|table| is_called(&table.preamble, entry.table))
        .ok_or_else(|| unknown("table", entry.table))?;
    let mut matches = Vec::new();
    for key in &table.keys {
        let width = key.expr.ty.width();
        let value = entry.key.iter().find(|(name, _)| *name == key.name).map(|(_, value)| value);
        matches.push(match value.ok_or_else(|| unknown("key component", &key.name))? {
            MatchValue::Exact(value) => FieldMatch::Exact(Bits::from_be_bytes(width, value)),
            MatchValue::Lpm { value, prefix_length } => {
                FieldMatch::Lpm { value: Bits::from_be_bytes(width, value), prefix_bits: *prefix_length }
            }
        });
    }
    let action = table
        .actions
        .iter()
        .map(|reference| reference.action)
        .find(|action| is_called(&program.actions[action.index()].preamble, entry.action))
        .ok_or_else(|| unknown("action", entry.action))?;
    let mut args = Vec::new();
    for param in &program.actions[action.index()].params {
        let value = entry.params.iter().find(|(name, _)| *name == param.name).map(|(_, value)| value);
        let value = value.ok_or_else(|| unknown("parameter", &param.name))?;
        args.push(Bits::from_be_bytes(param.kind.width(), value));
    }
    Ok((&table.preamble.name, TableEntry::new(matches, 0, ActionCall { action, args })))
}

fn write_value_sets(switch: &mut Switch, pipeline: &Pipeline, plan: &SwitchPlan) -> Result<(), InstallError> {
    let refused = |error| InstallError::Refused { switch: plan.switch.clone(), error };
    for set in &pipeline.program.value_sets {
        let [(_, width, _)] = set.components[..] else {
            continue;
        };
        let members: Vec<Vec<FieldMatch>> = plan
            .value_sets
            .iter()
            .filter(|member| is_called(&set.preamble, member.value_set))
            .map(|member| vec![FieldMatch::Exact(Bits::from_be_bytes(width, &member.value))])
            .collect();
        if !members.is_empty() {
            switch.control().value_set_write(set.preamble.name.as_str(), &members).map_err(refused)?;
        }
    }
    Ok(())
}

/// Writes register elements, in order.
pub fn write_registers(
    switch: &mut Switch,
    pipeline: &Pipeline,
    writes: &[RegisterWrite],
) -> Result<(), ControlError> {
    let mut control = switch.control();
    for write in writes {
        let width = pipeline
            .layout
            .register(&write.register)
            .map_or(8 * write.value.len() as u32, |register| register.word.width());
        let value = Bits::from_be_bytes(width, &write.value);
        control.register_write(write.register.as_str(), write.index, &[value])?;
    }
    Ok(())
}

/// Reads whole register arrays; zero elements are omitted.
pub fn read_registers(switch: &mut Switch, registers: &[String]) -> Result<Vec<RegisterRows>, ControlError> {
    let control = switch.control();
    let mut read = Vec::new();
    for name in registers {
        let array = control.register(name.as_str())?;
        let stride = array.stride().max(1);
        let rows = array
            .limbs()
            .chunks(stride)
            .enumerate()
            .filter(|(_, limbs)| limbs.iter().any(|limb| *limb != 0))
            .map(|(index, limbs)| {
                (index as u64, limbs.iter().rev().flat_map(|limb| limb.to_be_bytes()).collect())
            })
            .collect();
        read.push(RegisterRows { register: name.clone(), rows });
    }
    Ok(read)
}
