//! Output of `numactl -H`: processors and distances of NUMA nodes.

use super::recorder::{Recorder, lines};
use crate::inspection::cpu_list;

/// Reads the output.
pub(super) fn read(text: &str, out: &mut Recorder) {
    let mut is_distance = false;
    for line in lines(text) {
        let content = line.text.trim();
        if content == "node distances:" {
            is_distance = true;
        } else if let Some(rest) = content.strip_prefix("node ").filter(|_| !is_distance) {
            let Some((node, cpus)) = rest.split_once(" cpus:") else { continue };
            let numbers: Result<Vec<u32>, _> = cpus.split_whitespace().map(str::parse).collect();
            match numbers {
                Ok(numbers) => {
                    let record = out.reading.inspection.numa.entry(node.trim().to_string()).or_default();
                    record.cpus = Some(cpu_list::list(&numbers));
                    out.at(format!("numa/{}/cpus", node.trim()), line, cpus.trim_start());
                }
                Err(_) => out.problem(line, cpus, "expected numbers of processors".into()),
            }
        } else if let Some((node, distances)) = content.split_once(':').filter(|_| is_distance) {
            // `node   0   1` heads the columns and has no colon.
            let (node, numbers) = (node.trim(), distances.split_whitespace().map(str::parse));
            match (node.parse::<u32>(), numbers.collect::<Result<Vec<u32>, _>>()) {
                (Ok(_), Ok(numbers)) => {
                    out.reading.inspection.numa.entry(node.to_string()).or_default().distances = numbers;
                    out.at(format!("numa/{node}/distances"), line, distances.trim_start());
                }
                _ => out.problem(line, content, "expected a node and its distances".into()),
            }
        }
    }
}
