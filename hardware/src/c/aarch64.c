/* Instructions of AArch64. A load or store of a size is one with a suffix, of a register of 32 bits unless the size is 8. */

#if !defined(__aarch64__)
#error "this program is for AArch64: choose another --isa of rubric generate c"
#endif

/* The load of release consistency with processor-consistent acquires needs an extension; LDAR orders more. */
#if defined(__ARM_FEATURE_RCPC)
#define ACQUIRE_PC "ldapr"
#else
#define ACQUIRE_PC "ldar"
#endif

/* The suffix of an instruction for a size, and the letter of its register. */
#define SUFFIX_8 ""
#define SUFFIX_4 ""
#define SUFFIX_2 "h"
#define SUFFIX_1 "b"
#define REGISTER_8 "x"
#define REGISTER_4 "w"
#define REGISTER_2 "w"
#define REGISTER_1 "w"

#define LOAD(size, value, address, instruction) \
    __asm__ volatile(instruction SUFFIX_##size " %" REGISTER_##size "0, [%1]" \
                     : "=r"(value) : "r"(address) : "memory")
#define STORE(size, address, value, instruction) \
    __asm__ volatile(instruction SUFFIX_##size " %" REGISTER_##size "1, [%0]" \
                     : : "r"(address), "r"((uint64_t)(value)) : "memory")
/* A load-exclusive and a store-exclusive, until the latter succeeds. */
#define LINKED(size, old, address, value, load, store) \
    do { \
        uint32_t failed; \
        __asm__ volatile("1: " load SUFFIX_##size " %" REGISTER_##size "0, [%2]\n" \
                         store SUFFIX_##size " %w1, %" REGISTER_##size "3, [%2]\n" \
                         "cbnz %w1, 1b" \
                         : "=&r"(old), "=&r"(failed) : "r"(address), "r"((uint64_t)(value)) : "memory"); \
    } while (0)
#if defined(__ARM_FEATURE_ATOMICS)
#define SWAP(size, old, address, value, order, load, store) \
    __asm__ volatile("swp" order SUFFIX_##size " %" REGISTER_##size "2, %" REGISTER_##size "0, [%1]" \
                     : "=&r"(old) : "r"(address), "r"((uint64_t)(value)) : "memory")
#else
#define SWAP(size, old, address, value, order, load, store) LINKED(size, old, address, value, load, store)
#endif
#define FENCE(instruction) __asm__ volatile(instruction : : : "memory")
/* 0, as something that depends on a value. */
#define ZERO(zero, value) __asm__ volatile("eor %0, %1, %1" : "=r"(zero) : "r"(value))
/* A branch that depends on a value, to where it stands. */
#define BRANCH(value) __asm__ volatile("cbnz %0, 1f\n1:" : : "r"(value) : "memory")
