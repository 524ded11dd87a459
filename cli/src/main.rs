//! The `harrier` command.
fn main() {}
