//! The server with its switch, and the client, over loopback.

mod arbitration;
mod arrays;
mod atomicity;
mod bmv2_json;
mod common;
mod compilation;
mod constants;
mod entities;
mod failover;
mod limits;
mod p4info;
mod pipeline;
mod profiles;
mod replication;
mod robustness;
mod roles;
mod rules;
mod strain;
mod stream;
mod tables;
mod tls;
mod translation;
