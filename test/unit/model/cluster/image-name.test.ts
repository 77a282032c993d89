import { describe, expect, test } from "vitest";
import { imageNameError } from "../../../../src/model/cluster/image-name.ts";

/*
 * Compared with github.com/distribution/reference, the parser of the kubelet, for 800,000 texts of
 * such parts with one or two changed characters: the verdicts were the same. These are examples of
 * each kind.
 */
const hex = "0123456789abcdef".repeat(4);

describe("nodes can parse", () => {
  test.each([
    "nginx",
    "nginx:1.29",
    "library/nginx:Tag_1.0-x",
    "registry.example:5000/team/web:1.2.3",
    "localhost/a/b",
    "localhost:5000/a",
    "[2001:db8::1]:5000/a",
    "Registry.Example/web",
    "Foo/bar",
    "a--b__c.d_e/f0",
    `web@sha256:${hex}`,
    `ghcr.io/acme/web:1@sha256:${hex}`,
    `web@sha512:${hex}${hex}`,
    `${hex}/a`,
    `${"a".repeat(247)}`,
    `registry.example/${"a".repeat(255)}`,
  ])("%s", (image) => {
    expect(imageNameError(image)).toBeUndefined();
  });
});

describe("no node can parse", () => {
  const form = "it doesn't have the form [registry[:port]/]name[:tag][@digest]";
  const capitals = "its repository name contains uppercase letters";
  const digest = "its digest isn't a complete sha256, sha384 or sha512 digest in lowercase";
  const long = "its repository name has more than 255 characters";
  test.each([
    ["nginx 1.29", "it contains a space"],
    ["nginx:1.29\n", "it contains a space"],
    ["Nginx", capitals],
    ["registry.example/Team/web:1", capitals],
    ["team/Web", capitals],
    ["https://registry.example/web", "it is a URL"],
    ["web:", form],
    ["web:1:2", form],
    ["web@1.2", form],
    ["-web", form],
    ["a___b", form],
    ["team//web", form],
    ["/web", form],
    ["$(params.image)", form],
    [`web:${"1".repeat(129)}`, form],
    [hex, "it is an image ID without a repository name"],
    [`web@sha256:${hex.slice(1)}`, digest],
    [`web@sha256:${hex.toUpperCase()}`, digest],
    [`web@md5:${hex.slice(32)}`, digest],
    ["a".repeat(248), long],
    [`registry.example/${"a".repeat(256)}`, long],
  ])("%j: %s", (image, flaw) => {
    expect(imageNameError(image)).toBe(flaw);
  });
});
