import smtplib


def send(host, message):
    with smtplib.SMTP(host) as server:
        server.starttls()
        server.login(user="robot", password="fake" "pass")
        server.send_message(message)
