//! A P4-16 front end for v1model.

pub mod ir;
