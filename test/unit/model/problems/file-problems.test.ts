import { expect, test } from "vitest";
import { fileErrorFix, isPermissionError } from "../../../../src/model/problems/file-problems.ts";

test.each([
  ["EACCES", "Make it readable", true],
  ["EPERM", "Make it readable", true],
  [undefined, "Make it readable", false],
  ["toString", "Make it readable", false],
  ["ENOENT", "Correct the path, because nothing exists there", false],
  ["EISDIR", "Name a file instead of a directory", false],
  ["ENOSPC", "Free space on the disk", false],
  ["EROFS", "Use a path on a writable file system", false],
])("%s: %s", (code, fix, isPermission) => {
  expect(fileErrorFix(code, "Make it readable")).toBe(fix);
  expect(isPermissionError(code)).toBe(isPermission);
});
