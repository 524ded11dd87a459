fn main() {
    let g = std::env::args().nth(1).unwrap().replace("\\n", "\n").replace("\\\\", "\\");
    let n: usize = std::env::args().nth(2).unwrap().parse().unwrap();
    let text = g.repeat(n / g.len());
    let t = std::time::Instant::now();
    let c = p4_lang::compile(
        "main.p4",
        &p4_lang::MemoryLoader::new().with("main.p4", text),
        &p4_lang::Options::default(),
    );
    let a = t.elapsed();
    let r = c.report(false);
    println!("{:?} {:?} {:?} {}", a, t.elapsed() - a, c.counts, r.len());
}
