//! Command lines (perftest 4.5, `ib_write_bw --help`).

/// A program of perftest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Program {
    /// Bandwidth of RDMA WRITE.
    WriteBandwidth,
    /// Bandwidth of RDMA READ.
    ReadBandwidth,
    /// Bandwidth of SEND.
    SendBandwidth,
    /// Latency of RDMA WRITE.
    WriteLatency,
}

impl Program {
    /// The name of its executable.
    pub fn name(self) -> &'static str {
        match self {
            Program::WriteBandwidth => "ib_write_bw",
            Program::ReadBandwidth => "ib_read_bw",
            Program::SendBandwidth => "ib_send_bw",
            Program::WriteLatency => "ib_write_lat",
        }
    }

    fn is_latency(self) -> bool {
        self == Program::WriteLatency
    }
}

/// Where a program allocates the memory that the RNIC reads and writes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Buffer {
    /// Memory of the host, on the NUMA node that the process is bound to.
    Host,
    /// The GPU with this number in the order of PCI addresses (`CUDA_DEVICE_ORDER=PCI_BUS_ID`).
    Cuda(u32),
    /// The GPU of CUDA at this PCI address.
    CudaAddress(String),
    /// The GPU of ROCm with this number.
    Rocm(u32),
}

impl Buffer {
    /// The name and the value of its option; `None` for memory of the host.
    pub fn option(&self) -> Option<(&'static str, String)> {
        match self {
            Buffer::Host => None,
            Buffer::Cuda(number) => Some(("--use_cuda", number.to_string())),
            Buffer::CudaAddress(address) => Some(("--use_cuda_bus_id", address.clone())),
            Buffer::Rocm(number) => Some(("--use_rocm", number.to_string())),
        }
    }
}

/// How long a test lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// Seconds; bandwidth is measured without the first and the last quarter.
    Seconds(u32),
    /// Messages.
    Messages(u32),
}

/// A test: one server and one client, with the same options.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TestCommand {
    /// The program.
    pub program: Program,
    /// The RDMA device, for example `mlx5_0`.
    pub device: String,
    /// Its port, from 1.
    pub rdma_port: u32,
    /// The TCP port over which server and client exchange parameters.
    pub tcp_port: u16,
    /// Size of a message in bytes.
    pub message_bytes: u64,
    /// How long it lasts.
    pub length: Length,
    /// Where the memory is.
    pub buffer: Buffer,
    /// Further options.
    pub more: Vec<String>,
}

impl TestCommand {
    /// The arguments of the server. It listens on `address` only, because perftest authenticates no client.
    pub fn server(&self, address: &str) -> Vec<String> {
        let mut arguments = self.options();
        arguments.push(format!("--source_ip={address}"));
        arguments
    }

    /// The arguments of the client, whose server is at `address`.
    pub fn client(&self, address: &str) -> Vec<String> {
        let mut arguments = self.options();
        arguments.push(address.to_string());
        arguments
    }

    fn options(&self) -> Vec<String> {
        let mut options: Vec<String> = ["-d", &self.device].map(str::to_string).into();
        let (length, amount) = match self.length {
            Length::Seconds(seconds) => ("-D", seconds),
            Length::Messages(messages) => ("-n", messages),
        };
        let numbers = [
            ("-i", u64::from(self.rdma_port)),
            ("-p", u64::from(self.tcp_port)),
            ("-s", self.message_bytes),
            (length, u64::from(amount)),
        ];
        options.extend(numbers.iter().flat_map(|(name, value)| [(*name).to_string(), value.to_string()]));
        // No warning about the frequency of the processor, which matters for latencies in cycles.
        options.push("-F".to_string());
        if !self.program.is_latency() {
            options.push("--report_gbits".to_string());
        }
        options.extend(self.buffer.option().map(|(name, value)| format!("{name}={value}")));
        options.extend(self.more.iter().cloned());
        options
    }
}

/// Returns the options that a program does not have, by the output of its `--help`: `--source_ip` before version 4.5, and
/// those of GPUs in a build without CUDA or ROCm.
pub fn misses<'o>(help: &str, options: &[&'o str]) -> Vec<&'o str> {
    let known: Vec<&str> = help
        .split(|c: char| c.is_whitespace() || c == ',' || c == '=')
        .filter(|word| word.starts_with('-'))
        .collect();
    options.iter().copied().filter(|option| !known.contains(option)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: Program, length: Length, buffer: Buffer) -> TestCommand {
        let more = Vec::new();
        let device = "mlx5_0".to_string();
        TestCommand {
            program,
            device,
            rdma_port: 1,
            tcp_port: 18_600,
            message_bytes: 131_072,
            length,
            buffer,
            more,
        }
    }

    #[test]
    fn server_and_client_have_the_same_options_and_the_server_listens_on_one_address() {
        let test = command(Program::WriteBandwidth, Length::Seconds(2), Buffer::Host);
        let options = "-d mlx5_0 -i 1 -p 18600 -s 131072 -D 2 -F --report_gbits";
        assert_eq!(test.server("127.0.0.1").join(" "), format!("{options} --source_ip=127.0.0.1"));
        assert_eq!(test.client("127.0.0.1").join(" "), format!("{options} 127.0.0.1"));
    }

    #[test]
    fn latencies_have_no_unit_and_gpus_an_option_of_their_own() {
        let latency = command(Program::WriteLatency, Length::Messages(1000), Buffer::Host);
        assert!(latency.client("127.0.0.1").join(" ").contains("-n 1000 -F 127.0.0.1"));
        let check = |buffer, expected: &str| {
            let arguments = command(Program::WriteBandwidth, Length::Seconds(2), buffer).client("::1");
            assert_eq!(arguments[arguments.len() - 2], expected);
        };
        check(Buffer::Cuda(3), "--use_cuda=3");
        check(Buffer::CudaAddress("0000:04:00.0".into()), "--use_cuda_bus_id=0000:04:00.0");
        check(Buffer::Rocm(0), "--use_rocm=0");
    }

    #[test]
    fn options_of_another_build_are_missed() {
        // Lines of perftest 4.5-0.17 as Debian builds it.
        let help = "  -D, --duration  Run test for a customized period of seconds.\n\
                    \x20     --source_ip  Source IP of the interface used for connection establishment.\n\
                    \x20     --mmap=file  Use an mmap'd file as the buffer for testing P2P transfers.\n";
        let options = ["--source_ip", "-D", "--mmap", "--use_cuda"];
        assert_eq!(misses(help, &options), ["--use_cuda"]);
    }
}
