//! Every detector has a page in `docs/detectors` with its evidence, limits and source, and the index lists it.

use std::collections::BTreeSet;
use std::path::Path;

#[test]
#[allow(clippy::disallowed_methods, reason = "the test reads the documentation")]
fn every_detector_has_a_page() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/detectors");
    let page = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap_or_default();
    let index = page("README.md");
    let mut files: BTreeSet<String> = std::fs::read_dir(&folder)
        .expect("docs/detectors")
        .map(|entry| entry.expect("an entry").file_name().into_string().expect("UTF-8"))
        .collect();
    assert!(files.remove("README.md"));
    for detector in host_diagnosis::all() {
        let (name, file) = (detector.name, format!("{}.md", detector.name));
        assert!(files.remove(&file), "docs/detectors/{file} is missing");
        let text = page(&file);
        for part in [&format!("# `{name}`\n\n"), "\n## Evidence\n\n", "\n## Limits\n\n", "\n## Source\n\n"] {
            assert!(text.contains(part), "{file} has no {part:?}");
        }
        assert!(index.contains(&format!("| [`{name}`]({file}) | ")), "the index does not list {name}");
    }
    assert!(files.is_empty(), "pages without a detector: {files:?}");
}
