/**
 * The pseudo-random generator of rubric's cores: ChaCha8, keyed by a seed and a purpose. A seed gives the same numbers here
 * as in rubric.
 */
#ifndef RUBRIC_CORE_RANDOM_HH
#define RUBRIC_CORE_RANDOM_HH

#include <array>
#include <cstdint>

namespace rubric
{

class Random
{
  public:
    Random(std::uint64_t seed, std::uint64_t purpose);

    /** A number below `bound`; 0 if that is 0. */
    std::uint64_t below(std::uint64_t bound);

    /** A number from 0 to `most`. */
    std::uint64_t upTo(std::uint64_t most);

  private:
    std::uint32_t word();
    void refill();

    std::array<std::uint32_t, 16> input;
    std::array<std::uint32_t, 16> block{};
    unsigned used = 16;
};

} // namespace rubric

#endif
