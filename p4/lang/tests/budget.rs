//! Programs of a few bytes or of many declarations that would take a compiler hours or gigabytes: each is refused, or
//! compiled in time and memory in proportion to its length. With quadratic time, these tests do not end.

use p4_lang::{Cancel, Compilation, MAX_SHOWN, MemoryLoader, Options, compile};

fn run(files: &[(&str, &str)]) -> Compilation {
    let loader = files.iter().fold(MemoryLoader::new(), |loader, (name, text)| loader.with(*name, *text));
    compile("main.p4", &loader, &Options::default())
}

/// Compiles a program that exceeds a limit: this is its only error, with this message.
fn refused(text: &str, message: &str) {
    let compilation = run(&[("main.p4", text)]);
    let found: Vec<(&str, &str)> =
        compilation.diagnostics.iter().map(|d| (d.code.id, d.message.as_str())).collect();
    assert_eq!(found, [("E0004", message)], "{}", &text[..text.len().min(200)]);
}

const TOO_MUCH_TEXT: &str = "the program includes too many files or too much text";
const TOO_MUCH_EXPANSION: &str = "the program expands too many macros";

#[test]
fn files_that_include_themselves_are_refused() {
    refused("#include \"main.p4\"\n", "includes are nested too deeply");
    let bomb = "#ifndef A\n#define A\n#include \"main.p4\"\n#undef A\n#include \"main.p4\"\n#endif\n";
    refused(&bomb.replace("#ifndef A\n", "").replace("#endif\n", ""), "includes are nested too deeply");
}

/// 99 files, each of which includes the next one twice: 2^99 inclusions, none nested too deeply.
#[test]
fn exponential_inclusions_are_refused() {
    let names: Vec<String> = (0..99).map(|i| format!("{i}.p4")).collect();
    let twice = |i: usize| format!("#include \"{i}.p4\"\n#include \"{i}.p4\"\n");
    let mut loader = MemoryLoader::new().with("main.p4", twice(0));
    for (i, name) in names.iter().enumerate() {
        loader = loader.with(name.as_str(), if i < 98 { twice(i + 1) } else { String::new() });
    }
    let compilation = compile("main.p4", &loader, &Options::default());
    let messages: Vec<&str> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, [TOO_MUCH_TEXT]);
}

#[test]
fn a_large_file_is_included_a_few_times_only() {
    let large = "// comment\n".repeat(400_000);
    let main = "#include \"large.p4\"\n".repeat(100);
    let compilation = run(&[("main.p4", &main), ("large.p4", &large)]);
    assert_eq!(compilation.report(false).matches(TOO_MUCH_TEXT).count(), 1);
    assert!(compilation.program.is_none());
}

#[test]
fn macro_bombs_are_refused() {
    let doubling = |first: &str, next: &dyn Fn(usize) -> String| {
        let lines: Vec<String> = std::iter::once(first.to_owned()).chain((1..60).map(next)).collect();
        lines.join("\n")
    };
    let objects = doubling("#define A0 x", &|i| format!("#define A{i} A{0} A{0}", i - 1));
    refused(&format!("{objects}\nA59\n"), TOO_MUCH_EXPANSION);
    let calls = "#define D(x) x x\n".to_owned() + &"D(".repeat(60) + "y" + &")".repeat(60);
    refused(&calls, TOO_MUCH_EXPANSION);
    // Tokens and strings that double their length.
    let paste =
        "#define P(x) x##x\n#define Q(x) P(x)\n".to_owned() + &"Q(".repeat(60) + "y" + &")".repeat(60);
    refused(&paste, TOO_MUCH_EXPANSION);
    let text =
        "#define S(x) #x\n#define T(x) S(x)\n".to_owned() + &"T(".repeat(60) + "\"\\\\\"" + &")".repeat(60);
    refused(&text, TOO_MUCH_EXPANSION);
    // One argument, repeated.
    let repeated = format!("#define R(x) {}\nR({})\n", "#x ".repeat(10_000), "y ".repeat(10_000));
    refused(&repeated, TOO_MUCH_EXPANSION);
    let deep = "#define F(x) x\n".to_owned() + &"F(".repeat(1_000) + "y" + &")".repeat(1_000);
    refused(&deep, "macro calls are nested too deeply");
    // A chain of macros: the hide set of its end has all their names.
    let chain: String = (1..20_000).map(|i| format!("#define C{i} C{} y\n", i - 1)).collect();
    refused(&format!("{chain}C19999\n"), TOO_MUCH_EXPANSION);
}

