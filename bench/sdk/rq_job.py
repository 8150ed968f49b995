"""What RQ's worker runs."""


def noop() -> None:
    pass
