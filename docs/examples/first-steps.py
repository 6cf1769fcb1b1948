"""From nothing to a first result: python3 first-steps.py DOMAIN RECIPIENT WEBHOOK_URL

POSTRIDER_URL is the address of the service, POSTRIDER_KEY a key with the permission manage or operate.
"""
import os
import sys
import time

from postrider import Postrider

domain, recipient, webhook = sys.argv[1:]
url = os.environ["POSTRIDER_URL"]
manager = Postrider(url, os.environ["POSTRIDER_KEY"])

added = manager.add_domain(name=domain, idempotency_key=f"add {domain}")
print("Publish these records:")
for record in added["records"]:
    print(record["name"], record["type"], record["value"], flush=True)
while not manager.verify_domain(domain)["verified"]:
    time.sleep(5)

key = manager.create_key(name="website", permissions=["send", "read"], domains=[domain])["key"]
print("Key:", key)
print("Webhook secret:", manager.create_webhook(url=webhook, domains=[domain])["secret"])

website = Postrider(url, key)
sent = website.send(from_=f"hello@{domain}", to=recipient, subject="First", text="It works.")
print("Result:", website.look_up_message(sent["id"], wait=60)["recipients"][0]["result"])
