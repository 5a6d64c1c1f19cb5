"""The protocol server seen through the real client: good answers, and every fault as the client meets it."""

import json

import openai
import pytest

ACME = (
    "Acme Corporation was founded by Jane Roe in Springfield. It supplies rockets to Coyote Limited every single year."
)
RECORD = {
    "text": ACME,
    "triples": [["Acme Corporation", "founded_by", "Jane Roe"], ["Acme Corporation", "supplies", "Coyote Limited"]],
    "entities": [{"name": "Jane Roe", "type": "PERSON"}],
}
SCHEMA = {
    "type": "object",
    "properties": {
        "triples": {
            "type": "array",
            "items": {
                "type": "object",
                "properties": {name: {"type": "string"} for name in ("subject", "relation", "object")},
                "required": ["subject", "relation", "object"],
                "additionalProperties": False,
            },
        }
    },
    "required": ["triples"],
    "additionalProperties": False,
}


@pytest.fixture
def client_of():
    """Return a function that gives a client without retries of its own."""
    clients = []

    def make(server, timeout=10.0):
        clients.append(openai.OpenAI(base_url=server.url, api_key="none", max_retries=0, timeout=timeout))
        return clients[-1]

    yield make
    for one in clients:
        one.close()


def ask(client, prompt=f"Write the facts as JSON:\n{ACME}", **more):
    return client.chat.completions.create(model="replay", messages=[{"role": "user", "content": prompt}], **more)


def test_chat_answers_from_the_recording(protocol_server, client_of):
    server = protocol_server(records=[RECORD])
    answer = ask(client_of(server))
    value = json.loads(answer.choices[0].message.content)
    assert [(t["subject"], t["relation"], t["object"]) for t in value["triples"]] == list(map(tuple, RECORD["triples"]))
    assert value["triples"][0]["evidence"] == "Acme Corporation was founded by Jane Roe in Springfield."
    assert value["entities"] == [{"name": "Jane Roe", "type": "PERSON", "description": ""}]
    assert answer.choices[0].finish_reason == "stop"
    assert answer.usage.total_tokens == answer.usage.prompt_tokens + answer.usage.completion_tokens > 20
