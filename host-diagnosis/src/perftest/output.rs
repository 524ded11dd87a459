//! The tables that perftest prints (`RESULT_FMT_G` and `RESULT_FMT_LAT` in `perftest_parameters.h`).
//!
//! Columns are found by their names, so that a build that prints further columns is read as well.

/// A MiB in bits: the unit of `[MB/sec]`, and of `[MiB/sec]` in versions after 23.04.
const MIB_BITS: f64 = 1_048_576.0 * 8.0;

/// The result of a bandwidth test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bandwidth {
    /// Mean of the payload, in bits per second; of both directions together if the test is bidirectional.
    pub bits_per_s: f64,
    /// Messages per second.
    pub messages_per_s: f64,
}

/// Why an output has no result.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum OutputError {
    /// There is no table.
    #[error("no table of results; expected a line that begins with `#bytes`")]
    NoTable,
    /// The table has no row.
    #[error("the table of results has no row: the test ended early")]
    NoRow,
    /// The table has no such column.
    #[error("the table of results has no column `{0}`; its columns are {1}")]
    NoColumn(&'static str, String),
    /// A value is no number, or negative.
    #[error("`{0}` in the column `{1}` is no amount")]
    NoAmount(String, String),
}

/// Reads the output of a client of `ib_write_bw`, `ib_read_bw` or `ib_send_bw`.
///
/// # Errors
/// The output has no table, or its values are no amounts.
pub fn bandwidth(output: &str) -> Result<Bandwidth, OutputError> {
    let table = Table::read(output)?;
    let (average, unit) = table.value("BW average")?;
    let (rate, _) = table.value("MsgRate")?;
    let bits = if unit.starts_with("Gb") { 1e9 } else { MIB_BITS };
    Ok(Bandwidth { bits_per_s: average * bits, messages_per_s: rate * 1e6 })
}

/// Reads the output of a client of `ib_write_lat`: the median of half a round trip, which perftest calls typical, in ns.
///
/// # Errors
/// The output has no table, or its values are no amounts.
pub fn latency_ns(output: &str) -> Result<u64, OutputError> {
    let (typical_us, _) = Table::read(output)?.value("t_typical")?;
    Ok((typical_us * 1e3).round() as u64)
}

/// The last row of a table: with `--all` and in endless tests, each size or interval has its own.
struct Table<'t> {
    columns: Vec<String>,
    row: Vec<&'t str>,
}

