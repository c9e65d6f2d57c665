def migrate(statements):
    for text in statements:
        try:
            exec(text)
        except SyntaxError as error:
            print("skipped", error)
