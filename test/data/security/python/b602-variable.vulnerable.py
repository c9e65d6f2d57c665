import subprocess


def run(command, use_shell, cwd):
    completed = subprocess.run(command, cwd=cwd, shell=use_shell, capture_output=True)
    if completed.returncode:
        raise RuntimeError(completed.stderr)
    return completed.stdout
