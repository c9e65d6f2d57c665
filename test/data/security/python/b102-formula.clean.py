class Sheet:
    macros = {"sum": sum, "max": max}

    def run(self, macro, values):
        return self.macros[macro](values)
