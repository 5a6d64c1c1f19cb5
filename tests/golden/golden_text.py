"""Tables as Markdown, as docs/queries.md shows them."""

import pyarrow as pa


def cell(value: object) -> str:
    if value is None:
        return ""
    if isinstance(value, float):
        return f"{value:.3g}"
    if isinstance(value, list):
        return ", ".join(map(str, value))
    return str(value).replace("|", "\\|").replace("\n", " ")


def markdown_table(table: pa.Table) -> str:
    lines = [
        table.column_names,
        ["---"] * table.num_columns,
        *([cell(v) for v in row.values()] for row in table.to_pylist()),
    ]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
