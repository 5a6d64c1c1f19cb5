"""What all tests share: hypothesis without deadlines (machines are shared), and repeatable."""

import sys
from pathlib import Path

from hypothesis import HealthCheck, settings

sys.path.insert(0, str(Path(__file__).parent))  # pytest's importlib mode puts no test folder on the path

from protocol.fixtures import protocol_server  # noqa: F401  (offered to every test)

settings.register_profile("default", deadline=None, max_examples=60, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("default")
