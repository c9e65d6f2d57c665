def parse(lines):
    records = []
    for line in lines:
        fields = line.split(",")
        if len(fields) != 3:
            raise ValueError(line)
        records.append(dict(zip(("a", "b", "c"), fields)))
    return records
