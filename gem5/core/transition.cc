#include "core/transition.hh"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <system_error>

namespace rubric
{

namespace
{

/** Takes the next word off a text; an empty one at its end. */
std::string_view
takeWord(std::string_view &text)
{
    std::size_t begin = std::min(text.find_first_not_of(' '), text.size());
    std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end);
    return word;
}

/** Reads a number that a word is; whether it is one. */
template <typename Number>
bool
readNumber(std::string_view word, int base, Number &number)
{
    std::from_chars_result result = std::from_chars(word.begin(), word.end(), number, base);
    return result.ec == std::errc() && result.ptr == word.end();
}

/** Reads an address as gem5 writes it, `[0x1008, line 0x1000]`, takes it off the text, and keeps that of the line. */
bool
takeLine(std::string_view &text, std::uint64_t &address)
{
    static constexpr std::string_view before = ", line 0x";
    std::size_t begin = text.find(before);
    std::size_t end = text.find(']');
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin)
        return false;
    begin += before.size();
    std::string_view word = text.substr(begin, end - begin);
    text.remove_prefix(end + 1);
    return readNumber(word, 16, address);
}

/** The longest name that a text begins with; empty if there is none. */
std::string_view
longestPrefix(std::string_view text, const std::vector<std::string> &names)
{
    std::string_view found;
    for (const std::string &name : names)
        if (name.size() > found.size() && text.substr(0, name.size()) == name)
            found = name;
    return found;
}

} // namespace

bool
parseTransition(std::string_view line, const std::vector<std::string> &machines, Transition &transition)
{
    if (!readNumber(takeWord(line), 10, transition.tick) || !readNumber(takeWord(line), 10, transition.version))
        return false;
    std::string_view machine = takeWord(line);
    transition.machine = longestPrefix(machine, machines);
    if (transition.machine.empty())
        return false;
    machine.remove_prefix(transition.machine.size());
    transition.event = machine.empty() ? takeWord(line) : machine;
    std::string_view states = takeWord(line);
    std::size_t arrow = states.find('>');
    if (arrow == std::string_view::npos || !takeLine(line, transition.address))
        return false;
    transition.state = states.substr(0, arrow);
    transition.next = states.substr(arrow + 1);
    std::size_t end = line.find_last_not_of(" \n");
    std::string_view comment = line.substr(0, end == std::string_view::npos ? 0 : end + 1);
    return comment != " Resource Stall" && comment != " Protocol Stall";
}

} // namespace rubric
