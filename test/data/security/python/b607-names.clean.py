import shutil


def tools(folder):
    shutil.rmtree(folder / "build", ignore_errors=True)
