//! The manual review of every finding on the shipped switches, by rule, ASIC and severity.

use buffer_config::finding::Severity::{self, Error, Info, Warning};

/// The result of a review.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    /// The configuration is wrong.
    Defect,
    /// A convention of the ASIC's vendor, reported with a lower severity.
    Idiom,
    /// The file does not contain enough information.
    Unknown,
    /// The rule reports a figure, not a violation.
    Report,
}

use Kind::{Defect, Idiom, Report, Unknown};

/// The review and its reason; `None` for findings that were not reviewed.
pub(crate) fn verdict(code: &str, asic: &str, severity: Severity) -> Option<(Kind, &'static str)> {
    let spectrum = asic.starts_with("spectrum");
    Some(match (code, asic, severity) {
        ("BUF004", "qumran-3d", Info) => (
            Idiom,
            "DNX has one pool for both directions; the dynamic model, which would ignore the field, is not used there",
        ),
        ("BUF018", _, Info) => {
            (Idiom, "the vendor's template defines profiles for roles that do not use them")
        }
        ("BUF019", "teralynx", Info) | ("PG003", "teralynx", Warning) => (
            Idiom,
            "Teralynx templates keep all lossless traffic in the ingress pool and all lossy traffic in the egress one",
        ),
        ("BUF020", "tofino", Warning) => {
            (Defect, "aurora-610 copies `xoff` into an egress profile; it has no effect there")
        }
        (
            "BUF022",
            "teralynx" | "tomahawk" | "tomahawk-2" | "tomahawk-3" | "tomahawk-4" | "tomahawk-5"
            | "tomahawk-6" | "trident-3",
            Info,
        ) => (
            Idiom,
            "a very large static threshold disables the limit in a dynamic pool (Azure paper, appendix A)",
        ),
        ("BUF022", _, Info) => {
            (Idiom, "a dynamic threshold in a static egress pool; SAIs use the type of the profile")
        }
        ("BUF023", "tomahawk-6", Error) => (Defect, "issue 28657: 808,546 cells of 636,183, still shipped"),
        ("BUF023" | "BUF024", "tomahawk", Error) => {
            (Defect, "33 MB on a chip of 16 MB: copied from a larger one")
        }
        ("BUF023", "teralynx", Warning) => (Unknown, "the memory of Teralynx is not published"),
        ("BUF023", "tomahawk-4" | "tomahawk-5" | "trident-3" | "trident-4", Warning) => (
            Unknown,
            "the memory is assumed to be the largest shipped pool; the headroom on top of it may be the SAI's accounting, or issue 28657",
        ),
        ("BUF024", "tomahawk-5" | "trident-3", Warning) => {
            (Unknown, "less than 1 % above the largest pool of the chip's other switches")
        }
        ("BUF025", "trident-3", Error) => (Defect, "PR 21320 fixed a similar SKU; these still ship"),
        ("BUF025", "tomahawk-4", Warning) => {
            (Unknown, "the egress pool is half of the ingress one, and the chip has two halves")
        }
        ("BUF026", "trident-3", Error) => {
            (Defect, "D6356: lossless queues are limited to a quarter of the pool")
        }
        ("BUF026" | "BUF028", "tomahawk-5", Info) => {
            (Idiom, "half of the memory: each half of the chip has its own limit")
        }
        ("BUF027", "tomahawk-3", Error) => {
            (Defect, "IX9: lossy traffic can use more than the size of the lossless pool")
        }
        ("BUF027", "tofino", Info) => (Idiom, "lossy traffic has a separate ingress pool"),
        ("BUF028", "teralynx", Info) => {
            (Idiom, "lossy traffic is limited at ingress on purpose; its egress pool is shared")
        }
        ("BUF030", _, Info) if spectrum => {
            (Unknown, "the SDK rejects such sizes (PMX rounds down), but these SKUs ship with them")
        }
        ("BUF030", _, Info) => (Idiom, "the SAI rounds down to cells"),
        ("BUF032", "tomahawk-2" | "trident-3", Warning) => {
            (Unknown, "whether the SAI reserves memory depends on its release (issue 24749)")
        }
        ("BUF033", "tomahawk-3", Error) => {
            (Defect, "IX9: the egress lossless pool is empty, all lossless traffic is dropped")
        }
        ("BUF056", "trident-3", Warning) => (
            Defect,
            "lossy queues are in the pool of the lossless ones, and the pool of lossy traffic has no user",
        ),
        ("BUF036", "trident-3", Warning) => {
            (Defect, "figures of Trident 2 or Tomahawk, copied to a chip with 32 MB")
        }
        ("BUF037" | "BUF049" | "PFC005", "prestera" | "tomahawk-5" | "tomahawk-6", Warning) => (
            Defect,
            "a lossy model with the default QoS template, which always enables PFC on 3,4 (PR 22616)",
        ),
        ("BUF039", "tofino-2", Warning) => {
            (Defect, "newport: YANG rejects the field, so the file cannot be loaded")
        }
        ("BUF042", _, Info) => (Report, "alpha as a fraction, compared with that of lossy traffic"),
        ("BUF050" | "PG031", _, Info | Warning) => (
            Unknown,
            if severity == Warning {
                "not provable: its SAI's configuration file names Helix 5, whose cell size, memory and delays are not public"
            } else if code == "BUF050" {
                "not provable: the vendor does not publish the chip's memory"
            } else {
                "not provable: the vendor does not publish the chip's delays; SONiC has arithmetic for Spectrum and Tofino 2 only"
            },
        ),
        ("ECN002", "trident-3", Warning) => (Defect, "D6356: a missing probability means 100 %"),
        ("ECN004", "spectrum-4" | "spectrum-5" | "spectrum-6" | "tomahawk-5", Info) => {
            (Idiom, "marking of lossy queues is disabled explicitly; the thresholds remain")
        }
        ("ECN007", _, Error) => {
            (Defect, "PFC without ECN: the template has no WRED profile for the lossless queues")
        }
        ("ECN007", _, Warning) => (Defect, "PFC without ECN, on a model that also has no headroom (PFC002)"),
        ("ECN009", _, Info) => {
            (Report, "the number of congested groups above which PFC pauses before ECN marks")
        }
        ("ECN009", "tofino", Warning) => (
            Defect,
            "aurora-610: a pool of 2 MB with the default Kmin of 1 MB; two congested groups are enough",
        ),
        ("ECN011", _, Warning) => {
            (Defect, "the pool is too small for the default Kmax: marking never reaches Pmax")
        }
        ("ECN013", "tomahawk-5", Info) => (Report, "Kmin as time at line rate"),
        ("ECN014", "prestera", Warning) => {
            (Defect, "the queue's profile has a limit of 0 bytes, so Kmax cannot be reached")
        }
        ("LINK001", "tomahawk-6", Error) | ("PG011", "spectrum-3", Error) => (
            Defect,
            "a lossy model with the default QoS template: PFC is enabled, but the cable length is missing",
        ),
        ("LINK005", "spectrum-3", Warning) => {
            (Unknown, "uplinks without a neighbour get the default of 300 m; they may be unused")
        }
        ("LINK009", "unknown", Error) => (Defect, "E3224F: `1` instead of `on` or `off`"),
        ("PFC002", "tomahawk-5", Error) => (
            Defect,
            "lossy models with default QoS, and ports whose speed and cable have no row (issue 5837)",
        ),
        ("PFC002", _, Error) => (
            Defect,
            "lossy models with the default QoS template, which enables PFC on 3,4 (PR 22616), or no row for any port",
        ),
        ("PFC008", "tomahawk-3", Error) => (Defect, "IX9: the RDMA DSCPs are not mapped"),
        ("PG004", _, Error) if spectrum => {
            (Defect, "tables older than the arithmetic: more than a quarter too small")
        }
        ("PG004", _, Warning) if spectrum => {
            (Defect, "tables older than the arithmetic: 2 KiB that were added later, and different rounding")
        }
        ("PG005", "spectrum-3", Error) => {
            (Defect, "2 km at 400G with less headroom than the bytes in flight on the cable")
        }
        ("PG006", _, Error) if spectrum => (
            Defect,
            "the frame that delays the pause frame is not included, which shows only with jumbo frames of another class; \
             some are also below SONiC's arithmetic (PG004)",
        ),
        ("PG006", _, Error) => (
            Defect,
            "the frame that delays the pause frame is not included, or not even the response time that the standard allows",
        ),
        ("PG009", "trident-3", Info) => (Report, "10G: sized for the longest cable"),
        ("PG010", _, Error) => (Defect, "rows are missing in the lookup table (issue 5837)"),
        ("PG015" | "PG025", "trident-3" | "unknown", Warning) => (
            Defect,
            "headroom is neither reserved nor shared; on chips that use the pool for it, bursts can exhaust it",
        ),
        ("PG021", "spectrum-3", Warning) => {
            (Defect, "SN4280-C48: ports with eight lanes need a separate profile")
        }
        ("PG027", _, Info) => (Report, "the ratio of allocated headroom to shared headroom"),
        ("PG027", _, Warning) => (
            Unknown,
            "oversubscribed more than eight times; whether so many ports pause at once depends on the network",
        ),
        ("PG029", "prestera", Warning) => (Unknown, "2.5G: no pause quanta are defined"),
        ("BUF051", "tomahawk-3", Error) => {
            (Defect, "IX9: `egress_lossless_profile` is in the lossy pool, and the lossless one has size 0")
        }
        ("LINK014", "spectrum-3", Warning) => {
            (Unknown, "SN4280: ports to the DPUs of the switch; the file does not state their role")
        }
        ("LINK014", "prestera", Warning) => (
            Defect,
            "AC5XRD: the ports with 2.5 Gb/s have `fec` rs, which exists for lanes with 25 Gb/s or more",
        ),
        ("LINK021", "spectrum-2", Warning) => {
            (Defect, "SN3800-D28C49S1: port_config.ini gives etp38 and etp39 the index 38, and no port 39")
        }
        ("LINK020", _, Info) => {
            (Report, "the file is the output of the templates of buffers and maps, without peer and tunnel")
        }
        ("SCHED005", "tomahawk-3", Warning) => {
            (Defect, "IX9: lossless queues have the weights 4 and 5, lossy ones up to 50")
        }
        ("SCHED004", _, Warning) => (Defect, "the template gives the lossless queues no scheduler"),
        ("SRC004", _, Warning) => (Defect, "PR 25626, still ships"),
        ("SRC005", _, Info) => (Defect, "misspelt or private port fields, without effect on buffers"),
        ("SRC010", _, Info) => (Idiom, "the obsolete notation, still accepted by orchagent"),
        ("SRC011", _, Warning) => {
            (Defect, "accepted by orchagent, rejected by YANG: `config load` and `apply-patch` fail")
        }
        ("WD005", _, Info) => (Idiom, "`pfcwd start_default`: the detection time equals the poll interval"),
        ("WD005", _, Warning) => (
            Defect,
            "`pfcwd start_default` on more than 160 ports: the poll interval is limited to 1 s, the detection time is not",
        ),
        ("WD010", _, Error) => (Defect, "older templates have no pfcwd_sw_enable: the watchdog never starts"),
        ("WD013", _, Warning) => (
            Idiom,
            "files of role `def` have neither a role nor default_pfcwd_status, so `pfcwd start_default` writes nothing; a switch that is deployed with such a file has no watchdog",
        ),
        ("WD013", _, Info) => (
            Idiom,
            "no PFC_WD table, but default_pfcwd_status is `enable`: `pfcwd start_default` writes it at the first start",
        ),
        ("WD021", "tomahawk-4" | "tomahawk-5" | "tomahawk-6", Warning) => {
            (Defect, "`pfcwd start_default` on chips that do not count pauses while they drop (issue 29203)")
        }
        ("WD023", _, Info) => (Report, "how the chip drops packets during a storm"),
        _ => return None,
    })
}
