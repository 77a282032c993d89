import { expect, test } from "vitest";
import { readArchive } from "../../../../src/io/github/workflow-run.ts";
import { UserError } from "../../../../src/model/problems/errors.ts";
import { type ZipEntry, zip } from "../../../support/action/zip.ts";

const plan: ZipEntry = { name: "plan.json", content: '{"version":1}' };

test("an archive with plans is read", async () => {
  const archive = zip([plan, { name: "plan-2.json", content: "ü" }]);
  expect(await readArchive(archive, "qvs-plan")).toEqual([
    { file: "qvs-plan/plan.json", text: '{"version":1}' },
    { file: "qvs-plan/plan-2.json", text: "ü" },
  ]);
});

const many = Array.from({ length: 10_000 }, (_, i) => ({ name: `${i}.json`, content: "" }));
const otherName = "An entry isn't a file with a name that ends in .json";

test.each<[string, Buffer, string]>([
  ["that isn't a zip file", Buffer.from("no zip"), ""],
  ["without files", Buffer.alloc(0), ""],
  ["that is truncated", zip([plan]).subarray(0, 60), ""],
  ["of 10,000 entries", zip(many), "It has 10000 entries, and at most 16 are allowed"],
  [
    "with too much compressed data",
    zip([{ ...plan, claimed: 80 << 20 }]),
    "83886080 bytes, and at most",
  ],
  [
    "with too much compressed data in many entries",
    zip(many.slice(0, 16).map((entry) => ({ ...entry, claimed: 5 << 20 }))),
    "83886080 bytes, and at most",
  ],
  [
    "with more bytes than declared",
    zip([{ ...plan, content: Buffer.alloc(1 << 20), claimed: 10 }]),
    "too many bytes in the stream",
  ],
  [
    "with fewer bytes than declared",
    zip([{ ...plan, claimed: 1000 }]),
    "not enough bytes in the stream",
  ],
  ["with a link", zip([{ ...plan, mode: 0o120_777 }]), "a link, a directory or a device"],
  ["with a device", zip([{ ...plan, mode: 0o060_644 }]), "a link, a directory or a device"],
  [
    "with a directory",
    zip([plan, { name: "a/", content: "", mode: 0o040_755 }]),
    "a link, a directory",
  ],
  ["with a DOS directory", zip([plan, { name: "a/", content: "", mode: 0 }]), otherName],
  [
    "that leads out of its directory",
    zip([{ ...plan, name: "../plan.json" }]),
    "invalid relative path",
  ],
  [
    "that leads out of its directory in a later entry",
    zip([{ ...plan, name: "a/../../plan.json" }]),
    "invalid relative path",
  ],
  ["with a path from the root", zip([{ ...plan, name: "/etc/plan.json" }]), "absolute path"],
  ["with a drive", zip([{ ...plan, name: "C:/plan.json" }]), "absolute path"],
  ["with a backslash", zip([{ ...plan, name: "..\\plan.json" }]), "invalid characters"],
  ["with a file in a directory", zip([{ ...plan, name: "a/plan.json" }]), otherName],
  ["with another kind of file", zip([plan, { name: "run.sh", content: "" }]), otherName],
  ["with a hidden file", zip([{ ...plan, name: ".json" }]), otherName],
  ["with an end of a line", zip([{ ...plan, name: "a\n::error::.json" }]), otherName],
  ["with a long name", zip([{ ...plan, name: `${"a".repeat(300)}.json` }]), otherName],
  ["with a name twice", zip([plan, plan]), "Two entries have the same name"],
  ["with a name in capitals", zip([plan, { ...plan, name: "PLAN.json" }]), "the same name"],
  ["with a secret", zip([{ ...plan, isEncrypted: true }]), "An entry is encrypted"],
  ["that isn't UTF-8", zip([{ ...plan, content: Buffer.from([0x22, 0xff, 0x22]) }]), ""],
])("an archive %s is rejected", async (_, archive, why) => {
  const error = await readArchive(archive, "qvs-plan").catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  const [problem] = (error as UserError).problems;
  expect(problem).toMatchObject({ code: "plan-file-rejected" });
  expect(problem?.what).toBe("The artifact qvs-plan can't be used");
  expect(problem?.why).toMatch(/./);
  expect(problem?.why).toContain(why);
});
