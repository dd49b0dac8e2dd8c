"""The simulation objects of rubric's plug-in: a run of a program, and the cores and DMA devices that execute its threads."""

from m5.objects.ClockedObject import ClockedObject
from m5.params import *
from m5.proxy import *
from m5.SimObject import PyBindMethod, SimObject


class RubricRun(SimObject):
    type = "RubricRun"
    cxx_header = "rubric_run.hh"
    cxx_class = "gem5::RubricRun"

    cxx_exports = [PyBindMethod("load")]


class RubricTester(ClockedObject):
    type = "RubricTester"
    cxx_header = "rubric_tester.hh"
    cxx_class = "gem5::RubricTester"

    run = Param.RubricRun("The run whose program the core executes")
    thread = Param.Unsigned("Thread of the program")
    system = Param.System(Parent.any, "The system that the core is part of")
    port = RequestPort("Port to the memory system")
    fetch_port = RequestPort("Port for instruction fetches, where they have a sequencer of their own")


class RubricDevice(ClockedObject):
    type = "RubricDevice"
    cxx_header = "rubric_device.hh"
    cxx_class = "gem5::RubricDevice"

    run = Param.RubricRun("The run whose program has the device")
    number = Param.Unsigned("Number of the device in the program")
    system = Param.System(Parent.any, "The system that the device is part of")
    port = RequestPort("Port to a DMA sequencer")
