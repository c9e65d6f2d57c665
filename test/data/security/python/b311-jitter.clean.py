def delays(count, base):
    for attempt in range(count):
        yield base * 2**attempt
