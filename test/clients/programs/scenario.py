"""The scenario with the Python client: sends, waits, lists, follows events, manages, and verifies a webhook. Prints what it found."""

import base64
import json
import os
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

from postrider import Postrider, PostriderError, WebhookVerificationError, verify_webhook

FROM, TO = os.environ["FROM"], os.environ["TO"]
client = Postrider(os.environ["POSTRIDER_URL"], os.environ["POSTRIDER_KEY"])


def code_of(call):
    try:
        call()
    except PostriderError as error:
        return [error.status, error.code, [each["field"] for each in error.errors], error.request_id is not None]


def messages():
    ids = [client.send(from_=FROM, to=TO, subject=subject, text="Hi")["id"] for subject in ("One", "Two", "Three")]
    first, second = (
        client.send(from_=FROM, to=[TO], subject="Again", html="<p>Hi</p>", idempotency_key="again") for _ in range(2)
    )
    ids.append(first["id"])
    results = [each["result"] for id in ids for each in client.look_up_message(id, wait=60)["recipients"]]
    page = client.list_messages(limit=1)
    iterated = [message["id"] for message in client.iterate_messages(limit=2)]
    cursors = []
    events = [event["type"] for event in client.iterate_events(limit=3, on_page=cursors.append)]
    return {
        "results": results,
        "isRepeated": first["id"] == second["id"] and second.is_replayed and not first.is_replayed,
        "isPage": [each["id"] for each in page["messages"]] == ids[-1:] and page["next_cursor"] is not None,
        "areAllIterated": sorted(iterated) == sorted(ids),
        "events": sorted(events),
        "rest": list(client.iterate_events(after=cursors[-1])),
    }


def management():
    domain = client.add_domain(name="other.example")
    names = [each["domain"] for each in client.iterate_domains(limit=1)]
    created = client.create_key(name="website", permissions=["send"], domains=["other.example"])
    key = client.get_key(created["id"])
    changed = client.change_key(key["id"], name="shop", if_match=key.etag)
    stale = code_of(lambda: client.change_key(key["id"], name="late", if_match=key.etag))
    removed = client.remove_domain("other.example")
    exported = client.export_suppressions(format="csv")
    imported = client.import_suppressions("email\nann@example.org\n", type="text/csv", dry_run="true")
    return {
        "records": [record["type"] for record in domain["records"]],
        "names": sorted(names),
        "isKey": created["key"].startswith("svc_live_"),
        "changed": changed["name"],
        "stale": stale,
        "isRemoved": removed is None,
        "exported": exported.splitlines()[0],
        "imported": "object" if isinstance(imported, dict) else None,
    }


def webhook():
    requests = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self):
            requests.append((self.rfile.read(int(self.headers["Content-Length"])), self.headers))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args):
            pass

    server = HTTPServer(("127.0.0.1", 0), Receiver)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    created = client.create_webhook(url=f"http://127.0.0.1:{server.server_port}/", events=["recipient.delivered"])
    status = client.test_webhook(created["id"])["status"]
    server.shutdown()
    [(body, headers)] = requests
    other = "whsec_" + base64.b64encode(b"another secret").decode()
    event = verify_webhook(body, headers, [other, created["secret"]])
    try:
        verify_webhook(body + b" ", headers, created["secret"])
        is_rejected = False
    except WebhookVerificationError:
        is_rejected = True
    client.remove_webhook(created["id"])
    return {"status": status, "type": event["type"], "isTest": event["data"]["test"], "isRejected": is_rejected}


invalid = code_of(lambda: client.send(from_=FROM, to="nobody", subject="S", text="T"))
unknown = code_of(lambda: client.look_up_message("msg_unknown"))
found = {"messages": messages(), "management": management(), "webhook": webhook()}
print(json.dumps({**found, "invalid": invalid, "unknown": unknown, "health": client.health()["status"]}))
