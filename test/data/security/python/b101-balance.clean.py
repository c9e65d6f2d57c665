class Account:
    def __init__(self, balance):
        self.balance = balance

    def withdraw(self, amount):
        if amount <= 0:
            raise ValueError("amount must be positive")
        if self.balance < amount:
            raise ValueError("not enough money")
        self.balance -= amount
        return self.balance
