//! Recordings of terminals: prompts of several kinds, pagers, and tables of which nothing says whose they are.

use counters::Reading;
use counters::sonic::parse_show;

const NOW_NS: u64 = 1_800_000_000_000_000_000;
/// Three switches, twice.
const PASTE: &str = include_str!("../../docs/examples/counters/paste.txt");

/// Readings and problems of a recording.
fn read(text: &str) -> (Vec<Reading>, Vec<String>) {
    let (readings, problems) = parse_show(text, None, NOW_NS);
    (readings, problems.iter().map(ToString::to_string).collect())
}

/// Checks that a recording has the given readings, as switch and seconds, and a problem that contains a text, or none.
fn check(text: &str, expected: &[(&str, u64)], problem: Option<&str>) -> Vec<Reading> {
    let (readings, problems) = read(text);
    let shown: Vec<(&str, u64)> =
        readings.iter().map(|r| (r.switch.as_str(), r.time_ns / 1_000_000_000 % 1_000)).collect();
    assert_eq!(shown, expected, "{problems:#?}");
    let is_expected = match problem {
        Some(problem) => problems.iter().any(|shown| shown.contains(problem)),
        None => problems.is_empty(),
    };
    assert!(is_expected, "{problems:#?}");
    readings
}

/// The example with its prompts rewritten by their switch, and its commands by their text.
fn rewritten(rewrite: impl Fn(&str, &str) -> String) -> String {
    let line = |line: &str| match line.strip_prefix("admin@").and_then(|rest| rest.split_once(":~$ ")) {
        Some((switch, command)) => rewrite(switch, command),
        None => line.to_string(),
    };
    PASTE.lines().map(line).collect::<Vec<_>>().join("\n")
}

#[test]
fn prompts_of_any_kind_name_their_switches() {
    let (expected, problems) = read(PASTE);
    assert!(problems.is_empty() && expected.len() == 6, "{problems:?}");
    let same = |text: String| {
        let (readings, problems) = read(&text);
        assert!(problems.is_empty(), "{problems:#?}");
        assert_eq!(readings, expected, "{}", text.lines().next().unwrap_or_default());
    };
    same(rewritten(|switch, command| {
        format!("\u{1b}]0;admin@{switch}: ~\u{7}admin@{switch}:~$ {command}\r")
    }));
    same(format!("\u{feff}{PASTE}"));
    same(rewritten(|switch, command| format!("(venv) admin@{switch}:~$ {command}")));
    same(rewritten(|switch, command| format!("[10:12:03] admin@{switch}:~$ {command}")));
    same(rewritten(|switch, command| format!("{switch}# {command}")));
    same(rewritten(|switch, command| format!("admin@{switch} ~ $ {command}")));
    same(rewritten(|switch, command| format!("[admin@{switch} ~]$ {command}")));
    same(rewritten(|switch, command| format!("$ ssh admin@{switch} \"{command}\"")));
    same(rewritten(|switch, command| format!("me@laptop:~$ ssh -p 22 {switch} {command}")));
}

#[test]
fn what_pagers_and_terminals_add_is_left_out() {
    let (expected, _) = read(PASTE);
    let erase = "\u{8}".repeat(8);
    for pager in [
        "--More--\n".to_string(),
        format!("--More--{erase}        {erase}"),
        "\r:\u{1b}[K".into(),
        ":\r\u{1b}[K".into(),
    ] {
        let line = |(number, line): (usize, &str)| match number % 24 {
            23 => format!("{pager}{line}\n"),
            _ => format!("{line}\n"),
        };
        let (readings, problems) = read(&PASTE.lines().enumerate().map(line).collect::<String>());
        assert!(problems.is_empty(), "{problems:#?}");
        assert_eq!(readings, expected, "{pager:?}");
    }
}

/// A table of received pauses.
#[test]
fn a_quoted_paste_is_read_as_the_original() {
    let (expected, _) = read(PASTE);
    for mark in ["> ", ">"] {
        // Programs for messages quote blank lines without a space.
        let line = |line: &str| format!("{}{line}", if line.is_empty() { ">" } else { mark }) + "\n";
        let (readings, problems) = read(&PASTE.lines().map(line).collect::<String>());
        assert!(problems.is_empty(), "{problems:#?}");
        assert_eq!(readings, expected, "{mark:?}");
    }
}

fn pauses(frames: u64) -> String {
    format!("  Port Rx    PFC3\n---------  ------\nEthernet0  {frames:>6}\n\n")
}

/// A table of neighbours.
fn neighbours(rows: &str) -> String {
    format!(
        "LocalPort    RemoteDevice    RemotePortID\n-----------  --------------  --------------\n{rows}\n"
    )
}

