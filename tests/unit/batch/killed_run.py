"""Runs that stop at a named point until they are killed.

Each line of the input (a JSON list: url, folder, number of texts, point) forks a run; its process id is printed, then
"paused" once it stands at its point.
"""

import json
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

from batch_parts import run, settings_for, texts_of

from pathgraph.extraction.run import NAMESPACE
from pathgraph.providers import batching
from pathgraph.providers.openai import chat
from pathgraph.providers.openai.batch_api import BatchApi
from pathgraph.providers.openai.batch_post import Post
from pathgraph.store.batches import Batches
from pathgraph.store.cache import Cache

BEFORE, AFTER = "before", "after"
# What is paused, on which side of it, and for which arguments.
POINTS = {
    "before the batch is noted": (Batches, "write", BEFORE, lambda _, one: not one.id),
    "before the file is sent": (BatchApi, "create", BEFORE, lambda *_: True),
    "after the batch was created": (BatchApi, "create", AFTER, lambda *_: True),
    "after its id was noted": (Batches, "write", AFTER, lambda _, one: bool(one.id)),
    "before results are kept": (Post, "keep", BEFORE, lambda *_: True),
    "after results were kept": (Post, "keep", AFTER, lambda *_: True),
    "after the batch was forgotten": (Batches, "remove", AFTER, lambda *_: True),
    "after a reply was kept": (Cache, "put_many", AFTER, lambda _, namespace, items: namespace == NAMESPACE),
}


def print_line(value):
    sys.stdout.write(f"{value}\n")
    sys.stdout.flush()


def pause():
    print_line("paused")
    time.sleep(60)


def arm(point):
    owner, name, side, applies = POINTS[point]
    real = getattr(owner, name)

    def paused(*arguments):
        if side == BEFORE and applies(*arguments):
            pause()
        value = real(*arguments)
        if side == AFTER and applies(*arguments):
            pause()
        return value

    setattr(owner, name, paused)


def start(url, folder, count, point):
    arm(point)
    chat._dialects[url, "m"] = chat.Dialect()
    place = batching.Place(Cache(Path(folder)), Path(folder) / "batches", "work")
    run(settings_for(url), place, texts_of(count))


if __name__ == "__main__":
    for line in sys.stdin:
        if child := os.fork():
            os.waitpid(child, 0)
        else:
            print_line(os.getpid())
            start(*json.loads(line))
            os._exit(0)
