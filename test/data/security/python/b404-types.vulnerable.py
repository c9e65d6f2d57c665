import subprocess
from subprocess import CompletedProcess


def describe(result: CompletedProcess) -> str:
    if isinstance(result, subprocess.CompletedProcess):
        return f"exit {result.returncode}"
    return "unknown"
