def close_all(connections):
    for connection in connections:
        try:
            connection.close()
        except Exception:
            pass
    connections.clear()
