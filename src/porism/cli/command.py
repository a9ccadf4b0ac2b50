"""What all commands share: examples at the end of the help, and empty paths refused."""

import inspect

import click


class PorismCommand(click.Command):
    """A command whose epilog is printed as it stands instead of being filled into a paragraph."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                for line in inspect.cleandoc(self.epilog).splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}".rstrip() + "\n")

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Refuse empty paths, which are most often variables of a script that are not set.

        Python would take them for the current folder, and fill or empty that.
        """
        given, _, _ = self.make_parser(ctx).parse_args(args=list(args))
        for parameter in self.params:
            values = given.get(parameter.name or "")
            several = values if isinstance(values, list | tuple) else (values,)
            if isinstance(parameter.type, click.Path) and "" in several:
                raise click.BadParameter(
                    "found an empty path: expected the name of a file or folder", ctx, parameter
                )
        return super().parse_args(ctx, args)

    def invoke(self, ctx: click.Context) -> object:
        if "index" in ctx.params:
            # Loads LLVM, which --help can do without, and whoever opens an index cannot.
            from porism.index.storage.bus_errors import exit_on_bus_error

            exit_on_bus_error()
        return super().invoke(ctx)