impl<'t> Table<'t> {
    fn read(output: &'t str) -> Result<Table<'t>, OutputError> {
        let mut lines = output.lines();
        let heading = lines
            .by_ref()
            .find(|line| line.trim_start().starts_with("#bytes"))
            .ok_or(OutputError::NoTable)?;
        let mut rows = lines.filter(|line| line.trim_start().starts_with(|c: char| c.is_ascii_digit()));
        let row = rows.next_back().ok_or(OutputError::NoRow)?.split_whitespace().collect();
        Ok(Table { columns: columns(heading), row })
    }

    /// The value of the column with this name, and its unit.
    fn value(&self, name: &'static str) -> Result<(f64, &str), OutputError> {
        let of_column = |column: &String| column.split('[').next() == Some(name);
        let at = self.columns.iter().position(of_column);
        let at = at.ok_or_else(|| OutputError::NoColumn(name, self.columns.join(", ")))?;
        let column = &self.columns[at];
        let text = self.row.get(at).copied().unwrap_or_default();
        let value = text.parse().ok().filter(|value: &f64| value.is_finite() && *value >= 0.0);
        let value = value.ok_or_else(|| OutputError::NoAmount(text.to_string(), column.clone()))?;
        Ok((value, column.split('[').nth(1).unwrap_or_default()))
    }
}

/// The names of columns. A name of two words ends with its unit: `BW average[Gb/sec]`.
fn columns(heading: &str) -> Vec<String> {
    let mut columns: Vec<String> = Vec::new();
    let mut begun = String::new();
    for word in heading.split_whitespace() {
        if !begun.is_empty() {
            begun.push(' ');
        }
        begun.push_str(word);
        if word.starts_with('#') || word.ends_with(']') {
            columns.push(std::mem::take(&mut begun));
        }
    }
    columns
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// What `ib_write_bw -D 2 --report_gbits` of version 4.5-0.17 prints, by its formats; the numbers are made up.
    const BANDWIDTH: &str = "\
---------------------------------------------------------------------------------------
                    RDMA_Write BW Test
 Dual-port       : OFF\t\tDevice         : mlx5_0
 Number of qps   : 1\t\tTransport type : IB
 Connection type : RC\t\tUsing SRQ      : OFF
 TX depth        : 128
 Mtu             : 4096[B]
 Link type       : Ethernet
 Data ex. method : Ethernet
---------------------------------------------------------------------------------------
 local address: LID 0000 QPN 0x0109 PSN 0x7f4f3b RKey 0x0 VAddr 0x007f0
---------------------------------------------------------------------------------------
 #bytes     #iterations    BW peak[Gb/sec]    BW average[Gb/sec]   MsgRate[Mpps]
 131072     185637           0.00               97.34\t\t   0.092831
---------------------------------------------------------------------------------------
";
    const LATENCY: &str = "\
 #bytes #iterations    t_min[usec]    t_max[usec]  t_typical[usec]    t_avg[usec]    t_stdev[usec]   99% percentile[usec]   99.9% percentile[usec] 
 1       1000          0.89           4.51         0.93  \t       0.94     \t0.05\t\t1.10 \t\t4.51   
";

    #[test]
    fn a_bandwidth_is_the_average_of_its_column() {
        let check = |text: &str, bits_per_s: f64| {
            let found = bandwidth(text).expect("a table");
            assert!((found.bits_per_s - bits_per_s).abs() < 1.0, "{found:?}");
            assert!((found.messages_per_s - 92_831.0).abs() < 1.0, "{found:?}");
        };
        check(BANDWIDTH, 97.34e9);
        check(&BANDWIDTH.replace("Gb/sec", "MiB/sec"), 97.34 * 1_048_576.0 * 8.0);
        // With `--cpu_util`, and of several rows the last one.
        let more = BANDWIDTH.replace("MsgRate[Mpps]", "MsgRate[Mpps]    CPU_Util[%]");
        check(&more, 97.34e9);
        check(&BANDWIDTH.replace(" 131072 ", " 65536 9 1.0 1.0 1.0\n 131072 "), 97.34e9);
    }

    #[test]
    fn a_latency_is_the_median() {
        assert_eq!(latency_ns(LATENCY), Ok(930));
    }

    #[test]
    fn what_is_no_result_says_what_is_missing() {
        let check = |text: &str, expected: &str| {
            assert_eq!(bandwidth(text).expect_err("no result").to_string(), expected);
        };
        check("", "no table of results; expected a line that begins with `#bytes`");
        check(
            &BANDWIDTH[..BANDWIDTH.find(" 131072").unwrap()],
            "the table of results has no row: the test ended early",
        );
        check(&BANDWIDTH.replace("97.34", "-nan"), "`-nan` in the column `BW average[Gb/sec]` is no amount");
        let found = latency_ns(BANDWIDTH).expect_err("another table").to_string();
        assert!(
            found.contains("no column `t_typical`; its columns are #bytes, #iterations, BW peak"),
            "{found}"
        );
    }

    proptest! {
        #[test]
        fn any_text_is_read(text in "[ #a-z\\[\\]0-9.\n-]{0,200}", cut in 0..BANDWIDTH.len()) {
            let mixed = format!("{} #bytes {text}", BANDWIDTH.get(..cut).unwrap_or_default());
            let _ = (bandwidth(&mixed), latency_ns(&mixed));
        }
    }
}
