/* Instructions of x86-64. */

#if !defined(__x86_64__)
#error "this program is for x86-64: choose another --isa of rubric generate c"
#endif

#define LOAD(size, value, address) LOAD_##size(value, address)
#define LOAD_FROM(instruction, value, address) \
    __asm__ volatile(instruction : "=r"(value) : "r"(address) : "memory")
#define LOAD_8(value, address) LOAD_FROM("movq (%1), %0", value, address)
#define LOAD_4(value, address) LOAD_FROM("movl (%1), %k0", value, address)
#define LOAD_2(value, address) LOAD_FROM("movzwl (%1), %k0", value, address)
#define LOAD_1(value, address) LOAD_FROM("movzbl (%1), %k0", value, address)

#define STORE(size, address, value) STORE_##size(address, value)
#define STORE_TO(instruction, address, value) \
    __asm__ volatile(instruction : : "r"(address), "q"((uint64_t)(value)) : "memory")
#define STORE_8(address, value) STORE_TO("movq %1, (%0)", address, value)
#define STORE_4(address, value) STORE_TO("movl %k1, (%0)", address, value)
#define STORE_2(address, value) STORE_TO("movw %w1, (%0)", address, value)
#define STORE_1(address, value) STORE_TO("movb %b1, (%0)", address, value)

/* Stores past the caches, in no order; of 4 and 8 bytes only. */
#define STORE_PAST_CACHES(size, address, value) STORE_PAST_CACHES_##size(address, value)
#define STORE_PAST_CACHES_8(address, value) STORE_TO("movnti %1, (%0)", address, value)
#define STORE_PAST_CACHES_4(address, value) STORE_TO("movnti %k1, (%0)", address, value)

#define SWAP(size, old, address, value) SWAP_##size(old, address, value)
#define SWAP_WITH(instruction, type, old, address, value) \
    do { \
        __asm__ volatile(instruction : "=q"(old) : "r"(address), "0"((uint64_t)(value)) : "memory"); \
        old = (type)old; \
    } while (0)
#define SWAP_8(old, address, value) SWAP_WITH("xchgq %0, (%1)", uint64_t, old, address, value)
#define SWAP_4(old, address, value) SWAP_WITH("xchgl %k0, (%1)", uint32_t, old, address, value)
#define SWAP_2(old, address, value) SWAP_WITH("xchgw %w0, (%1)", uint16_t, old, address, value)
#define SWAP_1(old, address, value) SWAP_WITH("xchgb %b0, (%1)", uint8_t, old, address, value)

#define FENCE() __asm__ volatile("mfence" : : : "memory")
