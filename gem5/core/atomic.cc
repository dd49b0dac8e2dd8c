#include "core/atomic.hh"

#include <algorithm>

namespace rubric
{

namespace
{

/** The most ticks before the first retry. They double with each failure, up to a limit. */
constexpr Tick firstBackoff = 16;
constexpr unsigned mostDoublings = 10;
/** Failures after which the core does nothing else that could evict the line meanwhile. */
constexpr unsigned mostFailures = 3;

} // namespace

bool
Atomic::mustRunAlone() const
{
    return failures > mostFailures;
}

bool
Atomic::isOneRequest() const
{
    return step.form == RmwForm::Atomic || step.form == RmwForm::AtomicNoReturn;
}

RequestKind
Atomic::kind() const
{
    switch (step.form) {
      case RmwForm::Locked:
        return writes ? RequestKind::LockedWrite : RequestKind::LockedRead;
      case RmwForm::Linked:
        return writes ? RequestKind::StoreConditional : RequestKind::LoadLinked;
      case RmwForm::Atomic:
        return RequestKind::Atomic;
      default:
        return RequestKind::AtomicNoReturn;
    }
}

void
Atomic::advance(Tick now, Thread &thread)
{
    if (sent || now < notBefore)
        return;
    if (!thread.send(now, Request{tag, kind(), step.bytes, step.value}))
        return;
    sent = true;
    if (!issued && logs)
        thread.issue(now, own);
    issued = true;
}

bool
Atomic::respond(Tick now, const Response &response, Thread &thread)
{
    sent = false;
    // The line may have left the cache between the load-linked and its response.
    stale = false;
    if (!response.success) {
        writes = false;
        wait(now, thread);
        return false;
    }
    if (!writes)
        read = response.value;
    if (!writes && !isOneRequest()) {
        writes = true;
        return false;
    }
    if (logs && step.form == RmwForm::AtomicNoReturn)
        thread.complete(now, own);
    else if (logs)
        thread.complete(now, own, read);
    return true;
}

/** Waits after a lost reservation: a random time that grows with each failure, so that some core succeeds. */
void
Atomic::wait(Tick now, Thread &thread)
{
    Tick most = firstBackoff << std::min(failures, mostDoublings);
    failures++;
    notBefore = now + (1 + thread.random().upTo(most)) * thread.unit();
    thread.wakeAt(notBefore);
}

} // namespace rubric
