//! Try.
use simulate::stepper::Scope;
fn main() {
    for name in std::env::args().skip(1) {
        let protocol = match slicc::protocol::Protocol::open(&name) { Ok(p) => p, Err(e) => { println!("{:?}", e.diagnostics); continue } };
        let start = std::time::Instant::now();
        println!("{name}: {}", prove::attempt(&protocol, &Scope::default()));
        println!("{:?}", start.elapsed());
    }
}
