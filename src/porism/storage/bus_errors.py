"""Exits with a message if an index was overwritten in place or truncated while it was mapped.

Reading a page of a mapped file that is no longer there raises a processor fault (SIGBUS) in the
middle of an instruction. A handler in Python would never run: it waits for that instruction to
end. So the handler is machine code, and does only what a signal handler may do: it writes one line
and exits.
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
    """Make a bus error write ``MESSAGE`` to standard error and exit with status 1.

    If faulthandler is enabled, it keeps the signal, to show where it happened.
    """
    if hasattr(signal, "SIGBUS") and not faulthandler.is_enabled():
        set_handler = ctypes.CDLL(None).signal
        set_handler.argtypes = (ctypes.c_int, ctypes.c_void_p)
        set_handler.restype = ctypes.c_void_p
        set_handler(signal.SIGBUS, _engine().get_function_address("leave"))


@cache  # the code lives as long as the engine
def _engine() -> binding.ExecutionEngine:
    """Compile ``void leave(int) { write(2, MESSAGE, length); _exit(1); }``."""
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