#[test]
fn tables_of_unknown_switches_are_left_out() {
    let without: Vec<&str> = PASTE.lines().filter(|line| !line.starts_with("admin@")).collect();
    check(&without.join("\n"), &[], Some("tables of several switches"));
    // Three switches of which each has SONiC's default name.
    check(
        &PASTE.replace("leaf1:", "sonic:").replace("leaf2:", "sonic:"),
        &[("spine1", 123), ("spine1", 133)],
        Some("sonic: Ethernet0 has neighbour"),
    );
    let command = "leaf1# show pfc counters\n";
    check(&format!("{command}{}{}", pauses(1), pauses(2)), &[], Some("leaf1: a table appears twice"));
    let loops = command.replace("show", "while sleep 5; do show");
    check(&format!("{loops}{}{}", pauses(1), pauses(2)), &[("leaf1", 0), ("leaf1", 0)], None);
    // A NIC sends LLDP beside its host.
    let both = neighbours("Ethernet0    h1    eth0\nEthernet0    0c:42:a1:00:00:07    0c:42:a1:00:00:07\n");
    let one = neighbours("Ethernet0    h1.example.com    eth0\n");
    let text = |first: &str, second: &str| {
        format!("{command}{}leaf1# show lldp table\n{first}leaf1# show lldp table\n{second}", pauses(1))
    };
    check(&text(&both, &one), &[("leaf1", 0)], None);
    check(
        &text(&one, &neighbours("Ethernet0    h2    eth0\n")),
        &[],
        Some("Ethernet0 has neighbour h1 in one table and h2"),
    );
}

#[test]
fn dates_in_loops_are_the_times_of_readings() {
    let date = |second: u64| format!("Mon 05 Oct 2026 10:12:{second:02} AM UTC\n");
    let text = format!(
        "leaf1# for i in 1 2; do date; show pfc counters; sleep 10; done\n{}{}{}{}",
        date(3),
        pauses(1),
        date(13),
        pauses(2)
    );
    let expected = [("leaf1", 123), ("leaf1", 133)];
    check(&text, &expected, None);
    check(&text.replace("for i", "./counters.sh #"), &expected, None);
}

#[test]
fn tables_of_several_asics_are_one_reading() {
    let table = |asic: &str, port: &str| {
        format!(
            "Egress shared pool occupancy per unicast queue: (Namespace {asic})\n     Port    UC3\n---------  -----\n{port:>9}   9000\n"
        )
    };
    let command = "leaf1# show queue watermark unicast\n";
    let both = format!("{command}{}{}", table("asic0", "Ethernet0"), table("asic1", "Ethernet4"));
    let readings = check(&both, &[("leaf1", 0)], None);
    assert_eq!(readings[0].ports.keys().collect::<Vec<_>>(), ["Ethernet0", "Ethernet4"]);
    check(&both.repeat(2), &[("leaf1", 0); 2], None);
}

#[test]
fn persistent_watermarks_are_no_second_reading() {
    let table = "     Port    UC3\n---------  -----\nEthernet0   BYTES\n";
    let command = |command: &str, bytes: &str| {
        format!("leaf1# show queue {command} unicast\n{}", table.replace("BYTES", bytes))
    };
    let (user, persistent) = (command("watermark", "500"), command("persistent-watermark", "900000"));
    let readings = check(&format!("{user}{persistent}"), &[("leaf1", 0)], None);
    assert_eq!(readings[0].ports["Ethernet0"].priorities[3].queue.watermark_bytes, Some(500));
    let (_, problems) = read(&persistent);
    assert!(problems[0].contains("persistent watermarks are not read"), "{problems:?}");
}

#[test]
fn every_port_of_a_history_is_read() {
    let head = "     Port    Priority    RX Pause Transitions    Total RX Pause Time US\n---------  ----------  ----------------------  ------------------------\n";
    let row = |port: &str, us: &str| format!("{port:>9}        PFC3                      12  {us:>24}\n");
    let history = format!(
        "leaf1# show pfc counters --history\n{head}{}\n{}\n",
        row("Ethernet0", "7"),
        row("Ethernet4", "1,000")
    );
    let after = format!("{history}Some other text of any kind\n");
    for text in [history, after] {
        let readings = check(&text, &[("leaf1", 0)], None);
        let paused: Vec<Option<u64>> =
            readings[0].ports.values().map(|port| port.priorities[3].pause_rx_ns).collect();
        assert_eq!(paused, [Some(7_000), Some(1_000_000)]);
    }
}

#[test]
fn wrapped_tables_and_rows_without_a_port_are_reported() {
    let wrapped = "Interface      Lanes    Speed\n    Alias    Oper\n---------  ---------  -------\n-------  ------\nEthernet0    0,1,2,3     100G\n   etp1      up\n\n";
    check(
        &format!("leaf1# show interfaces status\n{wrapped}leaf1# show pfc counters\n{}", pauses(1)),
        &[("leaf1", 0)],
        Some("the columns of this table"),
    );
    let phantom = pauses(1).replace("\n\n", "\nTotal           1\n\n");
    check(
        &format!("leaf1# show pfc counters\n{phantom}"),
        &[("leaf1", 0)],
        Some("expected the name of a port"),
    );
}
