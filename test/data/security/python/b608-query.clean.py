def find(cursor, name):
    cursor.execute("SELECT * FROM users WHERE name = %s", (name,))
    row = cursor.fetchone()
    cursor.execute("DELETE FROM sessions WHERE user = %s", (row[0],))
    return row
