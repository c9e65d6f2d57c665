def run(transport, task):
    channel = transport.open_session()
    channel.invoke_subsystem(task.name)
    return channel.recv_exit_status()
