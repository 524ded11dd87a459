//! The preprocessor with files that include each other and macros that call each other: the work of a compilation is
//! bounded, whatever they multiply to.
//!
//! Each byte of the input is a line, so that most inputs are well formed: random text rarely multiplies anything.

use p4_lang::{MAX_SHOWN, MemoryLoader, Options, compile};

/// Maximum number of lines.
const LINES: usize = 400;
/// Maximum length of a report in bytes: [`MAX_SHOWN`] diagnostics with their lines.
const REPORT_BYTES: usize = MAX_SHOWN * 4_000;

/// Returns the line that a byte describes, and the file that it is in.
fn line(byte: u8, at: usize) -> (usize, String) {
    let (file, name, other) = (at % 4, usize::from(byte >> 3) % 8, usize::from(byte >> 5) % 8);
    let line = match byte % 8 {
        0 => format!("#include \"f{}.p4\"", name % 4),
        1 => format!("#define A{name} A{other} A{other}"),
        2 => format!("#define A{name}(x) x A{other}(x x)"),
        3 => format!("#define A{name}(x) #x x##x A{other}"),
        4 => format!("A{name}(A{other}(A{}))", (name + other) % 8),
        5 => format!("#if A{name} || defined(A{other})"),
        6 => "#endif".to_owned(),
        _ => format!("#undef A{name}\nconst int c{at} = A{other};"),
    };
    (file, line)
}

/// Compiles four files and renders all messages.
pub(crate) fn run(bytes: &[u8]) {
    let mut files = [const { String::new() }; 4];
    for (at, byte) in bytes.iter().take(LINES).enumerate() {
        let (file, line) = line(*byte, at);
        files[file].push_str(&line);
        files[file].push('\n');
    }
    let named = files.into_iter().enumerate().map(|(at, text)| (format!("f{at}.p4"), text));
    let loader = named.fold(MemoryLoader::new(), |loader, (name, text)| loader.with(name, text));
    let compilation = compile("f0.p4", &loader, &Options::default());
    let report = compilation.report(false);
    assert!(report.len() <= REPORT_BYTES, "the report has {} bytes", report.len());
    assert!(compilation.program.is_none(), "there is no `main`");
}

/// Seeds: inclusions, macros of each kind, and conditions.
pub(crate) fn seeds() -> Vec<Vec<u8>> {
    vec![
        vec![0, 8, 16, 24, 0, 8, 16, 24],
        vec![1, 33, 65, 97, 129, 161, 193, 225, 4],
        (0..=255).collect(),
        vec![2, 34, 66, 98, 4, 12, 20, 28],
        vec![3, 35, 67, 99, 4, 12, 20, 28],
        vec![5, 0, 6, 5, 0, 6, 7, 15],
    ]
}
