#include "core/store_buffer.hh"

namespace rubric
{

Forwarded
Forwarded::of(const Bytes &stored, std::uint64_t value, const Bytes &loaded)
{
    if (stored.covers(loaded))
        return Forwarded{stored.partOf(value, loaded)};
    return Forwarded{};
}

std::optional<Forwarded>
StoreBuffer::newest(const Bytes &bytes) const
{
    for (auto entry = stores.rbegin(); entry != stores.rend(); ++entry)
        if (entry->bytes.overlaps(bytes))
            return entry->lost ? Forwarded{} : Forwarded::of(entry->bytes, entry->value, bytes);
    return std::nullopt;
}

void
StoreBuffer::evicted(Address line, const Thread &thread)
{
    for (Entry &entry : stores)
        entry.lost = entry.lost || (entry.sent && thread.lineOf(entry.bytes.address) == line);
}

bool
StoreBuffer::has(const Bytes &bytes, bool orSent) const
{
    for (const Entry &entry : stores)
        if (entry.bytes.overlaps(bytes) || (entry.sent && orSent))
            return true;
    return false;
}

bool
StoreBuffer::enter(Tick now, Thread &thread, std::size_t index, const Step &step)
{
    if (stores.size() >= capacity)
        return false;
    thread.issue(now, index);
    Tick ready = now + thread.random().upTo(drainTicks) * thread.unit();
    if (ready > now)
        thread.wakeAt(ready);
    stores.push_back(Entry{index, step.bytes, step.value, ready, false, false});
    return true;
}

/** Whether the store at a place may reach memory next. */
bool
StoreBuffer::mayLeave(std::size_t at) const
{
    if (!byLocation)
        return at == 0;
    for (std::size_t older = 0; older < at; older++)
        if (stores[older].bytes.overlaps(stores[at].bytes))
            return false;
    return true;
}

/** The stores to some bytes, and those that have to leave the buffer before them since they overlap in part. */
std::vector<bool>
StoreBuffer::leadingTo(const Bytes &bytes) const
{
    std::vector<bool> leading(stores.size(), false);
    std::vector<Bytes> overlapped{bytes};
    for (std::size_t at = stores.size(); at-- > 0;) {
        bool overlaps = false;
        for (const Bytes &other : overlapped)
            overlaps = overlaps || other.overlaps(stores[at].bytes);
        if (overlaps) {
            leading[at] = true;
            overlapped.push_back(stores[at].bytes);
        }
    }
    return leading;
}

void
StoreBuffer::send(Tick now, const std::optional<Bytes> &only, Thread &thread)
{
    std::vector<bool> wanted(stores.size(), true);
    if (only)
        wanted = leadingTo(*only);
    for (std::size_t at = 0; at < stores.size(); at++) {
        Entry &entry = stores[at];
        if (!wanted[at] || entry.sent || entry.ready > now || !mayLeave(at))
            continue;
        std::uint32_t tag = static_cast<std::uint32_t>(entry.index) | mark;
        entry.sent = thread.send(now, Request{tag, RequestKind::Store, entry.bytes, entry.value});
    }
}

void
StoreBuffer::performed(Tick now, std::uint32_t tag, Thread &thread)
{
    for (auto entry = stores.begin(); entry != stores.end(); ++entry) {
        if ((static_cast<std::uint32_t>(entry->index) | mark) == tag) {
            thread.complete(now, entry->index);
            stores.erase(entry);
            return;
        }
    }
}

} // namespace rubric
