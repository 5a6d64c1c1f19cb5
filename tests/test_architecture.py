"""The layer rules and house limits of docs/architecture.md, held by reading the code."""

import ast
import importlib.util
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
CODE = sorted(p for top in ("src", "flows", "tasks") for p in (ROOT / top).rglob("*.py"))
ALL = CODE + sorted((ROOT / "tests").rglob("*.py")) + sorted((ROOT / "benchmarks").rglob("*.py"))
MAX_FILE, MAX_FUNCTION, MAX_PARAMETERS = 400, 60, 6


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


def imports(path: Path) -> set[str]:
    """Dotted names a file imports, `from a import b` giving both a and a.b."""
    found: set[str] = set()
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {node.module} | {f"{node.module}.{alias.name}" for alias in node.names}
    return found


def users(package: str) -> set[str]:
    """Files that import a package or a part of it."""
    return {label(p) for p in CODE if any(n == package or n.startswith(package + ".") for n in imports(p))}


def within(files: set[str], *places: str) -> set[str]:
    return {f for f in files if not f.startswith(places)}


def test_prefect_stays_in_flows_tasks_and_one_command():
    assert within(users("prefect"), "flows/", "tasks/", "src/pathgraph/cli/server.py") == set()


def test_openai_stays_in_the_model_client():
    assert within(users("openai"), "src/pathgraph/providers/openai/") == set()


def test_community_libraries_stay_in_the_community_and_graph_modules():
    found = users("igraph") | users("leidenalg")
    assert within(found, "src/pathgraph/communities/", "src/pathgraph/graph/") == set()


def test_only_the_store_connects_to_duckdb():
    connects = re.compile(r"\bduckdb\s*\.\s*connect\b|from duckdb import .*\bconnect\b")
    found = {label(p) for p in CODE if connects.search(p.read_text("utf-8"))}
    assert within(found, "src/pathgraph/store/") == set()


@pytest.mark.parametrize("path", CODE, ids=label)
def test_imports_go_downward(path):
    names = imports(path)
    if label(path).startswith("tasks/"):
        assert not any(n.startswith("pathgraph.flows") for n in names)
    elif label(path).startswith("src/") and not label(path).startswith("src/pathgraph/cli/"):
        assert not any(n.startswith(("pathgraph.flows", "pathgraph.tasks", "pathgraph.cli")) for n in names)


def test_nobody_imports_the_folders_by_their_bare_names():
    bare = {label(p): n for p in ALL for n in imports(p) if n.split(".")[0] in {"flows", "tasks", "src"}}
    assert bare == {}


@pytest.mark.parametrize("path", sorted((ROOT / "flows").glob("[!_]*.py")), ids=label)
def test_a_flow_is_wiring_only(path):
    """Prefect puts the folder of a flow file on sys.path, so its stem must hide no importable module."""
    loops = [n for n in ast.walk(tree(path)) if isinstance(n, (ast.For, ast.While, ast.Try))]
    assert loops == []
    assert not {"pandas", "pyarrow", "duckdb", "numpy"} & imports(path)
    spec = importlib.util.find_spec(path.stem)
    assert spec is None or spec.origin == str(path)


@pytest.mark.parametrize("path", ALL, ids=label)
def test_files_and_functions_stay_short(path):
    assert len(path.read_text("utf-8").splitlines()) <= MAX_FILE
    for node in ast.walk(tree(path)):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            assert node.end_lineno - node.lineno < MAX_FUNCTION, node.name


@pytest.mark.parametrize("path", CODE, ids=label)
def test_parameters_stay_few_and_modules_say_what_belongs_in_them(path):
    module = tree(path)
    assert ast.get_docstring(module)
    for node in ast.walk(module):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and "cli/" not in label(path):
            arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
            count = len([a for a in arguments if a.arg not in {"self", "cls"}])
            assert count <= MAX_PARAMETERS, node.name


def test_no_broad_except():
    broad = [
        f"{label(p)}:{n.lineno}"
        for p in CODE
        for n in ast.walk(tree(p))
        if isinstance(n, ast.ExceptHandler)
        and (n.type is None or ast.unparse(n.type) in {"Exception", "BaseException"})
    ]
    assert broad == []


def test_every_folder_with_code_is_packaged():
    declared = set(re.findall(r'"(pathgraph[\w.]*)"', (ROOT / "pyproject.toml").read_text("utf-8")))
    for path in CODE:
        top, *rest = path.parent.relative_to(ROOT).parts
        name = ".".join(rest if top == "src" else ["pathgraph", top, *rest])
        assert name in declared, f"{name} is missing in pyproject.toml"
