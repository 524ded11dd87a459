//! A compiled program that can be loaded into any number of switches.

use std::fmt::Write;
use std::hash::Hasher;
use std::sync::Arc;

use fnv::FnvHasher;
use p4_lang::ir::Program;

use crate::config::{Engine, SwitchConfig};
use crate::engine::code::Code;
use crate::engine::compile::compile;
use crate::engine::optimise::optimise;
use crate::error::LoadError;
use crate::native::Translation;

/// A program with its bytecode, which switches share ([`crate::Switch::load_prepared`]).
///
/// The bytecode depends on the engine and on the drop port; a switch with other settings prepares the program again.
#[derive(Clone, Debug)]
pub struct Prepared {
    program: Arc<Program>,
    /// `None` for the interpreter.
    code: Option<Arc<Code>>,
    translation: Option<Translation>,
    engine: Engine,
    drop_port: u16,
}

impl Prepared {
    /// Compiles a program for an engine and a drop port. Malformed programs are rejected for every engine.
    pub fn new(program: Arc<Program>, engine: Engine, drop_port: u16) -> Result<Prepared, LoadError> {
        let mut code = compile(&program, drop_port)?;
        if engine == Engine::Compiled {
            optimise(&mut code);
        }
        let code = (engine != Engine::Interpreter).then(|| Arc::new(code));
        Ok(Prepared { program, code, translation: None, engine, drop_port })
    }

    /// Runs the program with a translation, if it was made from this bytecode.
    pub fn with_translation(mut self, translation: &Translation) -> Prepared {
        self.translation = (translation.fingerprint == self.fingerprint()).then_some(*translation);
        self
    }

    /// Runs the program as bytecode.
    pub fn without_translation(mut self) -> Prepared {
        self.translation = None;
        self
    }

    /// Returns the program.
    pub fn program(&self) -> &Arc<Program> {
        &self.program
    }

    /// Whether a translation runs the program.
    pub fn is_translated(&self) -> bool {
        self.translation.is_some()
    }

    /// Returns a hash (FNV-1a) of the bytecode, which identifies it; 0 for the interpreter.
    pub fn fingerprint(&self) -> u64 {
        let mut hash = TextHasher::default();
        match &self.code {
            Some(code) if write!(hash, "{code:?}").is_ok() => hash.0.finish(),
            _ => 0,
        }
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

    pub(crate) fn translation(&self) -> Option<&Translation> {
        self.translation.as_ref()
    }
}

/// Returns the engine of a switch: tracing requires the interpreter.
fn engine_of(config: &SwitchConfig) -> Engine {
    if config.trace { Engine::Interpreter } else { config.engine }
}

/// Hashes formatted text.
#[derive(Default)]
struct TextHasher(FnvHasher);

impl Write for TextHasher {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        self.0.write(text.as_bytes());
        Ok(())
    }
}
