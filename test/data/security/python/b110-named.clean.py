def notify(listeners, event):
    failures = []
    for listener in listeners:
        try:
            listener(event)
        except Exception as error:
            failures.append(error)
        finally:
            event.count += 1
    return failures
