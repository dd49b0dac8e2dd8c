/**
 * Values and their bytes in packets. Programs are little-endian.
 */
#ifndef RUBRIC_BYTES_HH
#define RUBRIC_BYTES_HH

#include <cstdint>

namespace gem5
{

/** Writes a value as its bytes lie in memory. */
inline void
putBytes(std::uint64_t value, std::uint8_t *bytes, unsigned size)
{
    for (unsigned at = 0; at < size; at++)
        bytes[at] = static_cast<std::uint8_t>(value >> (8 * at));
}

/** The value that lies in memory as these bytes. */
inline std::uint64_t
getBytes(const std::uint8_t *bytes, unsigned size)
{
    std::uint64_t value = 0;
    for (unsigned at = 0; at < size; at++)
        value |= static_cast<std::uint64_t>(bytes[at]) << (8 * at);
    return value;
}

} // namespace gem5

#endif
