#include "core/buffered.hh"

namespace rubric
{

void
Buffered::advance(Tick now)
{
    run(now);
    buffer.send(now, locking(now), thread);
}

/**
 * The bytes whose line is to be locked, or is, if any. Stores to others wait: in front of the second half, one could wait
 * for a line that another core has locked, and that core for this line. A buffer that is first in, first out is empty by
 * then.
 */
std::optional<Bytes>
Buffered::locking(Tick now) const
{
    if (!byLocation || thread.isOver())
        return std::nullopt;
    bool isDue = atomic.has_value() || (!isLoading && thread.ready() <= now);
    const Step &step = thread.steps()[thread.next()];
    bool isLocked = step.kind == OperationKind::Rmw && step.form == RmwForm::Locked;
    return isDue && isLocked ? std::optional<Bytes>(step.bytes) : std::nullopt;
}

/** Goes on with the program as far as possible. */
void
Buffered::run(Tick now)
{
    while (!isLoading) {
        if (atomic) {
            atomic->advance(now, thread);
            return;
        }
        const Step *step = thread.due(now);
        if (!step)
            return;
        bool goesOn = false;
        switch (step->kind) {
          case OperationKind::Store:
            goesOn = store(now, *step);
            break;
          case OperationKind::Rmw:
            goesOn = beginAtomic(*step);
            break;
          case OperationKind::Fence:
            goesOn = fence(now);
            break;
          default:
            goesOn = load(now, *step);
        }
        if (!goesOn)
            return;
    }
}

/** Whether the program can go on at once. */
bool
Buffered::load(Tick now, const Step &step)
{
    std::optional<Forwarded> newest = buffer.newest(step.bytes);
    if (newest && !newest->value)
        return false;
    std::size_t index = thread.next();
    if (newest) {
        thread.issue(now, index);
        thread.complete(now, index, *newest->value);
        thread.finish(now + thread.unit());
        return true;
    }
    RequestKind kind =
        step.kind == OperationKind::Fetch ? RequestKind::Fetch : RequestKind::Load;
    isLoading = thread.send(now, Request{static_cast<std::uint32_t>(index), kind, step.bytes, 0});
    if (isLoading)
        thread.issue(now, index);
    return false;
}

bool
Buffered::store(Tick now, const Step &step)
{
    bool hasEntered = buffer.enter(now, thread, thread.next(), step);
    if (hasEntered)
        thread.finish(now + thread.unit());
    return hasEntered;
}

bool
Buffered::beginAtomic(const Step &step)
{
    bool waits = byLocation ? buffer.has(step.bytes, step.form == RmwForm::Locked)
                            : !buffer.isEmpty();
    if (!waits)
        atomic.emplace(thread.next(), step);
    return !waits;
}

bool
Buffered::fence(Tick now)
{
    if (!buffer.isEmpty())
        return false;
    thread.fence(now, thread.next());
    thread.finish(now + thread.unit());
    return true;
}

void
Buffered::step(Tick now)
{
    thread.ring(now);
    advance(now);
}

void
Buffered::respond(Tick now, const Response &response)
{
    if (response.tag == Atomic::tag) {
        if (atomic->respond(now, response, thread)) {
            atomic.reset();
            thread.finish(now);
        }
    } else if (response.kind == RequestKind::Store) {
        buffer.performed(now, response.tag, thread);
    } else {
        thread.complete(now, response.tag, response.value);
        isLoading = false;
        thread.finish(now);
    }
    advance(now);
}

} // namespace rubric
