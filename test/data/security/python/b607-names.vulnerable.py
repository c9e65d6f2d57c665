import subprocess


def tools():
    subprocess.run(["make", "clean"], check=True)
    subprocess.call("ls")
    subprocess.check_call(["./configure"])
    subprocess.Popen(["C:\\tool.exe"])
