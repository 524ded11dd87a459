//! A redis-server for tests.

#![allow(clippy::disallowed_types, reason = "the test fills a server over a socket")]

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde_json::Value;

use super::{scratch, skipped};

/// A redis-server for one test; killed on drop.
pub(crate) struct Server {
    process: Child,
    pub(crate) port: u16,
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

impl Server {
    /// Starts the server on a free port. Without redis-server the test is skipped.
    pub(crate) fn start(folder: &str, password: Option<&str>) -> Option<Self> {
        Self::start_with(folder, password, &[])
    }

    /// Starts the server with further options.
    pub(crate) fn start_with(folder: &str, password: Option<&str>, options: &[&str]) -> Option<Self> {
        let port = TcpListener::bind("127.0.0.1:0").expect("a port").local_addr().expect("its number").port();
        Self::start_with_port(port, folder, password, options)
    }

    /// Starts the server on this port.
    pub(crate) fn start_at(port: u16, folder: &str) -> Option<Self> {
        Self::start_with_port(port, folder, None, &[])
    }

    fn start_with_port(port: u16, folder: &str, password: Option<&str>, options: &[&str]) -> Option<Self> {
        let mut command = Command::new("redis-server");
        command.args([
            "--port",
            &port.to_string(),
            "--bind",
            "127.0.0.1",
            "--save",
            "",
            "--appendonly",
            "no",
        ]);
        command.arg("--dir").arg(scratch(folder));
        if let Some(password) = password {
            command.args(["--requirepass", password]);
        }
        command.args(options);
        let mut process = match command.stdout(Stdio::piped()).stderr(Stdio::null()).spawn() {
            Ok(process) => process,
            Err(error) => {
                skipped(format_args!("redis-server cannot be started ({error}); run scripts/setup.sh"));
                return None;
            }
        };
        // The server prints a line when it is ready, or it ends.
        let lines = BufReader::new(process.stdout.take().expect("a pipe")).lines();
        let ready = lines.map_while(Result::ok).any(|line| line.contains("Ready to accept connections"));
        let server = Self { process, port };
        assert!(ready, "redis-server did not start");
        Some(server)
    }

    fn send(&self, commands: &[Vec<&str>]) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let mut answers = BufReader::new(stream.try_clone().expect("a second handle"));
        for words in commands {
            let mut request = format!("*{}\r\n", words.len());
            words.iter().for_each(|w| request.push_str(&format!("${}\r\n{w}\r\n", w.len())));
            stream.write_all(request.as_bytes()).expect("it takes the command");
            let mut answer = String::new();
            answers.read_line(&mut answer).expect("it answers");
            assert!(!answer.starts_with('-'), "{words:?}: {answer}");
        }
    }

    /// Loads a configuration in SONiC's layout: one hash per entry, `NULL` for entries without fields, and other keys.
    pub(crate) fn load(&self, config: &Value, password: Option<&str>) {
        let mut commands: Vec<Vec<String>> = vec![vec!["SELECT".into(), "4".into()]];
        if let Some(password) = password {
            commands.insert(0, vec!["AUTH".into(), password.into()]);
        }
        commands.push(vec!["SET".into(), "CONFIG_DB_INITIALIZED".into(), "1".into()]);
        commands.push(vec!["SADD".into(), "ODD|SET".into(), "member".into()]);
        for (table, entries) in config.as_object().expect("tables") {
            for (key, fields) in entries.as_object().expect("entries") {
                let mut words = vec!["HSET".to_string(), format!("{table}|{key}")];
                for (name, value) in fields.as_object().expect("fields") {
                    words.extend([name.clone(), value.as_str().expect("text").to_string()]);
                }
                if words.len() == 2 {
                    words.extend(["NULL".to_string(), "NULL".to_string()]);
                }
                commands.push(words);
            }
        }
        let words: Vec<Vec<&str>> = commands.iter().map(|c| c.iter().map(String::as_str).collect()).collect();
        self.send(&words);
    }

    /// Loads the dumps of a switch's databases, `COUNTERS_DB.json` and so on, in one transaction of each database.
    pub(crate) fn load_dumps(&self, folder: &Path) {
        let databases = [
            ("APPL_DB", "0"),
            ("COUNTERS_DB", "2"),
            ("CONFIG_DB", "4"),
            ("FLEX_COUNTER_DB", "5"),
            ("STATE_DB", "6"),
        ];
        for (name, number) in databases {
            let text = std::fs::read_to_string(folder.join(format!("{name}.json"))).expect("a dump");
            let dump: Value = serde_json::from_str(&text).expect("JSON");
            let mut commands: Vec<Vec<String>> =
                vec![vec!["SELECT".into(), number.into()], vec!["MULTI".into()]];
            for (key, entry) in dump.as_object().expect("hashes") {
                let mut words = vec!["HSET".to_string(), key.clone()];
                for (field, value) in entry["value"].as_object().expect("fields") {
                    words.extend([field.clone(), value.as_str().expect("text").to_string()]);
                }
                commands.push(words);
            }
            let words: Vec<Vec<&str>> =
                commands.iter().map(|words| words.iter().map(String::as_str).collect()).collect();
            self.send_then_exec(&words);
        }
    }

    /// Sets fields of a hash of a database with this number.
    pub(crate) fn set(&self, database: &str, key: &str, fields: &[(&str, &str)]) {
        let mut words = vec!["HSET", key];
        fields.iter().for_each(|(name, value)| words.extend([*name, *value]));
        self.send(&[vec!["SELECT", database], words]);
    }

    /// Sends commands of a transaction, then EXEC, whose reply is read to its end by closing the connection.
    fn send_then_exec(&self, commands: &[Vec<&str>]) {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("it listens");
        let mut request = String::new();
        for words in commands.iter().chain([&vec!["EXEC"], &vec!["QUIT"]]) {
            request.push_str(&format!("*{}\r\n", words.len()));
            words.iter().for_each(|w| request.push_str(&format!("${}\r\n{w}\r\n", w.len())));
        }
        stream.write_all(request.as_bytes()).expect("it takes the commands");
        let mut answers = String::new();
        std::io::Read::read_to_string(&mut stream, &mut answers).expect("it answers and closes");
        let error = answers.lines().find(|line| line.starts_with('-'));
        assert_eq!(error, None, "{commands:?}");
    }
}
