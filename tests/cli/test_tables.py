"""Tables of scores as LaTeX; doctests cover the other formats."""

from porism.cli.tables import OutputTable, latex_lines


def test_run_names_are_escaped_in_latex_tables() -> None:
    table = OutputTable(("run", "P'@10"), (("[a]", 0.25), ("*b", 0.5), ("c|d <e>\nf – g", 0.75)))
    assert latex_lines(table)[4:-2] == [
        r"{}[a] & 0.250 \\",
        r"{}*b & 0.500 \\",
        r"c\textbar{}d \textless{}e\textgreater{} f -- g & 0.750 \\",
    ]
