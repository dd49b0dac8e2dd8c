#include "rubric_run.hh"

#include <sstream>

#include "base/logging.hh"
#include "rubric_tester.hh"
#include "sim/cur_tick.hh"
#include "sim/sim_exit.hh"

namespace gem5
{

namespace
{

/** The kind of core of a name; a wrong name is the user's mistake. */
rubric::Client
clientOf(const std::string &name)
{
    try {
        return rubric::Client::named(name);
    } catch (const rubric::ProgramError &error) {
        fatal("RubricRun: client %s", error.what());
    }
}

} // namespace

RubricRun::RubricRun(const RubricRunParams &params)
    : SimObject(params), kind(clientOf(params.client))
{
}

void
RubricRun::add(RubricTester *tester)
{
    testers.push_back(tester);
}

void
RubricRun::load(const std::string &text, const std::string &path)
{
    std::istringstream in(text);
    rubric::ProgramReader reader(in, "program");
    try {
        fatal_if(!reader.next(current), "RubricRun: the program is empty");
    } catch (const rubric::ProgramError &error) {
        fatal("RubricRun: %s", error.what());
    }
    fatal_if(!current.devices.empty(),
             "RubricRun: the program has DMA devices, which RubricTester does not have: leave --dma out");
    fatal_if(current.threads.size() > testers.size(),
             "RubricRun: the program has %d threads, and there are %d cores",
             current.threads.size(), testers.size());
    std::string failure = records.open(path);
    fatal_if(!failure.empty(), "RubricRun: log %s", failure);
    logPath = path;
    records.begin(current, kind.name());
    checkLog();
    running = 0;
    for (RubricTester *tester : testers)
        running += tester->begin() ? 1 : 0;
    fatal_if(running == 0, "RubricRun: the program has no thread");
}

void
RubricRun::finished()
{
    if (--running > 0)
        return;
    records.end(curTick(), true);
    checkLog();
    exitSimLoop("rubric: all operations completed");
}

void
RubricRun::checkLog() const
{
    fatal_if(!records.failure().empty(), "RubricRun: %s: %s", logPath, records.failure());
}

} // namespace gem5
