class Account:
    def __init__(self, balance):
        self.balance = balance

    def withdraw(self, amount):
        assert amount > 0, "amount must be positive"
        assert self.balance >= amount
        self.balance -= amount
        return self.balance
