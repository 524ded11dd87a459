//! Digest configurations.
//!
//! Source: P4Runtime specification, "DigestEntry".

use super::{Target, wrap};
use crate::error::Refusal;
use crate::proto::p4::v1::{self, entity::Entity as Kind, update::Type};
use crate::server::read::Output;
use p4_switch::control::DigestConfig;
use tonic::Code;

pub(crate) fn write(target: &mut Target<'_>, kind: Type, entry: &v1::DigestEntry) -> Result<(), Refusal> {
    let (id, digest) = target.pipeline.digest(entry.digest_id)?;
    let name = &digest.preamble.name;
    let current = target.control.digest_config(id)?;
    match (kind, current) {
        (Type::Insert, Some(_)) => {
            return Err(Refusal::new(Code::AlreadyExists, format!("digest {name} is enabled already")));
        }
        (Type::Modify | Type::Delete, None) => {
            return Err(Refusal::not_found(format!("digest {name} is not enabled")));
        }
        _ => {}
    }
    let config = match kind {
        Type::Delete => None,
        _ => Some(decode(entry.config.as_ref())?),
    };
    Ok(target.control.set_digest_config(id, config)?)
}

fn decode(config: Option<&v1::digest_entry::Config>) -> Result<DigestConfig, Refusal> {
    let Some(config) = config else { return Err(Refusal::invalid("the digest's config is not set")) };
    if config.max_timeout_ns < 0 || config.max_list_size < 0 || config.ack_timeout_ns < 0 {
        return Err(Refusal::invalid("a digest's timeouts and list size cannot be negative"));
    }
    Ok(DigestConfig {
        max_timeout_ns: config.max_timeout_ns,
        max_list_size: config.max_list_size,
        ack_timeout_ns: config.ack_timeout_ns,
    })
}

pub(crate) fn read(
    target: &mut Target<'_>,
    filter: &v1::DigestEntry,
    out: &mut Output,
) -> Result<(), Refusal> {
    let pipeline = target.pipeline;
    let all: Vec<u32> = match filter.digest_id {
        0 => pipeline.program.digests.iter().map(|d| d.preamble.id).filter(|id| *id != 0).collect(),
        id => vec![id],
    };
    for id in all {
        let (digest, _) = pipeline.digest(id)?;
        let Some(config) = target.control.digest_config(digest)? else { continue };
        let config = Some(v1::digest_entry::Config {
            max_timeout_ns: config.max_timeout_ns,
            max_list_size: config.max_list_size,
            ack_timeout_ns: config.ack_timeout_ns,
        });
        out.push(wrap(Kind::DigestEntry(v1::DigestEntry { digest_id: id, config })));
    }
    Ok(())
}
