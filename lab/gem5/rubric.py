"""Runs programs of `rubric generate program` on RubricTester cores and Ruby.

    gem5.opt path/to/rubric.py --program program.txt --log run.log

The protocol is that of the binary. The script takes the options of gem5's configs/ruby too (--topology, --network,
--num-dirs, --l1d_size, ...); unlike there, caches are so small by default that lines are replaced often.
"""

import argparse
import glob
import importlib
import inspect
import os
import resource
import select
import signal
import sys
import time
import traceback
from collections import deque

import _m5.core
import _m5.event
import m5
from m5 import debug
from m5.defines import buildEnv
from m5.objects import *
from m5.util import addToPath


def fail(message):
    """Ends gem5 with a message. gem5 itself understands only numbers as arguments of sys.exit."""
    print(f"rubric.py: {message}", file=sys.stderr)
    sys.exit(2)


def folder_of_gem5():
    """The source tree of gem5, with its folder `configs`."""
    script = os.path.join("configs", "ruby", "Ruby.py")
    named = os.environ.get("RUBRIC_GEM5")
    if named:
        if os.path.exists(os.path.join(named, script)):
            return named
        fail(f"RUBRIC_GEM5={named} has no {script}: name gem5's source folder, which has it")
    place = os.path.realpath("/proc/self/exe")
    while os.path.dirname(place) != place:
        place = os.path.dirname(place)
        if os.path.exists(os.path.join(place, script)):
            return place
    fail(f"found no {script} beside the binary: name gem5's source folder in RUBRIC_GEM5")


addToPath(os.path.join(folder_of_gem5(), "configs"))

from common import (
    ObjectList,
    Options,
)
from ruby import Ruby


def cpu_types():
    """The simple CPU models of the instruction sets of this gem5; none in a build for no instruction set."""
    general = ("TimingSimpleCPU", "BaseTimingSimpleCPU")
    names = ObjectList.cpu_list.get_names()
    return sorted(name for name in names if name.endswith(general[0]) and name not in general)


def whole(least, most=None):
    """The type of an option that is a whole number within bounds."""

    def read(text):
        value = int(text)
        if value < least or (most is not None and value > most):
            bounds = f"from {least} to {most}" if most is not None else f"of at least {least}"
            raise argparse.ArgumentTypeError(f"{value} is not a number {bounds}")
        return value

    return read


def options():
    usage = "gem5.opt rubric.py --program FILE [options], which --help lists"
    parser = argparse.ArgumentParser(usage=usage)
    Options.addNoISAOptions(parser)
    Ruby.define_options(parser)
    parser.add_argument("--program", required=True, help="file of programs; - is standard input")
    parser.add_argument(
        "--log",
        default="rubric.log",
        help="file or pipe of the log, in the output folder unless it has a folder; with --fork in the folder program-N of "
        "the output folder, and in a path %%d stands for the number of the program [default: %(default)s]",
    )
    parser.add_argument(
        "--client",
        default="in-order",
        help="kind of core: in-order, store-buffer-N, per-location-N, early-N, early-N-buffer-N, or rvwmo-ooo-N, armv8-ooo-N, "
        "wmo-ooo-N, ztso-ooo-N, rmo-ooo-N; a line `client KIND` before a program sets it for this program and all after it "
        "[default: %(default)s]",
    )
    parser.add_argument(
        "--dma",
        type=whole(0),
        help="number of DMA devices, each with a DMA controller [default: those of the first program]",
    )
    parser.add_argument(
        "--steady", action="store_true", help="no random delays of messages"
    )
    parser.add_argument(
        "--transitions",
        action="store_true",
        help="log the transitions of controllers, too",
    )
    parser.add_argument(
        "--no-evictions",
        action="store_true",
        help="tell no core of lines that leave its cache, as gem5's own scripts do for CPUs in order",
    )
    parser.add_argument(
        "--delay-seed",
        type=whole(0, 0xFFFFFFFF),
        help="seed of the random delays of messages; of several programs the first one's [default: the seed that is in the program]",
    )
    parser.add_argument(
        "--fork",
        action="store_true",
        help="run each program in a process of its own, forked before the first access, so that caches are empty",
    )
    parser.add_argument(
        "--jobs", type=whole(1), help="with --fork, how many programs run at once [default: 1]"
    )
    parser.add_argument(
        "--output",
        help="with --fork, file of what the process of a program prints, named as --log is [default: simout.txt]",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        help="with --fork, seconds after which the process of a program is ended by SIGALRM",
    )
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="[MACHINE.]PARAMETER=VALUE",
        help="a number or flag of all controllers with this parameter, or of those of a machine, or of a role of CHI (L1I, L1D, L2, HNF, "
        "RNI), as in `rubric simulate --set`; may be repeated",
    )
    parser.add_argument(
        "--deadlock-threshold",
        type=whole(1),
        default=200000,
        help="cycles after which a request that was not answered is a deadlock [default: %(default)s]",
    )
    parser.set_defaults(
        l1d_size="256B",
        l1i_size="256B",
        l2_size="512B",
        l3_size="1kB",
        l1d_assoc=2,
        l1i_assoc=2,
        l2_assoc=2,
        l3_assoc=2,
        num_cpus=0,
        sys_clock="1GHz",
        ruby_clock="1GHz",
    )
    # gem5's scripts ask for the instruction set of a CPU model that its default does not have in every build.
    if cpu_types():
        parser.set_defaults(cpu_type=cpu_types()[0])
    args = parser.parse_args()
    check_options(parser, args)
    return args


