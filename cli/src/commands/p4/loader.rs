//! Loads the sources of programs from the file system. An included file must be a regular file of bounded size: a device
//! may never end, and opening a FIFO blocks. The file on the command line can be a pipe.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, ErrorKind, Read};

use p4_lang::{MAX_FILE_BYTES, NotIncluded, SourceLoader};

/// Loads sources from the file system and records them.
#[derive(Default)]
pub(super) struct FileLoader {
    read: RefCell<BTreeMap<String, String>>,
}

impl FileLoader {
    /// A loader to which the file on the command line is known: it may be a pipe, which can be read only once.
    pub(super) fn with_main(path: String, text: String) -> FileLoader {
        FileLoader { read: RefCell::new(BTreeMap::from([(path, text)])) }
    }

    /// Returns the files that were loaded: paths and texts.
    pub(super) fn into_files(self) -> BTreeMap<String, String> {
        self.read.into_inner()
    }

    fn record(&self, path: &str, text: &str) {
        self.read.borrow_mut().insert(path.to_string(), text.to_string());
    }
}

impl SourceLoader for FileLoader {
    fn load(&self, path: &str) -> Option<String> {
        if let Some(text) = self.read.borrow().get(path) {
            return Some(text.clone());
        }
        let text = fs::read_to_string(path).ok()?;
        self.record(path, &text);
        Some(text)
    }

    fn include(&self, path: &str) -> Result<String, NotIncluded> {
        let text = read_regular(path, MAX_FILE_BYTES)?;
        self.record(path, &text);
        Ok(text)
    }
}

/// Reads a regular file of at most `limit_bytes` bytes of UTF-8 text.
fn read_regular(path: &str, limit_bytes: u64) -> Result<String, NotIncluded> {
    // The type is checked before the file is opened, which blocks for a FIFO.
    let metadata = fs::metadata(path).map_err(not_included)?;
    if metadata.is_dir() {
        return Err(NotIncluded::Directory);
    }
    if !metadata.is_file() {
        return Err(NotIncluded::NotRegular);
    }
    let mut bytes = Vec::new();
    let file = File::open(path).map_err(not_included)?;
    // Files of procfs state no size, so the limit applies to what is read.
    file.take(limit_bytes.saturating_add(1)).read_to_end(&mut bytes).map_err(not_included)?;
    if bytes.len() as u64 > limit_bytes {
        return Err(NotIncluded::TooLarge);
    }
    String::from_utf8(bytes).map_err(|_| NotIncluded::NotText)
}

fn not_included(error: io::Error) -> NotIncluded {
    match error.kind() {
        ErrorKind::NotFound | ErrorKind::NotADirectory => NotIncluded::Missing,
        _ => NotIncluded::Unreadable(error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An empty folder for one test.
    fn folder(test: &str) -> std::path::PathBuf {
        let folder = std::env::temp_dir().join(format!("harrier-p4-loader-{}-{test}", std::process::id()));
        fs::create_dir_all(&folder).expect("a writable folder");
        folder
    }

    #[test]
    fn only_regular_files_are_included() {
        let folder = folder("include");
        let path = |name: &str| folder.join(name).display().to_string();
        fs::write(path("text.p4"), "const bit<8> x = 1;").expect("a writable folder");
        fs::write(path("binary.p4"), [0xff, 0xfe]).expect("a writable folder");
        let include = |path: &str| FileLoader::default().include(path);
        assert_eq!(include(&path("text.p4")).as_deref(), Ok("const bit<8> x = 1;"));
        assert_eq!(include(&path("binary.p4")), Err(NotIncluded::NotText));
        assert_eq!(include(&path("none.p4")), Err(NotIncluded::Missing));
        assert_eq!(include(&path("text.p4/none.p4")), Err(NotIncluded::Missing));
        assert_eq!(include(&path(".")), Err(NotIncluded::Directory));
        #[cfg(unix)]
        {
            assert_eq!(include("/dev/zero"), Err(NotIncluded::NotRegular));
            // A socket stands for all files that block: opening one fails, so the test ends even without the check.
            let _socket = std::os::unix::net::UnixListener::bind(path("socket")).expect("a writable folder");
            assert_eq!(include(&path("socket")), Err(NotIncluded::NotRegular));
        }
        fs::remove_dir_all(folder).expect("the folder exists");
    }

    #[test]
    fn a_file_beyond_the_limit_is_not_read() {
        let folder = folder("limit");
        let path = folder.join("large.p4").display().to_string();
        fs::write(&path, "12345").expect("a writable folder");
        assert_eq!(read_regular(&path, 5).as_deref(), Ok("12345"));
        assert_eq!(read_regular(&path, 4), Err(NotIncluded::TooLarge));
        fs::remove_dir_all(folder).expect("the folder exists");
    }
}
