import paramiko


def run(transport, command):
    channel = transport.open_session()
    channel.exec_command(command)
    status = channel.recv_exit_status()
    return status, paramiko.__version__
