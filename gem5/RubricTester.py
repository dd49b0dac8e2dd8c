"""The simulation objects of rubric's plug-in: a run of a program, and the cores that execute its threads."""

from m5.objects.ClockedObject import ClockedObject
from m5.params import *
from m5.proxy import *
from m5.SimObject import PyBindMethod, SimObject


class RubricRun(SimObject):
    type = "RubricRun"
    cxx_header = "rubric_run.hh"
    cxx_class = "gem5::RubricRun"

    cxx_exports = [PyBindMethod("load")]

    client = Param.String(
        "in-order",
        "Kind of core: in-order, store-buffer-N, per-location-N, early-N or early-N-buffer-N",
    )


class RubricTester(ClockedObject):
    type = "RubricTester"
    cxx_header = "rubric_tester.hh"
    cxx_class = "gem5::RubricTester"

    run = Param.RubricRun("The run whose program the core executes")
    thread = Param.Unsigned("Thread of the program")
    system = Param.System(Parent.any, "The system that the core is part of")
    port = RequestPort("Port to the memory system")
