"""Django's mail framework with its SMTP backend."""
import os
import pathlib

import django
from django.conf import settings
from django.core.mail import EmailMultiAlternatives

settings.configure(
    EMAIL_HOST=os.environ["SMTP_HOST"],
    EMAIL_PORT=int(os.environ["SMTP_PORT"]),
    EMAIL_USE_TLS=os.environ["SMTP_TLS"] == "starttls",
    EMAIL_USE_SSL=os.environ["SMTP_TLS"] == "tls",
    EMAIL_HOST_USER="any",
    EMAIL_HOST_PASSWORD=os.environ["KEY"],
)
django.setup()

message = EmailMultiAlternatives(
    os.environ["SUBJECT"],
    pathlib.Path("text.txt").read_text(),
    f"Läden & Co <{os.environ['SENDER']}>",
    [os.environ["RECIPIENT"]],
)
message.attach_alternative(pathlib.Path("page.html").read_text(), "text/html")
message.attach("Beleg für Sie.dat", pathlib.Path("data.dat").read_bytes(), "application/octet-stream")
message.send()
