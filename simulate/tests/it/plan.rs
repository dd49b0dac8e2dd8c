//! Controllers and parameters as the scripts of gem5 would make them.

use simulate::config::{CacheGeometry, Caches, Direction, Options, Plan, Value};
use simulate::ruby::cache::CacheParameters;
use simulate::ruby::prefetcher::PrefetcherSettings;
use slicc::ast::{Expression, ExpressionKind, Name, Object, Pair, PairKind};
use slicc::protocol::Protocol;
use slicc::scripts::Declared;
use slicc::setting::Setting;
use slicc::source::{Diagnostic, Span};

fn name(text: &str) -> Name {
    Name { text: text.into(), span: Span::default() }
}

/// `Type name`, or `Type * name` where the type ends in a star.
fn object(kind: &str, called: &str) -> Object {
    Object {
        kind: name(kind.trim_end_matches('*')),
        pointer: kind.ends_with('*'),
        name: name(called),
        pairs: Vec::new(),
        value: None,
        span: Span { file: 3, start: 10, end: 20 },
    }
}

fn with(kind: &str, called: &str, value: ExpressionKind) -> Object {
    let span = Span::default();
    let value = Some(Expression { kind: value, span });
    Object { value, ..object(kind, called) }
}

fn number(kind: &str, called: &str, value: u64) -> Object {
    with(kind, called, ExpressionKind::Number(value))
}

fn pair(key: &str, value: &str) -> Pair {
    Pair { key: name(key), value: name(value), kind: PairKind::Text }
}

fn buffer(called: &str, network: &str, vnet: &str) -> Object {
    let mut buffer = object("MessageBuffer*", called);
    buffer.pairs = vec![pair("network", network), pair("virtual_network", vnet)];
    buffer
}

