//! Prints the JSON Schema of a file format:
//! `cargo run -p harrier-model --features openapi --example json_schema snapshot > docs/snapshot.schema.json`.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let name = std::env::args().nth(1).unwrap_or_default();
    let schema = match name.as_str() {
        "snapshot" => harrier_model::schema::snapshot(),
        "job" => harrier_model::schema::job(),
        "host-report" => harrier_model::schema::host_report(),
        _ => return Err(std::io::Error::other("name a format: `snapshot`, `job` or `host-report`")),
    };
    writeln!(std::io::stdout().lock(), "{schema:#}")
}
