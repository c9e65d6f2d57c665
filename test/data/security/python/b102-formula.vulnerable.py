class Sheet:
    def run(self, macro):
        code = compile(macro, "<macro>", "exec")
        scope = {}
        exec(
            code,
            {"__builtins__": {}},
            scope,
        )
        return scope
