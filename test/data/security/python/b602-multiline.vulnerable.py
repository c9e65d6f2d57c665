from subprocess import Popen, PIPE


class Grep:
    def search(self, pattern, path):
        process = Popen(
            f"/bin/grep {pattern} {path}",
            stdout=PIPE,
            shell=True,
        )
        out, _ = process.communicate()
        return out.splitlines()
