//! `harrier store`: the file of a server's store, from a terminal.

use std::fs::File;
use std::io::{self, BufReader, BufWriter};
use std::path::{Path, PathBuf};

use anyhow::Context as _;
use store::{Exported, Import, ImportError, Imported, Removed, Stats, Store, StoreError};

use crate::Outcome;
use crate::daemons::config::Arguments;
use crate::daemons::config::keys::serve::Serve;
use crate::daemons::operations::{block_on, wall_ns};
use crate::daemons::serve::limits;
use crate::output::print_json;
use crate::units::{bytes, count};

const EXAMPLES: &str = "\
Examples:
  What is in the store, and how much room it takes
    harrier store stats /var/lib/harrier-serve/harrier.db

  Copy it while the server runs; a server starts with the copy as with the original
    harrier store backup /var/lib/harrier-serve/harrier.db /backup/harrier-$(date +%F).db

  Read incidents and diagnoses with other tools
    harrier store export harrier.db | jq -r 'select(.kind == \"diagnosis\") | .diagnosis.summary'

  Open them on another machine
    harrier store import copy.db export.jsonl cases/
    harrier serve --store copy.db

  Keep 30 days, and give the room back to the file system; the server must not run
    harrier store prune harrier.db --max-age-days 30 --compact

Exit status: 0 success, 2 the command could not run, e.g. because the file is not a store.";

