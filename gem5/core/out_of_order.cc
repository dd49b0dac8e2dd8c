#include "core/out_of_order.hh"

#include <algorithm>

namespace rubric
{

namespace
{

/** Repetitions after which a load no longer overtakes older loads of its location. */
constexpr unsigned mostOvertaking = 2;

bool
isLinked(const Step &step)
{
    return step.kind == OperationKind::Rmw && step.form == RmwForm::Linked;
}

} // namespace

OutOfOrder::OutOfOrder(Thread own, std::size_t window)
    : thread(std::move(own)), size(window), isPerformed(thread.steps().size())
{
    unsigned row = 0;
    for (const Step &step : thread.steps()) {
        rows.push_back(row);
        row += isLinked(step) ? 2 : 1;
    }
}

/** Does everything that is possible now. */
void
OutOfOrder::advance(Tick now)
{
    do {
        fill(now);
        start(now);
    } while (settle(now));
}

/** Takes operations into the window, in program order. Each has a delay of its own. */
void
OutOfOrder::fill(Tick now)
{
    while (window.size() < size && !thread.isOver()) {
        if (needsWindow(thread.steps()[thread.next()]) || !thread.flush(now))
            return;
        Slot slot;
        slot.index = thread.next();
        slot.step = thread.take();
        Tick delay = slot.step.think;
        if (slot.step.kind == OperationKind::Store)
            delay += thread.random().upTo(drainTicks);
        slot.ready = now + delay * thread.unit();
        log(now, slot.index, slot.step);
        if (slot.step.kind == OperationKind::Fence) {
            // It orders other operations and has nothing to do itself.
            isPerformed[slot.index] = true;
            continue;
        }
        if (slot.ready > now)
            thread.wakeAt(slot.ready);
        window.push_back(slot);
    }
}

/** Whether a step enters the window only after one that is still there. */
bool
OutOfOrder::needsWindow(const Step &step) const
{
    auto isIt = [&step](const Slot &slot) { return step.needs == slot.index; };
    return step.needs && std::any_of(window.begin(), window.end(), isIt);
}

/** Logs an operation that enters the window. */
void
OutOfOrder::log(Tick now, std::size_t index, const Step &step)
{
    unsigned row = rows[index];
    thread.order(now, row, step.ordering);
    if (isLinked(step)) {
        thread.issueHalf(now, row, step, false);
        thread.order(now, row + 1, step.conditional);
        thread.issueHalf(now, row + 1, step, true);
        return;
    }
    thread.issueAs(now, row, step);
    if (step.kind == OperationKind::Fence)
        thread.complete(now, row);
}

/** Whether everything that the model puts before a step was performed. */
bool
OutOfOrder::mayStart(const Step &step) const
{
    return std::all_of(step.after.begin(), step.after.end(),
                       [this](std::uint32_t before) { return isPerformed[before]; });
}

/** Sends what the model allows to be performed now. */
void
OutOfOrder::start(Tick now)
{
    if (advanceAtomic(now))
        return;
    for (std::size_t at = 0; at < window.size(); at++) {
        Slot &slot = window[at];
        if (slot.progress != Progress::Waiting || slot.ready > now || !mayStart(slot.step))
            continue;
        if (slot.step.isLoad())
            startLoad(now, at);
        else if (slot.step.kind == OperationKind::Store && !isReserved(slot.step.bytes.address))
            send(now, slot,
                 Request{static_cast<std::uint32_t>(slot.index), RequestKind::Store,
                         slot.step.bytes, slot.step.value});
    }
}

bool
OutOfOrder::send(Tick now, Slot &slot, const Request &request)
{
    bool isSent = thread.send(now, request);
    if (isSent) {
        slot.progress = Progress::Sent;
        slot.stale = slot.again = false;
    }
    return isSent;
}

/**
 * Begins or continues a read-modify-write; whether everything else has to wait for it. While it holds a line locked, another
 * request could wait for a line that another core has locked, and that core for this line; and in a small cache, others could
 * evict a reserved line again and again.
 */
bool
OutOfOrder::advanceAtomic(Tick now)
{
    if (!atomic) {
        const Slot *slot = dueAtomic(now);
        if (!slot)
            return false;
        if (!mayBegin(slot->step))
            return slot->step.form == RmwForm::Locked;
        atomicStep = slot->step;
        atomic.emplace(slot->index, atomicStep, false);
    }
    // A load-linked must not share a value that may be old.
    if (!isStale(thread.lineOf(atomic->address())))
        atomic->advance(now, thread);
    return atomicStep.form == RmwForm::Locked || atomic->mustRunAlone();
}

/** The oldest read-modify-write that may be performed now. */
const OutOfOrder::Slot *
OutOfOrder::dueAtomic(Tick now) const
{
    for (const Slot &slot : window)
        if (slot.step.kind == OperationKind::Rmw && slot.ready <= now && mayStart(slot.step))
            return &slot;
    return nullptr;
}

/**
 * Whether no request is in flight that a read-modify-write has to wait for: any, if it locks its line; else stores to its
 * line, which would end its reservation.
 */
bool
OutOfOrder::mayBegin(const Step &step) const
{
    bool locks = step.form == RmwForm::Locked;
    Address line = thread.lineOf(step.bytes.address);
    for (const Slot &slot : window) {
        bool isStore = slot.step.kind == OperationKind::Store;
        bool disturbs = locks || (isStore && thread.lineOf(slot.step.bytes.address) == line);
        if (slot.progress == Progress::Sent && disturbs)
            return false;
    }
    return true;
}

/** Whether a read-modify-write is in progress on the line of an address. */
bool
OutOfOrder::isReserved(Address address) const
{
    return atomic && thread.lineOf(atomic->address()) == thread.lineOf(address);
}

void
OutOfOrder::startLoad(Tick now, std::size_t at)
{
    Slot &slot = window[at];
    Supply found = supply(at);
    if (found.from == Supply::From::Store) {
        slot.value = found.value;
        slot.progress = Progress::Performed;
        slot.isSettled = true;
    } else if (found.from == Supply::From::Memory) {
        RequestKind kind =
            slot.step.kind == OperationKind::Fetch ? RequestKind::Fetch : RequestKind::Load;
        send(now, slot, Request{static_cast<std::uint32_t>(slot.index), kind, slot.step.bytes, 0});
    }
}

OutOfOrder::Supply
OutOfOrder::supply(std::size_t at) const
{
    const Bytes &bytes = window[at].step.bytes;
    bool isOvertaking = false;
    for (std::size_t older = at; older-- > 0;) {
        const Step &step = window[older].step;
        bool writes = step.kind == OperationKind::Store || step.kind == OperationKind::Rmw;
        if (!writes || !step.bytes.overlaps(bytes)) {
            isOvertaking = isOvertaking || window[older].mayBeOvertaken(bytes);
            continue;
        }
        // A store that serves a load shows no loss of a line that would tell when to repeat it.
        if (step.kind == OperationKind::Rmw || isOvertaking)
            return Supply{Supply::From::Later};
        // Another core may have overwritten what memory has performed, if the line was lost.
        if (window[older].stale)
            return Supply{Supply::From::Later};
        Forwarded forwarded = Forwarded::of(step.bytes, step.value, bytes);
        return forwarded.value ? Supply{Supply::From::Store, *forwarded.value}
                               : Supply{Supply::From::Later};
    }
    bool mustFollow = isOvertaking && window[at].repeated > mostOvertaking;
    bool waits = mustFollow || isStale(thread.lineOf(bytes.address));
    return Supply{waits ? Supply::From::Later : Supply::From::Memory};
}

/** Whether an older load of the location of a load is not settled. */
bool
OutOfOrder::overtakes(std::size_t at) const
{
    for (std::size_t older = 0; older < at; older++)
        if (window[older].mayBeOvertaken(window[at].step.bytes))
            return true;
    return false;
}

/**
 * Whether a read of a line is in flight that may return an old value. Another read would be coalesced with it in the
 * sequencer and get the same value, and would not be known to be old.
 */
bool
OutOfOrder::isStale(Address line) const
{
    for (const Slot &slot : window)
        if (slot.step.isLoad() && slot.progress == Progress::Sent && slot.stale
            && thread.lineOf(slot.step.bytes.address) == line)
            return true;
    return atomic && atomic->isStale() && thread.lineOf(atomic->address()) == line;
}

/** Removes the loads from the window whose values are certain; whether there were any. */
bool
OutOfOrder::settle(Tick now)
{
    bool any = false;
    for (std::size_t at = 0; at < window.size();) {
        Slot &slot = window[at];
        if (slot.progress != Progress::Performed || (!slot.isSettled && overtakes(at))) {
            at++;
            continue;
        }
        thread.complete(now, rows[slot.index], slot.value);
        isPerformed[slot.index] = true;
        window.erase(window.begin() + static_cast<std::ptrdiff_t>(at));
        any = true;
    }
    return any;
}

/** Removes an operation that writes from the window, since memory has performed it. */
void
OutOfOrder::perform(std::size_t index)
{
    isPerformed[index] = true;
    auto isIt = [index](const Slot &slot) { return slot.index == index; };
    window.erase(std::remove_if(window.begin(), window.end(), isIt), window.end());
}

void
OutOfOrder::loadPerformed(const Response &response)
{
    for (Slot &slot : window) {
        bool isIt = slot.step.isLoad() && slot.progress == Progress::Sent
            && static_cast<std::uint32_t>(slot.index) == response.tag;
        if (!isIt)
            continue;
        if (slot.again) {
            repeat(slot);
        } else {
            slot.value = response.value;
            slot.progress = Progress::Performed;
        }
        return;
    }
}

void
OutOfOrder::repeat(Slot &slot)
{
    repetitions++;
    slot.repeated++;
    slot.progress = Progress::Waiting;
}

/** Goes on with the read-modify-write, and logs it when it is complete. */
void
OutOfOrder::atomicPerformed(Tick now, const Response &response)
{
    if (!atomic->respond(now, response, thread))
        return;
    std::size_t index = atomic->index();
    unsigned row = rows[index];
    if (atomicStep.form == RmwForm::AtomicNoReturn)
        thread.complete(now, row);
    else
        thread.complete(now, row, atomic->value());
    if (isLinked(atomicStep))
        thread.complete(now, row + 1);
    atomic.reset();
    perform(index);
}

void
OutOfOrder::step(Tick now)
{
    thread.ring(now);
    advance(now);
}

void
OutOfOrder::respond(Tick now, const Response &response)
{
    if (response.tag == Atomic::tag) {
        atomicPerformed(now, response);
    } else if (response.kind == RequestKind::Store) {
        thread.complete(now, rows[response.tag]);
        perform(response.tag);
    } else {
        loadPerformed(response);
    }
    advance(now);
}

void
OutOfOrder::evicted(Tick now, Address address)
{
    Address line = thread.lineOf(address);
    if (atomic && thread.lineOf(atomic->address()) == line)
        atomic->evicted();
    bool any = false;
    for (std::size_t at = 0; at < window.size(); at++) {
        Slot &slot = window[at];
        if (slot.step.kind == OperationKind::Rmw || thread.lineOf(slot.step.bytes.address) != line)
            continue;
        if (slot.progress == Progress::Sent) {
            slot.stale = true;
            slot.again = slot.again || (slot.step.isLoad() && overtakes(at));
        } else if (slot.progress == Progress::Performed && !slot.isSettled) {
            repeat(slot);
            any = true;
        }
    }
    if (any)
        thread.wakeAt(now + thread.unit());
}

} // namespace rubric
