import subprocess


def revision(folder):
    output = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=folder)
    return output.decode().strip()


def branch(folder):
    return subprocess.run(
        ["/usr/bin/git", "branch"],
        cwd=folder,
        shell=False,
        check=True,
    )
