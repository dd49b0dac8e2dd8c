/**
 * Cores that run a thread of a program on a memory system. They are the cores of `rubric simulate` (simulate/src/client) and
 * need nothing of gem5.
 */
#ifndef RUBRIC_CORE_CORE_HH
#define RUBRIC_CORE_CORE_HH

#include <cstddef>
#include <cstdint>

#include "core/program.hh"

namespace rubric
{

using Tick = std::uint64_t;

enum class RequestKind {
    Load,
    Fetch,
    Store,
    /** A load that opens a reservation. */
    LoadLinked,
    /** A store that happens only if the reservation holds. */
    StoreConditional,
    /** Reads, and locks the line. */
    LockedRead,
    /** Writes, and unlocks the line. */
    LockedWrite,
    /** Replaces a value and returns the old one. */
    Atomic,
    AtomicNoReturn,
    /** Removes the line from all caches. It is never answered. */
    Flush
};

/** A request of a core. */
struct Request
{
    /** The core's own number, which the response carries. */
    std::uint32_t tag;
    RequestKind kind;
    Bytes bytes;
    std::uint64_t value;
};

struct Response
{
    std::uint32_t tag;
    RequestKind kind;
    /** Whether a store-conditional has stored; true for all others. */
    bool success;
    std::uint64_t value;
};

/** The interface of the memory system to a core. */
class CorePort
{
  public:
    virtual ~CorePort() = default;

    /** Offers a request; false if it is refused, and has to be sent again later. */
    virtual bool send(const Request &request) = 0;

    /** Schedules a call of Core::step at a later tick. */
    virtual void wakeAt(Tick tick) = 0;

    /** Whether a flush of the line of an address is outstanding that the core has sent. */
    virtual bool isFlushing(Address address) const = 0;
};

/** A core that runs its thread. */
class Core
{
  public:
    virtual ~Core() = default;

    /** Goes on. Called at the start, whenever the core scheduled it, and when requests may be accepted again. */
    virtual void step(Tick now) = 0;

    /** A response arrives. */
    virtual void respond(Tick now, const Response &response) = 0;

    /**
     * A line leaves the cache of the core, or is invalidated before it arrived there. The core records it and sends
     * nothing.
     */
    virtual void evicted(Tick now, Address address)
    {
        (void)now;
        (void)address;
    }

    /** Whether the program has ended and memory has performed all of it. */
    virtual bool isDone() const = 0;

    /** The index of the current operation, which shows progress. */
    virtual std::size_t position() const = 0;

    /** How many loads were performed early and had to be repeated. */
    virtual std::uint64_t repeated() const { return 0; }
};

} // namespace rubric

#endif
