def find(cursor, name):
    cursor.execute("SELECT * FROM users WHERE name = '%s'" % name)
    row = cursor.fetchone()
    cursor.execute(f"DELETE FROM sessions WHERE user = {row[0]}")
    return row
