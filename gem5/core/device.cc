#include "core/device.hh"

namespace rubric
{

namespace
{

/** Ticks of the program after which a refused access is made again. */
constexpr Tick refusedTicks = 8;

/** A word of an access, as an operation. */
Step
stepOf(const Transfer &transfer, unsigned word)
{
    Step step;
    step.kind = transfer.isWrite ? OperationKind::Store : OperationKind::Load;
    step.bytes = Bytes{transfer.address + 8 * word, 8};
    step.value = transfer.value + transfer.step * word;
    return step;
}

} // namespace

Device::Device(const Program &program, unsigned number, DevicePort &port, Log &log, Tick unit)
    : port(port), log(log), unit(unit), thread(program.threads.size() + number),
      transfers(program.devices[number])
{
    readyAt = isDone() ? 0 : transfers[0].think * unit;
}

void
Device::step(Tick now)
{
    if (isDone() || isWaiting)
        return;
    if (now < readyAt) {
        wakeAt(readyAt);
        return;
    }
    const Transfer &transfer = transfers[next];
    if (!port.transfer(transfer)) {
        wakeAt(now + refusedTicks * unit);
        return;
    }
    isWaiting = true;
    for (unsigned word = 0; word < transfer.words; word++)
        log.issue(now, thread, index + word, stepOf(transfer, word));
}

void
Device::wakeAt(Tick tick)
{
    if (wokenAt < tick) {
        wokenAt = tick;
        port.wakeAt(tick);
    }
}

void
Device::respond(Tick now, const std::vector<std::uint64_t> &values)
{
    const Transfer &transfer = transfers[next];
    for (unsigned word = 0; word < transfer.words; word++, index++) {
        if (transfer.isWrite)
            log.complete(now, thread, index);
        else
            log.complete(now, thread, index, values[word]);
    }
    isWaiting = false;
    next++;
    readyAt = now + (isDone() ? 0 : transfers[next].think * unit);
    step(now);
}

} // namespace rubric
