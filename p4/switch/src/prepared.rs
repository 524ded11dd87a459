//! A compiled program that can be loaded into any number of switches.

use std::sync::Arc;

use p4_lang::ir::Program;

use crate::config::{Engine, SwitchConfig};
use crate::engine::code::Code;
use crate::engine::compile::compile;
use crate::engine::optimise::optimise;
use crate::error::LoadError;
use crate::machine_code::MachineCode;

/// A program with its bytecode and machine code, which switches share ([`crate::Switch::load_prepared`]).
///
/// They depend on the engine and on the drop port; a switch with other settings prepares the program again.
#[derive(Clone, Debug)]
pub struct Prepared {
    program: Arc<Program>,
    /// `None` for the interpreter.
    code: Option<Arc<Code>>,
    machine_code: Option<Arc<MachineCode>>,
    /// Why there is no machine code although the engine asks for it.
    no_machine_code: Option<String>,
    engine: Engine,
    drop_port: u16,
}

impl Prepared {
    /// Compiles a program for an engine and a drop port. Malformed programs are rejected for every engine.
    pub fn new(program: Arc<Program>, engine: Engine, drop_port: u16) -> Result<Prepared, LoadError> {
        let mut code = compile(&program, drop_port)?;
        if matches!(engine, Engine::MachineCode | Engine::Bytecode) {
            optimise(&mut code);
        }
        let (machine_code, no_machine_code) = match engine {
            Engine::MachineCode => match MachineCode::new(&code, &program) {
                Ok(machine_code) => (Some(Arc::new(machine_code)), None),
                Err(reason) => (None, Some(reason.to_string())),
            },
            _ => (None, None),
        };
        let code = (engine != Engine::Interpreter).then(|| Arc::new(code));
        Ok(Prepared { program, code, machine_code, no_machine_code, engine, drop_port })
    }

    /// The same program, executed as bytecode.
    pub fn as_bytecode(mut self) -> Prepared {
        self.machine_code = None;
        self
    }

    /// Returns the program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Whether machine code runs the program.
    pub fn is_machine_code(&self) -> bool {
        self.machine_code.is_some()
    }

    /// Returns why bytecode runs the program although the engine is [`Engine::MachineCode`]: the kind of processor, the size
    /// of the program, or the system does not allow memory to be executed.
    pub fn why_bytecode(&self) -> Option<&str> {
        self.no_machine_code.as_deref()
    }

    /// Prepares a program for a switch with this configuration.
    pub(crate) fn for_switch(program: Arc<Program>, config: &SwitchConfig) -> Result<Prepared, LoadError> {
        Prepared::new(program, engine_of(config), config.drop_port)
    }

    /// Whether a switch with this configuration can use it.
    pub(crate) fn suits(&self, config: &SwitchConfig) -> bool {
        self.engine == engine_of(config) && self.drop_port == config.drop_port
    }

    pub(crate) fn code(&self) -> Option<&Arc<Code>> {
        self.code.as_ref()
    }

    pub(crate) fn drop_port(&self) -> u16 {
        self.drop_port
    }

    pub(crate) fn machine_code(&self) -> Option<&Arc<MachineCode>> {
        self.machine_code.as_ref()
    }
}

/// Returns the engine of a switch: tracing requires the interpreter.
fn engine_of(config: &SwitchConfig) -> Engine {
    if config.trace { Engine::Interpreter } else { config.engine }
}
