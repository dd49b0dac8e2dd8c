static struct worker workers[THREADS];

extern uint8_t bss_start[], bss_end[];

__attribute__((used)) void start_hart(uint64_t hart)
{
    if (hart == 0) {
        for (volatile uint8_t *at = bss_start; at < bss_end; at++)
            *at = 0;
        __atomic_store_n(&is_cleared, 1, __ATOMIC_RELEASE);
    }
    while (__atomic_load_n(&is_cleared, __ATOMIC_ACQUIRE) == 0) {
    }
    workers[hart].thread = (unsigned)hart;
    workers[hart].random = (SEED + 1) * 0x9e3779b97f4a7c15u ^ (hart + 1) * 0xbf58476d1ce4e5b9u;
    if (hart == 0)
        write_header();
    run_all(&workers[hart], ROUNDS);
    if (hart == 0) {
        write_end(ROUNDS, elapsed, median_spread());
        power_off();
    }
}
