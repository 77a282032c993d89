import { expect, test } from "vitest";
import { createSecretScrubber } from "../../../src/apply/secret-scrubber.ts";
import { hideCredentials } from "../../../src/redaction/hide-credentials.ts";
import { shopPlan } from "../../support/shop/shop-report.ts";

test.each([
  [
    "can't connect to postgres://shop:hunter2@db:5432/shop, retrying",
    "can't connect to (hidden) retrying",
  ],
  ['Get "https://robot:hunter2@registry.example/v2/": EOF', "Get (hidden) EOF"],
  ["sent Authorization: Bearer 0123456789ab", "sent Authorization: Bearer (hidden)"],
  ["token ghp_0123456789abcdefghijABCDEFGHIJ012345 is wrong", "token (hidden) is wrong"],
  ["read -----BEGIN RSA PRIVATE KEY-----\nMIIEow\n", "read (hidden)"],
  ["it needs basic authentication", "it needs basic authentication"],
  ["GET https://registry.example:5000/v2/: 401", "GET https://registry.example:5000/v2/: 401"],
])("%j is shown as %j", (message, shown) => {
  expect(hideCredentials(message)).toBe(shown);
});

test("no message of the cluster shows an address with a password", () => {
  const secrets = createSecretScrubber(shopPlan());
  const event = { reason: "Failed", message: "dial postgres://shop:hunter2@db: refused" };
  expect(secrets.scrub([event])).toEqual([{ ...event, message: "dial (hidden) refused" }]);
});
