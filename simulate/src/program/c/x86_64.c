/* Instructions of x86-64. */

#if !defined(__x86_64__)
#error "this program is for x86-64: choose another --isa of rubric generate c"
#endif

#define LOAD(value, address) \
    __asm__ volatile("movq (%1), %0" : "=r"(value) : "r"(address) : "memory")
#define STORE(address, value) \
    __asm__ volatile("movq %1, (%0)" : : "r"(address), "r"((uint64_t)(value)) : "memory")
#define SWAP(old, address, value) \
    __asm__ volatile("xchgq %0, (%1)" : "=r"(old) : "r"(address), "0"((uint64_t)(value)) : "memory")
#define FENCE() __asm__ volatile("mfence" : : : "memory")
