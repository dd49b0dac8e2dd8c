/**
 * A core that executes a thread of a program made by rubric, on a port of the memory system.
 */
#ifndef RUBRIC_TESTER_HH
#define RUBRIC_TESTER_HH

#include <memory>
#include <string>
#include <vector>

#include "base/types.hh"
#include "core/core.hh"
#include "mem/packet.hh"
#include "mem/port.hh"
#include "mem/request.hh"
#include "params/RubricTester.hh"
#include "sim/clocked_object.hh"
#include "sim/eventq.hh"

namespace gem5
{

class RubricRun;

class RubricTester : public ClockedObject, public rubric::CorePort
{
  public:
    explicit RubricTester(const RubricTesterParams &params);

    Port &getPort(const std::string &name, PortID index = InvalidPortID) override;

    /** Begins to execute the thread of the run's program; whether there is one. */
    bool begin();

    // What the core asks for.
    bool send(const rubric::Request &request) override;
    void wakeAt(rubric::Tick tick) override;
    bool isFlushing(rubric::Address address) const override;

  private:
    class MemoryPort : public RequestPort
    {
      public:
        MemoryPort(const std::string &name, RubricTester &tester);

        /** Whether it is told of lines that leave the cache: it always is. */
        bool isSnooping() const override { return true; }

      protected:
        bool recvTimingResp(PacketPtr packet) override;
        void recvTimingSnoopReq(PacketPtr packet) override;
        void recvReqRetry() override;
        void recvFunctionalSnoop(PacketPtr) override {}
        Tick recvAtomicSnoop(PacketPtr) override { return 0; }

      private:
        RubricTester &tester;
    };

    /** The port for a request of this kind. */
    MemoryPort &portFor(rubric::RequestKind kind);

    /** What a packet is about, which comes back with its response. */
    struct Sent : public Packet::SenderState
    {
        Sent(std::uint32_t tag, rubric::RequestKind kind) : tag(tag), kind(kind) {}

        const std::uint32_t tag;
        const rubric::RequestKind kind;
    };

    PacketPtr packetOf(const rubric::Request &request);
    void respond(PacketPtr packet);
    void ring();
    void step();
    void checkEnd();
    void setAlarm();

    RubricRun &run;
    const unsigned thread;
    const RequestorID requestor;
    MemoryPort port;
    /** The port for instruction fetches, where they have a sequencer of their own. */
    MemoryPort fetchPort;
    /** The program's line, for the addresses of lines. */
    Addr lineBytes = 64;
    std::unique_ptr<rubric::Core> core;
    bool isDone = true;
    /** The ticks at which the core is woken, of which the first is scheduled. */
    std::vector<Tick> wakeups;
    EventFunctionWrapper alarm;
    /** Flushes that may be outstanding: a flush is never answered, but its request goes away when it is done. */
    mutable std::vector<std::weak_ptr<Request>> flushes;
};

} // namespace gem5

#endif
