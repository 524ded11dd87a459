//! The source of the switch program.

/// Path of the file to compile.
pub const MAIN: &str = "hawkeye.p4";

/// Embeds files of p4/hawkeye.
macro_rules! sources {
    ($($path:literal),* $(,)?) => {
        [$(($path, include_str!(concat!("../../p4/hawkeye/", $path)))),*]
    };
}

/// All files of the program with their text; [`MAIN`] includes the others by these paths.
pub const SOURCES: [(&str, &str); 21] = sources![
    "hawkeye.p4",
    "config.p4",
    "layout.p4",
    "headers.p4",
    "parser.p4",
    "checksum.p4",
    "classify.p4",
    "routing.p4",
    "priority.p4",
    "epoch.p4",
    "freeze.p4",
    "pause.p4",
    "flow_slots.p4",
    "port_slots.p4",
    "causality.p4",
    "telemetry.p4",
    "polling.p4",
    "losses.p4",
    "ingress.p4",
    "egress.p4",
    "deparser.p4",
];

/// Returns the sources with sizes and durations that override the defaults of `config.p4`, e.g. `("FLOW_SLOT_BITS",
/// 10)`. The definitions are prepended to [`MAIN`]; names that `config.p4` does not use have no effect.
pub fn with_defines(defines: &[(&str, u32)]) -> Vec<(&'static str, String)> {
    let head: String = defines.iter().map(|(name, value)| format!("#define {name} {value}\n")).collect();
    SOURCES
        .iter()
        .map(|(path, text)| {
            let text = if *path == MAIN { format!("{head}{text}") } else { (*text).to_string() };
            (*path, text)
        })
        .collect()
}
