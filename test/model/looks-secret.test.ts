import { expect, test } from "vitest";
import { holdsSecret, looksSecret } from "../../src/redaction/looks-secret.ts";

test.each([
  ...[
    "password",
    "dbPassword",
    "DB_PASSWD",
    "apiToken",
    "API-KEY",
    "clientSecret",
    "pin",
    "userPIN",
  ],
  ...["sshKey", "credentials", "mysecret", "APIKey", "token2"],
])("%s is the name of a secret", (name) => {
  expect(looksSecret(name)).toBe(true);
});

test.each(["keyboard", "monkey", "spinner", "replicas", "author", "compass", "image", ""])(
  "%s is not",
  (name) => {
    expect(looksSecret(name)).toBe(false);
  },
);

test("a value holds a secret where a name within it looks like one", () => {
  expect(holdsSecret("db", [{ user: { password: "x" } }])).toBe(true);
  expect(holdsSecret("db", [{ user: { name: "x" } }])).toBe(false);
});
