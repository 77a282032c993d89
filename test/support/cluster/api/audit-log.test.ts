import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { auditLogFromNow } from "./audit-log.ts";

const directory = mkdtempSync(join(tmpdir(), "qvs-audit-log-"));
const path = join(directory, "audit.log");
afterEach(() => rmSync(path, { force: true }));

test("earlier lines are omitted, and an incomplete line is read when it is complete", () => {
  writeFileSync(path, "shop before\n");
  const log = auditLogFromNow(path);
  appendFileSync(path, "shop one\nweb two\nshop thr");
  expect(log.has("one", 0)).toBe(true);
  expect(log.linesWith("shop")).toEqual(["shop one"]);
  appendFileSync(path, "ee, of shop\n");
  expect(log.has("three", log.parts())).toBe(true);
  expect(log.linesWith("shop")).toEqual(["shop one", "shop three, of shop"]);
  expect(log.text()).toBe("shop one\nweb two\nshop three, of shop\n");
});

test("lines that another call has read first are found, older ones aren't", () => {
  const log = auditLogFromNow(path);
  writeFileSync(path, "old\n");
  expect(log.has("old", 0)).toBe(true);
  const since = log.parts();
  appendFileSync(path, "mark\n");
  expect(log.has("something else", since)).toBe(false);
  expect(log.has("mark", since)).toBe(true);
  expect(log.has("old", since)).toBe(false);
});
