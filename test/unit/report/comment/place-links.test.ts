import { expect, test } from "vitest";
import { placeRenderer } from "../../../../src/report/comment/place-links.ts";

const headCommit = "5f0c3a9d";
const repositoryUrl = "https://github.com/acme/shop";

test.each([
  [
    "shop/qvs.yaml",
    "[`shop/qvs.yaml:4`](https://github.com/acme/shop/blob/5f0c3a9d/shop/qvs.yaml#L4)",
  ],
  [
    "a (b)/c#d?.cue",
    "[`a (b)/c#d?.cue:4`](https://github.com/acme/shop/blob/5f0c3a9d/a%20%28b%29/c%23d%3F.cue#L4)",
  ],
  ["x](https://evil.example)/y", "`x](https://evil.example)/y:4`"],
  ["module@v1.2.0/main.cue", "`module@v1.2.0/main.cue:4`"],
  ["charts/web-1.0.0.tgz/templates/a.yaml", "`charts/web-1.0.0.tgz/templates/a.yaml:4`"],
  ["../elsewhere.yaml", "`../elsewhere.yaml:4`"],
  ["/etc/passwd", "`/etc/passwd:4`"],
  ["", "`:4`"],
])("the place %s", (file, expected) => {
  expect(placeRenderer({ repositoryUrl, headCommit })({ file, line: 4 })).toBe(expected);
});

test("without a repository to read it in, a place is text", () => {
  const show = placeRenderer({ repositoryUrl: undefined, headCommit });
  expect(show({ file: "shop/qvs.yaml", line: 4 })).toBe("`shop/qvs.yaml:4`");
  const odd = placeRenderer({ repositoryUrl: "javascript:alert(1)//", headCommit });
  expect(odd({ file: "shop/qvs.yaml", line: 4 })).toBe("`shop/qvs.yaml:4`");
});
