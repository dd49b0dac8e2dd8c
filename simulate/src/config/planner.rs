//! Computes controllers and values from options and the declared parameters of machines.

use slicc::ast::Object;
use slicc::options::ProtocolOption;
use slicc::protocol::Protocol;
use slicc::scripts::{Declared, KnownProtocol, Script};
use slicc::setting::Setting;
use slicc::source::Diagnostic;

use super::Options;
use super::chi::{self, Member, Role};
use super::clusters::{self, Clusters};
use super::complaints::{anywhere, unreadable, wrong};
use super::contradictions;
use super::known;
use super::owner::Owner;
use super::placement;
use super::plan::{FETCHER, Instance, MachinePlan, Plan, Value, value_of};
use super::regions;
use super::sequencers::{DMA_SEQUENCER, is_kind, sequencers};
use super::value::Site;
use crate::ruby::directory::Interleaving;
use crate::ruby::sets::MOST;

impl Plan {
    /// Plans the system that runs a protocol.
    ///
    /// # Errors
    /// Fails with diagnostics for parameters without a value, settings that apply to nothing, and
    /// unsupported options.
    pub fn of(protocol: &Protocol, options: &Options) -> Result<Plan, Vec<Diagnostic>> {
        let mut options = options.clone();
        // The last setting of a parameter counts: the user's.
        let asked = std::mem::replace(&mut options.settings, protocol.loaded.settings.clone());
        options.settings.extend(asked);
        let kinds = protocol.program.machines.iter().map(|one| (&*one.name, one.kind)).collect();
        let mut plan = Plan::with_kinds(protocol.name(), &protocol.declared(), kinds, &options)?;
        let sent = protocol.loaded.options;
        plan.tells_linked = sent.has(ProtocolOption::LoadLinked);
        plan.tells_conditional = sent.has(ProtocolOption::StoreConditional);
        plan.reads_in_parts = sent.has(ProtocolOption::PartialFunctionalReads);
        Ok(plan)
    }

    /// Plans the system for a protocol of this name with these machines.
    ///
    /// # Errors
    /// Fails as [`Plan::of`] does.
    pub fn new(
        protocol: &str,
        machines: &[Declared],
        options: &Options,
    ) -> Result<Plan, Vec<Diagnostic>> {
        Plan::with_kinds(protocol, machines, Vec::new(), options)
    }

    /// As [`Plan::new`], for a protocol that may have machine types of its own. `kinds` are the numbers of all its types.
    fn with_kinds(
        protocol: &str,
        machines: &[Declared],
        kinds: Vec<(&str, u32)>,
        options: &Options,
    ) -> Result<Plan, Vec<Diagnostic>> {
        let mut planner = Planner {
            protocol,
            kinds,
            script: Script::find(protocol, machines),
            options,
            used: vec![false; options.settings.len()],
            errors: Vec::new(),
            plan: Plan {
                machines: Vec::new(),
                buffers: 0,
                sequencers: 0,
                fetchers: (0..options.threads).collect(),
                sends_atomics: false,
                tells_linked: false,
                tells_conditional: false,
                reads_in_parts: false,
                dma_sequencers: 0,
                wires: Vec::new(),
            },
        };
        planner.plan.sends_atomics = planner.known().is_some_and(KnownProtocol::has_atomics);
        planner.check_options();
        planner.check_clusters();
        if planner.errors.is_empty() {
            planner.plan_all(machines);
        }
        planner.check_settings(machines);
        if planner.errors.is_empty() { Ok(planner.plan) } else { Err(planner.errors) }
    }
}

/// The state while a plan is made.
pub(super) struct Planner<'a> {
    /// The name of the protocol.
    protocol: &'a str,
    pub script: Option<Script>,
    /// The numbers of the machine types, if they are not only those of gem5.
    kinds: Vec<(&'a str, u32)>,
    pub options: &'a Options,
    /// Whether each setting applied to a parameter.
    used: Vec<bool>,
    errors: Vec<Diagnostic>,
    pub plan: Plan,
}

