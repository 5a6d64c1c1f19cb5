"""Texts, the replies about them, and what the tasks do with them."""

import json


def texts_of(count):
    return [f"Person{number} works for Company{number}. It is said to be so by everybody." for number in range(count)]


def reply_of(number):
    facts = [{"subject": f"Person{number}", "relation": "works_for", "object": f"Company{number}"}]
    return json.dumps({"entities": [], "triples": facts})
