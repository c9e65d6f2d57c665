def ask_name():
    name = input("name: ")
    while not name:
        name = input()
    return name
