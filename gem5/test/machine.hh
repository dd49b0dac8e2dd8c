/**
 * A memory with random latencies, which is atomic, and cores on it: what the tests have in place of gem5.
 */
#ifndef RUBRIC_TEST_MACHINE_HH
#define RUBRIC_TEST_MACHINE_HH

#include <functional>
#include <map>
#include <memory>
#include <queue>
#include <vector>

#include "core/client.hh"
#include "core/device.hh"

namespace rubric
{

/** Latency of memory, and how often what waits for a lock is tried again. */
constexpr Tick mostLatency = 60;
/** The most ticks after which a core learns that memory has performed its request. */
constexpr Tick mostResponse = 8;
constexpr Tick lockedRetry = 5;
/** Requests of a core that may be outstanding. */
constexpr unsigned mostOutstanding = 4;
/** When a run is taken for a deadlock. */
constexpr Tick deadlock = 50'000'000;

class Machine;

class Port : public CorePort
{
  public:
    Port(Machine &machine, unsigned number) : machine(machine), number(number) {}

    bool send(const Request &request) override;
    void wakeAt(Tick tick) override;
    bool isFlushing(Address) const override { return false; }

  private:
    Machine &machine;
    unsigned number;
};

/** The port of a DMA device. */
class DeviceOnMachine : public DevicePort
{
  public:
    DeviceOnMachine(Machine &machine, const Program &program, unsigned number, Log &log)
        : device(program, number, *this, log, 1), machine(machine)
    {
    }

    bool transfer(const Transfer &transfer) override;
    void wakeAt(Tick tick) override;

    Device device;

  private:
    Machine &machine;
};

/** A memory and the cores on it. */
class Machine
{
  public:
    Machine(const Program &program, const Client &client, std::uint64_t seed, bool forgetful, Log &log)
        : lineBytes(program.lineBytes), random(seed, 77), forgetful(forgetful),
          outstanding(program.threads.size()), reserved(program.threads.size(), nowhere)
    {
        for (unsigned thread = 0; thread < program.threads.size(); thread++) {
            ports.push_back(std::make_unique<Port>(*this, thread));
            cores.push_back(client.core(program, thread, Surroundings{*ports[thread], log, 1}));
        }
        for (unsigned number = 0; number < program.devices.size(); number++)
            devices.push_back(std::make_unique<DeviceOnMachine>(*this, program, number, log));
    }

    /** Called for each request that memory performs. */
    std::function<void(Tick, unsigned, const Request &)> onPerformed;

    /** Runs until nothing is left to do, or so many events have happened; whether all programs have ended. */
    bool run(std::uint64_t most = UINT64_MAX)
    {
        for (auto &core : cores)
            core->step(0);
        for (auto &own : devices)
            own->device.step(0);
        for (; most > 0 && !events.empty() && now < deadlock; most--) {
            Event event = events.top();
            events.pop();
            now = event.tick;
            event.what();
        }
        for (auto &core : cores)
            if (!core->isDone())
                return false;
        for (auto &own : devices)
            if (!own->device.isDone())
                return false;
        return true;
    }

    Tick tick() const { return now; }

    std::uint64_t repeated() const
    {
        std::uint64_t sum = 0;
        for (auto &core : cores)
            sum += core->repeated();
        return sum;
    }

    bool send(unsigned number, const Request &request)
    {
        bool isOwnLock = holder(request.bytes.address) == static_cast<int>(number)
            && request.kind != RequestKind::LockedWrite;
        if (request.kind == RequestKind::Flush)
            return true;
        if (isOwnLock || outstanding[number] >= mostOutstanding)
            return false;
        outstanding[number]++;
        at(now + 1 + random.upTo(mostLatency), [this, number, request] { perform(number, request); });
        return true;
    }

    void wakeAt(unsigned number, Tick tick)
    {
        at(tick, [this, number] { cores[number]->step(now); });
    }

    void wakeAt(Device &device, Tick tick)
    {
        at(tick, [this, &device] { device.step(now); });
    }

    void transfer(Device &device, const Transfer &transfer)
    {
        at(now + 1 + random.upTo(mostLatency), [this, &device, transfer] { perform(device, transfer); });
    }

  private:
    static constexpr Address nowhere = UINT64_MAX;

    struct Event
    {
        Tick tick;
        std::uint64_t order;
        std::function<void()> what;
        bool operator<(const Event &other) const
        {
            return tick != other.tick ? tick > other.tick : order > other.order;
        }
    };

