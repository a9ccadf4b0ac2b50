"""The class of all commands: examples in the help, and checks of what was typed."""

import inspect
from typing import Any

import click

RENAMED_OPTIONS = {"--same-look": "--visual-match"}
"""Former names of options; using one is an error that names the new one."""


class PorismCommand(click.Command):
    """A command whose epilog is printed unchanged, not filled into a paragraph."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                for line in inspect.cleandoc(self.epilog).splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}".rstrip() + "\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse empty paths, which are usually unset variables of a script.

        Python would take them for the current folder, and fill or empty it.
        """
        given = self._given(ctx, args)
        for parameter in self.params:
            values = given.get(parameter.name or "")
            several = values if isinstance(values, list | tuple) else (values,)
            if isinstance(parameter.type, click.Path) and "" in several:
                raise click.BadParameter(
                    "found an empty path: expected the name of a file or folder", ctx, parameter
                )
        return super().parse_args(ctx, args)

    def _given(self, ctx: click.Context, args: list[str]) -> dict[str, Any]:
        try:
            return self.make_parser(ctx).parse_args(args=list(args))[0]
        except click.NoSuchOption as error:
            new = RENAMED_OPTIONS.get(error.option_name)
            if any(new in parameter.opts for parameter in self.params):
                raise click.UsageError(f"{error.option_name} is now {new}", ctx) from None
            raise

    def invoke(self, ctx: click.Context) -> object:
        if "index" in ctx.params:
            # Loads LLVM, which opening an index needs and --help does not.
            from porism.storage.bus_errors import exit_on_bus_error

            exit_on_bus_error()
        return super().invoke(ctx)
