//! Prints the OpenAPI description: `cargo run -p harrier-web --example openapi > docs/api/openapi.json`.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let json = harrier_web::openapi().to_pretty_json().map_err(std::io::Error::other)?;
    writeln!(std::io::stdout().lock(), "{json}")
}
