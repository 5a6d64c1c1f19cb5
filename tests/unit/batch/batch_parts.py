"""Texts, the replies about them, and what the tasks do with them."""

import json
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from pathgraph.extraction.run import NAMESPACE, Job, extract
from pathgraph.providers import batching, factory
from pathgraph.settings import Settings


def texts_of(count):
    return [f"Person{number} works for Company{number}. It is said to be so by everybody." for number in range(count)]


def reply_of(number):
    facts = [{"subject": f"Person{number}", "relation": "works_for", "object": f"Company{number}"}]
    return json.dumps({"entities": [], "triples": facts})


def replies_of(count):
    return {f"Person{number} ": reply_of(number) for number in range(count)}


def settings_for(url, *, max_attempts=3, gleanings=0, **batch):
    return Settings.model_validate(
        {
            "endpoint": {"model": "m", "base_url": url, "max_attempts": max_attempts},
            "extraction": {"provider": "openai", "gleanings": gleanings},
            "summaries": {"provider": "openai"},
            "batch": {"enabled": True, "poll_seconds": 0.05, **batch},
        }
    )


def jobs_of(texts):
    return [Job(number, 1, f"docs/{number}", "en", text) for number, text in enumerate(texts)]


def key_of(extractor, text):
    return extractor.request_key(text, "en")


def run(settings, place, texts):
    """Do what the tasks do; return the failures."""
    batched = batching.extractor(settings, place)
    jobs = jobs_of(texts)
    left = [job for job in jobs if not place.cache.get_many(NAMESPACE, [key_of(batched.provider, job.text)])]
    batched.desk.settle(lambda: [partial(batched.provider.reply, job.text, job.language) for job in left])
    with ThreadPoolExecutor(4) as threads:
        failures = extract(left, batched.provider, place.cache, threads)
    if failures:
        batched.desk.forget()
    return failures


def cached(settings, place, texts):
    extractor = factory.extractor(settings)
    keys = [key_of(extractor, text) for text in texts]
    found = place.cache.get_many(NAMESPACE, keys)
    return [found[key].decode() if key in found else None for key in keys]


def under_way(place):
    return list(place.folder.glob("*.json"))
