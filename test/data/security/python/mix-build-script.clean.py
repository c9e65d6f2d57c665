import sys
import tarfile
from pathlib import Path


def build(target):
    print("+", target)
    return Path("dist", target)


def main(argv):
    target = argv[1] if len(argv) > 1 else "all"
    build(target)
    with tarfile.open("dist.tgz", "w:gz") as archive:
        archive.add("dist")


if __name__ == "__main__":
    main(sys.argv)
