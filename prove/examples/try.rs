//! Try.
fn main() {
    for name in std::env::args().skip(1) {
        let protocol = match slicc::protocol::Protocol::open(&name) { Ok(p) => p, Err(e) => { println!("{:?}", e.diagnostics); continue } };
        let start = std::time::Instant::now();
        println!("{name}: {}", { let options = prove::Options { pairs: std::env::var("PAIRS").map_or(400_000, |n| n.parse().unwrap()), ..Default::default() }; let a = prove::prove_large(&protocol, &options, &mut |p| if std::env::var("PROGRESS").is_ok() { eprintln!("{p:?}") }); match &a { prove::Answer::Proved(c) => { let t = std::time::Instant::now(); std::fs::write("/tmp/t/cert.txt", c.text()).unwrap(); format!("proved: {} pairs {:?} order {}, verified {:?} in {:?}", c.pairs.len(), start.elapsed(), c.uses_order, prove::verify(&protocol, &prove::Certificate::read(&c.text()).unwrap()), t.elapsed()) } prove::Answer::NotProved(prove::Problem::Run(r)) => format!("{r:#?}"), a => format!("{a:?}") } });
        println!("{:?}", start.elapsed());
    }
}
