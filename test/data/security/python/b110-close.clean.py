import logging

log = logging.getLogger(__name__)


def close_all(connections):
    for connection in connections:
        try:
            connection.close()
        except OSError as error:
            log.warning("close failed: %s", error)
    connections.clear()
