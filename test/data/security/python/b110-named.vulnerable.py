def notify(listeners, event):
    for listener in listeners:
        try:
            listener(event)
        except Exception as error:
            pass
        finally:
            event.count += 1
