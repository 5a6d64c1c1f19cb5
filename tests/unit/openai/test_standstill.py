"""A process that stood still (a busy machine, Ctrl-Z) finds replies and their time-outs together."""

import time
from concurrent.futures import ThreadPoolExecutor

from pathgraph.providers.openai import chat, loop
from pathgraph.settings import Endpoint


def test_replies_that_came_while_the_process_stood_still_are_not_paid_again(protocol_server):
    server = protocol_server(process=True, default="yes", formats=["text"], latency=0.5)
    endpoint = Endpoint(model="m", base_url=server.url, timeout_seconds=1.5, concurrency=8)

    def ask(number):
        asked = chat.Question(({"role": "user", "content": f"Question {number}?"},), "a", {}, lambda answer: None)
        return chat.ask(asked, endpoint, "answers").text

    ask(0)
    server.reset()
    with ThreadPoolExecutor(8) as calls:
        answers = [calls.submit(ask, number) for number in range(1, 9)]
        while server.stats()["in_flight"] < 8:
            time.sleep(0.01)
        loop._started().call_soon_threadsafe(time.sleep, 3)
        assert [answer.result() for answer in answers] == ["yes"] * 8
    assert (server.stats()["chat_calls"], server.stats()["repeated_prompts"]) == (8, 0)
