#!/usr/bin/env bash
# The tracer of CVA6 up to release 5.3 shows no memory access of an instruction that also writes a register: `amoadd.d a2,a0,(a1)` is a line with the
# old value in `a2` alone, without address and without what was stored. Into `x0` it is the other way round: the address and the value that the core reports.
# Who compares such a log with Spike's, or checks it against a memory model, misses every atomic operation.
#
# Guess before it was run: the line has the register, the address, and the operand in place of the value that is stored.
# Seen with the tracer of 2022 (PyPI's pythondata-cpu-cva6 4.2.0.post435), in a testbench that reports two atomic operations through RVFI:
#   3 0x0000000080000000 (0x00a5b62f) x12 0x0000000000000007
#   3 0x0000000080000004 (0x00a5b02f) mem 0x0000000080004000 0x0000000000000005
# Since December 2025 (openhwgroup/cva6 #3131) both parts are printed, and the value is the one that memory holds afterwards; a load-reserved
# then looks like a store of 0.
#
# Needs Verilator (Debian 12: 5.006-3) and a C++ compiler.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check pythondata-cpu-cva6==4.2.0.post435
sources=$("$folder/venv/bin/python" -c 'import pythondata_cpu_cva6 as it; print(it.data_location)')
cd "$folder"

cat > top.sv <<'SV'
module top (input logic clk_i, input int step_i);
  rvfi_pkg::rvfi_instr_t [1:0] retired;
  always_comb begin
    retired = '0;
    retired[0].valid = step_i inside {1, 2};
    retired[0].mode = 3;
    retired[0].pc_rdata = step_i == 1 ? 64'h8000_0000 : 64'h8000_0004;
    retired[0].insn = step_i == 1 ? 32'h00a5b62f : 32'h00a5b02f;
    retired[0].rd_addr = step_i == 1 ? 12 : 0;
    retired[0].rd_wdata = 7;
    // The core counts atomic operations as stores.
    retired[0].mem_addr = 64'h8000_4000;
    retired[0].mem_wmask = 8'hff;
    retired[0].mem_wdata = 5;
  end
  rvfi_tracer tracer (.clk_i, .rst_ni(step_i > 0), .rvfi_i(retired));
endmodule
SV
cat > main.cpp <<'CPP'
#include "Vtop.h"
#include "verilated.h"
double sc_time_stamp() { return 0; }
int main(int argc, char **argv)
{
    Verilated::commandArgs(argc, argv);
    Vtop top;
    for (int step = 0; step < 4; step++) {
        top.step_i = step;
        top.clk_i = 0;
        top.eval();
        top.clk_i = 1;
        top.eval();
    }
    top.final();
}
CPP
verilator --cc --exe --build --no-timing -Wno-fatal -Wno-lint --top-module top \
    "$sources/core/include/cv64a6_imafdc_sv39_config_pkg.sv" "$sources/core/include/riscv_pkg.sv" \
    "$sources/corev_apu/tb/rvfi_pkg.sv" "$sources/corev_apu/tb/rvfi_tracer.sv" top.sv main.cpp > build.log 2>&1 || { cat build.log; exit 1; }
./obj_dir/Vtop
cat trace_rvfi_hart_00.dasm
grep -qx '3 0x0000000080000000 (0x00a5b62f) x12 0x0000000000000007' trace_rvfi_hart_00.dasm
grep -qx '3 0x0000000080000004 (0x00a5b02f) mem 0x0000000080004000 0x0000000000000005' trace_rvfi_hart_00.dasm
