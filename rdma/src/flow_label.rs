//! The UDP source port of RoCEv2 packets, by which switches choose between equal-cost paths.
//!
//! Drivers derive it from the flow label of the address (`ibv_flow_label_to_udp_sport` in `infiniband/verbs.h` of
//! rdma-core 44, `rdma_flow_label_to_udp_sport` in the Linux kernel), if the label is not 0. Others ignore the label.

/// First source port of RoCEv2.
const FIRST_PORT: u16 = 0xc000;
/// Bits of a source port that differ.
const PORT_BITS: u32 = 14;

/// A flow label: 20 bits, not 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct FlowLabel(u32);

impl FlowLabel {
    /// Returns a label; `None` if it is 0 or longer than 20 bits.
    pub fn new(label: u32) -> Option<FlowLabel> {
        (1..1 << 20).contains(&label).then_some(FlowLabel(label))
    }

    /// Returns the label.
    pub fn get(self) -> u32 {
        self.0
    }
}

/// Returns the UDP source port of packets with a flow label, on devices that follow it.
pub fn udp_source_port(label: FlowLabel) -> u16 {
    let low = (label.0 ^ (label.0 >> PORT_BITS)) & ((1 << PORT_BITS) - 1);
    FIRST_PORT | low as u16
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_source_port_is_folded_from_the_label() {
        let port = |label| udp_source_port(FlowLabel::new(label).unwrap());
        assert_eq!(port(1), 0xc001);
        assert_eq!(port(0x3fff), 0xffff);
        // The upper six bits fold onto the lowest ones.
        assert_eq!(port(0x4000), 0xc001);
        assert_eq!(port(0xfc000), 0xc03f);
        assert_eq!(port(0xfffff), 0xc000 | (0x3fff ^ 0x3f));
    }

    #[test]
    fn labels_have_20_bits_and_are_not_0() {
        assert_eq!(FlowLabel::new(0), None);
        assert_eq!(FlowLabel::new(1 << 20), None);
        assert_eq!(FlowLabel::new(0xfffff).map(FlowLabel::get), Some(0xfffff));
    }
}
