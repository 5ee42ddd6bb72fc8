"""Keep a lent login in step with the person's own file while the agent works."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from .login import Loan, LoginBusy, LoginNotReturned, give_back, sync

SYNC_SECONDS: Final = 5.0


@dataclass(slots=True, kw_only=True)
class Borrowed:
    """The loan of one run; without one there is nothing to do. `tell` gets each line that is for the person."""

    loan: Loan | None
    tell: Callable[[str], None]
    returned: bool = False
    _due: float = field(default_factory=lambda: time.monotonic() + SYNC_SECONDS)

    def keep_in_step(self) -> None:
        """Bring a renewed token over, every few seconds, so that a killed run loses none."""
        if self.loan is None or self.returned or time.monotonic() < self._due:
            return
        self._due = time.monotonic() + SYNC_SECONDS
        try:
            settled = sync(self.loan)
        except (LoginBusy, LoginNotReturned) as later:
            self.tell(later.what)
            return
        self.loan = settled.loan
        if settled.line:
            self.tell(settled.line)

    def settle(self) -> None:
        """The last exchange. When it can't be made, the copy stays with the run's folder for `gc` to try again."""
        if self.loan is None or self.returned:
            self.returned = True
            return
        try:
            settled = give_back(self.loan)
        except (LoginBusy, LoginNotReturned) as failed:
            self.tell(f"{failed.what} {failed.remedy}")
            return
        self.returned = True
        if settled.line:
            self.tell(settled.line)
