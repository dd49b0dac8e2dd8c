/**
 * A core that performs loads early and out of order, and commits all operations in order.
 *
 * The loads among the next operations of the program (the window) go to memory at once, and commit in program order. Until
 * then the core watches their lines: if one leaves the cache, another core may write it, so the load is repeated. Only the
 * oldest operation keeps its value in that case. A protocol that does not tell the core of an invalidation shows.
 *
 * Without a store buffer, a store is performed when it is the oldest operation, before anything younger commits: SC. With
 * one, stores enter it in order, and loads are served from it: TSO.
 */
#ifndef RUBRIC_CORE_EARLY_HH
#define RUBRIC_CORE_EARLY_HH

#include <deque>
#include <optional>

#include "core/atomic.hh"
#include "core/store_buffer.hh"

namespace rubric
{

class Early : public Core
{
  public:
    /** A core with a window, and a store buffer of so many entries, or 0 for none. */
    Early(Thread thread, std::size_t window, std::size_t capacity)
        : thread(std::move(thread)), size(window), buffer(capacity, false, mark)
    {
    }

    void step(Tick now) override;
    void respond(Tick now, const Response &response) override;
    void evicted(Tick now, Address address) override;
    bool isDone() const override;
    std::size_t position() const override { return thread.next() - window.size(); }
    std::uint64_t repeated() const override { return repetitions; }

  private:
    /** Tells the requests of stores from those of loads. */
    static constexpr std::uint32_t mark = std::uint32_t(1) << 31;

    enum class Progress { Waiting, Sent, Performed };

    /** An operation in the window. */
    struct Slot
    {
        std::size_t index;
        Step step;
        /** The tick from which on it may be sent. */
        Tick ready;
        Progress progress = Progress::Waiting;
        /** If it was sent: whether its line was lost since. The value is that old, and must not be shared. */
        bool stale = false;
        /** If it was sent: whether it has to be repeated, whatever it returns. */
        bool again = false;
        std::uint64_t value = 0;
        unsigned repeated = 0;
    };

    /** Where a load gets its value from. */
    struct Supply
    {
        enum class From { Memory, Store, Later } from;
        std::uint64_t value = 0;
    };

    void advance(Tick now);
    void fill(Tick now);
    void startLoads(Tick now);
    void startLoad(Tick now, std::size_t at);
    bool loadsMustWait(Tick now) const;
    bool hasLoadsOnTheirWay() const;
    Supply supply(std::size_t at) const;
    bool isStale(Address line) const;
    bool commit(Tick now);
    bool commitFirst(Tick now);
    bool commitStore(Tick now, const Slot &slot);
    void advanceAtomic(Tick now, const Slot &slot);
    void loadPerformed(const Response &response);

    Thread thread;
    std::size_t size;
    StoreBuffer buffer;
    std::deque<Slot> window;
    /** Whether the oldest operation is a store that was sent. */
    bool isStoring = false;
    std::optional<Atomic> atomic;
    std::uint64_t repetitions = 0;
};

} // namespace rubric

#endif
