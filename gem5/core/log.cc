#include "core/log.hh"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace rubric
{

namespace
{

const char magic[] = "\x93RUBRIC-LOG 1\n";

/** The most bytes of a text in a record. */
constexpr std::size_t longestText = 1000;

/** The byte that says what is issued. */
unsigned char
issueOf(const Step &step)
{
    switch (step.kind) {
      case OperationKind::Load:
      case OperationKind::Fetch:
        return 0x10;
      case OperationKind::Store:
        return 0x11;
      case OperationKind::Rmw:
        return step.form == RmwForm::AtomicNoReturn ? 0x11 : 0x12;
      default:
        return 0x13;
    }
}

} // namespace

Log::~Log()
{
    if (descriptor >= 0)
        close(descriptor);
}

std::string
Log::open(const std::string &path)
{
    if (descriptor >= 0)
        close(descriptor);
    descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return path + ": " + std::strerror(errno);
    record.assign(magic, sizeof magic - 1);
    send();
    return failed;
}

void
Log::number(std::uint64_t number)
{
    while (number >= 0x80) {
        record.push_back(static_cast<char>(number | 0x80));
        number >>= 7;
    }
    record.push_back(static_cast<char>(number));
}

void
Log::text(const std::string &text)
{
    std::string cut = text.substr(0, longestText);
    number(cut.size());
    record += cut;
}

/** Adds how many ticks have passed since the record before. */
void
Log::after(std::uint64_t tick)
{
    number(tick - last);
    last = tick;
}

void
Log::which(unsigned char kind, std::uint64_t tick, unsigned thread, unsigned index)
{
    record.push_back(static_cast<char>(kind));
    number(thread);
    number(index);
    after(tick);
}

/** Hands the record to the system. */
void
Log::send()
{
    std::size_t sent = 0;
    while (descriptor >= 0 && sent < record.size()) {
        ssize_t written = write(descriptor, record.data() + sent, record.size() - sent);
        if (written >= 0) {
            sent += written;
        } else if (errno != EINTR) {
            failed = std::string("the log cannot be written: ") + std::strerror(errno);
            close(descriptor);
            descriptor = -1;
        }
    }
    record.clear();
}

void
Log::begin(const Program &program, const std::string &client)
{
    record.push_back(0x01);
    number(0);
    number(program.threads.size() + program.devices.size());
    number(program.lineBytes);
    text(program.name);
    text(client);
    last = 0;
    isRunning = true;
    names.clear();
    send();
}

void
Log::end(std::uint64_t tick, bool isComplete)
{
    record.push_back(0x02);
    after(tick);
    number(isComplete ? 0 : 1);
    isRunning = false;
    send();
}

void
Log::issue(std::uint64_t tick, unsigned thread, unsigned index, const Step &step)
{
    unsigned char kind = issueOf(step);
    which(kind, tick, thread, index);
    if (kind != 0x13) {
        number(step.bytes.address);
        number(step.bytes.size);
    }
    if (kind == 0x11 || kind == 0x12)
        number(step.value);
    send();
}

void
Log::issueHalf(std::uint64_t tick, unsigned thread, unsigned index, const Step &step, bool isStore)
{
    which(isStore ? 0x15 : 0x14, tick, thread, index);
    number(step.bytes.address);
    number(step.bytes.size);
    if (isStore)
        number(step.value);
    send();
}

void
Log::order(std::uint64_t tick, unsigned thread, unsigned index, const std::string &ordering)
{
    which(0x16, tick, thread, index);
    text(ordering);
    send();
}

void
Log::complete(std::uint64_t tick, unsigned thread, unsigned index)
{
    which(0x20, tick, thread, index);
    send();
}

void
Log::complete(std::uint64_t tick, unsigned thread, unsigned index, std::uint64_t read)
{
    which(0x21, tick, thread, index);
    number(read);
    send();
}

/** The number of a name; a name that is new gets a record. */
std::uint64_t
Log::numberOf(std::string_view name)
{
    auto [known, isNew] = names.try_emplace(std::string(name), names.size());
    if (isNew) {
        record.push_back(0x30);
        text(known->first);
        send();
    }
    return known->second;
}

void
Log::take(const Transition &transition)
{
    if (!isRunning)
        return;
    const std::uint64_t numbers[] = {
        numberOf(transition.machine), numberOf(transition.event),
        numberOf(transition.state), numberOf(transition.next)};
    record.push_back(0x31);
    for (std::uint64_t one : numbers)
        number(one);
    number(transition.version);
    number(transition.address);
    after(transition.tick);
    send();
}

} // namespace rubric