def check_options(parser, args):
    """Refuses what gem5's scripts would end with a traceback for, and what has no effect."""
    if args.num_dirs < 1:
        parser.error(f"argument --num-dirs: {args.num_dirs} is not a number of at least 1")
    topologies = os.path.join(folder_of_gem5(), "configs", "topologies")
    if not os.path.exists(os.path.join(topologies, args.topology + ".py")):
        parser.error(f"argument --topology: {topologies} has no {args.topology}.py")
    if args.timeout is not None and not args.timeout > 0:
        parser.error(f"argument --timeout: {args.timeout} is no number of seconds above 0")
    for name in ("jobs", "output", "timeout"):
        if getattr(args, name) is not None and not args.fork:
            parser.error(f"argument --{name}: it is for --fork")
    args.jobs = args.jobs or 1


class Programs:
    """The programs of a file or a pipe, each with the kind of its cores, as they arrive."""

    def __init__(self, path, client):
        if os.path.isdir(path):
            fail(f"{path}: is a folder, and a file of `rubric generate program` is expected")
        try:
            self.file = sys.stdin.fileno() if path == "-" else os.open(path, os.O_RDONLY)
        except OSError as error:
            fail(f"{path}: {error.strerror}")
        self.client = client
        self.is_open = True
        self.waiting = deque()
        self._cut = b""
        self._lines = []

    def read(self):
        """Takes in what there is, and waits for something if there is nothing."""
        chunk = os.read(self.file, 1 << 16)
        if not chunk:
            self.is_open = False
            self._line(self._cut.decode(errors="replace"))
            if "".join(self._lines).strip():
                # The cores' reader says what is wrong with it.
                self._end()
            return
        *lines, self._cut = (self._cut + chunk).split(b"\n")
        for line in lines:
            self._line(line.decode(errors="replace") + "\n")

    def next(self):
        """The next program and the kind of its cores; none at the end."""
        while self.is_open and not self.waiting:
            self.read()
        return self.waiting.popleft() if self.waiting else None

    def _line(self, line):
        words = line.split()
        if not self._lines and not words:
            return
        if not self._lines and words[:1] == ["client"] and len(words) == 2:
            self.client = words[1]
            return
        self._lines.append(line)
        if words == ["end"]:
            self._end()

    def _end(self):
        self.waiting.append(("".join(self._lines), self.client))
        self._lines = []


