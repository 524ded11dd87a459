//! Writes the seeds and the dictionary of a target for libFuzzer: `seeds TARGET FOLDER DICTIONARY`.

use std::fs;
use std::path::Path;

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, name, folder, dictionary] = arguments.as_slice() else {
        panic!("seeds TARGET FOLDER DICTIONARY")
    };
    let target = harrier_fuzz::target(name).expect("a target of that name");
    fs::create_dir_all(folder).expect("the folder can be created");
    for (number, seed) in (target.seeds)().into_iter().enumerate() {
        fs::write(Path::new(folder).join(format!("seed-{number}")), seed).expect("the seed can be written");
    }
    let words: String = target.words.iter().map(|word| format!("\"{}\"\n", escaped(word))).collect();
    fs::write(dictionary, words).expect("the dictionary can be written");
}

fn escaped(word: &str) -> String {
    word.bytes().map(|byte| format!("\\x{byte:02x}")).collect()
}
