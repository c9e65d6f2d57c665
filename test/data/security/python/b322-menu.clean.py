class Menu:
    def choose(self, items, number):
        return items[number]
