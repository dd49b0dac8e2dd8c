/**
 * Transitions of controllers, as the lines of gem5's debug flag ProtocolTrace have them.
 */
#ifndef RUBRIC_CORE_TRANSITION_HH
#define RUBRIC_CORE_TRANSITION_HH

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace rubric
{

/** A controller took a transition. Names are those of a line, which has to live as long. */
struct Transition
{
    std::uint64_t tick = 0;
    /** Type of the controller, and its number among those of its type. */
    std::string_view machine;
    unsigned version = 0;
    std::string_view event, state, next;
    /** Of the line. */
    std::uint64_t address = 0;
};

/**
 * Reads a line of ProtocolTrace.
 *
 * @param machines the types of controllers that there are: gem5 writes no space between a type and the name of a long event
 * @return whether the line is a transition: stalls, and what sequencers do, are none
 */
bool parseTransition(std::string_view line, const std::vector<std::string> &machines, Transition &transition);

} // namespace rubric

#endif
