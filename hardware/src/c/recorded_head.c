/* The shared variables, in as many places as rounds follow each other without a pause, and nothing else. */
static uint8_t shared[PLACES * PLACE_BYTES] __attribute__((aligned(4096)));

/* More lines of the same sets of a cache, whose loads evict those of the shared variables. */
static uint8_t others[OTHERS * STRIDE] __attribute__((aligned(4096), used));

/* What the threads recorded since the last output: the words of each round. */
static uint64_t logs[THREADS][LOG_WORDS] __attribute__((aligned(128)));

/* Waits for so many nops. */
#define WAIT(nops) __asm__ volatile(".rept " #nops "\nnop\n.endr")
#define PREFETCH(address) __builtin_prefetch((const void *)(address))
#define COMPILER_KNOWS_NOTHING_OF(value) __asm__ volatile("" : "+r"(value))

/* Writes a value to the log. */
#define RECORD(at, value) (log[at] = (value))
/* Appends a value to the signature, as a digit of this radix. A value that is no digit is kept by itself with its number,
   counted from 1, and counts as the digit 0. There is no branch: what follows must not depend on the value. */
#define SIGN(number, value, radix) \
    do { \
        uint64_t read_value = (value), is_strange = -(uint64_t)(read_value >= (radix)); \
        COMPILER_KNOWS_NOTHING_OF(is_strange); \
        signature = signature * (radix) + (read_value & ~is_strange); \
        strange = (strange & ~is_strange) | (read_value & is_strange); \
        where = (where & ~is_strange) | ((number) & is_strange); \
        count -= is_strange; \
    } while (0)
/* Writes the signature to the log, and begins the next one. */
#define END_SIGNATURE(at) (log[at] = signature, signature = 0)
/* Writes the last value that was no digit, its number, and how many there were. */
#define END_STRANGE(at) (log[at] = strange, log[(at) + 1] = where | count << 32)
