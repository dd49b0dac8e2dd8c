/**
 * A read-modify-write, which all kinds of cores perform alike: in two halves, with the line locked or with a reservation and
 * retries, or by one request.
 */
#ifndef RUBRIC_CORE_ATOMIC_HH
#define RUBRIC_CORE_ATOMIC_HH

#include "core/thread.hh"

namespace rubric
{

class Atomic
{
  public:
    /** The tag of its requests; other tags are indices of operations. */
    static constexpr std::uint32_t tag = UINT32_MAX;

    /** `logs` says whether it logs itself when it is issued and when it completes. */
    Atomic(std::size_t index, const Step &step, bool logs = true)
        : own(index), step(step), logs(logs)
    {
    }

    std::size_t index() const { return own; }

    Address address() const { return step.bytes.address; }

    /** Sends the next half, if it is time. */
    void advance(Tick now, Thread &thread);

    /** Handles the response to the half that was sent; whether the operation is complete. */
    bool respond(Tick now, const Response &response, Thread &thread);

    /** The line leaves the cache. */
    void evicted() { stale = sent && kind() == RequestKind::LoadLinked; }

    /** Whether a load-linked is in flight that may return an old value. */
    bool isStale() const { return stale; }

    /** The value that it has read, once it is complete. */
    std::uint64_t value() const { return read; }

    /** Whether it fails so often that the core itself may be the reason. */
    bool mustRunAlone() const;

  private:
    RequestKind kind() const;
    bool isOneRequest() const;
    void wait(Tick now, Thread &thread);

    std::size_t own;
    Step step;
    bool logs;
    bool writes = false;
    bool sent = false;
    bool issued = false;
    bool stale = false;
    std::uint64_t read = 0;
    unsigned failures = 0;
    Tick notBefore = 0;
};

} // namespace rubric

#endif
