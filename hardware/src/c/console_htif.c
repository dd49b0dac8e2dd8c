/* The host-target interface of Spike and of testbenches. */
volatile uint64_t tohost __attribute__((section(".htif"), aligned(64)));
volatile uint64_t fromhost __attribute__((section(".htif"), aligned(64)));

static void put_byte(uint8_t byte)
{
    while (tohost != 0) {
    }
    tohost = (uint64_t)1 << 56 | (uint64_t)1 << 48 | byte;
}

static void flush(void)
{
    while (tohost != 0) {
    }
}

static void power_off(void)
{
    tohost = 1;
}
