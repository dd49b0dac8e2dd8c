/* Instructions of RISC-V with 64 bits. */

#if !defined(__riscv) || __riscv_xlen != 64
#error "this program is for RISC-V with 64 bits: choose another --isa of rubric generate c"
#endif

#define LOAD(value, address) \
    __asm__ volatile("ld %0, 0(%1)" : "=r"(value) : "r"(address) : "memory")
#define STORE(address, value) \
    __asm__ volatile("sd %1, 0(%0)" : : "r"(address), "r"((uint64_t)(value)) : "memory")
#define SWAP(old, address, value, order) \
    __asm__ volatile("amoswap.d" order " %0, %2, (%1)" \
                     : "=&r"(old) : "r"(address), "r"((uint64_t)(value)) : "memory")
/* A load-reserved and a store-conditional, until the latter succeeds. */
#define LINKED(old, address, value, load_order, store_order) \
    do { \
        uint64_t failed; \
        __asm__ volatile("1: lr.d" load_order " %0, (%2)\n" \
                         "sc.d" store_order " %1, %3, (%2)\n" \
                         "bnez %1, 1b" \
                         : "=&r"(old), "=&r"(failed) : "r"(address), "r"((uint64_t)(value)) : "memory"); \
    } while (0)
#define FENCE(sets) __asm__ volatile("fence" sets : : : "memory")
/* 0, as something that depends on a value. */
#define ZERO(zero, value) __asm__ volatile("xor %0, %1, %1" : "=r"(zero) : "r"(value))
/* A branch that depends on a value, to where it stands. */
#define BRANCH(value) __asm__ volatile("bnez %0, 1f\n1:" : : "r"(value) : "memory")
