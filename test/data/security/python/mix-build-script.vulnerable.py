import os
import subprocess
import sys
from subprocess import PIPE


def run(line, **options):
    print("+", line)
    return subprocess.run(line, shell=True, stdout=PIPE, **options)


def main(argv):
    target = argv[1] if len(argv) > 1 else "all"
    run(f"make {target}")
    os.system("tar czf dist.tgz dist/*")
    subprocess.call(["strip", "dist/tool"])
    if "--restart" in argv:
        os.execl(sys.executable, sys.executable, *argv)


if __name__ == "__main__":
    main(sys.argv)
