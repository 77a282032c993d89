import { expect, test } from "vitest";
import { remotePath } from "../../../../src/io/git/repository.ts";

test.each([
  ["https://github.com/acme/shop.git", "acme/shop"],
  ["https://github.com/acme/shop/", "acme/shop"],
  ["https://x-access-token:secret@github.com/acme/shop", "acme/shop"],
  ["ssh://git@git.acme.example:2222/acme/shop.git", "acme/shop"],
  ["git@github.com:acme/shop.git", "acme/shop"],
  ["git@git.acme.example:/srv/git/acme/shop.git", "acme/shop"],
  ["git.acme.example:shop", "shop"],
  ["/srv/git/shop.git", undefined],
  ["../shop", undefined],
  ["file:///srv/git/shop.git", undefined],
  ["", undefined],
])("%s is %s", (url, expected) => {
  expect(remotePath(url)).toBe(expected);
});
