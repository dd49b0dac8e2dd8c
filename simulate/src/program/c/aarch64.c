/* Instructions of AArch64. */

#if !defined(__aarch64__)
#error "this program is for AArch64: choose another --isa of rubric generate c"
#endif

/* The load of release consistency with processor-consistent acquires needs an extension; LDAR orders more. */
#if defined(__ARM_FEATURE_RCPC)
#define ACQUIRE_PC "ldapr"
#else
#define ACQUIRE_PC "ldar"
#endif

#define LOAD(value, address, instruction) \
    __asm__ volatile(instruction " %0, [%1]" : "=r"(value) : "r"(address) : "memory")
#define STORE(address, value, instruction) \
    __asm__ volatile(instruction " %1, [%0]" : : "r"(address), "r"((uint64_t)(value)) : "memory")
/* A load-exclusive and a store-exclusive, until the latter succeeds. */
#define LINKED(old, address, value, load, store) \
    do { \
        uint32_t failed; \
        __asm__ volatile("1: " load " %0, [%2]\n" \
                         store " %w1, %3, [%2]\n" \
                         "cbnz %w1, 1b" \
                         : "=&r"(old), "=&r"(failed) : "r"(address), "r"((uint64_t)(value)) : "memory"); \
    } while (0)
#if defined(__ARM_FEATURE_ATOMICS)
#define SWAP(old, address, value, order, load, store) \
    __asm__ volatile("swp" order " %2, %0, [%1]" \
                     : "=&r"(old) : "r"(address), "r"((uint64_t)(value)) : "memory")
#else
#define SWAP(old, address, value, order, load, store) LINKED(old, address, value, load, store)
#endif
#define FENCE(instruction) __asm__ volatile(instruction : : : "memory")
/* 0, as something that depends on a value. */
#define ZERO(zero, value) __asm__ volatile("eor %0, %1, %1" : "=r"(zero) : "r"(value))
/* A branch that depends on a value, to where it stands. */
#define BRANCH(value) __asm__ volatile("cbnz %0, 1f\n1:" : : "r"(value) : "memory")
