//! A simulated SONiC switch with a gNMI server: serves dumps of its databases, for the gNMI clients of other projects.
//!
//! `cargo run -p harrier-gnmi --example sonic_switch -- 127.0.0.1:8080 DIR... [--user USER:PASSWORD]` serves the databases
//! in the first folder, as `harrier run --save-counters` writes them (`leaf1/20231114T221319...Z`), and those in the next one
//! whenever a line is read from standard input.

#![allow(
    clippy::disallowed_methods,
    clippy::print_stdout,
    reason = "an example reads files and shows where it listens"
)]

use std::sync::{Arc, Mutex, PoisonError};

use counters::sonic::{DatabaseName, Databases, gnmi as sonic, parse_dump};
use gnmi::proto::Path;
use gnmi::server::{GNmiServer, Server, Tables};
use tokio::sync::watch;

struct Switch {
    databases: Mutex<Databases>,
    version: watch::Sender<u64>,
}

impl Tables for Switch {
    fn values(&self, target: &str, path: &Path) -> Result<Vec<(Path, serde_json::Value)>, String> {
        let names: Vec<String> = path.elem.iter().map(|element| element.name.clone()).collect();
        let value =
            sonic::answer(&self.databases.lock().unwrap_or_else(PoisonError::into_inner), target, &names)?;
        Ok(vec![(path.clone(), value)])
    }

    fn changes(&self) -> watch::Receiver<u64> {
        self.version.subscribe()
    }
}

fn read(folder: &std::path::Path) -> Result<Databases, Box<dyn std::error::Error>> {
    let mut all = Databases::default();
    for name in DatabaseName::ALL {
        let file = folder.join(format!("{}.json", name.name()));
        if file.is_file() {
            let (databases, problems) = parse_dump(&std::fs::read_to_string(file)?, Some(name));
            problems.iter().for_each(|problem| eprintln!("{problem}"));
            all.merge(databases);
        }
    }
    Ok(all)
}

#[tokio::main]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let address = arguments.next().ok_or("expected ADDRESS:PORT DIR... [--user USER:PASSWORD]")?;
    let mut folders: Vec<String> = arguments.collect();
    let user = folders.iter().position(|argument| argument == "--user");
    let credentials = user.and_then(|at| {
        let given = folders.drain(at..).nth(1)?;
        given.split_once(':').map(|(user, password)| (user.to_string(), password.to_string()))
    });
    let mut folders = folders.into_iter();
    let first = folders.next().ok_or("expected a folder with dumps")?;
    let databases = Mutex::new(read(std::path::Path::new(&first))?);
    let switch = Arc::new(Switch { databases, version: watch::Sender::new(0) });
    let listener = tokio::net::TcpListener::bind(address).await?;
    println!("gNMI at {}", listener.local_addr()?);
    let served = switch.clone();
    std::thread::spawn(move || {
        for (_, folder) in std::io::stdin().lines().map_while(Result::ok).zip(folders) {
            match read(std::path::Path::new(&folder)) {
                Ok(databases) => {
                    *served.databases.lock().unwrap_or_else(PoisonError::into_inner) = databases;
                    served.version.send_modify(|version| *version += 1);
                    println!("serving {folder}");
                }
                Err(error) => eprintln!("{folder}: {error}"),
            }
        }
    });
    let service = GNmiServer::new(Server::new(switch, credentials));
    let incoming = tokio_stream::wrappers::TcpListenerStream::new(listener);
    tonic::transport::Server::builder().add_service(service).serve_with_incoming(incoming).await?;
    Ok(())
}
