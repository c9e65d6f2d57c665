"""make_wheel.py FILE [REQUIREMENT…]: writes an empty wheel with this name and these requirements."""
import sys
import zipfile

file, *requirements = sys.argv[1:]
name, version = file.split("-")[:2]
info = f"{name}-{version}.dist-info"
metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n"
metadata += "".join(f"Requires-Dist: {one}\n" for one in requirements)
with zipfile.ZipFile(file, "w") as wheel:
    wheel.writestr(f"{info}/METADATA", metadata)
    wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
    wheel.writestr(f"{info}/RECORD", "")
