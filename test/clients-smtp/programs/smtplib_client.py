"""Python's standard library: smtplib and email."""
import os
import pathlib
import smtplib
import ssl
from email.message import EmailMessage
from email.utils import formataddr

message = EmailMessage()
message["From"] = formataddr(("Läden & Co", os.environ["SENDER"]))
message["To"] = os.environ["RECIPIENT"]
message["Subject"] = os.environ["SUBJECT"]
message.set_content(pathlib.Path("text.txt").read_text())
message.add_alternative(pathlib.Path("page.html").read_text(), subtype="html")
message.add_attachment(
    pathlib.Path("data.dat").read_bytes(), maintype="application", subtype="octet-stream", filename="Beleg für Sie.dat"
)

server = (os.environ["SMTP_HOST"], int(os.environ["SMTP_PORT"]))
context = ssl.create_default_context()
with smtplib.SMTP_SSL(*server, context=context) if os.environ["SMTP_TLS"] == "tls" else smtplib.SMTP(*server) as smtp:
    if os.environ["SMTP_TLS"] == "starttls":
        smtp.starttls(context=context)
    smtp.login("any", os.environ["KEY"])
    smtp.send_message(message)
