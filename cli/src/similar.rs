//! Which known name a misspelt one resembles.

/// Similarity from which a name is suggested (Jaro-Winkler; clap uses 0.7 for flags).
const SIMILAR: f64 = 0.8;

/// Returns the known name that resembles `name` most, if one does.
pub(crate) fn most_similar<'k>(name: &str, known: impl Iterator<Item = &'k str>) -> Option<&'k str> {
    known
        .map(|known| (strsim::jaro_winkler(known, name), known))
        .filter(|(similarity, _)| *similarity >= SIMILAR)
        .max_by(|a, b| a.0.total_cmp(&b.0))
        .map(|(_, known)| known)
}
