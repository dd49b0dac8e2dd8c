#include "core/early.hh"

namespace rubric
{

namespace
{

/**
 * Repetitions after which a load waits until it is the oldest operation. Otherwise a few loads that are lost and repeated
 * again and again could occupy a small cache, and keep the oldest out of it.
 */
constexpr unsigned mostRepetitions = 2;

} // namespace

/** Does everything that is possible now. */
void
Early::advance(Tick now)
{
    bool hasCommitted = true;
    while (hasCommitted) {
        fill(now);
        startLoads(now);
        hasCommitted = commit(now);
        buffer.send(now, std::nullopt, thread);
    }
}

/** Takes operations into the window. Each has a delay of its own, so a younger one may be ready first. */
void
Early::fill(Tick now)
{
    while (window.size() < size && !thread.isOver() && thread.flush(now)) {
        Slot slot;
        slot.index = thread.next();
        slot.step = thread.take();
        slot.ready = now + slot.step.think * thread.unit();
        if (slot.ready > now)
            thread.wakeAt(slot.ready);
        window.push_back(slot);
    }
}

void
Early::startLoads(Tick now)
{
    if (loadsMustWait(now))
        return;
    for (std::size_t at = 0; at < window.size(); at++) {
        const Slot &slot = window[at];
        bool isHeldBack = slot.repeated > mostRepetitions && at > 0;
        if (slot.step.isLoad() && slot.progress == Progress::Waiting && slot.ready <= now
            && !isHeldBack)
            startLoad(now, at);
    }
}

void
Early::startLoad(Tick now, std::size_t at)
{
    Slot &slot = window[at];
    Supply found = supply(at);
    if (found.from == Supply::From::Store) {
        thread.issue(now, slot.index);
        slot.value = found.value;
        slot.progress = Progress::Performed;
    } else if (found.from == Supply::From::Memory) {
        RequestKind kind =
            slot.step.kind == OperationKind::Fetch ? RequestKind::Fetch : RequestKind::Load;
        std::uint32_t tag = static_cast<std::uint32_t>(slot.index) & ~mark;
        if (thread.send(now, Request{tag, kind, slot.step.bytes, 0})) {
            thread.issue(now, slot.index);
            slot.progress = Progress::Sent;
            slot.stale = slot.again = false;
        }
    }
}

/**
 * Whether loads must wait for an atomic operation. While that holds a line locked, a load before its second half could wait
 * for a line that another core has locked, and that core for this line. In a small cache, loads could also evict a reserved
 * line again and again.
 */
bool
Early::loadsMustWait(Tick now) const
{
    if (window.empty())
        return false;
    const Slot &first = window.front();
    if (first.step.kind == OperationKind::Rmw && first.step.form == RmwForm::Locked)
        return first.ready <= now;
    return atomic && atomic->mustRunAlone();
}

bool
Early::hasLoadsOnTheirWay() const
{
    for (const Slot &slot : window)
        if (slot.progress == Progress::Sent)
            return true;
    return false;
}

Early::Supply
Early::supply(std::size_t at) const
{
    const Bytes &bytes = window[at].step.bytes;
    auto supplied = [](const Forwarded &forwarded) {
        return forwarded.value ? Supply{Supply::From::Store, *forwarded.value}
                               : Supply{Supply::From::Later};
    };
    for (std::size_t older = at; older-- > 0;) {
        const Step &step = window[older].step;
        bool writes = step.kind == OperationKind::Store || step.kind == OperationKind::Rmw;
        if (!writes || !step.bytes.overlaps(bytes))
            continue;
        if (step.kind == OperationKind::Rmw || !buffer.isThere())
            return Supply{Supply::From::Later};
        return supplied(Forwarded::of(step.bytes, step.value, bytes));
    }
    if (std::optional<Forwarded> newest = buffer.newest(bytes))
        return supplied(*newest);
    bool waits = isStale(thread.lineOf(bytes.address));
    return Supply{waits ? Supply::From::Later : Supply::From::Memory};
}

/**
 * Whether a read of a line is in flight that may return an old value. Another read would be coalesced with it in the
 * sequencer and get the same value, and would not be known to be old.
 */
bool
Early::isStale(Address line) const
{
    for (const Slot &slot : window)
        if (slot.progress == Progress::Sent && slot.stale
            && thread.lineOf(slot.step.bytes.address) == line)
            return true;
    return atomic && atomic->isStale() && thread.lineOf(atomic->address()) == line;
}

/** Commits operations in order; whether there were any. */
bool
Early::commit(Tick now)
{
    bool any = false;
    while (!window.empty() && commitFirst(now)) {
        window.pop_front();
        any = true;
    }
    return any;
}

/** Commits the oldest operation if possible; whether it did. */
bool
Early::commitFirst(Tick now)
{
    const Slot &slot = window.front();
    if (slot.ready > now)
        return false;
    switch (slot.step.kind) {
      case OperationKind::Store:
        return commitStore(now, slot);
      case OperationKind::Rmw:
        advanceAtomic(now, slot);
        return false;
      case OperationKind::Fence:
        if (!buffer.isEmpty())
            return false;
        thread.fence(now, slot.index);
        return true;
      default:
        if (slot.progress != Progress::Performed)
            return false;
        thread.complete(now, slot.index, slot.value);
        return true;
    }
}

bool
Early::commitStore(Tick now, const Slot &slot)
{
    if (buffer.isThere())
        return buffer.enter(now, thread, slot.index, slot.step);
    std::uint32_t tag = static_cast<std::uint32_t>(slot.index) | mark;
    Request request{tag, RequestKind::Store, slot.step.bytes, slot.step.value};
    if (!isStoring && thread.send(now, request)) {
        thread.issue(now, slot.index);
        isStoring = true;
    }
    return false;
}

void
Early::advanceAtomic(Tick now, const Slot &slot)
{
    bool isFree = slot.step.form != RmwForm::Locked || !hasLoadsOnTheirWay();
    if (!atomic && buffer.isEmpty() && isFree)
        atomic.emplace(slot.index, slot.step);
    if (atomic)
        atomic->advance(now, thread);
}

void
Early::loadPerformed(const Response &response)
{
    for (Slot &slot : window) {
        bool isIt = slot.step.isLoad() && slot.progress == Progress::Sent
            && (static_cast<std::uint32_t>(slot.index) & ~mark) == response.tag;
        if (!isIt)
            continue;
        if (slot.again) {
            repetitions++;
            slot.repeated++;
            slot.progress = Progress::Waiting;
        } else {
            slot.value = response.value;
            slot.progress = Progress::Performed;
        }
        return;
    }
}

void
Early::step(Tick now)
{
    thread.ring(now);
    advance(now);
}

void
Early::respond(Tick now, const Response &response)
{
    if (response.tag == Atomic::tag) {
        if (atomic->respond(now, response, thread)) {
            atomic.reset();
            window.pop_front();
        }
    } else if (response.kind != RequestKind::Store) {
        loadPerformed(response);
    } else if (buffer.isThere()) {
        buffer.performed(now, response.tag, thread);
    } else {
        thread.complete(now, window.front().index);
        isStoring = false;
        window.pop_front();
    }
    advance(now);
}

void
Early::evicted(Tick now, Address address)
{
    Address line = thread.lineOf(address);
    if (atomic && thread.lineOf(atomic->address()) == line)
        atomic->evicted();
    buffer.evicted(line, thread);
    bool any = false;
    for (std::size_t at = 0; at < window.size(); at++) {
        Slot &slot = window[at];
        if (!slot.step.isLoad() || thread.lineOf(slot.step.bytes.address) != line)
            continue;
        // All older operations have been performed, so the oldest one may keep the present value.
        bool isOldest = at == 0;
        if (slot.progress == Progress::Sent) {
            slot.stale = true;
            slot.again = slot.again || !isOldest;
        } else if (slot.progress == Progress::Performed && !isOldest) {
            slot.progress = Progress::Waiting;
            slot.repeated++;
            repetitions++;
            any = true;
        }
    }
    if (any)
        thread.wakeAt(now + thread.unit());
}

bool
Early::isDone() const
{
    return thread.isOver() && window.empty() && buffer.isEmpty();
}

} // namespace rubric
