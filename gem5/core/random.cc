#include "core/random.hh"

namespace rubric
{

namespace
{

std::uint32_t
rotated(std::uint32_t word, unsigned bits)
{
    return (word << bits) | (word >> (32 - bits));
}

void
quarterRound(std::array<std::uint32_t, 16> &x, unsigned a, unsigned b, unsigned c, unsigned d)
{
    x[a] += x[b];
    x[d] = rotated(x[d] ^ x[a], 16);
    x[c] += x[d];
    x[b] = rotated(x[b] ^ x[c], 12);
    x[a] += x[b];
    x[d] = rotated(x[d] ^ x[a], 8);
    x[c] += x[d];
    x[b] = rotated(x[b] ^ x[c], 7);
}

} // namespace

Random::Random(std::uint64_t seed, std::uint64_t purpose)
    : input{0x61707865, 0x3320646e, 0x79622d32, 0x6b206574}
{
    // The key is the seed, then the purpose, then zeros; the counter and the nonce begin at 0.
    input[4] = static_cast<std::uint32_t>(seed);
    input[5] = static_cast<std::uint32_t>(seed >> 32);
    input[6] = static_cast<std::uint32_t>(purpose);
    input[7] = static_cast<std::uint32_t>(purpose >> 32);
}

void
Random::refill()
{
    block = input;
    for (int round = 0; round < 4; round++) {
        quarterRound(block, 0, 4, 8, 12);
        quarterRound(block, 1, 5, 9, 13);
        quarterRound(block, 2, 6, 10, 14);
        quarterRound(block, 3, 7, 11, 15);
        quarterRound(block, 0, 5, 10, 15);
        quarterRound(block, 1, 6, 11, 12);
        quarterRound(block, 2, 7, 8, 13);
        quarterRound(block, 3, 4, 9, 14);
    }
    for (unsigned at = 0; at < 16; at++)
        block[at] += input[at];
    if (++input[12] == 0)
        input[13]++;
    used = 0;
}

std::uint32_t
Random::word()
{
    if (used == 16)
        refill();
    return block[used++];
}

std::uint64_t
Random::below(std::uint64_t bound)
{
    std::uint64_t low = word();
    std::uint64_t number = low | static_cast<std::uint64_t>(word()) << 32;
    // The upper half of the product of 128 bits.
    std::uint64_t a = number >> 32, b = number & 0xffffffff;
    std::uint64_t c = bound >> 32, d = bound & 0xffffffff;
    std::uint64_t middle = ((b * d) >> 32) + ((a * d) & 0xffffffff) + ((b * c) & 0xffffffff);
    return a * c + ((a * d) >> 32) + ((b * c) >> 32) + (middle >> 32);
}

std::uint64_t
Random::upTo(std::uint64_t most)
{
    if (most == 0)
        return 0;
    return below(most == UINT64_MAX ? most : most + 1);
}

} // namespace rubric
