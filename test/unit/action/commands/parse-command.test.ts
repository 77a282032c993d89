import { expect, test } from "vitest";
import { parseCommand } from "../../../../src/action/commands/parse-command.ts";

test.each([
  ["/qvs", { type: "help" }],
  ["/qvs help", { type: "help" }],
  ["/qvs plan", { type: "plan" }],
  ["/qvs  plan \r\nPlease.", { type: "plan" }],
  ["/qvs rollback shop", { type: "rollback", deployment: "shop", revision: "previous" }],
  ["/qvs rollback shop 12", { type: "rollback", deployment: "shop", revision: "12" }],
  ["/qvs plna", { type: "invalid", what: { fault: "unknown", word: "plna", suggestion: "plan" } }],
  ["/qvs deploy", { type: "invalid", what: { fault: "unknown", word: "deploy" } }],
  ["/qvs PLAN", { type: "invalid", what: { fault: "unknown", word: "PLAN", suggestion: "plan" } }],
  ["/qvs plan now", { type: "invalid", what: { fault: "too many words", word: "now" } }],
  ["/qvs rollback", { type: "invalid", what: { fault: "no deployment" } }],
  ["/qvs rollback a 1 2", { type: "invalid", what: { fault: "too many words", word: "2" } }],
  ["/qvs rollback a 0", { type: "invalid", what: { fault: "invalid revision", word: "0" } }],
  ["/qvs rollback a -f", { type: "invalid", what: { fault: "invalid revision", word: "-f" } }],
])("%j is a command", (body, expected) => {
  expect(parseCommand(body)).toEqual(expected);
});

test.each(["", "Try /qvs plan", "> /qvs plan", "    /qvs plan", "/qvsplan", "LGTM\n/qvs plan"])(
  "%j isn't a command",
  (body) => {
    expect(parseCommand(body)).toBeUndefined();
  },
);
