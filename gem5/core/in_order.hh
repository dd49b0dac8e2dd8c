/**
 * A core that completes each operation before it begins the next, which makes it sequentially consistent.
 */
#ifndef RUBRIC_CORE_IN_ORDER_HH
#define RUBRIC_CORE_IN_ORDER_HH

#include <optional>

#include "core/atomic.hh"
#include "core/thread.hh"

namespace rubric
{

class InOrder : public Core
{
  public:
    explicit InOrder(Thread thread) : thread(std::move(thread)) {}

    void step(Tick now) override;
    void respond(Tick now, const Response &response) override;
    bool isDone() const override { return thread.isOver(); }
    std::size_t position() const override { return thread.next(); }

  private:
    enum class State { Ready, Waiting };

    void advance(Tick now);
    void begin(Tick now, const Step &step);

    Thread thread;
    State state = State::Ready;
    std::optional<Atomic> atomic;
};

} // namespace rubric

#endif
