//! The values of single parameters.

use slicc::ast::{Expression, ExpressionKind, Object, Pair, Unary};
use slicc::cplusplus::evaluate;
use slicc::dialect::{ECHO, PEERS};
use slicc::scripts::{KnownProtocol, is_ordered};
use slicc::setting::Setting;
use slicc::source::Diagnostic;

use super::chi::{self, Role};
use super::complaints::{unreadable, wrong};
use super::known;
use super::owner::Owner;
use super::plan::{Buffer, Direction, FETCHER, Value, Wire};
use super::planner::Planner;
use super::regions;
use super::sequencers::DMA_SEQUENCER;
use crate::ruby::cache::CacheParameters;

/// The parameter of a controller whose value is computed.
#[derive(Clone, Copy)]
pub(super) struct Site<'a> {
    /// The controller whose parameter it is.
    pub owner: Owner<'a>,
    /// Its number among those of its machine.
    pub number: u32,
    pub parameter: &'a Object,
    /// The number of such controllers of CHI among which the lines are dealt.
    pub banks: u32,
}

impl<'a> Site<'a> {
    fn machine(&self) -> &'a str {
        self.owner.machine
    }

    /// The role of a controller of CHI's caches.
    fn role(&self) -> Option<Role> {
        self.owner.role.map(|(role, _)| role)
    }

    fn kind(&self) -> &str {
        &self.parameter.kind.text
    }

    fn name(&self) -> &str {
        &self.parameter.name.text
    }

    fn attribute(&self, key: &str) -> Option<&Pair> {
        let mut pairs = self.parameter.pairs.iter();
        pairs.find(|pair| &*pair.key.text == key)
    }

    fn error(&self, what: &str) -> Diagnostic {
        let message = format!("{}: parameter {}: {what}", self.machine(), self.name());
        Diagnostic::error(self.parameter.span, message)
    }

    fn hint(&self, value: &str) -> String {
        let setting = format!("{}.{}={value}", self.machine(), self.name());
        format!("set it: {}", settings::Setting::Set.to(setting))
    }
}

