/**
 * A core that performs its operations out of order, as a weak model allows: it is the one of `rubric simulate`
 * (simulate/src/client/out_of_order.rs).
 *
 * Operations enter the window in program order, and each is sent as soon as everything that preserved program order puts
 * before it was performed. The program says what that is (Step::after), so the core knows no model. A load takes its value
 * from the newest older store of its location in the window, if there is one.
 *
 * Loads of one location that return different writes stay in order. So a load that overtakes an older load of its location
 * is not settled before that one is: until then the core watches its line, and repeats the load if the line leaves the cache.
 */
#ifndef RUBRIC_CORE_OUT_OF_ORDER_HH
#define RUBRIC_CORE_OUT_OF_ORDER_HH

#include <deque>
#include <optional>
#include <vector>

#include "core/atomic.hh"
#include "core/store_buffer.hh"

namespace rubric
{

class OutOfOrder : public Core
{
  public:
    OutOfOrder(Thread thread, std::size_t window);

    void step(Tick now) override;
    void respond(Tick now, const Response &response) override;
    void evicted(Tick now, Address address) override;
    bool isDone() const override { return thread.isOver() && window.empty(); }
    std::size_t position() const override { return thread.next() - window.size(); }
    std::uint64_t repeated() const override { return repetitions; }

  private:
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
        /** If it is a load that was performed: whether its value is the one that it returns. */
        bool isSettled = false;
        std::uint64_t value = 0;
        unsigned repeated = 0;

        /** Whether it is a load of some of these bytes that is not settled. */
        bool mayBeOvertaken(const Bytes &bytes) const
        {
            return step.isLoad() && step.bytes.overlaps(bytes) && !isSettled;
        }
    };

    /** Where a load gets its value from. */
    struct Supply
    {
        enum class From { Memory, Store, Later } from;
        std::uint64_t value = 0;
    };

    void advance(Tick now);
    void fill(Tick now);
    bool needsWindow(const Step &step) const;
    void log(Tick now, std::size_t index, const Step &step);
    void start(Tick now);
    void startLoad(Tick now, std::size_t at);
    bool send(Tick now, Slot &slot, const Request &request);
    bool mayStart(const Step &step) const;
    bool advanceAtomic(Tick now);
    const Slot *dueAtomic(Tick now) const;
    bool mayBegin(const Step &step) const;
    void atomicPerformed(Tick now, const Response &response);
    Supply supply(std::size_t at) const;
    bool overtakes(std::size_t at) const;
    bool isStale(Address line) const;
    bool isReserved(Address address) const;
    bool settle(Tick now);
    void loadPerformed(const Response &response);
    void repeat(Slot &slot);
    void perform(std::size_t index);

    Thread thread;
    std::size_t size;
    std::deque<Slot> window;
    /** Which steps memory has performed. */
    std::vector<bool> isPerformed;
    /** The first operation of each step in the log, where a linked read-modify-write is two. */
    std::vector<unsigned> rows;
    /** The read-modify-write that was begun, and its step. */
    std::optional<Atomic> atomic;
    Step atomicStep;
    std::uint64_t repetitions = 0;
};

} // namespace rubric

#endif
