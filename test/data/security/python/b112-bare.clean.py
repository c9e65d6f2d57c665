def numbers(lines):
    while lines:
        line = lines.pop()
        try:
            yield int(line)
        except ValueError:
            continue
