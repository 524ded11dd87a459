//! Decoded counters of the losses of the switch program.

use model::LossReason;

use super::{ReadError, RegisterRows, TelemetryLayout};

/// A counter of lost packets, as it was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LossCounter {
    /// Where the packets arrived.
    pub ingress_port: Option<u16>,
    /// Where they were to leave, if the switch had chosen a port.
    pub egress_port: Option<u16>,
    /// Their priority, if the counter is one of a priority.
    pub priority: Option<u8>,
    /// Why they were lost.
    pub reason: LossReason,
    /// Number of packets since the start of the switch; a counter of 32 bits may have wrapped.
    pub packets: u64,
    /// Switch time of the first one.
    pub first_ns: u64,
    /// Switch time of the last one.
    pub last_ns: u64,
}

impl TelemetryLayout {
    /// Decodes the program's own losses from a read of [`TelemetryLayout::loss_register`].
    ///
    /// # Errors
    /// If the register is missing.
    pub fn read_losses(&self, read: &[RegisterRows]) -> Result<Vec<LossCounter>, ReadError> {
        let fields = &self.losses;
        let name = &fields.register.name;
        let rows = read.iter().find(|part| part.register == *name);
        let rows = rows.ok_or_else(|| ReadError::Missing(name.clone()))?;
        let reasons = fields.reasons.len().max(1) as u64;
        let counter = |(index, word): &(u64, Vec<u8>)| {
            let reason = (*fields.reasons.get((index % reasons) as usize)?)?;
            let packets = fields.packets.get(word) as u64;
            (packets > 0).then(|| LossCounter {
                ingress_port: Some((index / reasons) as u16 + 1),
                egress_port: None,
                priority: None,
                reason,
                packets,
                first_ns: fields.first.get(word) as u64,
                last_ns: fields.last.get(word) as u64,
            })
        };
        Ok(rows.rows.iter().filter_map(counter).collect())
    }
}
