/**
 * The store buffer of a core, with the time at which each store may be sent.
 */
#ifndef RUBRIC_CORE_STORE_BUFFER_HH
#define RUBRIC_CORE_STORE_BUFFER_HH

#include <deque>
#include <optional>

#include "core/thread.hh"

namespace rubric
{

/** The most ticks that a store waits in its core before it is sent. */
constexpr Tick drainTicks = 40;

/** What a store that memory has not performed has for a later load of its thread. */
struct Forwarded
{
    /** The value that the load returns; none if the load has to wait, as for a store that has only some of its bytes. */
    std::optional<std::uint64_t> value;

    static Forwarded of(const Bytes &stored, std::uint64_t value, const Bytes &loaded);
};

class StoreBuffer
{
  public:
    /** `mark` marks the requests of its stores. */
    StoreBuffer(std::size_t capacity, bool byLocation, std::uint32_t mark)
        : capacity(capacity), byLocation(byLocation), mark(mark)
    {
    }

    bool isEmpty() const { return stores.empty(); }
    bool isThere() const { return capacity > 0; }

    /** What the newest store that a load overlaps has for it, if there is one. A store whose line was lost has no value. */
    std::optional<Forwarded> newest(const Bytes &bytes) const;

    /** Whether there is a store to some of these bytes, or one that was sent if that counts. */
    bool has(const Bytes &bytes, bool orSent) const;

    /** Takes a store of the program in; whether there was room. */
    bool enter(Tick now, Thread &thread, std::size_t index, const Step &step);

    /** Sends the stores whose turn it is: all, or those to some bytes and the stores that these wait for. */
    void send(Tick now, const std::optional<Bytes> &only, Thread &thread);

    /** A line leaves the cache. */
    void evicted(Address line, const Thread &thread);

    /** Memory has performed a store. */
    void performed(Tick now, std::uint32_t tag, Thread &thread);

  private:
    struct Entry
    {
        std::size_t index;
        Bytes bytes;
        std::uint64_t value;
        Tick ready;
        bool sent;
        /**
         * Whether the line has left the cache since the store was sent. Memory may have performed the store before that, and
         * another core may write the line before the response arrives, so that the value is old.
         */
        bool lost;
    };

    bool mayLeave(std::size_t at) const;
    std::vector<bool> leadingTo(const Bytes &bytes) const;

    std::deque<Entry> stores;
    std::size_t capacity;
    /** Whether stores to different locations leave in any order. */
    bool byLocation;
    std::uint32_t mark;
};

} // namespace rubric

#endif
