/**
 * Stands in for gem5 in tests of what drives it: it takes the command line with which gem5 runs rubric.py, and runs the programs
 * on the memory of `machine.hh`, each in a process of its own.
 *
 * The name of the executable says what is wrong with it: one whose name contains `forgetful` tells no core of lines that others
 * write; in those with `panic`, `deadlock`, `killed`, `hangs`, `stuck` or `cut`, every third program ends in that way. With
 * `broken`, it ends before the first program, and with `doomed` it is killed there; with `mortal` it is killed after some programs.
 * With `plain` it says that it is a gem5 without a protocol, and with `several` that it has two, of which it wants to be told one.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <fstream>
#include <iostream>
#include <map>
#include <sstream>
#include <utility>
#include <string>

#include <fcntl.h>
#include <poll.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "test/machine.hh"

namespace
{

using namespace rubric;

/** After how many events a program ends that ends badly. */
constexpr std::uint64_t eventsBefore = 200;
/** Exit status of a program that has not completed, as in rubric.py. */
constexpr int incomplete = 3;

/** The options that matter here. */
struct Options
{
    std::string name, client, log, output, protocol;
    double timeout = 0;
    unsigned jobs = 1;
    bool hasTransitions = false;

    bool is(const char *word) const { return name.find(word) != std::string::npos; }
};

std::string
numbered(std::string path, unsigned number)
{
    std::size_t at = path.find("%d");
    return at == std::string::npos ? path : path.replace(at, 2, std::to_string(number));
}

/** Logs that a cache which has no line gets it. */
void
logTransition(Log &log, Tick tick, unsigned core, const Request &request)
{
    bool isStore = request.kind == RequestKind::Store;
    Transition transition;
    transition.tick = tick;
    transition.machine = "L1Cache";
    transition.version = core;
    transition.event = isStore ? "Store" : "Load";
    transition.state = "I";
    transition.next = isStore ? "IM" : "IS";
    transition.address = request.bytes.address & ~63ull;
    log.take(transition);
}

/** What gem5 says when it aborts. */
[[noreturn]] void
abortAs(const Options &options, Tick tick)
{
    if (options.is("panic"))
        std::fprintf(stderr,
                     "src/mem/ruby/protocol/L1Cache_Transitions.cc:90: panic: Invalid transition\n"
                     "system.l1_cntrl0 time: %llu addr: 0x1000 event: Store state: IS\n",
                     static_cast<unsigned long long>(tick));
    else
        std::fprintf(stderr,
                     "src/mem/ruby/system/Sequencer.cc:302: panic: Possible Deadlock detected. Aborting!\n"
                     "version: 0 request.paddr: 0x1000 m_readRequestTable: 1 current time: %llu issue_time: 5 "
                     "difference: 200005\n",
                     static_cast<unsigned long long>(tick));
    std::fprintf(stderr, "Memory Usage: 100000 KBytes\nProgram aborted at tick %llu\n",
                 static_cast<unsigned long long>(tick));
    std::abort();
}

/** Ends a program badly, after some of its events. */
[[noreturn]] void
endBadly(const Options &options, Machine &machine, Log &log, const std::string &path)
{
    if (options.is("cut")) {
        machine.run();
        log.end(machine.tick(), true);
        std::ifstream file(path, std::ios::binary | std::ios::ate);
        bool isCut = truncate(path.c_str(), static_cast<off_t>(file.tellg()) - 1) == 0;
        std::_Exit(isCut ? 0 : 1);
    }
    machine.run(eventsBefore);
    if (options.is("killed"))
        raise(SIGKILL);
    if (options.is("stuck"))
        std::_Exit(incomplete);
    while (options.is("hangs"))
        pause();
    abortAs(options, machine.tick());
}

/** Runs a program in this process. */
[[noreturn]] void
execute(const Options &options, const Program &program, const std::string &kind, unsigned number)
{
    std::string output = numbered(options.output, number), path = numbered(options.log, number);
    int file = open(output.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 0666);
    dup2(file, 1);
    dup2(file, 2);
    std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
    itimerval limit{};
    limit.it_value.tv_sec = static_cast<time_t>(options.timeout);
    limit.it_value.tv_usec = static_cast<suseconds_t>((options.timeout - limit.it_value.tv_sec) * 1e6);
    setitimer(ITIMER_REAL, &limit, nullptr);
    Client client = Client::named(kind);
    Log log;
    std::string failure = log.open(path);
    if (!failure.empty())
        throw ProgramError(failure);
    Machine machine(program, client, program.seed, options.is("forgetful"), log);
    if (options.hasTransitions)
        machine.onPerformed = [&log](Tick tick, unsigned core, const Request &request) {
            logTransition(log, tick, core, request);
        };
    log.begin(program, client.name());
    bool isBad = options.is("panic") || options.is("deadlock") || options.is("killed") || options.is("hangs")
        || options.is("stuck") || options.is("cut");
    if (isBad && program.seed % 3 == 0)
        endBadly(options, machine, log, path);
    bool isComplete = machine.run();
    log.end(machine.tick(), isComplete);
    std::fflush(stdout);
    std::_Exit(isComplete ? 0 : incomplete);
}