/// Arguments of `harrier store`.
#[derive(clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(clap::Subcommand)]
enum Action {
    /// Print schema, size, rows and bytes of each table, and the oldest and newest diagnosis
    Stats {
        /// File of the store, or URL of a PostgreSQL database
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a copy of a file; a server may use the store meanwhile
    Backup {
        /// File of the store
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// The copy: a new file
        #[arg(value_name = "COPY")]
        copy: PathBuf,
    },
    /// Write topology, findings, incidents, notes and diagnoses as lines of JSON; a server may use the store meanwhile
    Export {
        /// File of the store, or URL of a PostgreSQL database
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Also write the snapshots, which are large
        #[arg(long)]
        snapshots: bool,
        /// Write to this file instead of stdout
        #[arg(long, value_name = "FILE")]
        output: Option<PathBuf>,
    },
    /// Add the rows of exports and of test cases of incidents, all or none; the server must not run
    Import {
        /// File of the store, or URL of a PostgreSQL database; a file is created if it does not exist
        #[arg(value_name = "FILE")]
        file: PathBuf,
        /// Exports, test cases, or folders with files that end in .jsonl or .json
        #[arg(value_name = "SOURCE", required = true)]
        sources: Vec<PathBuf>,
    },
    /// Remove what the limits no longer keep; the server must not run
    Prune(PruneArgs),
    /// Bring a store of an older version to the newest schema; the server must not run
    Migrate {
        /// File of the store, or URL of a PostgreSQL database
        #[arg(value_name = "FILE")]
        file: PathBuf,
    },
}

/// Arguments of `harrier store prune`. Limits without an option are those of the server: its configuration file, its
/// variables, its defaults.
#[derive(clap::Args)]
struct PruneArgs {
    /// File of the store, or URL of a PostgreSQL database
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Configuration file of the server, for its limits [default: the server's defaults]
    #[arg(long, value_name = "FILE")]
    config: Option<PathBuf>,
    /// Diagnoses to keep
    #[arg(long, value_name = "N")]
    max_diagnoses: Option<String>,
    /// Snapshots to keep
    #[arg(long, value_name = "N")]
    max_snapshots: Option<String>,
    /// Days after which diagnoses, snapshots and reports are removed; 0: no limit
    #[arg(long, value_name = "N")]
    max_age_days: Option<String>,
    /// Bytes at which the oldest diagnoses, snapshots and reports are removed; 0: no limit
    #[arg(long, value_name = "N")]
    max_store_bytes: Option<String>,
    /// Give the room of removed rows back to the file system; needs as much free room meanwhile
    #[arg(long)]
    compact: bool,
}

/// Runs the command.
pub(crate) fn execute(args: Args) -> anyhow::Result<Outcome> {
    block_on(async {
        match args.action {
            Action::Stats { file, json } => {
                let stats = store::stats(&file).await?;
                if json {
                    print_json(&stats)?;
                } else {
                    stdout_text!("{}", describe(&stats))?;
                }
            }
            Action::Backup { file, copy } => {
                let backup = store::backup(&file, &copy).await?;
                let size = bytes(backup.bytes);
                stderr_line!("wrote {} ({size}, schema {})", copy.display(), backup.schema);
            }
            Action::Export { file, snapshots, output } => export(&file, snapshots, output.as_deref()).await?,
            Action::Import { file, sources } => import(&file, &sources).await?,
            Action::Prune(args) => prune(args).await?,
            Action::Migrate { file } => migrate(&file).await?,
        }
        Ok(Outcome::Fine)
    })
}

async fn export(file: &Path, with_snapshots: bool, output: Option<&Path>) -> anyhow::Result<()> {
    let store = Store::open_to_read(file).await?;
    let exported = match output {
        Some(path) => {
            let cannot_write = || format!("cannot write {}", path.display());
            let mut out = BufWriter::new(File::create(path).with_context(cannot_write)?);
            store.export(&mut out, with_snapshots).await
        }
        None => store.export(&mut BufWriter::new(io::stdout()), with_snapshots).await,
    };
    store.close().await;
    let Exported { incidents, notes, diagnoses, snapshots } = match exported {
        // The reader has seen enough.
        Err(StoreError::Export { source }) if source.kind() == io::ErrorKind::BrokenPipe => return Ok(()),
        other => other?,
    };
    let mut parts =
        vec![count(incidents, "incident"), count(notes, "note"), noun(diagnoses, "diagnosis", "diagnoses")];
    if with_snapshots {
        parts.push(count(snapshots, "snapshot"));
    }
    stderr_line!("exported {}", parts.join(", "));
    Ok(())
}

async fn import(file: &Path, sources: &[PathBuf]) -> anyhow::Result<()> {
    let mut files = Vec::new();
    for path in sources {
        files.extend(files_of(path)?);
    }
    let opened: anyhow::Result<Vec<Import<'_>>> = files.iter().map(|path| open(path)).collect();
    // Before the store is created: a name may be wrong.
    let opened = opened?;
    let store = Store::open(&store::store_url(file)).await?;
    let imported = store.import(opened, wall_ns()).await;
    store.close().await;
    let Imported { findings, incidents, notes, diagnoses, snapshots, known } = match imported {
        Err(ImportError::Mistakes(mistakes)) => {
            for mistake in &mistakes {
                stderr_line!("{mistake}");
            }
            anyhow::bail!("nothing is imported: {}", count(mistakes.len() as u64, "mistake"));
        }
        other => other?,
    };
    let added = [
        count(findings, "finding"),
        count(incidents, "incident"),
        count(notes, "note"),
        noun(diagnoses, "diagnosis", "diagnoses"),
        count(snapshots, "snapshot"),
    ];
    stderr_line!("imported {}; {} were there before", added.join(", "), count(known, "row"));
    Ok(())
}

/// Returns a file, or the exports and test cases in a folder, by name.
fn files_of(path: &Path) -> anyhow::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_path_buf()]);
    }
    let cannot_read = || format!("cannot read {}", path.display());
    let entries: io::Result<Vec<_>> = std::fs::read_dir(path).with_context(cannot_read)?.collect();
    let is_export = |file: &PathBuf| file.extension().is_some_and(|end| end == "jsonl" || end == "json");
    let paths = entries.with_context(cannot_read)?.into_iter().map(|entry| entry.path());
    let mut files: Vec<PathBuf> = paths.filter(is_export).filter(|file| file.is_file()).collect();
    files.sort();
    anyhow::ensure!(!files.is_empty(), "{} has no file that ends in .jsonl or .json", path.display());
    Ok(files)
}

fn open(path: &Path) -> anyhow::Result<Import<'static>> {
    let file = File::open(path).with_context(|| format!("cannot read {}", path.display()))?;
    Ok(Import { name: path.display().to_string(), contents: Box::new(BufReader::new(file)) })
}

async fn prune(args: PruneArgs) -> anyhow::Result<()> {
    let settings = Arguments::<Serve>::of_file(args.config)
        .with_flag("max_diagnoses", args.max_diagnoses)
        .with_flag("max_snapshots", args.max_snapshots)
        .with_flag("max_age_days", args.max_age_days)
        .with_flag("max_store_bytes", args.max_store_bytes)
        .settings()?;
    let store = Store::open_existing(&args.file, limits(&settings)).await?;
    let removed = store.prune(wall_ns()).await;
    let compacted = match (&removed, args.compact) {
        (Ok(_), true) => store.compact().await,
        _ => Ok(()),
    };
    store.close().await;
    stderr_line!("{}", removed_text(removed?));
    compacted?;
    Ok(())
}

async fn migrate(file: &Path) -> anyhow::Result<()> {
    let store = Store::open_existing(file, store::Limits::default()).await?;
    let migrated = store.migrated();
    store.close().await;
    let name = store::shown_url(&file.display().to_string());
    stderr_line!("{name}: {}", migrated_text(migrated));
    Ok(())
}

