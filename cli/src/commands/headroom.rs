//! `harrier headroom`: computes headroom and pool sizes, with every term of the calculation.

use std::path::{Path, PathBuf};

use anyhow::{Context, anyhow, bail};
use buffer_config::asic;
use buffer_config::headroom::{Inputs, headroom_with_cell, pools_of_config};
use buffer_config::{headroom, input};
use serde_json::{Map, Value, json};

use crate::Outcome;
use crate::input::{fail_with, read_stdin, read_text};
use crate::output::print_json;

/// Arguments of `harrier headroom`.
#[derive(clap::Args)]
pub(crate) struct Args {
    /// Array of records: ports with speed and cable length, or file names of configurations for pool sizes; - for stdin
    #[arg(value_name = "FILE.json|-")]
    file: PathBuf,
    /// Add every term of the calculation to each record
    #[arg(long)]
    explain: bool,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    let (name, text) = match args.file.as_os_str() == "-" {
        true => ("stdin".to_string(), read_stdin()?),
        false => (args.file.display().to_string(), read_text(&args.file)?),
    };
    let records: Value = serde_json::from_str(&text)
        .map_err(|e| anyhow!("{name}:{}:{}: not JSON: {e}", e.line(), e.column()))?;
    let Value::Array(mut records) = records else { bail!("{name}: expected an array of records") };
    let folder = args.file.parent().unwrap_or(Path::new("."));
    let mut problems = Vec::new();
    for (index, record) in records.iter_mut().enumerate() {
        let Value::Object(record) = record else {
            problems.push(format!("{name}: record {index} is not an object"));
            continue;
        };
        let computed = match record.contains_key("input") {
            true => pools(record, folder, args.explain),
            false => port(record, args.explain),
        };
        if let Err(error) = computed {
            problems.push(format!("{name}: record {index}: {error:#}"));
        }
    }
    fail_with("the records cannot be computed", &problems)?;
    print_json(&records)?;
    Ok(Outcome::Fine)
}

fn number(record: &Map<String, Value>, name: &str, default: Option<f64>) -> anyhow::Result<f64> {
    let found = match record.get(name) {
        None => default,
        Some(Value::Number(n)) => n.as_f64(),
        Some(Value::String(s)) => s.trim().trim_end_matches('m').parse().ok(),
        Some(_) => None,
    };
    found
        .filter(|n: &f64| n.is_finite() && *n >= 0.0)
        .with_context(|| format!("`{name}` must be a number of at least 0"))
}

fn family(record: &Map<String, Value>) -> anyhow::Result<&'static asic::Asic> {
    let name = record.get("asic").and_then(Value::as_str).context("`asic` must name an ASIC")?;
    let known = asic::of_asic_table(name).or_else(|| asic::by_name(name));
    let known = known.filter(|a| a.headroom.is_some());
    known.with_context(|| {
        let names: Vec<&str> = asic::ASICS.iter().filter(|a| a.headroom.is_some()).map(|a| a.name).collect();
        format!("no headroom arithmetic is known for `{name}`; known are {}", names.join(", "))
    })
}

