#include "rubric_run.hh"

#include <sstream>

#include "base/logging.hh"
#include "rubric_device.hh"
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

RubricRun::RubricRun(const RubricRunParams &params) : SimObject(params) {}

void
RubricRun::add(RubricTester *tester)
{
    testers.push_back(tester);
}

void
RubricRun::add(RubricDevice *device)
{
    devices.push_back(device);
}

void
RubricRun::load(const std::string &text, const std::string &client, const std::string &path)
{
    kind = clientOf(client);
    std::istringstream in(text);
    rubric::ProgramReader reader(in, "program");
    try {
        fatal_if(!reader.next(current), "RubricRun: the program is empty");
    } catch (const rubric::ProgramError &error) {
        fatal("RubricRun: %s", error.what());
    }
    fatal_if(current.devices.size() > devices.size(),
             "RubricRun: the program has %d DMA devices, and there are %d (--dma)",
             current.devices.size(), devices.size());
    fatal_if(current.threads.size() > testers.size(),
             "RubricRun: the program has %d threads, and there are %d cores",
             current.threads.size(), testers.size());
    std::string failure = records.open(path);
    fatal_if(!failure.empty(), "RubricRun: log %s", failure);
    logPath = path;
    records.begin(current, kind.name());
    checkLog();
    running = 0;
    try {
        for (RubricTester *tester : testers)
            running += tester->begin() ? 1 : 0;
    } catch (const rubric::ProgramError &error) {
        fatal("RubricRun: %s", error.what());
    }
    for (RubricDevice *device : devices)
        running += device->begin() ? 1 : 0;
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
