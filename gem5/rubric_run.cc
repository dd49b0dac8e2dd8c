#include "rubric_run.hh"

#include <sstream>

#include "base/logging.hh"
#include "base/trace.hh"
#include "core/transition.hh"
#include "mem/ruby/protocol/MachineType.hh"
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

/** The types of controllers of this gem5. */
std::vector<std::string>
machineTypes()
{
    std::vector<std::string> names;
    for (int type = 0; type < ruby::MachineType_NUM; type++)
        names.push_back(ruby::MachineType_to_string(static_cast<ruby::MachineType>(type)));
    return names;
}

/** Takes the lines of ProtocolTrace out of what gem5 prints, and writes the transitions among them to the log. */
class TransitionLogger : public trace::Logger
{
  public:
    explicit TransitionLogger(rubric::Log &log) : log(log), rest(trace::output()), machines(machineTypes()) {}

    void
    logMessage(Tick when, const std::string &name, const std::string &flag, const std::string &message) override
    {
        rubric::Transition transition;
        if (flag != "ProtocolTrace")
            rest.logMessage(when, name, flag, message);
        else if (rubric::parseTransition(message, machines, transition))
            log.take(transition);
    }

    std::ostream &getOstream() override { return rest.getOstream(); }

  private:
    rubric::Log &log;
    trace::OstreamLogger rest;
    const std::vector<std::string> machines;
};

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
RubricRun::load(const std::string &text, const std::string &client, const std::string &path, bool transitions)
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
    // gem5 owns the logger, and deletes the one before.
    if (transitions)
        trace::setDebugLogger(new TransitionLogger(records));
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
