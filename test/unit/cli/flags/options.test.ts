import { expect, test } from "vitest";
import {
  parseCount,
  parseDuration,
  parseProtectedKinds,
  parsePullRequests,
} from "../../../../src/inputs/parse.ts";

test.each([
  ["30s", 30_000],
  ["10m", 600_000],
  ["2h", 7_200_000],
])("the duration %s is %d ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds);
});

test.each(["", "10", "m", "-1s", "0s", "1d"])("%j isn't a duration", (text) => {
  expect(() => parseDuration(text)).toThrow("10m");
});

test.each(["", "0", "-1", "1.5", "10000", "many"])("%j isn't a count", (text) => {
  expect(() => parseCount(text)).toThrow("Write a number from 1 to 9999.");
});

test.each([
  ["Namespace", ["Namespace"]],
  ["PersistentVolumeClaim, Namespace", ["PersistentVolumeClaim", "Namespace"]],
  ["PersistentVolumeClaim\neverything\n", ["PersistentVolumeClaim", "everything"]],
  ["", []],
])("%j are kinds that qvs can be allowed to delete", (text, kinds) => {
  expect(parseProtectedKinds(text)).toEqual(kinds);
});

test.each([
  ["namespaces", 'Not a protected kind: namespaces. Did you mean "Namespace"?'],
  ["Namespace,PVC,pv", "Not a protected kind: PVC, pv."],
])("%j contains an unknown kind", (text, complaint) => {
  const write =
    " Write PersistentVolumeClaim, Namespace, CustomResourceDefinition, PersistentVolume, VolumeSnapshot, VolumeSnapshotContent or everything.";
  expect(() => parseProtectedKinds(text)).toThrow(`${complaint}${write}`);
});

test("only the word none is an empty list of pull requests", () => {
  expect(parsePullRequests("1, 23")).toEqual([1, 23]);
  expect(parsePullRequests("none")).toEqual([]);
  for (const text of ["", " ", ",", "\n"])
    expect(() => parsePullRequests(text)).toThrow("or none without any");
  for (const text of ["none,1", "0", "x"]) expect(() => parsePullRequests(text)).toThrow("Write");
});
