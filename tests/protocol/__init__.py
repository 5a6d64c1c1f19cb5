"""A server that speaks the OpenAI protocol over real HTTP and answers from recordings, with faults on demand.

Start it from a test with the fixture `protocol_server(**options)` (tests/protocol/fixtures.py), or by hand with
`python tests/protocol --help`. The options are the fields of `protocol.options.Options`.
"""
