/**
 * A DMA device, which accesses parts of cache lines: it is the device of `rubric simulate` (simulate/src/client/dma.rs).
 *
 * It makes one access at a time, in the order of its program, and waits for the response. An access to several words is an
 * operation for each in the log, in the order of addresses.
 */
#ifndef RUBRIC_CORE_DEVICE_HH
#define RUBRIC_CORE_DEVICE_HH

#include <cstddef>
#include <vector>

#include "core/core.hh"
#include "core/log.hh"

namespace rubric
{

/** The interface of the memory system to a device. */
class DevicePort
{
  public:
    virtual ~DevicePort() = default;

    /** Offers an access, whose response comes later; false if it is refused, and has to be made again. */
    virtual bool transfer(const Transfer &transfer) = 0;

    /** Schedules a call of Device::step at a later tick. */
    virtual void wakeAt(Tick tick) = 0;
};

class Device
{
  public:
    /** The `number`-th device of a program. `unit` is a tick of the program in ticks of the simulator. */
    Device(const Program &program, unsigned number, DevicePort &port, Log &log, Tick unit);

    /** Goes on. Called at the start, whenever the device scheduled it, and when accesses may be accepted again. */
    void step(Tick now);

    /** The response to the access: the words that it read, or were there before it wrote. */
    void respond(Tick now, const std::vector<std::uint64_t> &values);

    bool isDone() const { return next >= transfers.size(); }

  private:
    void wakeAt(Tick tick);

    DevicePort &port;
    Log &log;
    Tick unit;
    /** The thread of the history: devices come behind the cores. */
    unsigned thread;
    std::vector<Transfer> transfers;
    std::size_t next = 0;
    /** The index of the next operation in the log. */
    unsigned index = 0;
    bool isWaiting = false;
    Tick readyAt = 0;
    /** The latest tick for which the device asked to be woken. */
    Tick wokenAt = 0;
};

} // namespace rubric

#endif
