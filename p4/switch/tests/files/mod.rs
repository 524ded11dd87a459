//! Loads P4 sources from the file system.
#![allow(clippy::disallowed_methods, reason = "the tests read the programs of the repository")]

pub(crate) struct Files;

impl p4_lang::SourceLoader for Files {
    fn load(&self, path: &str) -> Option<String> {
        std::fs::read_to_string(path).ok()
    }
}
