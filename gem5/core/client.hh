/**
 * The kinds of cores by name, as `rubric simulate --client` has them.
 */
#ifndef RUBRIC_CORE_CLIENT_HH
#define RUBRIC_CORE_CLIENT_HH

#include <memory>
#include <string>
#include <vector>

#include "core/thread.hh"

namespace rubric
{

/** A kind of core with its sizes: `in-order`, `store-buffer-8`, `per-location-8`, `early-8`, `early-8-buffer-8`, `rvwmo-ooo-8`. */
class Client
{
  public:
    /** The kind of this name; a size that is left out is 8. Throws ProgramError if there is none. */
    static Client named(const std::string &name);

    /** The name, with all sizes. */
    std::string name() const;

    /** The weak model of the cores, or nothing. */
    std::string model() const;

    /** Makes the core of a thread. Throws ProgramError if the program is not for such cores. */
    std::unique_ptr<Core> core(const Program &program, unsigned thread, Surroundings around) const;

  private:
    /** Those out of order have a number for each model. */
    enum class Kind { InOrder, StoreBuffer, PerLocation, Early, EarlyBuffer, OutOfOrder };

    Kind kind = Kind::InOrder;
    std::vector<unsigned> sizes;
};

} // namespace rubric

#endif
