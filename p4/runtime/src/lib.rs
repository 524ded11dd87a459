//! Placeholder module header; see ARCHITECTURE.md.
