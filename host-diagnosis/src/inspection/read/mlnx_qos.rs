//! Output of `mlnx_qos -i DEV` (mlnx-tools): trust state, DSCP map and PFC.

use model::host::inspection::PriorityTrust;

use super::recorder::{Line, Recorder, lines};

/// Reads the output.
pub(super) fn read(interface: &str, text: &str, out: &mut Recorder) {
    let Some(interface) = out.interface_of(interface) else { return };
    let item = |name: &str| format!("interfaces/{interface}/qos/{name}");
    let mut columns: Vec<u8> = Vec::new();
    // `priority` lines follow after `tc:` lines as well; only the one below `PFC configuration` names columns.
    let mut is_pfc = false;
    for line in lines(text) {
        let content = line.text.trim();
        if let Some(state) = content.strip_prefix("Priority trust state:") {
            let state = state.trim();
            match state {
                "dscp" => out.qos(&interface).trust = Some(PriorityTrust::Dscp),
                "pcp" => out.qos(&interface).trust = Some(PriorityTrust::Pcp),
                _ => out.problem(line, state, format!("trust state is `{state}`, expected `dscp` or `pcp`")),
            }
            out.at(item("trust"), line, state);
        } else if let Some(rest) = content.strip_prefix("prio:") {
            dscps(&interface, line, rest, out);
        } else if content == "PFC configuration:" {
            is_pfc = true;
        } else if let Some(rest) = content.strip_prefix("priority").filter(|_| is_pfc && columns.is_empty()) {
            columns = numbers(line, rest, 7, out).unwrap_or_default();
        } else if let Some(rest) = content.strip_prefix("enabled").filter(|_| is_pfc) {
            is_pfc = false;
            let Some(flags) = numbers(line, rest, 1, out) else { continue };
            if flags.len() == columns.len() && !flags.is_empty() {
                let enabled = columns.iter().zip(&flags).filter(|(_, flag)| **flag == 1).map(|(p, _)| *p);
                out.qos(&interface).pfc_priorities = Some(enabled.collect());
                out.at(item("pfc_priorities"), line, rest.trim_start());
            } else {
                let (flags, columns) = (flags.len(), columns.len());
                out.problem(line, rest, format!("{flags} flags for {columns} priorities, expected one each"));
            }
        }
    }
}

/// Reads `3 dscp:31,30,29,28,27,26,25,24,`.
fn dscps(interface: &str, line: Line<'_>, rest: &str, out: &mut Recorder) {
    let Some((priority, list)) = rest.split_once("dscp:") else { return };
    let Some(priority) = priority.trim().parse::<u8>().ok().filter(|priority| *priority < 8) else {
        out.problem(line, rest, format!("priority is `{}`, expected 0 to 7", priority.trim()));
        return;
    };
    for part in list.split(',').map(str::trim).filter(|part| !part.is_empty()) {
        match part.parse::<usize>().ok().filter(|dscp| *dscp < 64) {
            Some(dscp) => {
                let map = &mut out.qos(interface).priority_of_dscp;
                if map.is_empty() {
                    // A DSCP that the output leaves out has the lowest priority.
                    *map = vec![0; 64];
                }
                if let Some(entry) = map.get_mut(dscp) {
                    *entry = priority;
                }
            }
            None => out.problem(line, part, format!("DSCP is `{part}`, expected 0 to 63")),
        }
    }
    out.at(format!("interfaces/{interface}/qos/priority_of_dscp"), line, rest);
}

/// Reads numbers that are separated by blanks; `None` if one is out of range.
fn numbers(line: Line<'_>, text: &str, most: u8, out: &mut Recorder) -> Option<Vec<u8>> {
    let mut all = Vec::new();
    let mut is_valid = true;
    for part in text.split_whitespace() {
        match part.parse().ok().filter(|number| *number <= most) {
            Some(number) => all.push(number),
            None => {
                out.problem(line, part, format!("`{part}` is not a number from 0 to {most}"));
                is_valid = false;
            }
        }
    }
    is_valid.then_some(all)
}
