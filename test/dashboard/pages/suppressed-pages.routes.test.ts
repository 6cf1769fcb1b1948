/** The page of suppressed addresses over HTTP: search, addition, import, download and removal, by role and account. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { cheapHash } from "../../support/cheap-hash.ts";
import { addUser, installWithOperator } from "../../support/dashboard/installation.ts";
import { clientOf, postForm } from "../../support/dashboard/sign-in.ts";

const rowsIn = (html: string): string[] =>
  [...html.matchAll(/<th scope="row"[^>]*>.*?<span class="email" title="([^"]*)"/gs)].map(([, email = ""]) => email);

it("adds typed addresses, searches, pages, exports and removes", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  const added = await client.submit("/suppressed/add", {
    addresses: "a@x.example\nb@x.example\n",
    cause: "",
    until: "",
  });
  assert.match(added, /Suppressed: 2 added, 0 changed, 0 already in the list\./);
  assert.deepEqual(rowsIn(added).toSorted(), ["a@x.example", "b@x.example"]);
  assert.match(added, /Added by hand/);
  const ends = { addresses: "c@y.example", cause: "complaint", until: "2099-01-02T03:04" };
  assert.match(await client.submit("/suppressed/add", ends), /2 Jan 2099, 03:04:00 UTC/);

  const page = async (query: string) => (await client.get(`/suppressed${query}`)).text();
  assert.deepEqual(rowsIn(await page("?q=Y.EXAMPLE")), ["c@y.example"]);
  assert.deepEqual(rowsIn(await page("?cause=complaint")), ["c@y.example"]);
  assert.match(await page("?q=zz"), /No suppressed address matches/);
  assert.equal((await client.get("/suppressed?after=x")).status, 404);

  const csv = await client.get("/suppressed.csv?cause=complaint");
  assert.equal(csv.headers.get("content-type"), "text/csv; charset=utf-8");
  assert.match(csv.headers.get("content-disposition") ?? "", /^attachment; filename="suppressed-addresses-.*\.csv"$/);
  assert.match(
    await csv.text(),
    /^email,cause,since,until\r\nc@y\.example,complaint,2.*Z,2099-01-02T03:04:00\.000Z\r\n$/,
  );

  assert.match(await client.submit("/suppressed/forget", { email: "c@y.example" }), /Suppression lifted/);
  assert.equal((await client.post("/suppressed/forget", { email: "c@y.example" })).status, 404);

  const suppressions = Array.from({ length: 150 }, (_, i) => ({
    address: `user${i}@z.example`,
    cause: "bounce" as const,
    atMs: i,
    untilMs: null,
  }));
  await service.spool.addSuppressions({ accountId: "acc_default", suppressions, nowMs: Date.now() });
  const listed: string[] = [];
  let query: string | undefined = "";
  for (let pages = 0; query !== undefined && pages < 9; pages += 1) {
    const html: string = await page(query.replaceAll("&amp;", "&"));
    listed.push(...rowsIn(html));
    [, query] = /href="\/dashboard\/suppressed(\?[^"]*)" rel="next"/.exec(html) ?? [];
  }
  assert.equal(listed.length, 152);
  assert.equal(new Set(listed).size, 152);
});

it("allows several addresses again, after a confirmation that names them", async (t) => {
  const { url } = await installWithOperator(t);
  const client = await clientOf(url);
  await client.submit("/suppressed/add", {
    addresses: "a@x.example\nb+1@x.example\nc@x.example\n",
    cause: "",
    until: "",
  });
  const list = await (await client.get("/suppressed")).text();
  assert.match(list, /<input type="checkbox"[^>]*form="selection"[^>]*name="email"[^>]*value="a@x\.example"/);
  const query = new URLSearchParams(["a@x.example", "b+1@x.example", "a@x.example"].map((email) => ["email", email]));
  const asked = await (await client.get(`/suppressed/forget?${query}`)).text();
  assert.match(asked, /<h1>Allow 2 email addresses again\?<\/h1>.*title="a@x\.example".*title="b\+1@x\.example"/s);
  assert.deepEqual(rowsIn(await (await client.get("/suppressed")).text()).length, 3);
  const email = [...asked.matchAll(/type="hidden" name="email" value="([^"]*)"/g)].map(([, each = ""]) => each);
  const done = await client.submit("/suppressed/forget", { email: [...email, "unknown@x.example"] });
  assert.match(done, /2 email addresses are allowed again\./);
  assert.deepEqual(rowsIn(done), ["c@x.example"]);
  assert.equal((await client.get("/suppressed/forget")).status, 404);
  const many = Array.from({ length: 51 }, (_, i) => `user${i}@x.example`);
  assert.equal((await client.post("/suppressed/forget", { email: many })).status, 404);
});

it("imports a pasted export, and shows the lines that were not added with what was typed", async (t) => {
  const { url } = await installWithOperator(t);
  const client = await clientOf(url);
  const addresses = "EmailAddress,Reason,LastUpdateTime\na@x.example,BOUNCE,2020-04-10T21:03:05Z\n<b>,BOUNCE,\n";
  const partly = await (await client.post("/suppressed/add", { addresses, cause: "", until: "" })).text();
  assert.match(partly, /Some lines were not added\. 1 added, 0 changed, 0 already in the list\./);
  assert.match(partly, /Line 3: &lt;b>|Line 3: &lt;b&gt;/);
  assert.match(partly, /<textarea[^>]*>EmailAddress,Reason/);
  assert.deepEqual(rowsIn(partly), ["a@x.example"]);
  const unknown = await (await client.post("/suppressed/add", { addresses: "name,phone\nA,1\n" })).text();
  assert.match(unknown, /the columns name,phone are of no known form/);
  const empty = await (await client.post("/suppressed/add", { addresses: " " })).text();
  assert.match(empty, /There are no email addresses in the text/);
  const past = await (
    await client.post("/suppressed/add", { addresses: "a@x.example", until: "2001-01-01T00:00" })
  ).text();
  assert.match(past, /The end must be a time in the future/);
  assert.equal((await client.post("/suppressed/add", { addresses: "x".repeat(70_000) })).status, 413);
});

it("imports an uploaded file, from signed-in users alone, within its limits", async (t) => {
  const { url, service } = await installWithOperator(t);
  const client = await clientOf(url);
  const formToken = /name="form_token" value="([^"]+)"/.exec(await (await client.get("/suppressed")).text())?.[1] ?? "";
  const upload = (path: string, fields: Record<string, string | Blob>, cookie = client.cookie) => {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    const headers = { Cookie: cookie, Origin: url };
    return fetch(`${url}/dashboard${path}`, { method: "POST", body: form, headers });
  };
  const lines = Array.from({ length: 5000 }, (_, i) => `user${i}@x.example`);
  const file = new Blob([lines.join("\n")]);
  const form = { form_token: formToken, cause: "bounce", until: "", addresses: "", file };
  assert.match(await (await upload("/suppressed/add", form)).text(), /Suppressed: 5000 added/);
  const nowMs = Date.now();
  const found = await service.spool.suppression({
    accountId: "acc_default",
    email: "user4999@x.example",
    after: 0,
    nowMs,
  });
  assert.equal(found?.cause, "bounce");
  const typed = { ...form, addresses: "typed@x.example", file: new Blob([]) };
  assert.match(await (await upload("/suppressed/add", typed)).text(), /Suppressed: 1 added/);

  assert.equal((await upload("/suppressed/add", { ...form, form_token: "x" })).status, 403);
  assert.equal((await upload("/suppressed/add", form, "")).status, 403);
  assert.equal((await upload("/keys", { form_token: formToken, name: "a" })).status, 415);
  assert.equal((await upload("/suppressed/add", { ...form, file: new Blob(["x".repeat(4 << 20)]) })).status, 413);
  const many = Object.fromEntries(Array.from({ length: 30 }, (_, i) => [`field${i}`, "x"]));
  assert.equal((await upload("/suppressed/add", { ...form, ...many })).status, 413);
  const hidden = {
    Cookie: client.cookie,
    Origin: url,
    "Content-Type": "multipart/form-data; x-boundary=a; boundary=b",
  };
  const other = await fetch(`${url}/dashboard/suppressed/add`, {
    method: "POST",
    body: "--b\r\nnothing",
    headers: hidden,
  });
  assert.equal(other.status, 415);
  const headers = { Cookie: client.cookie, Origin: url, "Content-Type": "multipart/form-data; boundary=a" };
  const broken = await fetch(`${url}/dashboard/suppressed/add`, { method: "POST", body: "--a\r\nnothing", headers });
  assert.equal(broken.status, 415);
});

it("a viewer sees the list and changes nothing, another account sees its own, and a form needs its token", async (t) => {
  const installation = await installWithOperator(t);
  const { url, service } = installation;
  const owner = await clientOf(url);
  await owner.submit("/suppressed/add", { addresses: "a@x.example" });
  const other = await addUser(installation, "other", "bob@customers.example");
  assert.deepEqual(rowsIn(await (await (await clientOf(url, other)).get("/suppressed")).text()), []);

  const viewer = { email: "eve@customers.example", password: "a long enough password" };
  await service.registry.createUser({
    email: viewer.email,
    passwordHash: cheapHash(viewer.password),
    accountId: "acc_default",
    operator: false,
    role: "viewer",
    createdAtMs: 1,
    usersMax: 10,
  });
  const client = await clientOf(url, viewer);
  const html = await (await client.get("/suppressed")).text();
  assert.deepEqual(rowsIn(html), ["a@x.example"]);
  assert.doesNotMatch(html, /<textarea|Allow again|Add addresses/);
  for (const path of ["/suppressed/add", "/suppressed/forget"]) {
    assert.equal((await client.post(path, { addresses: "b@x.example", email: "a@x.example" })).status, 403);
  }
  const forged = await postForm(
    `${url}/dashboard/suppressed/add`,
    { addresses: "b@x.example" },
    { Cookie: owner.cookie },
  );
  assert.equal(forged.status, 403);
  assert.deepEqual(rowsIn(await (await owner.get("/suppressed")).text()), ["a@x.example"]);
});
