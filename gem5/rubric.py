"""Runs programs of `rubric generate program` on RubricTester cores and Ruby.

    gem5.opt path/to/rubric.py --program program.txt --log run.log

The protocol is that of the binary. The script takes the options of gem5's configs/ruby too (--topology, --network,
--num-dirs, --l1d_size, ...); unlike there, caches are so small by default that lines are replaced often.
"""

import argparse
import os
import sys

import _m5.core
import m5
from m5.defines import buildEnv
from m5.objects import *
from m5.util import addToPath


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
    sys.exit(
        "rubric.py: found no configs/ruby/Ruby.py beside the binary: name gem5's source folder in RUBRIC_GEM5"
    )


addToPath(os.path.join(folder_of_gem5(), "configs"))

from common import Options
from ruby import Ruby


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
        help="kind of core: in-order, store-buffer-N, per-location-N, early-N or early-N-buffer-N",
    )
    parser.add_argument(
        "--steady", action="store_true", help="no random delays of messages"
    )
    parser.add_argument(
        "--delay-seed", type=int, default=1, help="seed of the random delays of messages"
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
    return parser.parse_args()


def programs(stream):
    """The programs of a stream, one at a time, so that a pipe can go on making them."""
    text = []
    for line in stream:
        text.append(line)
        if line.strip() == "end":
            yield "".join(text)
            text = []
    if "".join(text).strip():
        # The cores' reader says what is wrong with it.
        yield "".join(text)


def threads(program):
    return sum(line.strip() == "thread" for line in program.splitlines())


def build(args):
    """The system, with a core on each sequencer."""
    run = RubricRun(client=args.client)
    cores = [RubricTester(run=run, thread=thread) for thread in range(args.num_cpus)]
    system = System(cpu=cores, mem_ranges=[AddrRange(args.mem_size)], mem_mode="timing")
    system.cache_line_size = args.cacheline_size
    system.rubric_run = run
    system.voltage_domain = VoltageDomain(voltage=args.sys_voltage)
    system.clk_domain = SrcClockDomain(
        clock=args.sys_clock, voltage_domain=system.voltage_domain
    )
    Ruby.create_system(args, False, system, cpus=cores)
    system.ruby.clk_domain = SrcClockDomain(
        clock=args.ruby_clock, voltage_domain=system.voltage_domain
    )
    system.ruby.randomization = not args.steady
    connect(args, system, cores)
    return system, run


def connect(args, system, cores):
    sequencers = [
        sequencer for sequencer in system.ruby._cpu_ports if sequencer.support_data_reqs
    ]
    if len(sequencers) < len(cores):
        sys.exit(f"rubric.py: {len(cores)} cores, but {len(sequencers)} sequencers")
    for core, sequencer in zip(cores, sequencers):
        core.port = sequencer.in_ports
        sequencer.deadlock_threshold = args.deadlock_threshold
    # Cores that load early have to know of lines that leave the cache, and reservations end with them. gem5's own scripts
    # ask for that only where CPU models need it.
    for part in system.ruby.descendants():
        if "send_evictions" in part._params:
            part.send_evictions = True


def log_of(args, number):
    path = args.log.replace("%d", str(number))
    return path if os.path.dirname(path) else os.path.join(m5.options.outdir, path)


def execute(args, run, program, number):
    """Executes a program in this process."""
    _m5.core.seedRandom(args.delay_seed + number)
    run.load(program, log_of(args, number))
    event = m5.simulate(args.abs_max_tick - m5.curTick())
    print(f"rubric: program {number}: exited @ tick {m5.curTick()} because {event.getCause()}")
    sys.stdout.flush()


def fork(args, run, program, number):
    """Executes a program in a process of its own, which has a folder for gem5's output. Returns its id."""
    sys.stdout.flush()
    sys.stderr.flush()
    log = log_of(args, number)
    pid = m5.fork("%(parent)s/program-" + str(number))
    if pid == 0:
        args.log = log
        execute(args, run, program, number)
        sys.stdout.flush()
        os._exit(0)
    return pid


def wait(running):
    """Waits for one of the processes, and says how it ended if that was not in order."""
    pid, status = os.wait()
    number = running.pop(pid, None)
    if os.WIFSIGNALED(status):
        print(f"rubric: program {number}: killed by signal {os.WTERMSIG(status)}")
    elif os.WEXITSTATUS(status) != 0:
        print(f"rubric: program {number}: exit status {os.WEXITSTATUS(status)}")


def fork_all(args, run, first, others):
    if "%d" not in args.log:
        root, ending = os.path.splitext(args.log)
        args.log = root + "-%d" + ending
    running = {}
    for number, program in enumerate(chain(first, others)):
        while len(running) >= args.jobs:
            wait(running)
        running[fork(args, run, program, number)] = number
    while running:
        wait(running)


def chain(first, others):
    yield first
    yield from others


def main():
    args = options()
    stream = sys.stdin if args.program == "-" else open(args.program)
    others = programs(stream)
    first = next(others, None)
    if first is None:
        sys.exit(f"rubric.py: {args.program}: there is no program")
    args.num_cpus = args.num_cpus or threads(first)
    system, run = build(args)
    root = Root(full_system=False, system=system)
    m5.ticks.setGlobalFrequency("1ns")
    if args.fork:
        m5.disableAllListeners()
    m5.instantiate()
    if args.fork:
        fork_all(args, run, first, others)
        return
    execute(args, run, first, 0)
    if next(others, None) is not None:
        print("rubric: further programs are left out without --fork, since caches are not empty any more")


main()
