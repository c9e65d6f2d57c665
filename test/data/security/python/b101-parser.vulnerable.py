def parse(lines):
    records = []
    for line in lines:
        fields = line.split(",")
        assert len(fields) == 3
        records.append(dict(zip(("a", "b", "c"), fields)))
    return records
