"""Runs programs of `rubric generate program` on RubricTester cores and Ruby.

    gem5.opt path/to/rubric.py --program program.txt --log run.log

The protocol is that of the binary. The script takes the options of gem5's configs/ruby too (--topology, --network,
--num-dirs, --l1d_size, ...); unlike there, caches are so small by default that lines are replaced often.
"""

import argparse
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
    places = [os.environ.get("RUBRIC_GEM5")]
    place = os.path.realpath("/proc/self/exe")
    while os.path.dirname(place) != place:
        place = os.path.dirname(place)
        places.append(place)
    for place in places:
        if place and os.path.exists(os.path.join(place, "configs", "ruby", "Ruby.py")):
            return place
    fail(
        "found no configs/ruby/Ruby.py beside the binary: name gem5's source folder in RUBRIC_GEM5"
    )


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


def options():
    parser = argparse.ArgumentParser()
    Options.addNoISAOptions(parser)
    Ruby.define_options(parser)
    parser.add_argument("--program", required=True, help="file of programs; - is standard input")
    parser.add_argument(
        "--log",
        default="rubric.log",
        help="file or pipe of the log, in the output folder unless it has a folder; of several programs, "
        "%%d stands for the number of a program",
    )
    parser.add_argument(
        "--client",
        default="in-order",
        help="kind of core: in-order, store-buffer-N, per-location-N, early-N or early-N-buffer-N; a line `client KIND` "
        "before a program decides it for this one and those behind it",
    )
    parser.add_argument(
        "--dma",
        type=int,
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
        type=int,
        help="seed of the random delays of messages; of several programs the first one's [default: the seed that is in the program]",
    )
    parser.add_argument(
        "--fork",
        action="store_true",
        help="run each program in a process of its own, forked before the first access, so that caches are empty",
    )
    parser.add_argument(
        "--jobs", type=int, default=1, help="with --fork, how many programs run at once"
    )
    parser.add_argument(
        "--output",
        help="with --fork, file of what the process of a program prints; %%d stands for the number of the program",
    )
    parser.add_argument(
        "--timeout",
        type=float,
        help="with --fork, seconds after which the process of a program is ended by SIGALRM",
    )
    parser.add_argument(
        "--deadlock-threshold",
        type=int,
        default=200000,
        help="cycles after which a request that was not answered is a deadlock",
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
    return parser.parse_args()


class Programs:
    """The programs of a file or a pipe, each with the kind of its cores, as they arrive."""

    def __init__(self, path, client):
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


def complete(system):
    """Gives the directories of MOESI_AMD_Base what its script leaves out, with the values of the script of GPU_VIPER."""
    network = system.ruby.network
    for part in system.descendants():
        if type(part).__name__ == "DirCntrl" and "L2isWB" not in part._values:
            part.L2isWB = False
            part.requestFromDMA = MessageBuffer(ordered=True)
            part.requestFromDMA.in_port = network.out_port
            part.responseToDMA = MessageBuffer()
            part.responseToDMA.out_port = network.in_port


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
    complete(system)
    connect(args, system, cores)
    return system, run


def caches_of(controller):
    """The caches that are parameters of a controller. gem5 makes them its children only when it instantiates the system."""
    values = (getattr(controller, name, None) for name in controller._params.keys())
    return [value for value in values if isinstance(value, RubyCache)]


def connect(args, system, cores):
    sequencers = [
        sequencer for sequencer in system.ruby._cpu_ports if sequencer.support_data_reqs
    ]
    if len(sequencers) < len(cores):
        fail(f"{len(cores)} cores, but {len(sequencers)} sequencers")
    for core, sequencer in zip(cores, sequencers):
        core.port = sequencer.in_ports
        sequencer.deadlock_threshold = args.deadlock_threshold
    # Cores that load early have to know of lines that leave the cache, and reservations end with them. gem5's own scripts
    # ask for that only where CPU models need it.
    for part in system.descendants():
        if "send_evictions" in part._params:
            part.send_evictions = not args.no_evictions
        for cache in caches_of(part):
            if int(cache.size) < 2 * int(cache.assoc) * args.cacheline_size:
                fail(
                    f"a cache of {int(cache.size)} bytes with {int(cache.assoc)} ways of {args.cacheline_size} bytes has one set: "
                    "gem5's caches have two or more"
                )
            # gem5's usual policy, a tree, fails with the first access if there is only one way.
            if int(cache.assoc) == 1:
                cache.replacement_policy = LRURP()


def log_of(args, number):
    path = args.log.replace("%d", str(number))
    return path if os.path.dirname(path) else os.path.join(m5.options.outdir, path)


def execute(args, run, program, number):
    """Executes a program in this process. Returns whether all operations completed."""
    program, client = program
    _m5.core.seedRandom(seed_of(args, program, number))
    run.load(program, client, log_of(args, number), args.transitions)
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
    log = log_of(args, number)
    pid = os.fork()
    if pid == 0:
        # The code around this function is the parent's, so the process ends here whatever happens.
        status = 1
        try:
            signal.set_wakeup_fd(-1)
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
            m5.options.outdir = os.path.join(m5.options.outdir, f"program-{number}")
            _m5.core.setOutputDir(m5.options.outdir)
            args.log = log
            redirect(args.output and args.output.replace("%d", str(number)))
            if args.timeout:
                signal.setitimer(signal.ITIMER_REAL, args.timeout)
            status = 0 if execute(args, run, program, number) else INCOMPLETE
        except BaseException:
            traceback.print_exc()
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)
    return pid


