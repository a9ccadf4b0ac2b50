"""How a process ends whose index was overwritten in place or cut off while it was mapped.

Reading a page of a mapped file that is no longer there is a fault of the processor (SIGBUS) in the
middle of whichever instruction reads it. A handler in Python never runs then: it would have to wait
for that instruction. So the handler is machine code, which does nothing but what a signal handler
may do: it writes one line and leaves.
"""

import ctypes
import faulthandler
import signal
from functools import cache

from llvmlite import binding, ir

MESSAGE = (
    "Error: an index file was overwritten or truncated while in use; start again, and replace an "
    "index with porism index or porism update, which leave files in use alone\n"
)


def exit_on_bus_error() -> None:
    """From now on a bus error writes ``MESSAGE`` to standard error and ends with status 1.

    If faulthandler is on, it stays in charge: whoever turned it on wants to see the place.
    """
    if hasattr(signal, "SIGBUS") and not faulthandler.is_enabled():
        set_handler = ctypes.CDLL(None).signal
        set_handler.argtypes = (ctypes.c_int, ctypes.c_void_p)
        set_handler.restype = ctypes.c_void_p
        set_handler(signal.SIGBUS, _engine().get_function_address("leave"))


@cache  # the code is there as long as the engine is
def _engine() -> binding.ExecutionEngine:
    """The machine code of ``void leave(int) { write(2, MESSAGE, length); _exit(1); }``."""
    module = ir.Module()
    whole, size, byte = ir.IntType(32), ir.IntType(64), ir.IntType(8)
    text = bytearray(MESSAGE.encode("ascii"))
    message = ir.GlobalVariable(module, ir.ArrayType(byte, len(text)), "message")
    message.initializer = ir.Constant(message.value_type, text)
    message.global_constant = True
    types = ir.FunctionType(size, (whole, byte.as_pointer(), size))
    write = ir.Function(module, types, "write")
    end = ir.Function(module, ir.FunctionType(ir.VoidType(), (whole,)), "_exit")
    leave = ir.Function(module, ir.FunctionType(ir.VoidType(), (whole,)), "leave")
    build = ir.IRBuilder(leave.append_basic_block())
    start = build.bitcast(message, byte.as_pointer())
    build.call(write, (whole(2), start, size(len(text))))
    build.call(end, (whole(1),))
    build.unreachable()
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    machine = binding.Target.from_default_triple().create_target_machine()
    engine = binding.create_mcjit_compiler(binding.parse_assembly(str(module)), machine)
    engine.finalize_object()
    return engine
