"""Many statements about one thing made into one description by a model.

Belongs here: the conversation about one bucket of statements. Does not: buckets and levels
(`pathgraph.graph.condense`), the cache.
"""

import json
from pathlib import Path

from pathgraph.extraction.repair import json_object
from pathgraph.ids import content_hash
from pathgraph.prompts.forms import DESCRIPTION, DESCRIPTION_WORDS
from pathgraph.prompts.render import LANGUAGES, fenced, prompt
from pathgraph.providers.openai.chat import Question, ask
from pathgraph.providers.protocol import CondenseRequest
from pathgraph.settings import Endpoint
from pathgraph.text import sanitise

PROMPT = "condense.v1"
STAGE = "condensation"
# Words of an English token and characters of a Korean one, rather too few: models write more than they are told to.
_LENGTHS = {"en": 0.7, "ko": 1.0}


class OpenAICondenser:
    """Asks a model for one description of many. Thread-safe."""

    provider = "openai"

    def __init__(self, endpoint: Endpoint, prompts: Path | None = None) -> None:
        """Read the prompts; raises SettingsError when one is wrong."""
        self.model, self.parallel = str(endpoint.model), endpoint.concurrency
        self._endpoint = endpoint
        self._prompts = {language: prompt(PROMPT, language, prompts) for language in LANGUAGES}
        self._form = json.dumps(DESCRIPTION, sort_keys=True) + DESCRIPTION_WORDS
        self.prompt_hash = content_hash(self._form, *(self._prompts[language].hash for language in LANGUAGES))

    def request_key(self, request: CondenseRequest) -> str:
        """Return a hash of the statements and of the model, prompt, length and sampling; of nothing else."""
        sampling = f"{self._endpoint.temperature:g} {self._endpoint.max_output_tokens}"
        told = self._prompts[_known(request.language)].hash
        return content_hash("condense", self.model, told, self._form, sampling, request.tokens, *request.texts)

    def condense(self, request: CondenseRequest) -> str:
        """Return the description, on one line.

        Raises:
            ModelError: no usable reply came, see `chat.ask`; ModelRejected when none will ever come.
        """
        language = _known(request.language)
        values = {
            "format": DESCRIPTION_WORDS.strip(),
            "length": str(int(request.tokens * _LENGTHS[language])),
            "material": fenced("\n".join(f"- {text}" for text in request.texts)),
        }
        question = Question(self._prompts[language].messages(values), "description", DESCRIPTION, description_of)
        return description_of(ask(question, self._endpoint, STAGE).text)


def description_of(answer: str) -> str:
    """Return the description that a reply holds; raises ValueError when there is none."""
    said = (json_object(answer) or {}).get("description")
    text = " ".join(sanitise(said).split()) if isinstance(said, str) else ""
    if not text:
        raise ValueError("the reply is no description")
    return text


def _known(language: str) -> str:
    return language if language in LANGUAGES else "en"
