/**
 * A core whose stores wait in a buffer, while later loads overtake them: TSO with one buffer, PSO with one for each location.
 */
#ifndef RUBRIC_CORE_BUFFERED_HH
#define RUBRIC_CORE_BUFFERED_HH

#include <optional>

#include "core/atomic.hh"
#include "core/store_buffer.hh"

namespace rubric
{

class Buffered : public Core
{
  public:
    Buffered(Thread thread, std::size_t capacity, bool byLocation)
        : thread(std::move(thread)), byLocation(byLocation), buffer(capacity, byLocation, mark)
    {
    }

    void step(Tick now) override;
    void respond(Tick now, const Response &response) override;
    bool isDone() const override { return thread.isOver() && buffer.isEmpty(); }
    std::size_t position() const override { return thread.next(); }

  private:
    /** Tells the requests of stores from those of loads. */
    static constexpr std::uint32_t mark = std::uint32_t(1) << 31;

    void advance(Tick now);
    void run(Tick now);
    bool load(Tick now, const Step &step);
    bool store(Tick now, const Step &step);
    bool beginAtomic(const Step &step);
    bool fence(Tick now);
    std::optional<Bytes> locking(Tick now) const;

    Thread thread;
    bool byLocation;
    StoreBuffer buffer;
    bool isLoading = false;
    std::optional<Atomic> atomic;
};

} // namespace rubric

#endif
