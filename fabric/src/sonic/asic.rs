//! Kinds of ASICs, which count pauses in their own ways.
//!
//! SONiC's watchdog polls what it needs to detect a storm (sonic-swss, `orchdaemon.cpp`): on Spectrum the time of received
//! pauses, on ASICs of Broadcom how many pauses began, and whether the queue is paused now.

/// The ASIC of a switch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asic {
    /// Spectrum of NVIDIA.
    #[default]
    Spectrum,
    /// Tomahawk 3 of Broadcom.
    Tomahawk,
}

impl Asic {
    /// All ASICs.
    pub const ALL: [Asic; 2] = [Asic::Spectrum, Asic::Tomahawk];

    /// Its name in arguments.
    pub fn name(self) -> &'static str {
        match self {
            Asic::Spectrum => "spectrum",
            Asic::Tomahawk => "tomahawk",
        }
    }

    /// Bytes of a buffer cell, in which watermarks are counted: of Spectrum-2 and -3 (`asic_table.j2` of sonic-buildimage), and of
    /// Tomahawk 3 (FBOSS, `Tomahawk3Asic`).
    pub(super) fn cell_bytes(self) -> u64 {
        match self {
            Asic::Spectrum => 144,
            Asic::Tomahawk => 254,
        }
    }
}