/// Machines with their parameters.
struct Machines(Vec<(&'static str, Vec<Object>)>);

impl Machines {
    fn plan(&self, protocol: &str, options: &Options) -> Result<Plan, Vec<Diagnostic>> {
        let machines = self.0.iter();
        let declared: Vec<Declared> =
            machines.map(|(name, parameters)| Declared { name, parameters }).collect();
        Plan::new(protocol, &declared, options)
    }

    /// The message of the only error.
    fn error(&self, options: &Options) -> Diagnostic {
        let mut errors = self.plan("MI_example", options).unwrap_err();
        assert_eq!(errors.len(), 1, "{errors:?}");
        errors.remove(0)
    }
}

/// Machines like those of MI_example, with the directory first.
fn mi_example() -> Machines {
    let directory = vec![
        object("DirectoryMemory*", "directory"),
        number("Cycles", "directory_latency", 12),
        buffer("forwardFromDir", "To", "3"),
        buffer("requestToDir", "From", "2"),
        object("MessageBuffer*", "responseFromMemory"),
    ];
    let cache = vec![
        object("Sequencer*", "sequencer"),
        object("CacheMemory*", "cacheMemory"),
        number("Cycles", "issue_latency", 2),
        object("bool", "send_evictions"),
        buffer("requestFromCache", "To", "2"),
        buffer("forwardToCache", "From", "3"),
        object("MessageBuffer*", "mandatoryQueue"),
    ];
    let dma =
        vec![object("DMASequencer*", "dma_sequencer"), buffer("responseFromDir", "From", "1")];
    Machines(vec![("Directory", directory), ("DMA", dma), ("L1Cache", cache)])
}

fn core_pairs() -> Machines {
    let pair = vec![
        object("Sequencer*", "sequencer"),
        object("Sequencer*", "sequencer1"),
        object("CacheMemory*", "L1Icache"),
        object("CacheMemory*", "L1D0cache"),
        object("CacheMemory*", "L2cache"),
        number("Cycles", "issue_latency", 5),
        object("MessageBuffer*", "triggerQueue"),
    ];
    let directory = vec![
        object("DirectoryMemory*", "directory"),
        object("CacheMemory*", "L3CacheMemory"),
        with("bool", "CPUonly", ExpressionKind::Text("False".into())),
        with("bool", "noTCCdir", ExpressionKind::Text("True".into())),
        object("bool", "L2isWB"),
    ];
    let l3 = vec![object("WireBuffer*", "reqToL3")];
    Machines(vec![("CorePair", pair), ("L3Cache", l3), ("Directory", directory)])
}

fn options(threads: u32, settings: &[&str]) -> Options {
    let settings = settings.iter().map(|text| text.parse().unwrap());
    Options { threads, settings: settings.collect(), ..Options::default() }
}

fn cache(value: &Value) -> CacheParameters {
    match value {
        Value::Cache(geometry) => *geometry,
        other => panic!("{other:?}"),
    }
}

#[test]
fn machines_are_numbered_as_gem5_numbers_them() {
    let plan = mi_example().plan("MI_example", &options(3, &[])).unwrap();
    assert_eq!(plan.counts(), [(1, 3), (4, 1), (5, 0)]);
    let names: Vec<_> =
        plan.machines.iter().map(|machine| (&*machine.name, machine.declared)).collect();
    assert_eq!(names, [("L1Cache", 2), ("Directory", 0), ("DMA", 1)]);
    assert_eq!((plan.buffers, plan.sequencers), (12, 3));
    let first = plan.machines.iter().map(|machine| machine.transitions_per_cycle);
    assert_eq!(first.collect::<Vec<_>>(), [4, 32, 4]);
    for (thread, instance) in (0..).zip(&plan.machines[0].instances) {
        let sequencer = Value::Sequencer { number: thread, core: 0 };
        assert_eq!(instance.values[0], sequencer);
        assert_eq!(instance.values[2..4], [Value::Number(2), Value::Number(0)]);
        let geometry = cache(&instance.values[1]);
        assert_eq!((geometry.size, geometry.ways, geometry.start_index_bit), (256, 2, 6));
    }
}

#[test]
fn buffers_are_ordered_as_in_the_script() {
    let ends = |plan: &Plan, direction| -> Vec<(u32, u32, u32, bool)> {
        let ends = plan.endpoints(direction).into_iter();
        ends.map(|end| (end.machine, end.number, end.vnet, end.ordered)).collect()
    };
    let plan = mi_example().plan("MI_example", &options(2, &[])).unwrap();
    let to = [(1, 0, 2, true), (1, 1, 2, true), (4, 0, 3, false)];
    assert_eq!(ends(&plan, Direction::To), to);
    let from = [(1, 0, 3, true), (1, 1, 3, true), (4, 0, 2, true)];
    assert_eq!(ends(&plan, Direction::From), from);
    let mut numbers: Vec<u32> = [Direction::To, Direction::From]
        .iter()
        .flat_map(|&direction| plan.endpoints(direction))
        .map(|end| end.buffer)
        .collect();
    numbers.sort_unstable();
    numbers.dedup();
    assert_eq!(numbers.len(), 6);

    // A user's own protocol declares it in an attribute, or the user sets it.
    let mut machines = mi_example();
    machines.0[0].1[3].pairs.push(pair("ordered", "true"));
    let settings = ["Directory.forwardFromDir=ordered", "forwardToCache=unordered"];
    let plan = machines.plan("mine", &options(1, &settings)).unwrap();
    assert_eq!(ends(&plan, Direction::To), [(1, 0, 2, false), (4, 0, 3, true)]);
    assert_eq!(ends(&plan, Direction::From), [(1, 0, 3, false), (4, 0, 2, true)]);
}

#[test]
fn core_pairs_serve_two_threads_each() {
    let plan = core_pairs().plan("MOESI_AMD_Base", &options(3, &[])).unwrap();
    assert_eq!(plan.counts(), [(3, 0), (4, 1), (9, 2)]);
    let sequencers = |plan: &Plan| -> Vec<(u32, u32)> {
        let instances = &plan.machines[2].instances;
        let values = instances.iter().flat_map(|instance| &instance.values);
        let numbers = values.filter_map(|value| match value {
            Value::Sequencer { number, core } => Some((*number, *core)),
            _ => None,
        });
        numbers.collect()
    };
    assert_eq!(sequencers(&plan), [(0, 0), (1, 1), (2, 0), (3, 1)]);
    assert_eq!(plan.sequencers, 4);
    let pair = &plan.machines[2];
    assert_eq!((pair.transitions_per_cycle, pair.mandatory_queue_latency), (32, 2));
    assert_eq!(pair.instances[0].values[5], Value::Number(15));
    assert!(matches!(pair.instances[0].values[6], Value::Buffer(buffer) if buffer.ordered));

    let single = Options { threads_per_machine: 1, ..options(2, &[]) };
    let plan = core_pairs().plan("MOESI_AMD_Base", &single).unwrap();
    assert_eq!(sequencers(&plan), [(0, 0), (2, 1), (1, 0), (3, 1)]);
}

#[test]
fn scripts_replace_defaults_and_users_replace_scripts() {
    let flags = |settings: &[&str]| {
        let plan = core_pairs().plan("MOESI_AMD_Base", &options(2, settings)).unwrap();
        plan.machines[1].instances[0].values[2..].to_vec()
    };
    let values = |numbers: [u64; 3]| numbers.map(Value::Number);
    assert_eq!(flags(&[]), values([1, 1, 0]));
    let set = ["CPUonly=false", "noTCCdir=0", "L2isWB=true", "Directory.L2isWB=False", "L2isWB=1"];
    assert_eq!(flags(&set), values([0, 0, 0]));
}

/// Every script of gem5 sets `send_evictions` from the kind of core; some protocols declare a default, which does not count.
#[test]
fn cores_that_must_be_told_of_lost_lines_are_told() {
    let declared = with("bool", "send_evictions", ExpressionKind::Text("False".into()));
    let machine = vec![declared, object("Sequencer*", "sequencer")];
    let machines = Machines(vec![("CorePair", machine)]);
    for protocol in ["MOESI_AMD_Base", "mine"] {
        let value = |needed: bool, settings: &[&str]| {
            let options = Options { send_evictions: needed, ..options(1, settings) };
            let plan = machines.plan(protocol, &options).unwrap();
            plan.machines[0].instances[0].values[0].clone()
        };
        assert_eq!(value(true, &[]), Value::Number(1));
        assert_eq!(value(false, &[]), Value::Number(0));
        assert_eq!(value(true, &["send_evictions=false"]), Value::Number(0));
    }
}

/// The same parameter keeps its declared or common value in other machines and in protocols without
/// a script.
#[test]
fn a_script_value_is_for_one_machine_of_one_protocol() {
    let machine =
        || vec![number("Cycles", "fixed_timeout_latency", 100), object("Sequencer*", "sequencer")];
    let latencies = |protocol: &str, settings: &[&str]| -> Vec<Value> {
        let machines = Machines(vec![("L1Cache", machine()), ("Directory", machine())]);
        let plan = machines.plan(protocol, &options(1, settings)).unwrap();
        let all = plan.machines.iter();
        all.map(|machine| machine.instances[0].values[0].clone()).collect()
    };
    let values = |numbers: [u64; 2]| numbers.map(Value::Number);
    assert_eq!(latencies("MOESI_CMP_token", &[]), values([300, 100]));
    assert_eq!(latencies("mine", &[]), values([100, 100]));
    let set = ["L1Cache.fixed_timeout_latency=7"];
    assert_eq!(latencies("MOESI_CMP_token", &set), values([7, 100]));

    let transitions = |protocol: &str| -> Vec<u64> {
        let names = ["L0Cache", "L1Cache", "L2Cache"];
        let machines = Machines(names.map(|name| (name, machine())).into());
        let plan = machines.plan(protocol, &options(1, &[])).unwrap();
        let all = plan.machines.iter();
        all.map(|machine| machine.transitions_per_cycle).collect()
    };
    assert_eq!(transitions("MESI_Three_Level"), [32, 32, 4]);
    assert_eq!(transitions("mine"), [4, 4, 4]);
}

#[test]
fn caches_have_the_requested_size() {
    let sizes = |caches, settings: &[&str]| -> Vec<(u64, u32)> {
        let options = Options { caches, ..options(2, settings) };
        let plan = core_pairs().plan("MOESI_AMD_Base", &options).unwrap();
        let mut values = plan.machines[2].instances[0].values[2..5].to_vec();
        values.push(plan.machines[1].instances[0].values[1].clone());
        values.iter().map(cache).map(|geometry| (geometry.size, geometry.ways)).collect()
    };
    assert_eq!(sizes(Caches::Tiny, &[]), [(256, 2), (256, 2), (512, 2), (1024, 4)]);
    let large = [(32 << 10, 2), (64 << 10, 2), (2 << 20, 8), (16 << 20, 16)];
    assert_eq!(sizes(Caches::Default, &[]), large);
    let mut given = Caches::Tiny.sizes();
    given.l2 = CacheGeometry::new(4096, 4);
    let expected = [(256, 2), (1024, 4), (4096, 4), (1024, 4)];
    assert_eq!(sizes(Caches::Given(given), &["L1D0cache=1k:4"]), expected);
}

#[test]
fn the_smallest_second_level_has_a_filter() {
    let protocol = Protocol::open("MOESI_hammer").unwrap();
    let mut given = Caches::Tiny.sizes();
    given.l2 = CacheGeometry::new(128, 1);
    let options = Options { caches: Caches::Given(given), ..options(2, &[]) };
    let plan = Plan::of(&protocol, &options);
    assert!(plan.is_ok(), "{plan:?}");
}

#[test]
fn banks_share_addresses() {
    let l2 = vec![object("CacheMemory*", "L2cache"), object("int", "l2_select_num_bits")];
    let mut machines = mi_example();
    machines.0.push(("L2Cache", l2));
    let options =
        Options { l2_banks: 4, directories: 2, directory_hash: Some(20), ..options(1, &[]) };
    let plan = machines.plan("MESI_Two_Level", &options).unwrap();
    assert_eq!(plan.counts(), [(1, 1), (2, 4), (4, 2), (5, 0)]);
    let values = &plan.machines[1].instances[3].values;
    assert_eq!((cache(&values[0]).start_index_bit, &values[1]), (8, &Value::Number(2)));
    let homes = |machine: usize| {
        [0, 64, 1 << 20].map(|address| plan.machines[machine].interleaving.home(address))
    };
    assert_eq!((homes(0), homes(1), homes(2)), ([0, 0, 0], [0, 1, 0], [0, 1, 1]));
    assert_eq!(plan.machines[2].instances[1].values[0], Value::Directory(1));
}

#[test]
fn a_parameter_without_a_value_is_reported() {
    let mut machines = mi_example();
    machines.0[2].1.push(object("int", "magic"));
    let error = machines.error(&options(2, &[]));
    assert_eq!(
        error.message,
        "L1Cache: parameter magic: no value for this int, and it has no default"
    );
    assert_eq!(error.span.map(|span| span.file), Some(3));
    assert_eq!(error.hint.as_deref(), Some("set it: the setting L1Cache.magic=value"));
    let plan = machines.plan("MI_example", &options(2, &["magic=-1"])).unwrap();
    assert_eq!(plan.machines[0].instances[1].values[7], Value::Number(u64::MAX));

    machines.0[2].1[7] = object("GPUCoalescer*", "coalescer");
    let error = machines.error(&options(2, &[]));
    assert!(error.message.ends_with("such objects are not supported"), "{}", error.message);
}

#[test]
fn defaults_are_read_as_they_are_written() {
    let mut machines = mi_example();
    machines.0[2].1.truncate(1);
    let text = |kind, text: &str| with(kind, "x", ExpressionKind::Text(text.into()));
    let cases = [
        (text("bool", "True"), Value::Number(1)),
        (text("Cycles", "Cycles(7)"), Value::Number(7)),
        (text("int", "RubySystem::getBlockSizeBits()"), Value::Number(6)),
        (text("std::string", "hello"), Value::Text("hello".into())),
        (with("bool", "x", ExpressionKind::Bool(true)), Value::Number(1)),
        (object("RubyPrefetcher*", "x"), Value::Prefetcher(PrefetcherSettings::USUAL)),
        (
            text("AccessType", "AccessType_Read"),
            Value::Enumerator { family: "AccessType".into(), value: "Read".into() },
        ),
    ];
    for (parameter, expected) in cases {
        machines.0[2].1.truncate(1);
        machines.0[2].1.push(parameter);
        let plan = machines.plan("MI_example", &options(1, &[])).unwrap();
        assert_eq!(plan.machines[0].instances[0].values[1], expected);
    }
    machines.0[2].1[1] = text("int", "many");
    assert!(machines.error(&options(1, &[])).message.contains("can't be read"));
}

#[test]
fn settings_without_an_object_are_errors() {
    let error = |setting| mi_example().error(&options(1, &[setting]));
    let hint = |setting| error(setting).hint.unwrap_or_default();
    assert!(error("L2Cache.x=1").message.ends_with("the protocol has no machine L2Cache"));
    assert_eq!(hint("L2Cache.x=1"), "there are: Directory, DMA, L1Cache");
    assert!(error("issue=1").message.ends_with("no machine has a parameter issue"));
    assert!(hint("L1Cache.issue=1").contains("issue_latency, "));
    assert!(error("issue_latency=fast").message.contains("Cycles was expected"));
    assert!(error("forwardToCache=1").message.contains("ordered or unordered was expected"));
    assert!(error("recycle_latency=x").message.contains("a number was expected"));
    assert!(error("sequencer=1").message.contains("only message buffers and caches"));
    assert!(error("cacheMemory=1").message.contains("expected the size of a cache"));
    assert!(error("cacheMemory=128:2").message.contains("at least 2 are needed"));
    // A machine without controllers nevertheless has parameters.
    let fits: Vec<Setting> = vec!["DMA.responseFromDir=ordered".parse().unwrap()];
    let options = Options { settings: fits, ..Options::default() };
    assert!(mi_example().plan("MI_example", &options).is_ok());
}

#[test]
fn a_setting_may_be_for_one_controller() {
    let latencies = |settings: &[&str]| -> Vec<Value> {
        let plan = mi_example().plan("MI_example", &options(3, settings)).unwrap();
        plan.machines[0].instances.iter().map(|one| one.values[2].clone()).collect()
    };
    let numbers = |all: [u64; 3]| all.map(Value::Number);
    // The closest setting counts, and of equally close ones the last.
    let closest = ["L1Cache-1.issue_latency=7", "L1Cache.issue_latency=3", "issue_latency=9"];
    assert_eq!(latencies(&closest), numbers([3, 7, 3]));
    let last = ["L1Cache-1.issue_latency=7", "L1Cache-1.issue_latency=8"];
    assert_eq!(latencies(&last), numbers([2, 8, 2]));
    let error = |setting| mi_example().error(&options(3, &[setting]));
    let absent = error("L1Cache-3.issue_latency=7");
    assert!(absent.message.ends_with("there is no controller L1Cache-3"), "{}", absent.message);
    assert_eq!(absent.hint.as_deref(), Some("this system has 3 of them, numbered from 0"));
    let shared = error("L1Cache-1.recycle_latency=7");
    assert!(shared.message.ends_with("recycle_latency is the same for all controllers of L1Cache"));
    assert!(error("L1Cache-1.issue=7").message.ends_with("machine L1Cache has no parameter issue"));
}

/// The router of each controller, by machine.
fn routers(plan: &Plan) -> Vec<Vec<u32>> {
    let of = plan.machines.iter();
    of.map(|machine| machine.instances.iter().map(|instance| instance.router).collect()).collect()
}

#[test]
fn controllers_are_dealt_to_the_routers_of_a_mesh() {
    let plan = |threads, directories, mesh: Option<&str>| {
        let mesh = mesh.map(|mesh| mesh.parse().unwrap());
        let options = Options { directories, mesh, ..options(threads, &[]) };
        mi_example().plan("MI_example", &options).unwrap()
    };
    assert_eq!(routers(&plan(4, 2, None)), [vec![0; 4], vec![0; 2], vec![]]);
    // The directories are left over when each router has a controller.
    assert_eq!(routers(&plan(4, 2, Some("2x2"))), [vec![0, 1, 2, 3], vec![0, 0], vec![]]);
    assert_eq!(routers(&plan(4, 4, Some("2x2"))), [vec![0, 1, 2, 3], vec![0, 1, 2, 3], vec![]]);
    assert_eq!(routers(&plan(2, 1, Some("4x4"))), [vec![0, 1], vec![2], vec![]]);
}

#[test]
fn the_controllers_of_a_node_share_a_router() {
    let cache = vec![object("Sequencer*", "sequencer")];
    let machines = Machines(vec![("Cache", cache), ("Memory", vec![]), ("MiscNode", vec![])]);
    let mesh = Some("2x2".parse().unwrap());
    let options = Options { l2_banks: 2, directories: 2, mesh, ..options(5, &[]) };
    let plan = machines.plan("CHI", &options).unwrap();
    let caches = vec![0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3, 0, 0, 0, 0, 1];
    assert_eq!(routers(&plan), [caches, vec![0, 1], vec![0]]);
}

#[test]
fn impossible_systems_are_rejected() {
    let refuse = |change: fn(&mut Options)| {
        let mut options = options(2, &[]);
        change(&mut options);
        mi_example().error(&options).message
    };
    assert!(refuse(|options| options.threads = 0).contains("no threads"));
    assert!(refuse(|options| options.directories = 3).contains("power of two"));
    assert!(refuse(|options| options.l2_banks = 0).contains("power of two"));
    assert!(refuse(|options| options.directory_hash = Some(64)).contains("above 63"));
    assert!(refuse(|options| options.block_bytes = 4).contains("8 to 4096"));
    assert!(refuse(|options| options.threads = 65).contains("at most 64"));
    let idle = Machines(vec![("Directory", vec![])]);
    assert!(idle.error(&options(1, &[])).message.contains("no thread can run"));
    let unknown = Machines(vec![("Cashe", vec![object("Sequencer*", "sequencer")])]);
    let errors = unknown.plan("mine", &options(1, &[])).unwrap_err();
    assert_eq!(errors[0].message, "Cashe is not a machine type");
    let mut unattached = mi_example();
    unattached.0[2].1[4].pairs.pop();
    assert!(unattached.error(&options(1, &[])).message.contains("no virtual_network"));
}

/// The machines of GPU_VIPER_Region that serve cores.
fn regions() -> Machines {
    let pair = vec![
        object("Sequencer*", "sequencer"),
        object("Sequencer*", "sequencer1"),
        object("int", "regionBufferNum"),
    ];
    let keeper = |numbers: &[(&'static str, &'static str)]| {
        let mut parameters = vec![object("CacheMemory*", "cacheMemory")];
        parameters.extend(numbers.iter().map(|(kind, name)| object(kind, name)));
        parameters.push(number("int", "blocksPerRegion", 64));
        parameters
    };
    let buffer = keeper(&[("bool", "isOnCPU")]);
    let directory = keeper(&[("NodeID", "cpuRegionBufferNum"), ("NodeID", "gpuRegionBufferNum")]);
    let memory = vec![object("DirectoryMemory*", "directory")];
    Machines(vec![
        ("CorePair", pair),
        ("RegionBuffer", buffer),
        ("RegionDir", directory),
        ("Directory", memory),
        ("TCC", vec![object("int", "WB")]),
    ])
}

#[test]
fn regions_have_a_buffer_for_the_core_pair_and_one_for_the_gpu() {
    let plan = regions().plan("GPU_VIPER_Region", &options(2, &["blocksPerRegion=4"])).unwrap();
    let values = |name: &str| {
        let machine = plan.machines.iter().find(|machine| &*machine.name == name).unwrap();
        machine.instances.iter().map(|one| one.values[1..].to_vec()).collect::<Vec<_>>()
    };
    let number = Value::Number;
    assert_eq!(values("RegionBuffer"), [[number(1), number(4)], [number(0), number(4)]]);
    assert_eq!(values("RegionDir"), [[number(0), number(1), number(4)]]);
    assert_eq!(values("CorePair")[0][1], number(0));
    assert!(values("TCC").is_empty());
    let buffers = plan.machines.iter().find(|machine| &*machine.name == "RegionBuffer").unwrap();
    assert_eq!(cache(&buffers.instances[0].values[0]).start_index_bit, 6 + 2);

    let errors = regions().plan("GPU_VIPER_Region", &options(3, &[])).unwrap_err();
    assert_eq!(
        errors[0].message,
        "3 threads on 2 core pairs: GPU_VIPER_Region works for one pair in gem5"
    );
}

#[test]
fn cores_of_a_cluster_share_a_router_and_clusters_are_read() {
    let cache = vec![object("Sequencer*", "sequencer")];
    let machines = Machines(vec![("Cache", cache), ("Memory", vec![]), ("MiscNode", vec![])]);
    let mesh = Some("2x2".parse().unwrap());
    let plan = |clusters: &str| {
        let settings = [format!("clusters={clusters}")];
        let options = Options { mesh, ..options(4, &settings.each_ref().map(String::as_str)) };
        machines.plan("CHI", &options)
    };
    // The first levels of two cores, of one without a second level, and of the next cluster; the banks; the home node.
    let caches = vec![0, 0, 0, 0, 1, 1, 2, 2, 0, 0, 2, 2, 0];
    assert_eq!(routers(&plan("2:2,1:0").unwrap())[0], caches);
    let planned = plan("2:2,1:0").unwrap();
    let roles = planned.machines[0].instances.iter().filter_map(|one| one.role.as_deref());
    assert_eq!(roles.filter(|role| role.starts_with("L2 ")).count(), 4);
    let error = &plan("2:3").unwrap_err()[0].message;
    assert!(error.contains("`2:3`: expected numbers of cores"), "{error}");
}