fn port(record: &mut Map<String, Value>, explain: bool) -> anyhow::Result<()> {
    let asic = family(record)?;
    let get = |name: &str, default: f64| number(record, name, Some(default));
    let inputs = Inputs {
        speed_mbps: number(record, "speed", None)? as u32,
        cable_m: number(record, "cable", None)?,
        port_mtu: get("port_mtu", 9100.0)? as u32,
        lanes: get("lanes", 4.0)? as u32,
        small_packet_percentage: get("small_packet_percentage", 50.0)? as u32,
        lossless_mtu: get("lossless_mtu", 1024.0)? as u32,
        gearbox_delay: get("gearbox_delay", 0.0)?,
        over_subscribe_ratio: get("over_subscribe_ratio", 0.0)? as u32,
        pool_xoff: get("pool_xoff", 0.0)? as u64,
    };
    let cell = get("cell_size", f64::from(asic.cell_bytes))? as u32;
    let found = headroom_with_cell(asic, cell, &inputs).context("no headroom arithmetic for this ASIC")?;
    record.insert("xon".into(), found.xon.into());
    record.insert("xoff".into(), found.xoff.into());
    record.insert("size".into(), found.size.into());
    if explain {
        record.insert("terms".into(), json!(found.terms));
        let floor = |f| {
            headroom::floor_bytes(f, inputs.speed_mbps, inputs.cable_m, inputs.port_mtu, inputs.lossless_mtu)
        };
        let floors = json!({
            "wire": floor(headroom::Floor::Wire),
            "standard": floor(headroom::Floor::Standard),
            "with_port_mtu": floor(headroom::Floor::WithPortMtu),
            "with_two_mtu": floor(headroom::Floor::WithTwoMtu),
            "worst_case": headroom::worst_case_bytes(&headroom::Link {
                speed_mbps: inputs.speed_mbps,
                cable_m: inputs.cable_m.ceil() as u32,
                port_mtu: inputs.port_mtu,
                lossless_mtu: inputs.lossless_mtu,
                cell_bytes: cell,
            }),
        });
        record.insert("floors".into(), floors);
    }
    Ok(())
}

/// Finds the configuration of a record: in the folder of the file, or in its subfolder `pool_inputs`.
fn configuration(folder: &Path, name: &str) -> anyhow::Result<String> {
    let candidates = [folder.join(name), folder.join("pool_inputs").join(name)];
    let path = candidates.iter().find(|p| p.is_file()).unwrap_or(&candidates[0]);
    read_text(path)
}

fn pools(record: &mut Map<String, Value>, folder: &Path, explain: bool) -> anyhow::Result<()> {
    let asic = family(record)?;
    let text = match record.get("input") {
        Some(Value::String(name)) => configuration(folder, name)?,
        Some(config @ Value::Object(_)) => config.to_string(),
        _ => bail!("`input` must name a configuration or be one"),
    };
    let db = input::load(&text);
    if let Some(problem) = db.problems.first() {
        let place = buffer_config::source::position(&text, problem.span.start);
        bail!("the configuration: {place}: {}", problem.message);
    }
    let ratio =
        record.contains_key("over_subscribe_ratio").then(|| number(record, "over_subscribe_ratio", None));
    let ratio = ratio.transpose()?.map(|r| r as i64);
    let delay = number(record, "gearbox_delay", Some(0.0))?;
    let (profiles, result) = pools_of_config(&db, asic, ratio, delay).map_err(|e| anyhow!("{e}"))?;
    let lines: Vec<String> = result
        .pools
        .iter()
        .map(|(name, size, xoff)| match xoff {
            Some(xoff) => format!("{name}:{size}:{xoff}"),
            None => format!("{name}:{size}"),
        })
        .collect();
    let counted = result.counted.iter().map(|c| {
        let size = c.size.map_or("-".to_string(), |s| s.to_string());
        format!("debug:BUFFER_PROFILE_TABLE:{}:{size}:{}", c.name, c.count)
    });
    // The script prints the profiles between the first two terms and the others.
    let terms =
        |range: &[(String, String)]| range.iter().map(|(n, v)| format!("debug:{n}:{v}")).collect::<Vec<_>>();
    let (head, tail) = result.terms.split_at(result.terms.len().min(2));
    let debug: Vec<String> = terms(head).into_iter().chain(counted).chain(terms(tail)).collect();
    let mut generated = Map::new();
    let mut explained = Map::new();
    for profile in &profiles {
        let h = &profile.headroom;
        let fields = json!({
            "xon": h.xon.to_string(), "xoff": h.xoff.to_string(), "size": h.size.to_string(),
            "pool": buffer_config::LOSSLESS_POOL, "dynamic_th": profile.dynamic_th,
        });
        generated.insert(profile.name.clone(), fields);
        explained.insert(profile.name.clone(), json!(h.terms));
    }
    record.insert("generated_profiles".into(), generated.into());
    record.insert("pools".into(), lines.into());
    record.insert("debug".into(), debug.into());
    if explain {
        record.insert("terms".into(), explained.into());
    }
    Ok(())
}