#[test]
fn a_program_at_the_token_limit_has_one_error() {
    refused(&format!("const int x = {}1;", "1+".repeat(2_100_000)), TOO_MUCH_TEXT);
}

#[test]
fn a_cancelled_compilation_ends_with_one_error() {
    let options = Options { cancel: Cancel::default(), ..Options::default() };
    options.cancel.cancel();
    let loader = MemoryLoader::new().with("main.p4", "const int a = 1;");
    let compilation = compile("main.p4", &loader, &options);
    let messages: Vec<&str> = compilation.diagnostics.iter().map(|d| d.message.as_str()).collect();
    assert_eq!(messages, ["the compilation was cancelled"]);
}

/// Checks the number of all diagnostics, and that the report shows at most [`MAX_SHOWN`] of them.
#[track_caller]
fn counted(text: &str, errors: usize, warnings: usize) {
    let compilation = run(&[("main.p4", text)]);
    assert_eq!((compilation.counts.errors, compilation.counts.warnings), (errors, warnings));
    let report = compilation.report(false);
    assert!(report.len() < 200_000, "{} bytes", report.len());
    let shown = report.matches("--> main.p4:").count();
    assert_eq!(shown, (errors + warnings).min(MAX_SHOWN));
    if errors > MAX_SHOWN {
        let more = format!("not shown: {} errors", errors - MAX_SHOWN);
        assert!(report.contains(&more), "{}", &report[report.len() - 200..]);
    }
}

#[test]
fn many_errors_and_warnings_take_linear_time_and_are_counted() {
    let repeat = |count: usize, line: &dyn Fn(usize) -> String| (0..count).map(line).collect::<String>();
    counted(&repeat(40_000, &|i| format!("const int a{i} = 0;\n")), 0, 40_001);
    counted(&repeat(40_000, &|i| format!("action a{i}() {{}}\n")), 0, 40_001);
    counted(&repeat(40_000, &|_| "const int x = y;\n".to_owned()), 79_999, 0);
    counted(&repeat(20_000, &|i| format!("const int name{i} = other{i};\n")), 20_000, 0);
}

#[test]
fn a_megabyte_of_garbage_is_refused_in_time() {
    for garbage in
        ["\x01\x02 @#$ ` \\ \" ", "` ", "( ", "{ ", "} ", "x y ", "1.5 ", "\"\n\\\" ", "if (", "T ("]
    {
        let text = garbage.repeat((1 << 20) / garbage.len());
        let compilation = run(&[("main.p4", &text)]);
        assert!(compilation.has_errors(), "{garbage:?}");
        assert!(compilation.report(false).len() < 200_000, "{garbage:?}");
    }
}

#[test]
fn declarations_with_many_parts_take_linear_time() {
    let fields: String = (0..100_000).map(|i| format!("bit<8> f{i};\n")).collect();
    counted(&format!("header h_t {{ {fields} }}"), 0, 1);
    let members: Vec<String> = (0..200_000).map(|i| format!("m{i}")).collect();
    counted(&format!("enum e_t {{ {} }}", members.join(",\n")), 0, 1);
    let values: Vec<String> = (0..100_000).map(|i| format!("m{i} = {i}")).collect();
    counted(&format!("enum bit<32> e_t {{ {} }}", values.join(",\n")), 0, 1);
}

#[test]
fn a_long_line_shows_the_place_of_the_error_and_its_column() {
    let text = format!("const int a = {}b;", " ".repeat(30_000));
    let report = run(&[("main.p4", &text)]).report(false);
    let place = format!("main.p4:1:{}", text.len() - 1);
    assert!(text.len() > 30_000 && report.contains(&place), "{place}:\n{report}");
    assert!(report.contains("`b` is not declared"), "{report}");
}