    void at(Tick tick, std::function<void()> what)
    {
        events.push(Event{tick, order++, std::move(what)});
    }

    Address line(Address address) const { return address / lineBytes; }

    int holder(Address address) const
    {
        auto lock = locks.find(line(address));
        return lock == locks.end() ? -1 : static_cast<int>(lock->second);
    }

    void perform(unsigned number, const Request &request)
    {
        int owner = holder(request.bytes.address);
        if (owner >= 0 && owner != static_cast<int>(number)) {
            at(now + lockedRetry, [this, number, request] { perform(number, request); });
            return;
        }
        if (onPerformed)
            onPerformed(now, number, request);
        Response response{request.tag, request.kind, true, load(request.bytes)};
        Address own = line(request.bytes.address);
        switch (request.kind) {
          case RequestKind::LoadLinked:
            reserved[number] = own;
            break;
          case RequestKind::LockedRead:
            invalidate(number, own);
            locks[own] = number;
            break;
          case RequestKind::StoreConditional:
            response.success = reserved[number] == own;
            reserved[number] = nowhere;
            if (response.success)
                store(number, request);
            break;
          case RequestKind::LockedWrite:
            store(number, request);
            locks.erase(own);
            break;
          case RequestKind::Store:
          case RequestKind::Atomic:
          case RequestKind::AtomicNoReturn:
            store(number, request);
            break;
          default:
            break;
        }
        at(now + 1 + random.upTo(mostResponse - 1), [this, number, response] {
            outstanding[number]--;
            cores[number]->respond(now, response);
        });
    }

    /** Performs an access of a device at once, unless a core has locked the line. */
    void perform(Device &device, const Transfer &transfer)
    {
        if (holder(transfer.address) >= 0) {
            at(now + lockedRetry, [this, &device, transfer] { perform(device, transfer); });
            return;
        }
        std::vector<std::uint64_t> values;
        if (transfer.isWrite)
            invalidate(cores.size(), line(transfer.address));
        for (unsigned word = 0; word < transfer.words; word++) {
            Bytes bytes{transfer.address + 8 * word, 8};
            values.push_back(load(bytes));
            if (transfer.isWrite)
                put(bytes, transfer.value + transfer.step * word);
        }
        at(now + 1 + random.upTo(mostResponse - 1), [this, &device, values] { device.respond(now, values); });
    }

    std::uint64_t load(const Bytes &bytes)
    {
        std::uint64_t value = 0;
        for (unsigned at = 0; at < bytes.size; at++)
            value |= static_cast<std::uint64_t>(memory[bytes.address + at]) << (8 * at);
        return value;
    }

    void store(unsigned number, const Request &request)
    {
        invalidate(number, line(request.bytes.address));
        put(request.bytes, request.value);
    }

    void put(const Bytes &bytes, std::uint64_t value)
    {
        for (unsigned at = 0; at < bytes.size; at++)
            memory[bytes.address + at] = static_cast<std::uint8_t>(value >> (8 * at));
    }

    /** Takes a line from all other cores. */
    void invalidate(unsigned number, Address line)
    {
        for (unsigned other = 0; other < cores.size(); other++) {
            if (other == number)
                continue;
            if (reserved[other] == line)
                reserved[other] = nowhere;
            if (!forgetful)
                cores[other]->evicted(now, line * lineBytes);
        }
    }

    Address lineBytes;
    Random random;
    bool forgetful;
    Tick now = 0;
    std::uint64_t order = 0;
    std::priority_queue<Event> events;
    std::map<Address, std::uint8_t> memory;
    std::map<Address, unsigned> locks;
    std::vector<unsigned> outstanding;
    std::vector<Address> reserved;
    std::vector<std::unique_ptr<Port>> ports;
    std::vector<std::unique_ptr<Core>> cores;
    std::vector<std::unique_ptr<DeviceOnMachine>> devices;
};

inline bool
DeviceOnMachine::transfer(const Transfer &transfer)
{
    machine.transfer(device, transfer);
    return true;
}

inline void
DeviceOnMachine::wakeAt(Tick tick)
{
    machine.wakeAt(device, tick);
}

inline bool
Port::send(const Request &request)
{
    return machine.send(number, request);
}

inline void
Port::wakeAt(Tick tick)
{
    machine.wakeAt(number, tick);
}

} // namespace rubric

#endif
