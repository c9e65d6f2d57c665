# a program that kills itself by SIGKILL died by a signal; it was not ended by the supervisor
# expect: crash
os.kill(os.getpid(),signal.SIGKILL)