/** The programs of standard input, each with the kind of its cores, as they arrive. */
class Programs
{
  public:
    explicit Programs(std::string client) : client(std::move(client)) {}

    /** Takes in what there is, and waits for something if there is nothing. */
    void
    read()
    {
        char bytes[1 << 16];
        ssize_t count = ::read(0, bytes, sizeof bytes);
        isOpen = count > 0;
        text.append(bytes, isOpen ? static_cast<std::size_t>(count) : 0);
        std::size_t end;
        for (; (end = text.find('\n')) != std::string::npos; text.erase(0, end + 1))
            line(text.substr(0, end));
    }

    bool isOpen = true;
    std::deque<std::pair<std::string, std::string>> waiting;

  private:
    void
    line(const std::string &words)
    {
        if (program.empty() && words.rfind("client ", 0) == 0) {
            client = words.substr(7);
            return;
        }
        program += words + "\n";
        if (words == "end")
            waiting.emplace_back(std::exchange(program, ""), client);
    }

    std::string client, program, text;
};

/** The programs that run, by their processes. */
using Running = std::map<pid_t, unsigned>;

/** Says of each program that has ended how it did. Returns how many have. */
unsigned
reap(Running &running)
{
    unsigned count = 0;
    int status = 0;
    for (pid_t pid; !running.empty() && (pid = waitpid(-1, &status, WNOHANG)) > 0; running.erase(pid), count++) {
        std::cout << "rubric: program " << running[pid] << ": ";
        if (WIFSIGNALED(status))
            std::cout << "killed by signal " << WTERMSIG(status);
        else
            std::cout << "exit status " << WEXITSTATUS(status);
        std::cout << " after 0.001000 s" << std::endl;
    }
    return count;
}

int
runAll(const Options &options)
{
    // The end of a process interrupts the wait for programs, and nothing else.
    sigset_t ends, none;
    sigemptyset(&none);
    sigemptyset(&ends);
    sigaddset(&ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ends, nullptr);
    std::signal(SIGCHLD, [](int) {});
    Programs programs(options.client);
    Running running;
    unsigned number = 0, ended = 0;
    while (programs.isOpen || !programs.waiting.empty() || !running.empty()) {
        for (; !programs.waiting.empty() && running.size() < options.jobs; number++) {
            auto [text, client] = programs.waiting.front();
            programs.waiting.pop_front();
            std::istringstream in(text);
            Program program;
            ProgramReader(in, "standard input").next(program);
            std::cout.flush();
            pid_t pid = fork();
            if (pid == 0)
                execute(options, program, client, number);
            running[pid] = number;
        }
        pollfd input{0, POLLIN, 0};
        bool isWanted = programs.isOpen && programs.waiting.empty();
        if (ppoll(&input, isWanted ? 1 : 0, nullptr, &none) > 0)
            programs.read();
        ended += reap(running);
        bool isFirstOver = true;
        for (const auto &[pid, one] : running)
            isFirstOver = isFirstOver && one > 0;
        if (options.is("mortal") && ended >= 2 && isFirstOver)
            raise(SIGKILL);
    }
    return 0;
}

/** Answers the script with which rubric asks what a binary is. */
int
answer(const Options &options)
{
    std::cout << "rubric: compiled Jan  1 2026 00:00:00\nrubric: has RubricTester\n";
    if (!options.is("plain"))
        std::cout << "rubric: protocol MI_example\n";
    if (options.is("several"))
        std::cout << "rubric: protocol MOESI_hammer\n";
    return 0;
}

} // namespace

int
main(int count, char **words)
{
    Options options;
    options.name = words[0];
    options.name = options.name.substr(options.name.rfind('/') + 1);
    for (int at = 1; at < count; at++) {
        std::string word = words[at], next = at + 1 < count ? words[at + 1] : "";
        if (word.size() > 12 && word.substr(word.size() - 12) == "/question.py")
            return answer(options);
        else if (word == "--client")
            options.client = next;
        else if (word == "--log")
            options.log = next;
        else if (word == "--output")
            options.output = next;
        else if (word == "--timeout")
            options.timeout = std::atof(next.c_str());
        else if (word == "--jobs")
            options.jobs = std::atoi(next.c_str());
        else if (word == "--transitions")
            options.hasTransitions = true;
        else if (word.rfind("--protocol=", 0) == 0)
            options.protocol = word.substr(11);
    }
    if (options.is("several") == options.protocol.empty()) {
        std::cerr << "fatal: --protocol is for a gem5 with several, which needs it" << std::endl;
        return 1;
    }
    if (options.is("broken")) {
        std::cerr << "fatal: this gem5 is broken" << std::endl;
        return 1;
    }
    if (options.is("doomed")) {
        std::cerr << "warn: memory is short" << std::endl;
        raise(SIGKILL);
    }
    try {
        return runAll(options);
    } catch (const ProgramError &error) {
        std::cerr << error.what() << std::endl;
        return 1;
    }
}
