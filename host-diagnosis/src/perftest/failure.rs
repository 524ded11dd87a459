//! Why a program of perftest failed, from what it prints (texts of version 4.5-0.17).

/// Why a test failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Failure {
    /// libibverbs does not find the device.
    #[error(
        "perftest does not find the RDMA device: `ibv_devices` must list it; load its driver and install the provider of \
         rdma-core (Debian: ibverbs-providers)"
    )]
    NoDevice,
    /// No server listens yet, or it has gone.
    #[error("the client cannot connect to its server on this host")]
    NotConnected,
    /// The memory cannot be registered.
    #[error(
        "the memory cannot be registered with the RNIC: raise the limit of locked memory (`ulimit -l unlimited`), and \
         for a GPU load nvidia-peermem: {0}"
    )]
    Memory(String),
    /// The version has no such option.
    #[error("this version of perftest has no such option, 4.5 or later is needed: {0}")]
    Option(String),
    /// The RNIC reported an error, or another one.
    #[error("{0}")]
    Other(String),
}

/// Returns why a program failed, by its errors and its output.
pub fn failure(stderr: &str, stdout: &str) -> Failure {
    let lines = || stderr.lines().chain(stdout.lines()).map(str::trim).filter(|line| !line.is_empty());
    let line_with = |texts: &[&str]| lines().find(|line| texts.iter().any(|text| line.contains(text)));
    if line_with(&["Unable to find the Infiniband/RoCE device", "Did not detect devices"]).is_some() {
        return Failure::NoDevice;
    }
    if let Some(line) = line_with(&["Couldn't allocate MR", "Failed to create MR", "Couldn't register"]) {
        return Failure::Memory(line.to_string());
    }
    if let Some(line) = line_with(&["unrecognized option", "invalid option", "Invalid Command"]) {
        return Failure::Option(line.to_string());
    }
    if line_with(&["Couldn't connect to"]).is_some() {
        return Failure::NotConnected;
    }
    let first = stderr.lines().map(str::trim).find(|line| !line.is_empty());
    let last = || stdout.lines().map(str::trim).rfind(|line| !line.is_empty() && !line.starts_with("---"));
    let text = first.or_else(last).unwrap_or("the program failed and printed nothing");
    Failure::Other(text.chars().take(200).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_errors_say_what_to_do() {
        let check = |stderr: &str, expected: &str| {
            let found = failure(stderr, "").to_string();
            assert!(found.contains(expected), "{found}");
        };
        // What Debian's 4.5+0.17-1 prints on a host without RDMA.
        let none = " Did not detect devices \n If device exists, check if driver is up\n Unable to find the Infiniband/RoCE \
                    device\n";
        check(none, "`ibv_devices` must list it");
        check(
            "Couldn't connect to 127.0.0.1:18515\n Unable to open file descriptor for socket connection",
            "cannot connect",
        );
        check("Couldn't allocate MR\nfailed to create mr\n", "ulimit -l unlimited");
        check("ib_write_bw: unrecognized option '--source_ip=127.0.0.1'\n", "has no such option");
        check("\n Completion with error at client\n Failed status 12\n", "Completion with error at client");
        check("", "printed nothing");
    }
}
