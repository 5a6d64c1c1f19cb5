"""An event loop whose clock jumps to the next timer instead of waiting for it."""

import asyncio
import selectors


class _Selector(selectors.DefaultSelector):
    loop: "VirtualLoop"

    def select(self, timeout=None):
        found = super().select(0)
        if not found and timeout:
            self.loop.now += timeout
        return found


class VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self):
        self.now = 0.0
        selector = _Selector()
        selector.loop = self
        super().__init__(selector)

    def time(self):
        return self.now


def run(coroutine):
    with asyncio.Runner(loop_factory=VirtualLoop) as runner:
        return runner.run(coroutine)