impl Planner<'_> {
    /// The protocol whose script applies, if there is one.
    pub(super) fn known(&self) -> Option<KnownProtocol> {
        self.script.map(|script| script.known)
    }

    fn check_options(&mut self) {
        let options = self.options;
        let powers = [
            ("directories", u64::from(options.directories)),
            ("L2 banks", u64::from(options.l2_banks)),
            ("bytes in a block", options.block_bytes),
        ];
        for (what, number) in powers {
            if !number.is_power_of_two() {
                self.complain(format!("{number} {what}: a power of two was expected"));
            }
        }
        if !(8..=4096).contains(&options.block_bytes) {
            let bytes = options.block_bytes;
            self.complain(format!("blocks of {bytes} bytes: 8 to 4096 are supported"));
        }
        if options.directory_hash.is_some_and(|bit| bit > 63) {
            self.complain("directories hashed with address bits above 63".into());
        }
        if self.known() == Some(KnownProtocol::GpuViperRegion) {
            let pairs = regions::pairs(options);
            if pairs > 1 {
                let (name, threads) = (self.protocol, options.threads);
                let message = format!(
                    "{threads} threads on {pairs} core pairs: {name} works for one pair in gem5"
                );
                let hint = format!(
                    "{}, and in an exploration also {}",
                    settings::Setting::Threads.to(2),
                    settings::Setting::ThreadsPerCache.to(2)
                );
                self.report(anywhere(message).hint(hint));
            }
        }
        if options.threads == 0 || options.threads_per_machine == 0 {
            self.complain("no threads: at least 1 was expected".into());
        }
    }

    /// Reports clusters that cannot be read, and marks their setting as used.
    fn check_clusters(&mut self) {
        if self.known() != Some(KnownProtocol::Chi) {
            return;
        }
        if let Some(setting) = self.setting(Owner::all(""), clusters::PARAMETER)
            && let Err(why) = setting.value.parse::<Clusters>()
        {
            self.report(unreadable(setting, why));
        }
    }

    /// Records an error once: a setting for several machines is wrong for each of them.
    fn report(&mut self, error: Diagnostic) {
        if !self.errors.contains(&error) {
            self.errors.push(error);
        }
    }

    fn complain(&mut self, message: String) {
        self.report(anywhere(message));
    }

    fn plan_all(&mut self, machines: &[Declared]) {
        let mut order: Vec<usize> = (0..machines.len()).collect();
        order.sort_by_key(|&at| self.machine_type(machines[at].name));
        for at in order {
            self.plan_machine(at, &machines[at], machines);
        }
        self.number_sequencers();
        self.check_devices();
        if let Some(mesh) = self.options.mesh {
            placement::place(mesh, &mut self.plan.machines, self.options);
        }
    }

    fn plan_machine(&mut self, declared: usize, machine: &Declared, all: &[Declared]) {
        let name = machine.name;
        let Some(kind) = self.machine_type(name) else {
            return self.complain(format!("{name} is not a machine type"));
        };
        let count = self.count(machine, all);
        if u64::from(count) > MOST {
            let message = format!("{count} controllers of {name}: at most {MOST} are supported");
            return self.complain(message);
        }
        if count == 0 {
            self.note_settings(machine, name);
        }
        if self.known() == Some(KnownProtocol::Chi) {
            // A system need not have devices, or second levels.
            let absent = Role::ALL.into_iter().filter(|role| role.count(self.options) == 0);
            absent.for_each(|role| self.note_settings(machine, role.name()));
        }
        let instances = (0..count).map(|number| self.plan_instance(machine, number));
        let instances = instances.collect();
        let base = |planner: &mut Self, setting| planner.base_value(Owner::all(name), setting);
        let machine = MachinePlan {
            name: name.into(),
            kind,
            declared,
            instances,
            transitions_per_cycle: base(self, "transitions_per_cycle"),
            recycle_latency: base(self, "recycle_latency"),
            mandatory_queue_latency: base(self, "mandatory_queue_latency"),
            interleaving: self.interleaving(machine, count),
            is_dealt: self.is_dealt(machine),
        };
        self.plan.machines.push(machine);
    }

    /// The number of a machine type.
    fn machine_type(&self, name: &str) -> Option<u32> {
        let own = self.kinds.iter().find(|(known, _)| *known == name).map(|(_, kind)| *kind);
        own.or_else(|| known::machine_type(name))
    }

    /// The number of controllers of a machine.
    fn count(&self, machine: &Declared, all: &[Declared]) -> u32 {
        if self.known() == Some(KnownProtocol::Chi) {
            return chi::count(machine.name, self.options);
        }
        if self.known().is_some_and(|known| known::leaves_out(known, machine.name)) {
            return 0;
        }
        if self.known() == Some(KnownProtocol::GpuViperRegion)
            && let Some(count) = regions::count(machine.name, self.options)
        {
            return count;
        }
        let sequencers = sequencers(machine);
        if sequencers > 0 {
            let each = sequencers.min(self.options.threads_per_machine);
            return self.options.threads.div_ceil(each);
        }
        let is = |kind: &str| machine.parameters.iter().any(|object| is_kind(object, kind));
        // A DMA machine does nothing without a device.
        if machine.name == "DMA" || is(DMA_SEQUENCER) {
            return self.options.devices;
        }
        let below = |name: &str| all.iter().find(|other| other.name == name);
        match machine.name {
            "Directory" => self.options.directories,
            _ if is("DirectoryMemory") => self.options.directories,
            "L2Cache" => self.options.l2_banks,
            // The private second level of a protocol whose levels count from 0.
            "L1Cache" => below("L0Cache").map_or(1, |cores| self.count(cores, all)),
            _ => 1,
        }
    }

    /// Whether a machine has banks: directories, and shared caches of the second level. Controllers of CHI, and of regions, are not
    /// counted among them.
    fn is_dealt(&self, machine: &Declared) -> bool {
        let is_other =
            matches!(self.known(), Some(KnownProtocol::Chi | KnownProtocol::GpuViperRegion));
        let is = |kind: &str| machine.parameters.iter().any(|object| is_kind(object, kind));
        let is_bank = matches!(machine.name, "Directory" | "L2Cache") || is("DirectoryMemory");
        is_bank && !is_other && sequencers(machine) == 0 && !is(DMA_SEQUENCER)
    }

    fn interleaving(&self, machine: &Declared, count: u32) -> Interleaving {
        let options = self.options;
        let is_directory = |object: &Object| is_kind(object, "DirectoryMemory");
        let directory = matches!(machine.name, "Directory" | "Memory")
            || machine.parameters.iter().any(is_directory);
        let dealt = (directory || machine.name == "L2Cache") && count.is_power_of_two();
        Interleaving {
            end: options.memory_bytes,
            low: options.block_bytes.ilog2(),
            bits: if dealt { count.ilog2() } else { 0 },
            hash: options.directory_hash.filter(|_| directory),
        }
    }

    fn plan_instance(&mut self, machine: &Declared, number: u32) -> Instance {
        let is_chi = self.known() == Some(KnownProtocol::Chi);
        let member = Member::of(machine.name, number, self.options).filter(|_| is_chi);
        let role = member.map(|member| member.role);
        let banks = member.map_or(1, |member| member.banks(self.options));
        let mut core = 0;
        let mut values = Vec::new();
        let owner = Owner {
            number: Some(number),
            role: member.map(|member| (member.role, Some(member.number))),
            ..Owner::all(machine.name)
        };
        for parameter in machine.parameters {
            let site = Site { owner, number, parameter, banks };
            let value = self.value(site, &mut core);
            match value {
                Ok(value) => values.push(value),
                // Every controller would have the same error.
                Err(error) if number == 0 => self.report(error),
                Err(_) => {}
            }
        }
        let value = |name: &str| match value_of(machine, &values, name) {
            Some(Value::Number(number)) => Some(*number),
            _ => None,
        };
        let flag = |name: &str| value(name).map(|number| number != 0);
        let found = role.and_then(|role| contradictions::find(role, flag));
        let found = found
            .or_else(|| contradictions::find_number(machine.name, self.options.block_bytes, value));
        if let Some(error) = found.filter(|_| is_chi) {
            self.report(error);
        }
        let tbes = self.tbes(owner);
        let downstream = chi::downstream(machine.name, number, self.options).filter(|_| is_chi);
        let upstream = chi::upstream(machine.name, self.options).filter(|_| is_chi);
        let role = member.map(Member::name);
        Instance { values, tbes, downstream, upstream, router: 0, role }
    }

    /// The number of TBEs of a controller.
    fn tbes(&mut self, owner: Owner) -> u64 {
        let name = "number_of_TBEs";
        let is_set = self.setting(owner, name).is_some();
        match owner.role.and_then(|(role, _)| role.value(name)) {
            Some(value) if !is_set => value,
            _ => self.base_value(owner, name),
        }
    }

    /// The value of a parameter that machines have without declaring it.
    fn base_value(&mut self, owner: Owner, name: &str) -> u64 {
        let value = known::base_value(self.known(), owner.machine, name);
        let setting = self.setting(owner, name);
        match setting.map(|setting| (setting, setting.value.parse())) {
            None => value,
            // With none a controller would never take a transition.
            Some((setting, Ok(0))) if name == "transitions_per_cycle" => {
                self.report(wrong(setting, "a number of at least 1"));
                value
            }
            Some((_, Ok(number))) => number,
            Some((setting, Err(_))) => {
                self.report(wrong(setting, "a number"));
                value
            }
        }
    }

    /// The setting of a parameter, if any: of those that name its owner most closely, the last one.
    pub(super) fn setting<'b>(&mut self, owner: Owner, parameter: &str) -> Option<&'b Setting>
    where
        Self: 'b,
    {
        let settings = &self.options.settings;
        let mut found: Option<(u8, usize)> = None;
        for (at, setting) in settings.iter().enumerate() {
            let nearness = owner.nearness(setting).filter(|_| setting.parameter == parameter);
            if let Some(nearness) = nearness {
                self.used[at] = true;
                found = found.max(Some((nearness, at)));
            }
        }
        found.map(|(_, at)| &settings[at])
    }

    /// Marks settings for a machine or a role without controllers, by its name, as used: their parameter exists.
    fn note_settings(&mut self, machine: &Declared, name: &str) {
        let settings = self.options.settings.iter().zip(&mut self.used);
        for (setting, used) in settings.filter(|(one, _)| one.machine.as_deref() == Some(name)) {
            *used |= parameters(&[*machine]).contains(&&*setting.parameter);
        }
    }

    /// Reports settings that apply to nothing.
    fn check_settings(&mut self, machines: &[Declared]) {
        if !self.errors.is_empty() {
            return;
        }
        let is_chi = self.known() == Some(KnownProtocol::Chi);
        let roles: &[Role] = if is_chi { &Role::ALL } else { &[] };
        for (setting, _) in self.options.settings.iter().zip(&self.used).filter(|(_, used)| !**used)
        {
            let (what, hint) = self.missing(setting, machines, roles);
            self.errors.push(
                anywhere(format!("{}: {what}", settings::Setting::Set.to(setting))).hint(hint),
            );
        }
    }

    /// The message about a setting that applies to nothing, and a hint with the names that exist. `roles` are those of
    /// controllers of the machine `Cache`.
    fn missing(
        &self,
        setting: &Setting,
        machines: &[Declared],
        roles: &[Role],
    ) -> (String, String) {
        let parameter = &setting.parameter;
        let list = |names: Vec<&str>| format!("there are: {}", names.join(", "));
        let Some(name) = &setting.machine else {
            let what = format!("no machine has a parameter {parameter}");
            return (what, list(parameters(machines)));
        };
        let role = roles.iter().find(|role| role.name() == name);
        let (kind, machine) = if role.is_some() { ("role", "Cache") } else { ("machine", &**name) };
        let Some(declared) = machines.iter().find(|one| one.name == machine) else {
            let names = machines.iter().map(|machine| machine.name);
            let names = names.chain(roles.iter().map(|role| role.name()));
            return (format!("the protocol has no machine {name}"), list(names.collect()));
        };
        let names = parameters(&[*declared]);
        if !names.contains(&&**parameter) {
            return (format!("{kind} {name} has no parameter {parameter}"), list(names));
        }
        let own = self.plan.machines.iter().find(|one| *one.name == *machine);
        let count = role.map_or_else(
            || own.map_or(0, |own| own.instances.len()),
            |role| role.count(self.options) as usize,
        );
        match setting.number {
            Some(number) if number as usize >= count => {
                let what = format!("there is no controller {name}-{number}");
                (what, format!("this system has {count} of them, numbered from 0"))
            }
            _ => {
                let what = format!("{parameter} is the same for all controllers of {machine}");
                let all =
                    settings::Setting::Set.to(Setting::of(machine, parameter, &setting.value));
                (what, format!("set it for all: {all}"))
            }
        }
    }

    /// Reports DMA devices for which there is no controller.
    fn check_devices(&mut self) {
        let (devices, sequencers) = (self.options.devices, self.plan.dma_sequencers);
        if devices > sequencers {
            self.complain(format!(
                "{devices} DMA devices: the protocol has no machine with a {DMA_SEQUENCER}, so none can be attached"
            ));
        }
    }

    /// Numbers the sequencers: first those of the threads, then the unused ones.
    fn number_sequencers(&mut self) {
        let threads = self.options.threads;
        let each = self.options.threads_per_machine;
        let (mut next, mut idle) = (0, threads);
        for machine in &mut self.plan.machines {
            for value in machine.instances.iter_mut().flat_map(|instance| &mut instance.values) {
                if let Value::Sequencer { number, core: FETCHER } = value {
                    // The sequencer for the thread's data comes next.
                    if let Some(fetcher) = self.plan.fetchers.get_mut(next as usize) {
                        *fetcher = idle;
                    }
                    *number = idle;
                    idle += 1;
                } else if let Value::Sequencer { number, core } = value {
                    let counter =
                        if *core < each && next < threads { &mut next } else { &mut idle };
                    *number = *counter;
                    *counter += 1;
                }
            }
        }
        self.plan.sequencers = idle;
        if next < threads && self.errors.is_empty() {
            let error = anywhere("no machine has a sequencer, so no thread can run".into());
            self.errors.push(error.hint("give a machine a parameter 'Sequencer * sequencer'"));
        }
    }
}

/// The names of all parameters that can be set, without repetitions.
fn parameters<'a>(machines: &[Declared<'a>]) -> Vec<&'a str> {
    let all = machines.iter().flat_map(|machine| machine.parameters);
    let mut names: Vec<&str> = all.map(|parameter| &*parameter.name.text).collect();
    names.extend(known::BASE);
    names.sort_unstable();
    names.dedup();
    names
}
