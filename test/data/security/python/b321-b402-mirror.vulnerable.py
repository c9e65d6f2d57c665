import ftplib


def mirror(host, names):
    server = ftplib.FTP(host)
    server.login()
    for name in names:
        with open(name, "wb") as handle:
            server.retrbinary("RETR " + name, handle.write)
    server.quit()
