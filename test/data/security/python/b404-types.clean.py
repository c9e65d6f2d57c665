def describe(result) -> str:
    return f"exit {result.returncode}"