/// What a removal has removed, in one line.
fn removed_text(removed: Removed) -> String {
    if removed.is_nothing() {
        return "nothing to remove".into();
    }
    let Removed { diagnoses, incidents, snapshots, reports, series } = removed;
    let diagnoses = noun(diagnoses, "diagnosis", "diagnoses");
    format!(
        "removed {diagnoses}, {}, {}, {}, {}",
        count(incidents, "incident"),
        count(snapshots, "snapshot"),
        count(reports, "report"),
        noun(series, "row of series", "rows of series")
    )
}

/// What a migration has done, in one line.
fn migrated_text(migrated: store::Migrated) -> String {
    let store::Migrated { from, to, diagnoses, snapshots } = migrated;
    if from == to {
        return format!("schema {to} is the newest; nothing to do");
    }
    let filled = match diagnoses {
        0 => String::new(),
        some => format!("; new columns of {} filled", noun(some, "diagnosis", "diagnoses")),
    };
    let compressed = match snapshots {
        0 => String::new(),
        some => format!("; {} compressed", count(some, "snapshot")),
    };
    format!("migrated from schema {from} to {to}{filled}{compressed}")
}

fn noun(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// The contents of a store as a table.
fn describe(stats: &Stats) -> String {
    let mut text = String::new();
    let mut line = |label: &str, value: String| text.push_str(&format!("{label:<16}{value}\n"));
    let schema = match stats.schema < stats.newest_schema {
        true => format!("{} (newest: {}; `harrier store migrate`)", stats.schema, stats.newest_schema),
        false => stats.schema.to_string(),
    };
    line("schema", schema);
    let log = match stats.log_bytes {
        0 => String::new(),
        some => format!(", write-ahead log {}", bytes(some)),
    };
    line("file", format!("{}, of which {} are free{log}", bytes(stats.file_bytes), bytes(stats.free_bytes)));
    let time = |wall_ns: Option<u64>| wall_ns.map_or("-".into(), web::rfc3339);
    line("oldest", time(stats.oldest_wall_ns));
    line("newest", time(stats.newest_wall_ns));
    if let (Some(json), Some(stored @ 1..)) = (stats.snapshot_text_bytes, stats.snapshot_stored_bytes) {
        let ratio = json as f64 / stored as f64;
        line("snapshots", format!("{} of JSON in {}: {ratio:.1} to 1", bytes(json), bytes(stored)));
    }
    text.push_str(&format!("\n{:<16}{:>10}  {:>10}\n", "table", "rows", "size"));
    for table in &stats.tables {
        text.push_str(&format!("{:<16}{:>10}  {:>10}\n", table.name, table.rows, bytes(table.bytes)));
    }
    text
}

#[cfg(test)]
mod tests {
    use store::TableStats;

    use super::*;

    #[test]
    fn the_contents_are_a_table() {
        let stats = Stats {
            schema: 3,
            newest_schema: 5,
            file_bytes: 3 << 20,
            log_bytes: 0,
            free_bytes: 4_096,
            snapshot_text_bytes: Some(21 << 10),
            snapshot_stored_bytes: Some(2 << 10),
            tables: vec![TableStats { name: "diagnoses", rows: 12, bytes: 1 << 20 }],
            oldest_wall_ns: None,
            newest_wall_ns: Some(1_700_000_000_000_000_000),
        };
        let expected = "\
schema          3 (newest: 5; `harrier store migrate`)
file            3.0 MiB, of which 4.0 KiB are free
oldest          -
newest          2023-11-14T22:13:20Z
snapshots       21.0 KiB of JSON in 2.0 KiB: 10.5 to 1

table                 rows        size
diagnoses               12     1.0 MiB
";
        assert_eq!(describe(&stats), expected);
    }

    #[test]
    fn removals_and_migrations_are_one_line() {
        assert_eq!(removed_text(Removed::default()), "nothing to remove");
        let removed = Removed { diagnoses: 1, incidents: 0, snapshots: 2, reports: 1, series: 4 };
        assert_eq!(
            removed_text(removed),
            "removed 1 diagnosis, 0 incidents, 2 snapshots, 1 report, 4 rows of series"
        );
        let migrated = |from, diagnoses| {
            migrated_text(store::Migrated { from, to: 5, diagnoses, snapshots: diagnoses / 3 })
        };
        assert_eq!(migrated(5, 0), "schema 5 is the newest; nothing to do");
        assert_eq!(
            migrated(2, 7),
            "migrated from schema 2 to 5; new columns of 7 diagnoses filled; 2 snapshots compressed"
        );
    }
}
