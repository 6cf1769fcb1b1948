#!/bin/sh
# From nothing to a first result: sh first-steps.sh DOMAIN RECIPIENT WEBHOOK_URL
# POSTRIDER_URL is the address of the service, POSTRIDER_KEY a key with the permission manage or operate.
set -eu
domain=$1 recipient=$2 webhook=$3

# call KEY PATH [BODY]: prints the response to a POST, or fails with the problem. A repeated call with a body changes nothing.
call() {
  reply=$(printf 'header = "Authorization: Bearer %s"\n' "$1" | curl -sS --fail-with-body --retry 4 -K - -X POST \
    "$POSTRIDER_URL$2" ${3:+-H "Idempotency-Key: $domain $2" -H 'Content-Type: application/json' --data-binary "$3"}) ||
    { printf '%s\n' "$reply" >&2; return 1; }
  printf '%s\n' "$reply"
}
field() { sed -n "s/.*\"$1\":\"\\([^\"]*\\)\".*/\\1/p"; }

added=$(call "$POSTRIDER_KEY" /api/manage/domains "{\"name\":\"$domain\"}")
echo "Publish these records:"
printf '%s\n' "$added" | tr '{' '\n' | sed -n 's/.*"type":"\([^"]*\)","name":"\([^"]*\)","value":"\([^"]*\)".*/\2 \1 \3/p'
until call "$POSTRIDER_KEY" "/api/manage/domains/$domain/verify" | grep -q '"verified":true'; do sleep 5; done
made=$(call "$POSTRIDER_KEY" /api/manage/keys "{\"name\":\"website\",\"permissions\":[\"send\",\"read\"],\"domains\":[\"$domain\"]}")
key=$(printf '%s\n' "$made" | field key)
hook=$(call "$POSTRIDER_KEY" /api/manage/webhooks "{\"url\":\"$webhook\",\"domains\":[\"$domain\"]}")
echo "Key: $key"
echo "Webhook secret: $(printf '%s\n' "$hook" | field secret)"
sent=$(call "$key" /api/sending/send "{\"from\":\"hello@$domain\",\"to\":\"$recipient\",\"subject\":\"First\",\"text\":\"It works.\"}")
found=$(printf 'header = "Authorization: Bearer %s"\n' "$key" |
  curl -sS --fail-with-body -K - "$POSTRIDER_URL/api/sending/messages/$(printf '%s\n' "$sent" | field id)?wait=60")
echo "Result: $(printf '%s\n' "$found" | grep -o '"result":"[a-z]*"' | head -n 1 | field result)"