def redirect(path):
    """Sends what this process prints to a file."""
    if path:
        file = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND, 0o666)
        os.dup2(file, 1)
        os.dup2(file, 2)
        os.close(file)


def reap(running):
    """Says of each process that has ended how it did."""
    while running:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == 0:
            break
        number, start = running.pop(pid, (None, 0))
        if number is None:
            continue
        if os.WIFSIGNALED(status):
            how = f"killed by signal {os.WTERMSIG(status)}"
        else:
            how = f"exit status {os.WEXITSTATUS(status)}"
        print(f"rubric: program {number}: {how} after {time.monotonic() - start:.6f} s")
    sys.stdout.flush()


def prepare_forks():
    """Does once what `m5.fork` would do each time. It would also tell every object of the fork, which takes longer than
    a short program; the objects that listen, virtual machines and images of disks, are not used here."""
    # gem5 makes the threads of its event queues when it simulates for the first time. They do not survive a fork.
    m5.simulate(0)
    m5.drain()
    _m5.event.terminateEventQueueThreads()


def fork_all(args, run, programs):
    """Executes all programs, as they arrive."""
    if "%d" not in args.log:
        root, ending = os.path.splitext(args.log)
        args.log = root + "-%d" + ending
    # A process that aborts leaves no core dump, and SIGTERM ends them all.
    resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(128 + signal.SIGTERM))
    # A process that ends writes to a pipe, so that one can wait for it and for programs at once.
    ended, signalled = os.pipe2(os.O_NONBLOCK | os.O_CLOEXEC)
    signal.signal(signal.SIGCHLD, lambda *_: None)
    signal.set_wakeup_fd(signalled, warn_on_full_buffer=False)
    running = {}
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
            reap(running)
    finally:
        for pid in running:
            os.kill(pid, signal.SIGKILL)


def main():
    args = options()
    programs = Programs(args.program, args.client)
    first = programs.next()
    if first is None:
        fail(f"{args.program}: there is no program")
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
        fork_all(args, run, programs)
        return
    model = model_of(first[0])
    if model is not None and not first[1].startswith(model):
        print(f"rubric: the program is for cores of {model}; these are {first[1]} (--client {model}-ooo-8)")
    execute(args, run, first, 0)
    if programs.next() is not None:
        print("rubric: further programs are left out without --fork, since caches are not empty any more")


main()
