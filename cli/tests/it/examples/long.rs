//! Examples that take too long for a test. They are started, which checks their options and inputs, and then stopped.

use crate::examples::pages::Example;

/// The long examples, each with its running time.
pub(super) const LONG: &[(&str, &str)] = &[
    ("rubric test path/to/My_protocol.slicc", "a minute, by default"),
    ("rubric test path/to/new/My_protocol.slicc", "a minute, by default"),
    ("rubric test path/to/My_protocol.slicc -o report.html", "a minute, by default"),
    ("rubric test path/to/My_protocol.slicc --budget 10m -o report.html", "10 minutes, as it says"),
    (
        "rubric test path/to/gem5/src/mem/ruby/protocol/MESI_Two_Level.slicc -o mesi.html",
        "a minute, by default",
    ),
    (
        "rubric test path/to/gem5/src/mem/ruby/protocol/MESI_Two_Level.slicc --repair all",
        "a minute, by default",
    ),
    (
        "rubric diff path/to/old/MESI_Two_Level.slicc path/to/new/MESI_Two_Level.slicc --repair all",
        "a minute, by default",
    ),
    ("rubric check --algorithm all --model sc,tso test.axe", "10 seconds for each algorithm"),
    (
        "rubric test path/to/My_protocol.slicc --budget 10m --client in-order,early --format json",
        "10 minutes, as it says",
    ),
    (
        "rubric diff path/to/old/MI_example.slicc path/to/new/MI_example.slicc",
        "a minute, by default",
    ),
    (
        "rubric diff path/to/old/My_protocol.slicc path/to/new/My_protocol.slicc",
        "a minute, by default",
    ),
    ("rubric diff MI_example path/to/MI_example.slicc -o change.html", "a minute, by default"),
    (
        "rubric diff MI_example path/to/MI_example.slicc --budget 5m -o change.html",
        "5 minutes, as it says",
    ),
    ("rubric diff MESI_Two_Level path/to/MESI_Two_Level.slicc --runs 50", "500 runs: a minute"),
    (
        "rubric explore protocol path/to/My_protocol.slicc --locations 2 --tiny --timeout 60",
        "a minute, as it says",
    ),
    (
        "rubric explore protocol MESI_Two_Level --locations 2 --tiny --mutant mesi2-replacement-race",
        "a search through hundreds of thousands of states",
    ),
    (
        "rubric explore protocol MESI_Two_Level --threads 3 --locations 2 --tiny --disk states",
        "more than 100 million states: many minutes",
    ),
    (
        "rubric explore sizes all --max-states 100K -o sizes.jsonl",
        "100,000 states of each: half a minute",
    ),
    (
        "rubric explore sizes MESI_Two_Level --sizes 2x2-tiny --disk states --timeout 3600 -o sizes.jsonl",
        "an hour at most, as it says",
    ),
    (
        "rubric explore sizes all --max-states 2M -o sizes.jsonl",
        "2 million states of each: minutes",
    ),
    (
        "rubric explore sizes all path/to/gem5/src/mem/ruby/protocol --max-states 2M -o sizes.jsonl",
        "2 million states of each: minutes",
    ),
    (
        "rubric explore sizes MESI_Two_Level --sizes 2x2-tiny -o sizes.jsonl",
        "19 million states: minutes",
    ),
    (
        "rubric explore protocol MI_example --locations 2 --tiny --mutants",
        "a search for each mutant",
    ),
    (
        "rubric explore protocol MI_example --locations 2 --nice-cycles",
        "a search for each length of cycle",
    ),
    ("rubric explore memory-system piranha-buggy", "some 10 seconds"),
    ("rubric run", "half a minute"),
    ("rubric run --for 10m --until-violation -o found", "10 minutes, as it says"),
    ("rubric run --threads 2 --operations 20 --locations 2 --runs 1M --model sc", "a minute"),
    (
        "rubric run --isa arm --runner 'ssh board' --cc aarch64-linux-gnu-gcc",
        "needs another machine",
    ),
    ("rubric run --isa arm --runner 'ssh board' --for 10m", "needs another machine"),
    ("rubric run --isa riscv --runner qemu-riscv64", "needs an emulator"),
    ("rubric run --isa riscv --runner qemu-riscv64 --runs 2K --runs-each 500", "needs an emulator"),
    ("rubric campaign -o campaign", "400 mutants of four protocols: many minutes"),
    ("rubric campaign MI_example --sample all --runs 100 -o mi", "some 2000 mutants: a minute"),
    (
        "rubric campaign MESI_Two_Level --operator drop-action,next-state-same --runs 50 -o mesi",
        "hundreds of mutants: minutes",
    ),
    (
        "rubric campaign --mutants named --guided=compare --repeat 5 --runs 500 -o guided",
        "five times 500 runs of each: many minutes",
    ),
    (
        "rubric campaign --mutants none --client all --runs 1000 -o unmutated",
        "20000 runs: a minute",
    ),
    ("rubric campaign --sample all --runs 500 --shard 2/8 -o campaign", "for a cluster"),
    ("rubric campaign path/to/My_protocol.slicc --budget 10m -o mine", "10 minutes, as it says"),
    ("rubric campaign --runs 100 --budget 10m -o campaign", "10 minutes, as it says"),
    ("rubric experiment gcc-fig4", "a minute"),
    ("rubric experiment all --size paper -o results", "hours"),
    ("rubric experiment wsc-fig7 --algorithm complete,sat --timeout 10", "a minute and more"),
    ("rubric experiment wsc-fig7 --program mine='./checker --axe {}'", "a minute"),
    ("rubric experiment wsc-fig7 --size paper --shard 3/8 -o results", "for a cluster"),
    ("rubric experiment wsc-fig7 -o results", "a minute"),
    (
        "rubric simulate path/to/My_protocol.slicc --check --runs 1000 --threads 8",
        "1000 runs: half a minute",
    ),
    (
        "rubric simulate MOESI_hammer --runs 1000 --threads 8 --coverage hammer.csv",
        "1000 runs: half a minute",
    ),
    ("rubric simulate all --client all --runs 20 --check", "400 runs: half a minute"),
    (
        "rubric simulate MESI_Two_Level --operations 1M | rubric watch --model sc",
        "4 million operations: minutes",
    ),
    (
        "rubric explore protocol path/to/My_protocol.slicc --threads 3 --timeout 600",
        "10 minutes, as it says",
    ),
    (
        "rubric explore protocol path/to/My_protocol.slicc --threads 3 --timeout 600 --max-memory 8GB",
        "10 minutes, as it says",
    ),
    (
        "rubric explore protocol all --mutants=named,made --sample 300 --timeout 60 --shard 2/8 -o explored",
        "for a cluster",
    ),
    (
        "rubric explore protocol all --locations 2 --max-states 1M",
        "a million states of each: minutes",
    ),
    (
        "rubric explore program all --preemptions 1,2",
        "all interleavings of seven programs: a minute",
    ),
    (
        "rubric generate --threads 64 --operations 1M --locations 256 -o big.trace.gz",
        "a million operations: seconds, and 0.1 GB",
    ),
    (
        "rubric generate --threads 64 --operations 1M --locations 256 -o big.axe",
        "a million operations: seconds",
    ),
];

/// Whether an example is listed as long.
pub(super) fn is_listed(example: &Example) -> bool {
    LONG.iter().any(|(command, _)| *command == example.words())
}
