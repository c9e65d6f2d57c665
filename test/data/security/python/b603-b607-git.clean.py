from pathlib import Path


def revision(folder):
    return Path(folder, ".git", "HEAD").read_text().strip()
