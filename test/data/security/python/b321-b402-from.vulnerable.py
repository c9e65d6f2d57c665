from ftplib import FTP_TLS, FTP as Plain


def push(host, handle):
    plain = Plain(host)
    plain.storbinary("STOR x", handle)
    safe = FTP_TLS(host)
    return safe
