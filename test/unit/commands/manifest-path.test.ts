import { expect, test } from "vitest";
import { manifestPath } from "../../../src/commands/compile.ts";
import { fc } from "../../support/fast-check.ts";

test.each([
  ["web", "web.yaml"],
  ["group/web-2.b_c", "group/web-2.b_c.yaml"],
  ["a b", "a%20b.yaml"],
  ["a_b", "a_b.yaml"],
  ["é", "%C3%A9.yaml"],
  ["../../etc/passwd", "%2E./%2E./etc/passwd.yaml"],
  ["/etc", "%/etc.yaml"],
  [".hidden", "%2Ehidden.yaml"],
  ["web.yaml", "web.yaml.yaml"],
  ["web.yaml/cache", "web%2Eyaml/cache.yaml"],
])("the manifest of %s is in %s", (id, path) => expect(manifestPath(id)).toBe(path));

test("two ids never share a file, and no file is the directory of another", () => {
  const id = fc
    .array(fc.constantFrom("a", ".", "..", ".yaml", "/", "%", "%2E", " ", "_", "é"), {
      minLength: 1,
      maxLength: 6,
    })
    .map((pieces) => pieces.join(""));
  fc.assert(
    fc.property(id, id, (one, other) => {
      fc.pre(one !== other);
      const [a, b] = [manifestPath(one), manifestPath(other)];
      expect(a).not.toBe(b);
      expect(a.startsWith(`${b}/`)).toBe(false);
    }),
    { numRuns: 2000 },
  );
});
