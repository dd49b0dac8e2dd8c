/* The shared variables and nothing else, in lines that a cache keeps in the same set. */
static uint64_t shared[LINES * STRIDE / 8] __attribute__((section("rubric"), aligned(STRIDE), used));

/* More lines of that set, whose loads evict those of the shared variables. */
static uint64_t others[OTHERS * STRIDE / 8] __attribute__((aligned(STRIDE), used));

#define PREFETCH(address) __builtin_prefetch((const void *)(address))
/* Waits for so many nops. */
#define WAIT(nops) __asm__ volatile(".rept " #nops "\nnop\n.endr")

/* Arrivals of threads at barriers. */
static uint64_t arrived __attribute__((aligned(64)));

/* Waits until all threads have come to the barrier of this number, from 1. */
static void barrier(uint64_t number)
{
    __atomic_fetch_add(&arrived, 1, __ATOMIC_SEQ_CST);
    while (__atomic_load_n(&arrived, __ATOMIC_RELAXED) < number * THREADS) {
    }
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
