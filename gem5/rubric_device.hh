/**
 * A DMA device that makes the accesses of a device of a program made by rubric, on a port of the memory system.
 */
#ifndef RUBRIC_DEVICE_HH
#define RUBRIC_DEVICE_HH

#include <memory>
#include <string>

#include "core/device.hh"
#include "mem/packet.hh"
#include "mem/port.hh"
#include "params/RubricDevice.hh"
#include "sim/clocked_object.hh"
#include "sim/eventq.hh"

namespace gem5
{

class RubricRun;

class RubricDevice : public ClockedObject, public rubric::DevicePort
{
  public:
    explicit RubricDevice(const RubricDeviceParams &params);

    Port &getPort(const std::string &name, PortID index = InvalidPortID) override;

    /** Begins the accesses of the device; whether the run's program has it. */
    bool begin();

    // What the device asks for.
    bool transfer(const rubric::Transfer &transfer) override;
    void wakeAt(rubric::Tick tick) override;

  private:
    class MemoryPort : public RequestPort
    {
      public:
        MemoryPort(const std::string &name, RubricDevice &device);

      protected:
        bool recvTimingResp(PacketPtr packet) override;
        void recvReqRetry() override;

      private:
        RubricDevice &device;
    };

    void ring();
    void respond(PacketPtr packet);
    void checkEnd();

    RubricRun &run;
    const unsigned number;
    const RequestorID requestor;
    MemoryPort port;
    std::unique_ptr<rubric::Device> device;
    bool isDone = true;
    EventFunctionWrapper alarm;
};

} // namespace gem5

#endif
