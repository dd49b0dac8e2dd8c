/**
 * What every kind of core needs to run its thread: the steps, the wakeups, and the log.
 */
#ifndef RUBRIC_CORE_THREAD_HH
#define RUBRIC_CORE_THREAD_HH

#include <cstddef>
#include <string>
#include <vector>

#include "core/core.hh"
#include "core/log.hh"
#include "core/random.hh"

namespace rubric
{

/** The surroundings of a core. */
struct Surroundings
{
    CorePort &port;
    Log &log;
    /** Ticks of the simulator that are one tick of a program. */
    Tick unit;
};

class Thread
{
  public:
    Thread(const Program &program, unsigned number, Surroundings around);

    const std::vector<Step> &steps() const { return own; }
    /** The index of the next operation. */
    std::size_t next() const { return index; }
    bool isOver() const { return index >= own.size(); }
    Tick unit() const { return around.unit; }
    Tick ready() const { return readyAt; }
    Random &random() { return generator; }
    Address lineOf(Address address) const { return address / lineBytes; }

    /** The next step if its time has come and its flush was sent; otherwise the core is woken at that time. */
    const Step *due(Tick now);

    /** Sends the flush before the next operation, if there is one that was not sent; whether the operation may begin. */
    bool flush(Tick now);

    /** Takes the next operation, for a core that begins operations before the ones before have ended. */
    const Step &take() { return own[index++]; }

    /** Goes on to the next operation; the current one ended at the tick `from`. */
    void finish(Tick from);

    /** Removes the wakeups up to now. */
    void ring(Tick now);

    /** Wakes the core at a later tick. */
    void wakeAt(Tick tick);

    /** Sends a request; whether it was accepted. Otherwise the core is woken to try again. */
    bool send(Tick now, const Request &request);

    void issue(Tick now, std::size_t at) { around.log.issue(now, number, at, own[at]); }
    void complete(Tick now, std::size_t at) { around.log.complete(now, number, at); }
    void complete(Tick now, std::size_t at, std::uint64_t read)
    {
        around.log.complete(now, number, at, read);
    }

    /** The same for the cores of weak models, which tell the log what orders an operation, and where it is in the log. */
    void order(Tick now, unsigned row, const std::string &ordering)
    {
        if (!ordering.empty())
            around.log.order(now, number, row, ordering);
    }
    void issueAs(Tick now, unsigned row, const Step &step) { around.log.issue(now, number, row, step); }
    void issueHalf(Tick now, unsigned row, const Step &step, bool isStore)
    {
        around.log.issueHalf(now, number, row, step, isStore);
    }

    /** A fence issues and completes at once. */
    void fence(Tick now, std::size_t at)
    {
        issue(now, at);
        complete(now, at);
    }

  private:
    void setRetry(Tick now);

    Surroundings around;
    unsigned number;
    Address lineBytes;
    std::vector<Step> own;
    std::size_t index = 0;
    Tick readyAt = 0;
    Random generator;
    /** The ticks at which the core is woken. */
    std::vector<Tick> wakeups;
    Tick retryAt = 0;
    /** Whether the program flushes lines. */
    bool flushes = false;
};

} // namespace rubric

#endif
