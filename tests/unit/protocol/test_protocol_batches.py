"""The batch endpoint of the protocol server through the real client."""

import json
import time

import openai
import pytest

RECORD = {
    "text": "Acme Corporation was founded by Jane Roe.",
    "triples": [["Acme Corporation", "founded_by", "Jane Roe"]],
}


def line(name, text=RECORD["text"], **more):
    body = {"model": "m", "messages": [{"role": "user", "content": f"{name} {text}"}], **more}
    return {"custom_id": name, "method": "POST", "url": "/v1/chat/completions", "body": body}


@pytest.fixture
def started(protocol_server):
    """Return a function that submits lines and gives the server, the client and the batch."""
    clients = []

    def start(lines, **options):
        server = protocol_server(records=[RECORD], **options)
        client = openai.OpenAI(base_url=server.url, api_key="none", max_retries=0)
        clients.append(client)
        body = "".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines).encode()
        file = client.files.create(file=("requests.jsonl", body), purpose="batch")
        assert file.bytes == len(body)
        batch = client.batches.create(
            input_file_id=file.id, endpoint="/v1/chat/completions", completion_window="24h", metadata={"run": "7"}
        )
        return server, client, batch

    yield start
    for one in clients:
        one.close()


def rows(client, name):
    return [json.loads(one) for one in client.files.content(name).text.splitlines()]


def test_a_batch_completes_in_its_time_with_results_out_of_order(started):
    lines = [line(f"chunk-{number}", "한글 \r\n " + RECORD["text"]) for number in range(20)]
    server, client, batch = started(lines, batch_seconds=0.3)
    assert batch.status == "validating"
    assert client.batches.retrieve(batch.id).status == "in_progress"
    time.sleep(0.35)
    batch = client.batches.retrieve(batch.id)
    assert (batch.status, batch.request_counts.completed, batch.metadata) == ("completed", 20, {"run": "7"})
    assert batch.error_file_id is None
    found = rows(client, batch.output_file_id)
    names = [one["custom_id"] for one in found]
    assert sorted(names) == sorted(one["custom_id"] for one in lines) != names
    content = found[0]["response"]["body"]["choices"][0]["message"]["content"]
    assert json.loads(content)["triples"][0]["object"] == "Jane Roe"
    stats = server.stats()
    assert (stats["batch_requests"], stats["chat_calls"], stats["answered_prompts"]) == (20, 0, 20)
    assert [one.id for one in client.batches.list()] == [batch.id]


def test_failed_requests_go_to_the_error_file(started):
    lines = [line("good"), line("bad", response_format={"type": "json_object"}), line("down", "JSON please")]
    _, client, batch = started(lines, poison={"down": "503"})
    batch = client.batches.retrieve(batch.id)
    assert (batch.request_counts.completed, batch.request_counts.failed) == (1, 2)
    failed = {one["custom_id"]: one["response"]["status_code"] for one in rows(client, batch.error_file_id)}
    assert failed == {"bad": 400, "down": 500}


def test_an_expired_batch_keeps_what_was_done(started):
    _, client, batch = started([line(f"{number}") for number in range(4)], batch_expires=True)
    batch = client.batches.retrieve(batch.id)
    assert batch.status == "expired"
    assert len(rows(client, batch.output_file_id)) == 2
    assert {one["error"]["code"] for one in rows(client, batch.error_file_id)} == {"batch_expired"}


def test_cancelled_and_invalid_batches(started):
    _, client, batch = started([line("a")], batch_seconds=60)
    assert client.batches.cancel(batch.id).status == "cancelled"
    _, client, batch = started([line("a"), line("a")])
    assert batch.status == "failed"
    assert "custom_id" in batch.errors.data[0].message
    with pytest.raises(openai.NotFoundError):
        client.batches.retrieve("batch_x")
    with pytest.raises(openai.BadRequestError):
        client.batches.create(input_file_id="x", endpoint="/v1/chat/completions", completion_window="24h")
    assert client.files.delete(batch.input_file_id).deleted
