"""Options that several commands have are declared once, in ``porism.cli.options``."""

import ast
from collections import defaultdict
from pathlib import Path

from click.testing import CliRunner

import porism.cli
from porism.cli.command import RENAMED_OPTIONS
from porism.cli.main import porism as command
from tests.test_docs import EVERY_COMMAND

CLI = Path(porism.cli.__file__).parent

DIFFERENT_MEANINGS = {
    "--admin": "the name of an administrator, or whether an assessor is one",
    "--all": "all numbers of the papers, or all disagreements",
    "--annotations": "a file, or whether to ask for them",
    "--batch": "a batch of an assessment, or the formulas in one of a training",
    "--by": "a category of topics, or a kind of fusion",
    "--model": "the model of vectors by name or folder, or the folder of one that scores answers",
    "--name": "of a batch, or of a training round",
    "--runs": "a folder of runs, or a list of them",
    "--formulas": "search for formulas, or visual ids of formulas",
    "--weights": "files of weights for systems, or numbers for runs",
    "--latex": "tables as LaTeX, or formulas",
    "--vectors": "of an index that is made, or of a source that is served meanwhile",
    "--to": "a form of formulas, or an assessor",
}


def declared_options() -> dict[str, set[str]]:
    """The modules that declare each option, by the name of the option."""
    modules = defaultdict(set)
    for path in CLI.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and ast.unparse(node.func).endswith(
                ("click.option", "_file_option")
            ):
                for argument in node.args:
                    if isinstance(argument, ast.Constant) and str(argument.value).startswith("--"):
                        name = str(argument.value).partition("/")[0]
                        modules[name].add(str(path.relative_to(CLI)))
    return modules


def test_options_of_several_commands_are_declared_once() -> None:
    repeated = {name: modules for name, modules in declared_options().items() if len(modules) > 1}
    assert set(repeated) == set(DIFFERENT_MEANINGS)


def test_former_option_names_are_not_options() -> None:
    parameters = [parameter for each in EVERY_COMMAND.values() for parameter in each.params]
    options = {name for parameter in parameters for name in parameter.opts}
    assert not options & set(RENAMED_OPTIONS)
    assert set(RENAMED_OPTIONS.values()) <= options


def test_former_option_name_is_refused_with_the_new_one(tmp_path: Path) -> None:
    arguments = ["assess", "serve", "--db", str(tmp_path / "j.db"), "--same-look", "by-context"]
    done = CliRunner().invoke(command, arguments)
    assert done.exit_code == 2
    assert "Error: --same-look is now --visual-match" in done.stderr


def test_former_name_of_another_commands_option_is_unknown() -> None:
    done = CliRunner().invoke(command, ["systems", "--same-look", "by-context"])
    assert done.exit_code == 2
    assert "No such option" in done.stderr
