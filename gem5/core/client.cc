#include "core/client.hh"

#include <sstream>

#include "core/buffered.hh"
#include "core/early.hh"
#include "core/in_order.hh"
#include "core/out_of_order.hh"

namespace rubric
{

namespace
{

/** The names; N stands for a size. Their order is that of the kinds. */
const char *const patterns[] = {
    "in-order", "store-buffer-N", "per-location-N", "early-N", "early-N-buffer-N",
    "rvwmo-ooo-N", "armv8-ooo-N", "wmo-ooo-N", "ztso-ooo-N", "rmo-ooo-N"};
constexpr int patternCount = sizeof patterns / sizeof *patterns;

constexpr unsigned usualSize = 8;
constexpr unsigned mostSize = 1024;

std::vector<std::string>
wordsOf(const std::string &name)
{
    std::vector<std::string> words;
    std::istringstream split(name);
    for (std::string word; std::getline(split, word, '-');)
        words.push_back(word);
    return words;
}

bool
isNumber(const std::string &word)
{
    return !word.empty() && word[0] >= '0' && word[0] <= '9';
}

/** The size that a word gives, or 0. */
unsigned
sizeOf(const std::string &word)
{
    unsigned size = 0;
    for (char c : word) {
        if (c < '0' || c > '9' || size > mostSize)
            return 0;
        size = size * 10 + (c - '0');
    }
    return size > mostSize ? 0 : size;
}

/** Whether a name is of a pattern; adds the sizes that it gives. */
bool
isOf(const std::string &name, const std::string &pattern, std::vector<unsigned> &sizes)
{
    std::vector<std::string> words = wordsOf(name);
    std::size_t at = 0;
    for (const std::string &expected : wordsOf(pattern)) {
        bool isSize = expected == "N";
        if (isSize && (at >= words.size() || !isNumber(words[at]))) {
            sizes.push_back(usualSize);
            continue;
        }
        if (at >= words.size() || (!isSize && words[at] != expected))
            return false;
        if (isSize)
            sizes.push_back(sizeOf(words[at]));
        if (isSize && sizes.back() == 0)
            return false;
        at++;
    }
    return at == words.size();
}

} // namespace

Client
Client::named(const std::string &name)
{
    std::string known;
    for (int kind = 0; kind < patternCount; kind++) {
        Client client;
        client.kind = static_cast<Kind>(kind);
        if (isOf(name, patterns[kind], client.sizes))
            return client;
        known += (kind == 0 ? "" : ", ") + std::string(patterns[kind]);
    }
    throw ProgramError("`" + name + "`: expected " + known + ", with sizes from 1 to 1024");
}

std::string
Client::name() const
{
    std::string name;
    std::size_t size = 0;
    for (const std::string &word : wordsOf(patterns[static_cast<int>(kind)]))
        name += (name.empty() ? "" : "-") + (word == "N" ? std::to_string(sizes[size++]) : word);
    return name;
}

std::string
Client::model() const
{
    return kind < Kind::OutOfOrder ? "" : wordsOf(patterns[static_cast<int>(kind)])[0];
}

std::unique_ptr<Core>
Client::core(const Program &program, unsigned number, Surroundings around) const
{
    if (!model().empty() && model() != program.model)
        throw ProgramError("the program is not for cores " + name() + ", but for "
                           + (program.model.empty() ? "those of no weak model" : "those of " + program.model)
                           + "; `rubric generate program --client` decides that");
    Thread thread(program, number, around);
    switch (kind) {
      case Kind::StoreBuffer:
        return std::make_unique<Buffered>(std::move(thread), sizes[0], false);
      case Kind::PerLocation:
        return std::make_unique<Buffered>(std::move(thread), sizes[0], true);
      case Kind::Early:
        return std::make_unique<Early>(std::move(thread), sizes[0], 0);
      case Kind::EarlyBuffer:
        return std::make_unique<Early>(std::move(thread), sizes[0], sizes[1]);
      case Kind::InOrder:
        return std::make_unique<InOrder>(std::move(thread));
      default:
        return std::make_unique<OutOfOrder>(std::move(thread), sizes[0]);
    }
}

} // namespace rubric
