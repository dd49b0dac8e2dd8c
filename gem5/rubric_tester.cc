#include "rubric_tester.hh"

#include <algorithm>
#include <cstring>

#include "base/amo.hh"
#include "base/logging.hh"
#include "base/trace.hh"
#include "debug/RubricTester.hh"
#include "rubric_bytes.hh"
#include "rubric_run.hh"
#include "sim/cur_tick.hh"
#include "sim/system.hh"

namespace gem5
{

namespace
{

/** The flags of a request of each kind. */
Request::FlagsType
flagsOf(rubric::RequestKind kind)
{
    switch (kind) {
      case rubric::RequestKind::Fetch:
        return Request::INST_FETCH;
      case rubric::RequestKind::LoadLinked:
      case rubric::RequestKind::StoreConditional:
        return Request::LLSC;
      case rubric::RequestKind::LockedRead:
      case rubric::RequestKind::LockedWrite:
        return Request::LOCKED_RMW;
      case rubric::RequestKind::Atomic:
        return Request::ATOMIC_RETURN_OP;
      case rubric::RequestKind::AtomicNoReturn:
        return Request::ATOMIC_NO_RETURN_OP;
      default:
        return 0;
    }
}

bool
isRead(rubric::RequestKind kind)
{
    return kind == rubric::RequestKind::Load || kind == rubric::RequestKind::Fetch
        || kind == rubric::RequestKind::LoadLinked || kind == rubric::RequestKind::LockedRead;
}

bool
isAtomic(rubric::RequestKind kind)
{
    return kind == rubric::RequestKind::Atomic || kind == rubric::RequestKind::AtomicNoReturn;
}

/** What an atomic instruction does: it replaces the value. */
template <class T>
AtomicOpFunctorPtr
exchange(std::uint64_t value)
{
    return std::make_unique<AtomicOpExch<T>>(static_cast<T>(value));
}

AtomicOpFunctorPtr
exchangeOf(const rubric::Request &request)
{
    switch (request.bytes.size) {
      case 1:
        return exchange<std::uint8_t>(request.value);
      case 2:
        return exchange<std::uint16_t>(request.value);
      case 4:
        return exchange<std::uint32_t>(request.value);
      default:
        return exchange<std::uint64_t>(request.value);
    }
}

} // namespace

RubricTester::MemoryPort::MemoryPort(const std::string &name, RubricTester &tester)
    : RequestPort(name), tester(tester)
{
}

bool
RubricTester::MemoryPort::recvTimingResp(PacketPtr packet)
{
    tester.respond(packet);
    return true;
}

void
RubricTester::MemoryPort::recvTimingSnoopReq(PacketPtr packet)
{
    if (tester.core && packet->isInvalidate())
        tester.core->evicted(curTick(), packet->getAddr());
}

void
RubricTester::MemoryPort::recvReqRetry()
{
    // The sequencer says so in the middle of a transition, in which nothing is sent.
    tester.wakeAt(curTick() + 1);
}

RubricTester::RubricTester(const RubricTesterParams &params)
    : ClockedObject(params), run(*params.run), thread(params.thread),
      requestor(params.system->getRequestorId(this)), port(name() + ".port", *this),
      fetchPort(name() + ".fetch_port", *this), alarm([this] { ring(); }, name() + ".alarm")
{
    run.add(this);
}

Port &
RubricTester::getPort(const std::string &name, PortID index)
{
    if (name == "fetch_port")
        return fetchPort;
    return name == "port" ? port : ClockedObject::getPort(name, index);
}

RubricTester::MemoryPort &
RubricTester::portFor(rubric::RequestKind kind)
{
    bool isFetch = kind == rubric::RequestKind::Fetch;
    return isFetch && fetchPort.isConnected() ? fetchPort : port;
}

bool
RubricTester::begin()
{
    const rubric::Program &program = run.program();
    if (thread >= program.threads.size())
        return false;
    lineBytes = program.lineBytes;
    core = run.client().core(program, thread,
                             rubric::Surroundings{*this, run.log(), clockPeriod()});
    isDone = false;
    wakeAt(clockEdge(Cycles(1)));
    return true;
}

void
RubricTester::wakeAt(rubric::Tick tick)
{
    wakeups.insert(std::upper_bound(wakeups.begin(), wakeups.end(), tick), tick);
    setAlarm();
}

/** Schedules the first wakeup. */
void
RubricTester::setAlarm()
{
    if (!wakeups.empty() && !(alarm.scheduled() && alarm.when() <= wakeups.front()))
        reschedule(alarm, wakeups.front(), true);
}

void
RubricTester::ring()
{
    auto later = std::upper_bound(wakeups.begin(), wakeups.end(), curTick());
    wakeups.erase(wakeups.begin(), later);
    step();
    setAlarm();
}

void
RubricTester::step()
{
    if (!core || isDone)
        return;
    core->step(curTick());
    checkEnd();
}

/** Tells the run when the program has ended. A log that cannot be written, because its reader is gone, ends gem5. */
void
RubricTester::checkEnd()
{
    run.checkLog();
    if (!isDone && core->isDone()) {
        isDone = true;
        run.finished();
    }
}

bool
RubricTester::isFlushing(rubric::Address address) const
{
    auto isGone = [](const std::weak_ptr<Request> &flush) { return flush.expired(); };
    flushes.erase(std::remove_if(flushes.begin(), flushes.end(), isGone), flushes.end());
    for (const auto &flush : flushes)
        if (flush.lock()->getPaddr() / lineBytes == address / lineBytes)
            return true;
    return false;
}

/** The packet of a request. */
PacketPtr
RubricTester::packetOf(const rubric::Request &request)
{
    const rubric::Bytes &bytes = request.bytes;
    RequestPtr own = isAtomic(request.kind)
        ? std::make_shared<Request>(bytes.address, bytes.size, flagsOf(request.kind), requestor,
                                    0, thread, exchangeOf(request))
        : std::make_shared<Request>(bytes.address, bytes.size, flagsOf(request.kind), requestor);
    if (isAtomic(request.kind))
        own->setPaddr(bytes.address);
    own->setContext(thread);
    if (request.kind == rubric::RequestKind::Flush) {
        flushes.push_back(own);
        return new Packet(own, MemCmd::FlushReq);
    }
    PacketPtr packet =
        isRead(request.kind) ? Packet::createRead(own) : Packet::createWrite(own);
    packet->allocate();
    if (!isRead(request.kind))
        putBytes(request.value, packet->getPtr<std::uint8_t>(), bytes.size);
    return packet;
}

bool
RubricTester::send(const rubric::Request &request)
{
    PacketPtr packet = packetOf(request);
    DPRINTF(RubricTester, "%s %#x\n", packet->cmdString(), packet->getAddr());
    // A flush does not come back, so nothing is to be known of it.
    bool comesBack = packet->needsResponse();
    if (comesBack)
        packet->pushSenderState(new Sent(request.tag, request.kind));
    if (portFor(request.kind).sendTimingReq(packet))
        return true;
    DPRINTF(RubricTester, "%s %#x refused\n", packet->cmdString(), packet->getAddr());
    if (comesBack)
        delete packet->popSenderState();
    delete packet;
    return false;
}

void
RubricTester::respond(PacketPtr packet)
{
    auto *sent = safe_cast<Sent *>(packet->popSenderState());
    bool isConditional = sent->kind == rubric::RequestKind::StoreConditional;
    rubric::Response response{sent->tag, sent->kind, true, 0};
    if (isConditional)
        response.success = packet->req->getExtraData() != 0;
    if (packet->hasData())
        response.value = getBytes(packet->getConstPtr<std::uint8_t>(), packet->getSize());
    DPRINTF(RubricTester, "%s %#x %#x\n", packet->cmdString(), packet->getAddr(), response.value);
    delete sent;
    delete packet;
    core->respond(curTick(), response);
    checkEnd();
}

} // namespace gem5
