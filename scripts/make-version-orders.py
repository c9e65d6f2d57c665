"""Writes test/data/version-orders.json: pairs of versions with the order their reference tools give.

Needs Debian's python3-packaging (PEP 440), libmaven3-core-java with libcommons-lang3-java and a Java
runtime (Maven), and the npm package "semver" that npm tools bring along (SemVer). Run it from the root:

    python3 scripts/make-version-orders.py
"""

import json
import random
import re
import subprocess

from packaging.version import Version

COUNT = 600
MAVEN_JARS = "/usr/share/java/maven-artifact-3.x.jar:/usr/share/java/commons-lang3.jar"
rng = random.Random(7)


def pep440() -> str:
    return (
        rng.choice(["", "", "", "", "1!", "2!"])
        + rng.choice(["1", "1.0", "1.0.0", "1.1", "2", "0.9", "1.10", "1.0.1"])
        + rng.choice(["", "", "a1", "b2", "rc1", "c1", ".alpha", "-beta.3", "_pre", "preview1"])
        + rng.choice(["", "", ".post1", "-1", ".rev", "r2", "post"])
        + rng.choice(["", "", ".dev1", "dev", "-dev3"])
        + rng.choice(["", "", "+abc", "+abc.1", "+1.2", "+1", "+1.abc", "+abc_2"])
    )


MAVEN_PARTS = (
    "1 0 2 10 00 alpha a b1 beta m2 rc cr SNAPSHOT ga final release sp foo x jre RELEASE 1a b pre 20040616"
).split()


def maven() -> str:
    parts = [rng.choice(MAVEN_PARTS) + rng.choice([".", "-", "", ".", "-"]) for _ in range(rng.randint(1, 5))]
    return "".join(parts).rstrip(".-") or "1"


def semver() -> str:
    return (
        rng.choice(["", "v"])
        + rng.choice(["1.0.0", "1.2.3", "0.0.1", "10.2.3", "1.10.0", "2.0.0"])
        + rng.choice(["", "", "-alpha", "-alpha.1", "-1", "-rc.1", "-rc.10", "-rc-1", "-0.20190101000000-abcdef"])
        + rng.choice(["", "+b1", "+incompatible"])
    )


def pep440_sign(a: str, b: str) -> int:
    left, right = Version(a), Version(b)
    return (left > right) - (left < right)


def maven_signs(versions: list[str]) -> list[int]:
    command = ["java", "-cp", MAVEN_JARS, "org.apache.maven.artifact.versioning.ComparableVersion", *versions]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    found = re.findall(r"^\s+\S+ (<|==|>) \S+$", text, re.MULTILINE)
    return [{"<": -1, "==": 0, ">": 1}[sign] for sign in found]


def semver_signs(versions: list[str]) -> list[int]:
    program = "const s=require('semver');const v=JSON.parse(process.argv[1]);console.log(JSON.stringify(v.slice(1).map((b,i)=>s.compare(v[i],b))))"
    text = subprocess.run(["node", "-e", program, json.dumps(versions)], check=True, capture_output=True, text=True).stdout
    return json.loads(text)


def pairs(versions: list[str], signs: list[int]) -> list[str]:
    assert len(signs) == len(versions) - 1
    words = {-1: "<", 0: "=", 1: ">"}
    return [f"{a} {words[sign]} {b}" for a, b, sign in zip(versions, versions[1:], signs)]


def main() -> None:
    python = [pep440() for _ in range(COUNT)]
    java = [maven() for _ in range(COUNT)]
    node = [semver() for _ in range(COUNT)]
    orders = {
        "PyPI": pairs(python, [pep440_sign(a, b) for a, b in zip(python, python[1:])]),
        "Maven": pairs(java, maven_signs(java)),
        "npm": pairs(node, semver_signs(node)),
    }
    with open("test/data/version-orders.json", "w", encoding="utf-8") as file:
        json.dump(orders, file, indent=1)
        file.write("\n")


main()
