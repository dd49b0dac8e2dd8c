/* Instructions of RISC-V with 64 bits. */

#if !defined(__riscv) || __riscv_xlen != 64
#error "this program is for RISC-V with 64 bits: choose another --isa of rubric generate c"
#endif

#define LOAD(size, value, address) LOAD_##size(value, address)
#define LOAD_FROM(instruction, value, address) \
    __asm__ volatile(instruction " %0, 0(%1)" : "=r"(value) : "r"(address) : "memory")
#define LOAD_8(value, address) LOAD_FROM("ld", value, address)
#define LOAD_4(value, address) LOAD_FROM("lwu", value, address)
#define LOAD_2(value, address) LOAD_FROM("lhu", value, address)
#define LOAD_1(value, address) LOAD_FROM("lbu", value, address)

#define STORE(size, address, value) STORE_##size(address, value)
#define STORE_TO(instruction, address, value) \
    __asm__ volatile(instruction " %1, 0(%0)" : : "r"(address), "r"((uint64_t)(value)) : "memory")
#define STORE_8(address, value) STORE_TO("sd", address, value)
#define STORE_4(address, value) STORE_TO("sw", address, value)
#define STORE_2(address, value) STORE_TO("sh", address, value)
#define STORE_1(address, value) STORE_TO("sb", address, value)

/* Instructions for words extend their sign, and values are unsigned. */
#define SWAP(size, old, address, value, order) SWAP_##size(old, address, value, order)
#define SWAP_WITH(instruction, type, old, address, value) \
    do { \
        __asm__ volatile(instruction " %0, %2, (%1)" \
                         : "=&r"(old) : "r"(address), "r"((uint64_t)(value)) : "memory"); \
        old = (type)old; \
    } while (0)
#define SWAP_8(old, address, value, order) SWAP_WITH("amoswap.d" order, uint64_t, old, address, value)
#define SWAP_4(old, address, value, order) SWAP_WITH("amoswap.w" order, uint32_t, old, address, value)

/* A load-reserved and a store-conditional, until the latter succeeds. */
#define LINKED(size, old, address, value, load_order, store_order) \
    LINKED_##size(old, address, value, load_order, store_order)
#define LINKED_WITH(load, store, type, old, address, value) \
    do { \
        uint64_t failed; \
        __asm__ volatile("1: " load " %0, (%2)\n" \
                         store " %1, %3, (%2)\n" \
                         "bnez %1, 1b" \
                         : "=&r"(old), "=&r"(failed) : "r"(address), "r"((uint64_t)(value)) : "memory"); \
        old = (type)old; \
    } while (0)
#define LINKED_8(old, address, value, load_order, store_order) \
    LINKED_WITH("lr.d" load_order, "sc.d" store_order, uint64_t, old, address, value)
#define LINKED_4(old, address, value, load_order, store_order) \
    LINKED_WITH("lr.w" load_order, "sc.w" store_order, uint32_t, old, address, value)

#define FENCE(sets) __asm__ volatile("fence" sets : : : "memory")
/* 0, as something that depends on a value. */
#define ZERO(zero, value) __asm__ volatile("xor %0, %1, %1" : "=r"(zero) : "r"(value))
/* A branch that depends on a value, to where it stands. */
#define BRANCH(value) __asm__ volatile("bnez %0, 1f\n1:" : : "r"(value) : "memory")