impl Planner<'_> {
    /// The value of a parameter. `core` counts the sequencers of the controller.
    pub(super) fn value(&mut self, site: Site, core: &mut u32) -> Result<Value, Diagnostic> {
        let setting = self.setting(site.owner, site.name());
        match site.kind() {
            "MessageBuffer" => self.buffer(site, setting),
            "CacheMemory" => {
                let blocks = self.setting(site.owner, regions::BLOCKS);
                self.cache(site, setting, blocks)
            }
            _ if setting.is_some_and(|_| site.parameter.pointer) => {
                Err(site.error("only message buffers and caches can be set among pointers"))
            }
            "DirectoryMemory" => Ok(Value::Directory(site.number)),
            "Sequencer" if site.role().is_some_and(|role| !role.has_sequencer()) => Ok(Value::Null),
            "Sequencer" if site.role() == Some(Role::Rni) => {
                Ok(Value::RequestNode(self.dma_sequencer()))
            }
            "Sequencer" | "HTMSequencer" if site.role().is_some_and(|role| !role.is_driven()) => {
                Ok(Value::Sequencer { number: 0, core: FETCHER })
            }
            "Sequencer" | "HTMSequencer" => {
                // The sequencer gets its number when all machines are known.
                *core += 1;
                Ok(Value::Sequencer { number: 0, core: *core - 1 })
            }
            DMA_SEQUENCER => Ok(Value::DmaSequencer(self.dma_sequencer())),
            "TimerTable" => Ok(Value::Timer),
            "WireBuffer" => Ok(Value::Wire(self.wire(site.name(), false))),
            "RubyPrefetcher" | "Prefetcher" => {
                Ok(Value::Prefetcher(known::prefetcher(self.known())))
            }
            kind if kind.contains("Prefetcher") || kind == "prefetch::Base" => Ok(Value::Null),
            _ => self.scalar(site, setting),
        }
    }

    /// The number of one more DMA sequencer.
    fn dma_sequencer(&mut self) -> u32 {
        self.plan.dma_sequencers += 1;
        self.plan.dma_sequencers - 1
    }

    /// The index of a wire, which is ordered if both ends are.
    fn wire(&mut self, name: &str, ordered: bool) -> u32 {
        let wires = &mut self.plan.wires;
        let at = wires.iter().position(|other| *other.name == *name);
        let at = at.unwrap_or_else(|| {
            wires.push(Wire { name: name.into(), ordered });
            wires.len() - 1
        });
        wires[at].ordered &= ordered;
        at as u32
    }

    fn buffer(&mut self, site: Site, setting: Option<&Setting>) -> Result<Value, Diagnostic> {
        let direct = direct(site);
        let ordered = match (setting, self.script) {
            (Some(setting), _) => match setting.value.as_str() {
                "ordered" => true,
                "unordered" => false,
                _ => return Err(wrong(setting, "ordered or unordered")),
            },
            (None, None) if direct.is_some() => true,
            (None, script) => is_ordered(script, site.machine(), site.parameter),
        };
        if let Some(name) = direct {
            return Ok(Value::Wire(self.wire(&name, ordered)));
        }
        let number = self.plan.buffers;
        self.plan.buffers += 1;
        let network = endpoint(site)?;
        let trigger = self.known().is_some_and(|known| known.is_trigger(site.name()));
        let to_memory =
            self.known() == Some(KnownProtocol::Chi) && site.name() == "requestToMemory";
        let (steady, capacity) = (trigger || to_memory, if to_memory { 2 } else { 0 });
        let echo = site.attribute(ECHO).is_some();
        Ok(Value::Buffer(Buffer { number, ordered, trigger, steady, capacity, echo, network }))
    }

    /// A cache. `blocks` is the user's setting of the number of lines of a region.
    fn cache(
        &self,
        site: Site,
        setting: Option<&Setting>,
        blocks: Option<&Setting>,
    ) -> Result<Value, Diagnostic> {
        let options = self.options;
        let shape = match setting {
            None => match site.role() {
                Some(role) => role.geometry(&options.caches.sizes(), options.block_bytes),
                None => known::cache_shape(&options.caches.sizes(), site.machine(), site.name()),
            },
            Some(setting) => setting.value.parse().map_err(|why| unreadable(setting, why))?,
        };
        let banks = if site.machine() == "L2Cache" { options.l2_banks } else { site.banks };
        let blocks = blocks.and_then(|blocks| blocks.value.parse().ok());
        let region = match self.known() {
            Some(KnownProtocol::GpuViperRegion) => regions::index_bits(site.machine(), blocks),
            _ => 0,
        };
        let latency = known::cache_latency(self.known(), site.machine());
        let (tag_latency, data_latency) =
            site.role().map_or((latency, latency), |role| role.latencies());
        let geometry = CacheParameters {
            size: shape.size,
            ways: shape.ways,
            start_index_bit: options.block_bytes.ilog2() + banks.ilog2() + region,
            policy: shape.policy,
            tag_latency,
            data_latency,
            banks: known::cache_banks(self.known(), site.name()),
        };
        match geometry.sets(options.block_bytes) {
            Ok(_) => Ok(Value::Cache(geometry)),
            Err(why) => Err(site.error(&why.to_string()).hint(site.hint("SIZE:WAYS"))),
        }
    }

    fn scalar(&self, site: Site, setting: Option<&Setting>) -> Result<Value, Diagnostic> {
        if let Some(setting) = setting {
            let text = setting.value.as_str();
            if text.contains('-') && site.kind() != "int" && NUMBERS.contains(&site.kind()) {
                let expected = format!("{} of at least 0", site.kind());
                return Err(wrong(setting, &expected));
            }
            return plain(site.kind(), text).ok_or_else(|| wrong(setting, site.kind()));
        }
        let script = |known: KnownProtocol| match known {
            KnownProtocol::Chi => site
                .role()
                .and_then(|role| role.value(site.name()))
                .or_else(|| chi::common_value(self.options, site.machine(), site.name())),
            KnownProtocol::GpuViperRegion => {
                regions::value(site.machine(), site.number, site.name(), self.options)
            }
            _ => known::script_value(known, site.machine(), site.name()),
        };
        if let Some(value) = self.known().and_then(script) {
            return Ok(Value::Number(value));
        }
        // Every script sets this parameter from the kind of core, whatever its declared default: a core that loads early and
        // is not told of lines that leave would be wrong on any protocol.
        let is_set_by_scripts = site.name() == known::SEND_EVICTIONS;
        if !is_set_by_scripts
            && let Some(value) = default(site, u64::from(self.options.block_bytes.ilog2()))?
        {
            return Ok(value);
        }
        let common = known::common_value(self.options, site.name());
        if let Some(value) = common.filter(|_| !site.parameter.pointer) {
            return Ok(Value::Number(value));
        }
        let what = format!("no value for this {}", site.kind());
        if site.parameter.pointer {
            return Err(site.error(&format!("{what}: such objects are not supported")));
        }
        let error = site.error(&format!("{what}, and it has no default"));
        Err(error.hint(site.hint("value")))
    }
}

/// The separator in the names of direct connections.
const DIRECT: &str = "->";

