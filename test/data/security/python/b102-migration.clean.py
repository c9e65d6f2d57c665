def migrate(steps):
    for step in steps:
        try:
            step()
        except RuntimeError as error:
            print("skipped", error)