def count(program, word):
    """How many threads or devices a program has, by the word before each."""
    return sum(line.strip() == word for line in program.splitlines())


def model_of(program):
    """The weak model whose cores a program is for, if there is one."""
    lines = (line.split() for line in program.splitlines())
    return next((words[1] for words in lines if words[:1] == ["model"] and words[1:]), None)


def seed_of(args, program, number):
    """The seed of the random delays of messages, as the random numbers of gem5 take it."""
    if args.delay_seed is not None:
        return args.delay_seed + number
    for line in program.splitlines():
        words = line.split()
        if words[:1] == ["seed"] and words[1:2] and words[1].isdecimal():
            return int(words[1]) & 0xFFFFFFFF
    return 1


def adapt_script():
    """Lets gem5 call the script of its protocol. Ruby.py of v24.0 hands the cores over as a seventh argument, which the script of
    MOESI_AMD_Base does not take."""
    script = importlib.import_module("ruby." + buildEnv["PROTOCOL"])
    create, taken = script.create_system, len(inspect.signature(script.create_system).parameters)
    script.create_system = lambda *given: create(*given[:taken])


def complete(args, system):
    """Gives the directories of MOESI_AMD_Base what its script leaves out, with the values of the script of GPU_VIPER. Their third-level
    cache has eight ways there; where that leaves it one set, it has at most those of --l3_assoc. The script divides the number of
    banks for all directories at each of them, so that four have none."""
    network = system.ruby.network
    for part in system.descendants():
        if type(part).__name__ == "DirCntrl" and "L2isWB" not in part._values:
            part.L2isWB = False
            cache = part.L3CacheMemory
            lines = int(cache.size) // args.cacheline_size
            if lines < 2 * int(cache.assoc):
                cache.assoc = max(1, min(args.l3_assoc, lines // 2))
            cache.dataArrayBanks = cache.tagArrayBanks = max(1, 256 // args.num_dirs**2)
            part.requestFromDMA = MessageBuffer(ordered=True)
            part.requestFromDMA.in_port = network.out_port
            part.responseToDMA = MessageBuffer()
            part.responseToDMA.out_port = network.in_port


# The roles of CHI's caches, by the names that its script gives them as children of a core, or by the name of their class.
ROLES = {
    "l1i": "L1I",
    "l1d": "L1D",
    "l2": "L2",
    "CHI_HNFController": "HNF",
    "CHI_DMAController": "RNI",
}


def names_of(controller):
    """The names by which a setting may name a controller: that of its machine, and its role."""
    classes = [one.__name__ for one in type(controller).__mro__]
    names = [ROLES[name] for name in [controller._name, *classes] if name in ROLES]
    # The class that SLICC makes is the base of those of scripts.
    machine = [name for name in classes if name.endswith("_Controller")][-1].removesuffix("_Controller")
    return [*names, machine.removeprefix(buildEnv["PROTOCOL"] + "_")]


def numbered(controllers):
    """All names of each controller: those of its machine and role, alone and with its number among those that have the name."""
    counts = {}
    for controller in sorted(controllers, key=lambda one: int(one.version)):
        names = names_of(controller)
        for name in list(names):
            number = counts[name] = counts.get(name, -1) + 1
            names.append(f"{name}-{number}")
        yield controller, names


def nearness(setting):
    """How closely a setting names controllers: all that have the parameter, those with a name, or one."""
    machine = setting.partition("=")[0].rpartition(".")[0]
    return bool(machine) + ("-" in machine)


def change(args, system):
    """Gives controllers the parameters of --set: those for all machines first, and those for one controller last."""
    controllers = [part for part in system.descendants() if "transitions_per_cycle" in part._params]
    named = list(numbered(controllers))
    for setting in sorted(args.set, key=nearness):
        place, _, value = setting.partition("=")
        machine, _, parameter = place.rpartition(".")
        found = False
        for controller, names in named:
            is_meant = not machine or machine in names
            if is_meant and parameter in controller._params:
                try:
                    setattr(controller, parameter, value)
                except (TypeError, ValueError, AttributeError) as error:
                    fail(f"--set {setting}: {error}")
                found = True
        if not found:
            names = sorted({name for controller in controllers for name in names_of(controller)})
            fail(f"--set {setting}: none of {', '.join(names)} has such a parameter: give [MACHINE.]PARAMETER=VALUE")


def build(args):
    """The system, with a core on each sequencer."""
    if "RubricTester" not in globals():
        fail("this gem5 has no RubricTester: build it with rubric's folder gem5 in EXTRAS")
    system = System(mem_ranges=[AddrRange(args.mem_size)], mem_mode="timing")
    system.cache_line_size = args.cacheline_size
    # gem5 names an object by its first parent, so the run is the system's before it is a parameter of cores.
    run = system.rubric_run = RubricRun()
    cores = [RubricTester(run=run, thread=thread) for thread in range(args.num_cpus)]
    system.cpu = cores
    devices = [RubricDevice(run=run, number=number) for number in range(args.dma)]
    if devices:
        # gem5 takes no empty list for one of objects.
        system.device = devices
    system.voltage_domain = VoltageDomain(voltage=args.sys_voltage)
    system.clk_domain = SrcClockDomain(
        clock=args.sys_clock, voltage_domain=system.voltage_domain
    )
    adapt_script()
    ports = [device.port for device in devices]
    Ruby.create_system(args, False, system, dma_ports=ports, cpus=cores)
    system.ruby.clk_domain = SrcClockDomain(
        clock=args.ruby_clock, voltage_domain=system.voltage_domain
    )
    system.ruby.randomization = not args.steady
    complete(args, system)
    change(args, system)
    connect(args, system, cores)
    return system, run


def caches_of(controller):
    """The caches that are parameters of a controller, with their names. gem5 makes them its children only when it instantiates
    the system."""
    values = ((name, getattr(controller, name, None)) for name in controller._params.keys())
    return [(name, value) for name, value in values if isinstance(value, RubyCache)]


def connect(args, system, cores):
    sequencers = [
        sequencer for sequencer in system.ruby._cpu_ports if sequencer.support_data_reqs
    ]
    if len(sequencers) < len(cores):
        fail(f"{len(cores)} cores, but {len(sequencers)} sequencers")
    for core, sequencer in zip(cores, sequencers):
        core.port = sequencer.in_ports
        sequencer.deadlock_threshold = args.deadlock_threshold
        # A core of CHI has a sequencer, and a cache, of its own for instructions.
        fetcher = getattr(sequencer, "inst_seq", None)
        if fetcher is not None:
            core.fetch_port = fetcher.in_ports
    # Cores that load early have to know of lines that leave the cache, and reservations end with them. gem5's own scripts
    # ask for that only where CPU models need it; that of CHI, whose caches are of one machine, in all caches that have a core.
    is_chi = buildEnv["PROTOCOL"] == "CHI"
    for part in system.descendants():
        if "send_evictions" in part._params:
            has_core = not is_chi or bool(part.send_evictions)
            part.send_evictions = has_core and not args.no_evictions
        for name, cache in caches_of(part):
            if int(cache.size) < 2 * int(cache.assoc) * args.cacheline_size:
                fail(
                    f"{name} of {type(part).__name__} has {int(cache.size)} bytes and {int(cache.assoc)} ways of {args.cacheline_size} "
                    "bytes, so one set, and gem5's caches have two or more: give a larger size, such as --l1d_size or "
                    "--l3_size, or fewer directories, which share the third level"
                )
            # gem5's usual policy, a tree, fails with the first access if there is only one way.
            if int(cache.assoc) == 1:
                cache.replacement_policy = LRURP()


def place_of(args, name, number):
    """The path of a file of a program: in the folder of its run unless it has a folder, where %d stands for the number of the
    program."""
    if not args.fork:
        return name if os.path.dirname(name) else os.path.join(m5.options.outdir, name)
    if os.path.dirname(name) and "%d" not in name:
        root, ending = os.path.splitext(name)
        name = root + "-%d" + ending
    name = name.replace("%d", str(number))
    return name if os.path.dirname(name) else os.path.join(folder_of(number), name)


def folder_of(number):
    """The folder of a program that runs in a process of its own."""
    return os.path.join(m5.options.outdir, f"program-{number}")


def remove_earlier(args):
    """Removes what an earlier run left in the output folder, so that its logs are not taken for those of this run."""
    if not args.fork:
        log = place_of(args, args.log, 0)
        if os.path.isfile(log):
            os.remove(log)
        return
    names = [args.log, args.output or OUTPUT, "stats.txt"]
    for folder in glob.glob(os.path.join(glob.escape(m5.options.outdir), "program-*")):
        for name in (name for name in names if not os.path.dirname(name)):
            if os.path.isfile(os.path.join(folder, name)):
                os.remove(os.path.join(folder, name))
        if os.path.isdir(folder) and not os.listdir(folder):
            os.rmdir(folder)


def warn_of_model(program, client, number):
    """Says that a program is for other cores than it runs on, which makes little of it."""
    model = model_of(program)
    if model is not None and not client.startswith(model):
        print(
            f"rubric: program {number} is for cores of {model}, and these are {client} (--client {model}-ooo-8)"
        )


def execute(args, run, program, number, log):
    """Executes a program in this process. Returns whether all operations completed."""
    program, client = program
    _m5.core.seedRandom(seed_of(args, program, number))
    warn_of_model(program, client, number)
    run.load(program, client, log, args.transitions)
    event = m5.simulate(args.abs_max_tick - m5.curTick())
    print(f"rubric: program {number}: exited @ tick {m5.curTick()} because {event.getCause()}")
    sys.stdout.flush()
    return event.getCause() == "rubric: all operations completed"


# Exit status of a process whose program has not completed.
INCOMPLETE = 3


def fork(args, run, program, number):
    """Executes a program in a process of its own, which has a folder for gem5's output. Returns its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    log, output = place_of(args, args.log, number), output_of(args, number)
    pid = os.fork()
    if pid == 0:
        # The code around this function is the parent's, so the process ends here whatever happens.
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            m5.options.outdir = folder_of(number)
            _m5.core.setOutputDir(m5.options.outdir)
            redirect(output)
            if args.timeout:
                signal.setitimer(signal.ITIMER_REAL, args.timeout)
            status = 0 if execute(args, run, program, number, log) else INCOMPLETE
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return pid


# The file of what the process of a program prints, unless --output names another.
OUTPUT = "simout.txt"


def output_of(args, number):
    """The file of what the process of a program prints."""
    return place_of(args, args.output or OUTPUT, number)


def redirect(path):
    """Sends the standard output and error of this process to a file, whose earlier contents are lost."""
    file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
    os.dup2(file, 1)
    os.dup2(file, 2)
    os.close(file)


# What gem5's messages about its end begin with, behind the place in its source.
REASONS = ("panic: ", "fatal: ", "Assertion ", "rubric.py: ", "RubricRun: ")


def reason_in(path):
    """The line in which the process of a program said why it ended; none if there is no such line."""
    try:
        with open(path, errors="replace") as file:
            for line in file:
                if any(reason in line for reason in REASONS):
                    return line.strip()
    except OSError:
        pass
    return None


class Ended:
    """The processes that have ended, and how."""

    def __init__(self, args):
        self.args = args
        self.all = 0
        self.failed = 0

    def reap(self, running):
        """Says of each process that has ended how it did."""
        while running:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                break
            number, start = running.pop(pid, (None, 0))
            if number is not None:
                self.say(number, status, time.monotonic() - start)
        sys.stdout.flush()

    def say(self, number, status, seconds):
        """Prints how the process of a program has ended, and why if it failed."""
        self.all += 1
        self.failed += status != 0
        if os.WIFSIGNALED(status):
            how = f"killed by signal {os.WTERMSIG(status)}"
        else:
            how = f"exit status {os.WEXITSTATUS(status)}"
        print(f"rubric: program {number}: {how} after {seconds:.6f} s")
        why = status and reason_in(output_of(self.args, number))
        if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGALRM:
            why = f"it took longer than --timeout {self.args.timeout:g}"
        if why:
            print(f"rubric: program {number} ended because: {why}")

    def sum_up(self):
        """Says how many did not come to their end. Returns the exit status."""
        if not self.failed:
            return 0
        print(
            f"rubric: {self.failed} of {self.all} programs did not complete: `rubric check {m5.options.outdir}` checks what they did, and "
            "shows crashes"
        )
        return 1


def prepare_forks():
    """Does once what `m5.fork` would do each time. It would also tell every object of the fork, which takes longer than
    a short program; the objects that listen, virtual machines and images of disks, are not used here."""
    # gem5 makes the threads of its event queues when it simulates for the first time. They do not survive a fork.
    m5.simulate(0)
    m5.drain()
    _m5.event.terminateEventQueueThreads()


def fork_all(args, run, programs):
    """Executes all programs, as they arrive. Returns the exit status."""
    # A process that aborts leaves no core dump, and SIGTERM and SIGINT end them all.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    for ends in (signal.SIGTERM, signal.SIGINT):
        signal.signal(ends, lambda number, _: sys.exit(128 + number))
    # A process that ends writes to a pipe, so that one can wait for it and for programs at once.
    ended, signalled = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
    running = {}
    ends = Ended(args)
    number = 0
    try:
        while running or programs.waiting or programs.is_open:
            while programs.waiting and len(running) < args.jobs:
                program = programs.waiting.popleft()
                running[fork(args, run, program, number)] = (number, time.monotonic())
                number += 1
            is_wanted = programs.is_open and not programs.waiting
            files = [ended] + ([programs.file] if is_wanted else [])
            ready, _, _ = select.select(files, [], [])
            if ended in ready:
                os.read(ended, 1 << 12)
            if programs.file in ready:
                programs.read()
            ends.reap(running)
    except SystemExit:
        print(f"rubric: interrupted: {ends.all} programs have ended, and {len(running)} are ended now")
        sys.stdout.flush()
        raise
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)
    return ends.sum_up()


def main():
    args = options()
    remove_earlier(args)
    programs = Programs(args.program, args.client)
    first = programs.next()
    if first is None:
        fail(f"{args.program}: there is no program")
    if not first[0].lstrip().startswith("rubric-program"):
        fail(
            f"{args.program}: begins with no program: its first line should be `rubric-program 1`, as `rubric generate program` "
            "writes it"
        )
    args.num_cpus = args.num_cpus or count(first[0], "thread")
    if args.num_cpus == 0:
        fail(f"{args.program}: the program has no thread")
    if buildEnv["PROTOCOL"] == "MOESI_AMD_Base":
        # Its controllers are for pairs of cores.
        args.num_cpus += args.num_cpus % 2
    if args.dma is None:
        args.dma = count(first[0], "device")
    system, run = build(args)
    root = Root(full_system=False, system=system)
    m5.ticks.setGlobalFrequency("1ns")
    if args.transitions:
        if any("ProtocolTrace" in flags for flags in m5.options.debug_flags):
            fail("--transitions takes the lines of --debug-flags=ProtocolTrace out of the trace: give one of the two")
        debug.flags["ProtocolTrace"].enable()
    if args.fork:
        m5.disableAllListeners()
    m5.instantiate()
    if args.fork:
        prepare_forks()
        programs.waiting.appendleft(first)
        sys.exit(fork_all(args, run, programs))
    execute(args, run, first, 0, place_of(args, args.log, 0))
    if programs.next() is not None:
        print("rubric: further programs are left out without --fork, since caches are not empty any more")


main()
