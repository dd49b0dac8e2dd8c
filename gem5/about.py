"""Prints which gem5 this is: what `rubric campaign --gem5` asks a binary first.

gem5's own option --build-info would say the same, but ends with an error in v24.0.0.1.
"""

import _m5.core
from m5.defines import buildEnv

print(f"gem5 version {_m5.core.gem5Version}")
print(f"compiled {_m5.core.compileDate}")
print(f"PROTOCOL = {buildEnv.get('PROTOCOL', 'None')}")
