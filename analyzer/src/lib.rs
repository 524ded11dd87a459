//! Analyzer.
