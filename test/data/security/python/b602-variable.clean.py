def run(action, cwd):
    completed = action(cwd)
    if completed.returncode:
        raise RuntimeError(completed.stderr)
    return completed.stdout
