import smtplib


def send(host, message, credentials):
    with smtplib.SMTP(host) as server:
        server.starttls()
        server.login(user=credentials.user, password=credentials.password)
        server.send_message(message)
