#include "rubric_device.hh"

#include <cstdint>
#include <vector>

#include "base/trace.hh"
#include "debug/RubricTester.hh"
#include "rubric_bytes.hh"
#include "rubric_run.hh"
#include "sim/cur_tick.hh"
#include "sim/system.hh"

namespace gem5
{

RubricDevice::MemoryPort::MemoryPort(const std::string &name, RubricDevice &device)
    : RequestPort(name), device(device)
{
}

bool
RubricDevice::MemoryPort::recvTimingResp(PacketPtr packet)
{
    device.respond(packet);
    return true;
}

void
RubricDevice::MemoryPort::recvReqRetry()
{
    // The sequencer says so in the middle of a transition, in which nothing is sent.
    device.wakeAt(curTick() + 1);
}

RubricDevice::RubricDevice(const RubricDeviceParams &params)
    : ClockedObject(params), run(*params.run), number(params.number),
      requestor(params.system->getRequestorId(this)), port(name() + ".port", *this),
      alarm([this] { ring(); }, name() + ".alarm")
{
    run.add(this);
}

Port &
RubricDevice::getPort(const std::string &name, PortID index)
{
    return name == "port" ? port : ClockedObject::getPort(name, index);
}

bool
RubricDevice::begin()
{
    const rubric::Program &program = run.program();
    if (number >= program.devices.size())
        return false;
    device = std::make_unique<rubric::Device>(program, number, *this, run.log(), clockPeriod());
    isDone = false;
    wakeAt(clockEdge(Cycles(1)));
    return true;
}

void
RubricDevice::wakeAt(rubric::Tick tick)
{
    if (!alarm.scheduled() || alarm.when() > tick)
        reschedule(alarm, tick, true);
}

void
RubricDevice::ring()
{
    if (device && !isDone) {
        device->step(curTick());
        checkEnd();
    }
}

/** Tells the run when the last access has ended. A log that cannot be written ends gem5. */
void
RubricDevice::checkEnd()
{
    run.checkLog();
    if (!isDone && device->isDone()) {
        isDone = true;
        run.finished();
    }
}

bool
RubricDevice::transfer(const rubric::Transfer &transfer)
{
    auto request = std::make_shared<Request>(transfer.address, 8 * transfer.words, 0, requestor);
    PacketPtr packet =
        transfer.isWrite ? Packet::createWrite(request) : Packet::createRead(request);
    packet->allocate();
    for (unsigned word = 0; transfer.isWrite && word < transfer.words; word++)
        putBytes(transfer.value + transfer.step * word, packet->getPtr<std::uint8_t>() + 8 * word, 8);
    DPRINTF(RubricTester, "%s %#x\n", packet->cmdString(), packet->getAddr());
    if (port.sendTimingReq(packet))
        return true;
    DPRINTF(RubricTester, "%s %#x refused\n", packet->cmdString(), packet->getAddr());
    delete packet;
    return false;
}

void
RubricDevice::respond(PacketPtr packet)
{
    std::vector<std::uint64_t> values(packet->getSize() / 8);
    for (std::size_t word = 0; packet->hasData() && word < values.size(); word++)
        values[word] = getBytes(packet->getConstPtr<std::uint8_t>() + 8 * word, 8);
    DPRINTF(RubricTester, "%s %#x\n", packet->cmdString(), packet->getAddr());
    delete packet;
    device->respond(curTick(), values);
    checkEnd();
}

} // namespace gem5
