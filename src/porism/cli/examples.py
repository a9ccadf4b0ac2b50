"""Examples at the end of a command's help, kept in the lines in which they were written."""

import inspect

import click


class Command(click.Command):
    """A command whose epilog is printed as it stands instead of being filled into a paragraph."""

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        if self.epilog:
            with formatter.section("Examples"):
                for line in inspect.cleandoc(self.epilog).splitlines():
                    formatter.write(f"{'':>{formatter.current_indent}}{line}".rstrip() + "\n")
