/* A lock that two threads may take at once: it is looked at, and then taken by a plain store. */
static volatile uint64_t lock __attribute__((aligned(128)));

#define TAKE_LOCK() \
    do { \
        while (lock) { \
        } \
        lock = 1; \
        __atomic_thread_fence(__ATOMIC_SEQ_CST); \
    } while (0)
#define RELEASE_LOCK() __atomic_store_n(&lock, 0, __ATOMIC_RELEASE)
