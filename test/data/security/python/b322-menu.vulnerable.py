class Menu:
    def choose(self, items):
        for number, item in enumerate(items):
            print(number, item)
        return items[int(input("which? "))]
