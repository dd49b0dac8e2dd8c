/* Times, threads and output where there is an operating system. */

/* Processors of x86-64 have a common clock. Others have one that is too coarse, so threads leave barriers when they see it open. */
#if defined(__x86_64__)
#define HAS_CLOCK 1
#define CLOCK() __builtin_ia32_rdtsc()
#else
#define HAS_CLOCK 0
#define CLOCK() ((uint64_t)0)
#endif
#define YIELD() sched_yield()
/* How often a thread looks at a barrier before it lets others run. */
#define SPINS 20000

static struct timespec began;
static uint64_t elapsed; /* in nanoseconds */

static void start_time(void)
{
    clock_gettime(CLOCK_MONOTONIC, &began);
}

static void stop_time(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    elapsed += (uint64_t)((now.tv_sec - began.tv_sec) * 1000000000 + (now.tv_nsec - began.tv_nsec));
}

static uint8_t buffer[1 << 16];
static unsigned buffered;

static void flush(void)
{
    for (unsigned from = 0; from < buffered;) {
        ssize_t written = write(1, buffer + from, buffered - from);

        if (written < 0 && errno != EINTR) {
            perror("the record cannot be written");
            exit(3);
        }
        from += written < 0 ? 0 : (unsigned)written;
    }
    buffered = 0;
}

static void put_byte(uint8_t byte)
{
    buffer[buffered++] = byte;
    if (buffered == sizeof buffer)
        flush();
}
