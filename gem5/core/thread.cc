#include "core/thread.hh"

#include <algorithm>

namespace rubric
{

namespace
{

/** Makes the generator of a thread's core differ from that of its program. */
constexpr std::uint64_t purpose = std::uint64_t(1) << 32;

/**
 * Ticks after which a core tries again what was refused. The response that ends a lock of the line may go to another
 * core, so that no core learns of it.
 */
constexpr Tick retryTicks = 8;

} // namespace

Thread::Thread(const Program &program, unsigned number, Surroundings around)
    : around(around), number(number), lineBytes(program.lineBytes),
      own(program.threads[number]), generator(program.seed, purpose + number)
{
    readyAt = own.empty() ? 0 : own[0].think * around.unit;
    flushes = std::any_of(own.begin(), own.end(), [](const Step &step) { return step.flushes; });
}

const Step *
Thread::due(Tick now)
{
    if (isOver())
        return nullptr;
    if (now < readyAt) {
        wakeAt(readyAt);
        return nullptr;
    }
    return flush(now) ? &own[index] : nullptr;
}

bool
Thread::flush(Tick now)
{
    if (isOver() || !own[index].flushes)
        return true;
    Request request{0, RequestKind::Flush, Bytes{own[index].flushed, 8}, 0};
    if (!send(now, request))
        return false;
    own[index].flushes = false;
    return true;
}

void
Thread::finish(Tick from)
{
    index++;
    readyAt = from + (isOver() ? 0 : own[index].think * around.unit);
}

void
Thread::ring(Tick now)
{
    auto past = [now](Tick tick) { return tick <= now; };
    wakeups.erase(std::remove_if(wakeups.begin(), wakeups.end(), past), wakeups.end());
}

void
Thread::wakeAt(Tick tick)
{
    if (std::find(wakeups.begin(), wakeups.end(), tick) == wakeups.end()) {
        wakeups.push_back(tick);
        around.port.wakeAt(tick);
    }
}

bool
Thread::send(Tick now, const Request &request)
{
    // A sequencer completes what waits behind a flush of its line together with the flush, when the cache has the line no
    // longer: a lock would be of nothing.
    bool locksFlushed = flushes && request.kind == RequestKind::LockedRead
        && around.port.isFlushing(request.bytes.address);
    if (!locksFlushed && around.port.send(request))
        return true;
    setRetry(now);
    return false;
}

void
Thread::setRetry(Tick now)
{
    if (retryAt <= now) {
        retryAt = now + retryTicks * around.unit;
        wakeAt(retryAt);
    }
}

} // namespace rubric
