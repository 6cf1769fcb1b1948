/** Which names of hosts are this machine. */
import assert from "node:assert/strict";
import { it } from "node:test";
import { isLoopbackName } from "../../src/lib/loopback-name.ts";

it("loopback is localhost, 127.0.0.0/8 and ::1, and no name that only looks like them", () => {
  for (const url of ["http://localhost:1/", "http://127.0.0.1/", "http://127.9.8.7:80/x", "http://[::1]:8080/"]) {
    assert.equal(isLoopbackName(new URL(url).hostname), true, url);
  }
  for (const url of ["http://localhost.example/", "http://127.0.0.1.example/", "http://10.0.0.1/", "http://[::2]/"]) {
    assert.equal(isLoopbackName(new URL(url).hostname), false, url);
  }
});
