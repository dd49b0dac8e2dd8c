/**
 * Runs the cores without gem5, for the tests: `cli/tests/it/gem5.rs` compiles and drives this program.
 *
 *     cores echo                                    writes the programs of standard input again
 *     cores random SEED PURPOSE BOUND COUNT         prints pseudo-random numbers
 *     cores run CLIENT LOG SEED [forgetful]         runs the programs of standard input on a memory with random latencies, which
 *                                                   is atomic; if it is forgetful, it tells no core of lines that others write
 *     cores transitions LOG MACHINE...              logs the transitions of the lines of ProtocolTrace on standard input
 */
#include <cstdlib>
#include <iostream>

#include "test/machine.hh"

namespace
{

using namespace rubric;

int
echo()
{
    ProgramReader reader(std::cin, "standard input");
    for (Program program; reader.next(program);)
        program.write(std::cout);
    return 0;
}

int
draw(char **words)
{
    Random random(std::strtoull(words[0], nullptr, 0), std::strtoull(words[1], nullptr, 0));
    std::uint64_t bound = std::strtoull(words[2], nullptr, 0);
    for (int left = std::atoi(words[3]); left > 0; left--)
        std::cout << random.below(bound) << '\n';
    return 0;
}

int
run(char **words, bool forgetful)
{
    Client client = Client::named(words[0]);
    Log log;
    std::string failure = log.open(words[1]);
    ProgramReader reader(std::cin, "standard input");
    std::uint64_t seed = std::strtoull(words[2], nullptr, 0), repeated = 0;
    bool isComplete = true;
    for (Program program; failure.empty() && reader.next(program);) {
        Machine machine(program, client, seed++, forgetful, log);
        log.begin(program, client.name());
        isComplete = machine.run();
        log.end(machine.tick(), isComplete);
        failure = isComplete ? log.failure() : "a run did not end: " + program.name;
        repeated += machine.repeated();
    }
    if (!failure.empty())
        throw ProgramError(failure);
    std::cout << "repeated loads: " << repeated << '\n';
    return 0;
}

/** `machines` are the types of controllers, and end with a null pointer. */
int
logTransitions(char **words)
{
    std::vector<std::string> machines;
    for (char **machine = words + 1; *machine; machine++)
        machines.push_back(*machine);
    Log log;
    std::string failure = log.open(words[0]);
    Program program;
    log.begin(program, "");
    Transition transition;
    for (std::string line; std::getline(std::cin, line);)
        if (parseTransition(line + "\n", machines, transition))
            log.take(transition);
    log.end(transition.tick, true);
    if (failure.empty())
        failure = log.failure();
    if (!failure.empty())
        throw ProgramError(failure);
    return 0;
}

} // namespace

int
main(int count, char **words)
{
    try {
        std::string command = count > 1 ? words[1] : "";
        if (command == "echo" && count == 2)
            return echo();
        if (command == "random" && count == 6)
            return draw(words + 2);
        if (command == "run" && (count == 5 || count == 6))
            return run(words + 2, count == 6);
        if (command == "transitions" && count > 3)
            return logTransitions(words + 2);
    } catch (const ProgramError &error) {
        std::cerr << error.what() << '\n';
        return 1;
    }
    std::cerr << "expected echo, random SEED PURPOSE BOUND COUNT, run CLIENT LOG SEED [forgetful] or transitions LOG MACHINE...\n";
    return 2;
}
