import { expect, test, vi } from "vitest";
import {
  readWebhookInput,
  receiverFor,
  receiverSecrets,
  webhookWarnings,
} from "../../../../src/action/inputs/webhook-input.ts";
import type { GitHubEvent } from "../../../../src/io/github/event.ts";
import { describeProblem } from "../../../../src/model/problems/problem-text.ts";

/** Returns the receiver, and everything that reading it printed. */
function read(address: string, key = "") {
  let printed = "";
  const write = vi.spyOn(process.stdout, "write").mockImplementation((text) => {
    printed += text;
    return true;
  });
  const receiver = readWebhookInput(address, key);
  write.mockRestore();
  return { receiver, printed };
}

test.each([
  ["https://hooks.example/T0/B0", true],
  ["http://127.0.0.1:8080/x", true],
  ["http://localhost/x", true],
  ["http://[::1]:80/x", true],
  ["http://hooks.example/T0/B0", false],
  ["http://127.0.0.1.example/x", false],
  ["https://user:pass@hooks.example/x", false],
  ["ftp://hooks.example/x", false],
  ["hooks.example/x", false],
])("the address %s is usable: %s", (address, isUsable) => {
  expect(read(address).receiver !== undefined).toBe(isUsable);
  const warnings = webhookWarnings(address);
  expect(warnings.length).toBe(isUsable ? 0 : 1);
  for (const warning of warnings) expect(describeProblem(warning)).not.toContain(address);
});

test("without an address, there is no receiver and no warning", () => {
  expect(read("", "key").receiver).toBeUndefined();
  expect(webhookWarnings("")).toEqual([]);
});

test("the address and the key are masked before anything else, also an invalid address", () => {
  expect(read("https://hooks.example/T0/B0", "s1gn").printed).toContain(
    "::add-mask::https://hooks.example/T0/B0",
  );
  expect(read("https://hooks.example/T0/B0", "s1gn").printed).toContain("::add-mask::s1gn");
  expect(read("hooks.example/T0").printed).toContain("::add-mask::hooks.example/T0");
});

test("long parts of the path and the query are secrets of their own, short words aren't", () => {
  const address = "https://hooks.example/services/T0KEN0F16LETTERS?sig=0123456789abcdef&v=1";
  expect(receiverSecrets(address, "key")).toEqual([
    address,
    "key",
    "/services/T0KEN0F16LETTERS?sig=0123456789abcdef&v=1",
    "T0KEN0F16LETTERS",
    "0123456789abcdef",
  ]);
  expect(receiverSecrets("https://hooks.example/deploy", "")).toEqual([
    "https://hooks.example/deploy",
    "",
  ]);
});

test("an address is a secret as it was given, also an unusable one", () => {
  expect(receiverSecrets("HTTPS://Hooks.example", "key")).toEqual([
    "HTTPS://Hooks.example",
    "https://hooks.example/",
    "key",
  ]);
  expect(receiverSecrets("hooks.example/T0", "key")).toEqual(["hooks.example/T0", "key"]);
});

test("a pull request of a fork has no receiver", () => {
  const { receiver } = read("https://hooks.example/x");
  const pull = (fromFork: boolean) => ({ type: "pull_request", fromFork }) as GitHubEvent;
  expect(receiverFor(pull(true), receiver)).toBeUndefined();
  expect(receiverFor(pull(false), receiver)).toBe(receiver);
});
