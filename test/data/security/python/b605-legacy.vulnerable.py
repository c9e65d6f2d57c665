import commands
import popen2


def legacy(line):
    status, text = commands.getstatusoutput(line)
    child = popen2.Popen3(line)
    out, inp = popen2.popen2("/bin/cat")
    return status, text, child, out, inp