/// The name of a direct connection: of a buffer that is attached to the network without the number
/// of a virtual network, such as `bufferToL1` of machine L0Cache and `bufferFromL0` of L1Cache.
/// Both controllers have the same number.
fn direct(site: Site) -> Option<String> {
    if site.attribute("virtual_network").is_some() {
        return None;
    }
    if let Some(peers) = site.attribute(PEERS) {
        return Some(format!("{} {}", peers.value.text, site.number));
    }
    let own = site.machine().strip_suffix("Cache").unwrap_or(site.machine());
    let number = site.number;
    match &*site.attribute("network")?.value.text {
        "To" => {
            let (_, other) = site.name().rsplit_once("To")?;
            Some(format!("{own}{DIRECT}{other} {number}"))
        }
        "From" => {
            let (_, other) = site.name().rsplit_once("From")?;
            Some(format!("{other}{DIRECT}{own} {number}"))
        }
        _ => None,
    }
}

/// The direction and the virtual network of a buffer, if it is an end of the network.
fn endpoint(site: Site) -> Result<Option<(Direction, u32)>, Diagnostic> {
    let Some(network) = site.attribute("network") else {
        return Ok(None);
    };
    let direction = match &*network.value.text {
        "To" => Direction::To,
        "From" => Direction::From,
        _ => return Err(site.error("its network is neither \"To\" nor \"From\"")),
    };
    let Some(vnet) = site.attribute("virtual_network") else {
        return Err(site.error("it is attached to the network, and has no virtual_network"));
    };
    match vnet.value.text.parse::<u32>() {
        Ok(vnet) if vnet < 256 => Ok(Some((direction, vnet))),
        _ => Err(site.error("its virtual_network is not a number below 256")),
    }
}

/// The default of a parameter: after `:=`, or as an attribute.
fn default(site: Site, block_bits: u64) -> Result<Option<Value>, Diagnostic> {
    let system = |name: &str| match name {
        "getBlockSizeBits" => Some(block_bits as i64),
        "getBlockSizeBytes" => Some(1 << block_bits),
        _ => None,
    };
    let read = |text: &str| {
        let number = || evaluate(text, &system).map(|value| Value::Number(value.cast_unsigned()));
        let numeric = NUMBERS.contains(&site.kind());
        let value = if numeric { number() } else { None };
        value.or_else(|| plain(site.kind(), text))
    };
    let value = match (&site.parameter.value, site.attribute("default")) {
        (Some(value), _) => constant(value, read),
        (None, Some(pair)) => read(&pair.value.text),
        (None, None) => return Ok(None),
    };
    let error = || site.error("its default value can't be read");
    let value = value.ok_or_else(|| error().hint(site.hint("value")))?;
    Ok(Some(value))
}

/// The value of a constant expression.
fn constant(expression: &Expression, read: impl Fn(&str) -> Option<Value>) -> Option<Value> {
    Some(match &expression.kind {
        ExpressionKind::Number(number) => Value::Number(*number),
        ExpressionKind::Bool(flag) => Value::Number(u64::from(*flag)),
        ExpressionKind::Text(text) => return read(text),
        ExpressionKind::Null => Value::Null,
        ExpressionKind::Enumerator { family, value } => {
            Value::Enumerator { family: family.text.clone(), value: value.text.clone() }
        }
        ExpressionKind::Unary { operator: Unary::Minus, value } => match constant(value, read)? {
            Value::Number(number) => Value::Number(number.wrapping_neg()),
            _ => return None,
        },
        _ => return None,
    })
}

/// The numeric types.
const NUMBERS: [&str; 7] = ["int", "Cycles", "Tick", "Addr", "NodeID", "uint32_t", "uint64_t"];

/// The value of a text for a parameter of this type.
fn plain(kind: &str, text: &str) -> Option<Value> {
    match kind {
        "bool" => match text {
            "true" | "True" | "1" => Some(Value::Number(1)),
            "false" | "False" | "0" => Some(Value::Number(0)),
            _ => None,
        },
        _ if NUMBERS.contains(&kind) => {
            let inner = text.strip_prefix("Cycles(").and_then(|rest| rest.strip_suffix(')'));
            let number = inner.unwrap_or(text).trim();
            // A negative number is stored in two's complement.
            let signed = || number.parse().ok().map(i64::cast_unsigned);
            number.parse().ok().or_else(signed).map(Value::Number)
        }
        "std::string" => Some(Value::Text(text.into())),
        _ => match text.split_once(':').or_else(|| text.rsplit_once('_')) {
            _ if text == "nullptr" || text == "NULL" => Some(Value::Null),
            Some((family, value)) if family == kind => {
                Some(Value::Enumerator { family: family.into(), value: value.into() })
            }
            _ => Some(Value::Enumerator { family: kind.into(), value: text.into() }),
        },
    }
}
